"""Evidence: problems, methods, one runner, results, figures (extra ``bench``).

problems/    what is tuned: tables of real runs, and synthetic families of functions
methods/     who tunes: malibo and what people would use instead, one short file each
suites       the problems by name
runs         one tuning as a record, and the file that keeps them
runner       every method on every task with every seed, resumable
metrics      regret, ranks and time out of the records
statistics   which differences are more than chance
figures/     the pictures of the paper, each by name
report       tables, figures and one page
commands     ``malibo bench``

This package imports the library; the library never imports it.
"""
