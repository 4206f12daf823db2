"""A report on one tuning: one HTML file that needs nothing else.

tuning     what it is about, from a study of malibo or of Optuna
reading    the tuning that a user names
facts      everything that the report says, as one plain dict
sections   its parts as HTML, from the facts
page       the whole page
"""

from malibo.report.facts import facts_of
from malibo.report.page import report_page
from malibo.report.reading import read_tuning
from malibo.report.tuning import Trial, Tuning
from malibo.report.writing import write_report

__all__ = ["Trial", "Tuning", "facts_of", "read_tuning", "report_page", "write_report"]
