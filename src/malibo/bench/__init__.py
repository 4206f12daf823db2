"""Evidence: problems, methods, one runner, results, figures (extra ``bench``).

problems/    what is tuned: tables of real runs, and synthetic families of functions
methods/     who tunes: malibo and what people would use instead
suites       the problems by name
runs         one tuning as a record, and the file that keeps them
runner       every method on every task with every seed, resumable
plan         every experiment behind the published results
parts        the plan as far as it can be run here
estimate     how long that will take
everything   all of it in turn
metrics      regret, ranks and time out of the records
statistics   which differences are more than chance
summary      the records as a table
overall      all suites together
published/   curves on HPO-B that others published, compared where they start alike
figures/     the pictures of the paper, each by name
report/      tables, figures and pages

This package imports the library; the library never imports it.
"""
