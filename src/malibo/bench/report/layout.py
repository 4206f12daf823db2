"""Layout: which suites, methods and figures are on which page."""

from __future__ import annotations

from dataclasses import dataclass

from malibo.bench.figures.tables import BENCHMARKS, HPOB
from malibo.bench.suites import misleading_past, suites

BENCHMARKS_PAGE, TABLES_PAGE, SYNTHETIC_PAGE = "benchmarks", "tables", "synthetic"
MISLEADING_PAGE, VARIANTS_PAGE, ILLUSTRATIONS_PAGE = "misleading", "variants", "illustrations"
HPOB_PAGE = "hpob"


@dataclass(frozen=True)
class Layout:
    """A page before anything is on it.

    name      of its file, without the ending
    line      what the index says of it
    figures   their names, in the order of the page
    note      a paragraph at its beginning
    """

    name: str
    title: str
    line: str
    figures: tuple[str, ...] = ()
    note: str = ""


LAYOUTS = (
    Layout(
        BENCHMARKS_PAGE,
        "The benchmarks of the paper",
        "HPOBench (FCNet) and NAS-Bench-201: regret, ranks, critical differences, time",
        (
            "fig-regret",
            "fig-log-regret",
            "fig-rank",
            *(f"fig-cd-{suite}" for suite in BENCHMARKS),
            *(f"fig-immediate-{suite}" for suite in BENCHMARKS),
            "fig-runtime",
            *(f"fig-wallclock-{suite}" for suite in BENCHMARKS),
        ),
    ),
    Layout(
        TABLES_PAGE,
        "More sets of tables",
        "set by set, and all sets together: regret, ranks, critical differences",
        ("fig-tables-overall-rank", "fig-tables-cd", "fig-tables-rank", "fig-tables-regret"),
        "Sets of tables beside the two benchmarks of the paper. In the figures of all sets together"
        " those two count as well. Critical differences there are tests on ranks, corrected for all"
        " pairs of methods; the stars in the table of the [first page](README.md) are corrected for"
        " the pairs with MALIBO alone.",
    ),
    Layout(
        SYNTHETIC_PAGE,
        "Functions, and noise",
        "families of functions, some of which are the past of others, with noise and without",
        ("fig-noise-hartmann3d", "fig-noise-forrester", "fig-noise-branin"),
    ),
    Layout(
        MISLEADING_PAGE,
        "A past that misleads",
        "what it costs to have a past that one should not trust",
        note="The past tasks are random functions (`unrelated`), have losses of the opposite sign"
        " (`flipped`), are one true task among unrelated ones (`one-good`), lack the half that is"
        " near the optimum (`elsewhere`), or have wide noise in one value of ten (`corrupted`).",
    ),
    Layout(
        VARIANTS_PAGE,
        "Variants of MALIBO",
        "ablation, inference and dimension of the task embedding",
        (
            "fig-ablation",
            "fig-inference-regret",
            "fig-inference-runtime",
            "fig-dimension",
            *(f"fig-immediate-variants-{suite}" for suite in BENCHMARKS),
        ),
        "MALIBO (paper) is the method as the paper has it, and most variants change one thing of"
        " that; the classifier and the trusting one change one thing of the default.",
    ),
    Layout(
        ILLUSTRATIONS_PAGE,
        "The method in pictures",
        "how it learns and steps, on functions of one variable",
        (
            "fig-acquisition",
            "fig-exploration",
            "fig-steps-sequential",
            "fig-steps-parallel",
            "fig-variants-forrester",
            "fig-variants-quadratic",
            "fig-features-forrester",
            "fig-features-quadratic",
            "fig-without-meta",
        ),
        "These figures need no runs.",
    ),
)


def page_of(suite: str) -> str:
    """Name of the page that a suite is on."""
    known = suites().get(suite)
    if suite in BENCHMARKS:
        return BENCHMARKS_PAGE
    if suite == HPOB:
        return HPOB_PAGE
    if misleading_past(suite):
        return MISLEADING_PAGE
    return SYNTHETIC_PAGE if known and known.synthetic else TABLES_PAGE


def is_variant(method: str) -> bool:
    """Whether a method is MALIBO with something changed, other than as in the paper."""
    return method.startswith("malibo-") and method != "malibo-paper"


def place(suite: str) -> tuple[int, int, str]:
    """Suites in the order of their pages, built-in functions in their own, others by name."""
    pages = [*(layout.name for layout in LAYOUTS), HPOB_PAGE]
    known = [name for name in suites() if page_of(name) != TABLES_PAGE]
    number = known.index(suite) if suite in known else len(known)
    return pages.index(page_of(suite)), number, suite
