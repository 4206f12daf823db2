"""The figures of the paper, each by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from malibo.bench.figures import from_results, illustrations, tables
from malibo.bench.figures.lines import Results
from malibo.bench.runs import read_runs
from malibo.errors import InputError, nearest_first

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REAL = tables.BENCHMARKS


@dataclass(frozen=True)
class Named:
    """A figure: one line on what it shows, and how it is made.

    draw         out of the results by suite; illustrations need none and take an empty dict
    from_runs    whether it needs results
    """

    line: str
    draw: Callable[[Results], Figure]
    from_runs: bool = True


def _illustration(line: str, draw: Callable[[], Figure]) -> Named:
    return Named(line, lambda _: draw(), from_runs=False)


FIGURES: dict[str, Named] = {
    "fig-acquisition": _illustration(
        "meta-learned acquisition on Forrester, with learned features (Figure 1)",
        illustrations.meta_acquisition,
    ),
    "fig-exploration": _illustration(
        "effect of exploration and residual on Forrester", illustrations.exploration
    ),
    "fig-runtime": Named(
        "seconds per step", lambda found: from_results.runtime_figure(found, _there(found, REAL))
    ),
    "fig-regret": Named(
        "normalised regret on the real benchmarks",
        lambda found: from_results.regret_figure(found, _there(found, REAL)),
    ),
    "fig-log-regret": Named(
        "the same, mean of the logarithm",
        lambda found: from_results.log_regret_figure(found, _there(found, REAL)),
    ),
    "fig-rank": Named(
        "average rank on the real benchmarks",
        lambda found: from_results.rank_figure(found, _there(found, REAL)),
    ),
    **{
        f"fig-cd-{suite}": Named(
            f"critical differences on {suite} (Wilcoxon, Holm)",
            partial(from_results.cd_figure, suite=suite),
        )
        for suite in REAL
    },
    "fig-tables-overall-rank": Named(
        "average rank over all sets of tables together", tables.overall_rank_figure
    ),
    "fig-tables-cd": Named(
        "critical differences over all sets of tables together (Wilcoxon, Holm)", tables.cd_figure
    ),
    "fig-tables-rank": Named(
        "average rank on each set of tables beside the two benchmarks", tables.rank_figure
    ),
    "fig-tables-regret": Named("normalised regret on each of these sets", tables.regret_figure),
    "fig-ablation": Named(
        "the variants of MALIBO on the real benchmarks",
        lambda found: from_results.ablation_figure(found, _there(found, REAL)),
    ),
    **{
        f"fig-noise-{family}": Named(
            f"regret under noise on {family}",
            partial(from_results.noise_figure, family=family),
        )
        for family in ("hartmann3d", "forrester", "branin")
    },
    **{
        f"fig-features-{family}": _illustration(
            f"learned features on {family}",
            partial(illustrations.features, family),
        )
        for family in ("forrester", "quadratic")
    },
    **{
        f"fig-variants-{family}": _illustration(
            f"variants stepping on {family}",
            partial(illustrations.variants, family),
        )
        for family in ("forrester", "quadratic")
    },
    "fig-without-meta": _illustration(
        "MALIBO without meta-learning against LFBO", illustrations.without_meta
    ),
    "fig-inference-regret": Named(
        "regret of inference methods on NAS-Bench-201", from_results.inference_figure
    ),
    "fig-inference-runtime": Named(
        "seconds per step of inference methods", from_results.inference_runtime_figure
    ),
    "fig-dimension": Named(
        "dimension of the task embedding",
        lambda found: from_results.dimension_figure(found, ("nasbench201",)),
    ),
    **{
        f"fig-immediate-{suite}": Named(
            f"immediate regret on each task of {suite}",
            partial(from_results.immediate_figure, suite=suite),
        )
        for suite in REAL
    },
    **{
        f"fig-immediate-variants-{suite}": Named(
            f"immediate regret of the variants on each task of {suite}",
            partial(from_results.immediate_figure, suite=suite, methods=from_results.VARIANTS),
        )
        for suite in REAL
    },
    **{
        f"fig-wallclock-{suite}": Named(
            f"immediate regret over simulated time on {suite}",
            partial(from_results.wallclock_figure, suite=suite),
        )
        for suite in REAL
    },
    "fig-steps-sequential": _illustration(
        "MALIBO step by step on Forrester", illustrations.step_sequential
    ),
    "fig-steps-parallel": _illustration(
        "three Thompson samples at a time on Forrester", illustrations.step_parallel
    ),
}


def _there(found: Results, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """The suites with results; all of the wanted if none has any, for the error to name one."""
    return tuple(suite for suite in wanted if found.get(suite)) or wanted


def figure(name: str) -> Named:
    """A figure by its name."""
    if name not in FIGURES:
        raise InputError(f"unknown figure {name!r}; {nearest_first(name, FIGURES)}.")
    return FIGURES[name]


def read_results(folder: Path) -> Results:
    """All results of a folder, by suite."""
    results = {}
    for path in sorted(folder.glob("*.jsonl")):
        run_set, runs = read_runs(path)
        results[run_set.suite] = runs
    return results
