"""The sections of the page, in their order. Each is a function of the facts; None is left out."""

from malibo.report.sections.best import best_section
from malibo.report.sections.headline import headline
from malibo.report.sections.history import history_section
from malibo.report.sections.parameters import parameters_section
from malibo.report.sections.random_search import random_search_section
from malibo.report.sections.sources import sources_section
from malibo.report.sections.tasks import tasks_section
from malibo.report.sections.trials import trials_section

SECTIONS = (
    headline,
    best_section,
    history_section,
    random_search_section,
    tasks_section,
    parameters_section,
    sources_section,
    trials_section,
)
