"""The pictures: a dot for each trial where it belongs, and lines through the right places."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from malibo import MetaModel
from malibo.report import Trial, facts_of
from malibo.report.bars import interval_bar, range_bar
from malibo.report.charts import (
    can_be_log,
    history_chart,
    history_scale,
    scatter_chart,
    trust_chart,
)
from malibo.report.marks import source_class, swatch
from malibo.report.scales import Scale
from malibo.suggest import SOURCES
from report.examples import ADAM, tuning_of

Facts = dict[str, Any]
Dot = tuple[float, float, str]


def dots(chart: str) -> dict[int, Dot]:
    """Of each trial: percent from the left, pixels from above, and its classes."""
    return {number: (x, y, kind) for number, (x, y, kind, _) in marks(chart).items()}


def marks(chart: str) -> dict[int, tuple[float, float, str, str]]:
    """The same, and the path of its shape."""
    place, shape = r'<svg x="([\d.]+)%" y="([\d.]+)">', r'<path d="([^"]*)" class="([^"]*)"'
    found = re.findall(rf'{place}{shape} data-trial="(\d+)"/></svg>', chart)
    return {int(n): (float(x), float(y), kind, path) for x, y, path, kind, n in found}


def label(chart: str) -> str:
    """What those hear who do not see it."""
    found = re.search('role="img" aria-label="([^"]*)"', chart)
    assert found is not None
    return html.unescape(found[1])


def line(chart: str, kind: str) -> list[tuple[float, float]]:
    found = re.search(rf'<path d="M([^"]*)" class="{kind}"/>', chart)
    assert found is not None
    pairs = [point.split() for point in re.split("[ML]", found[1].rstrip("Z"))]
    return [(float(x), float(y)) for x, y in pairs]


def values_of(facts: Facts, values: list[float], **changes: Any) -> Facts:
    trials = [
        {**facts["trials"][0], "number": number, "value": value}
        for number, value in enumerate(values)
    ]
    return {**facts, "trials": trials, "random_search": None, **changes}


def test_every_trial_that_ended_is_a_dot_by_its_source(facts: Facts) -> None:
    found = dots(history_chart(facts, log=False))
    assert {number: kind for number, (_, _, kind) in found.items()} == {
        0: "source-past",
        1: "source-meta-model",
        2: "lost",
        3: "source-meta-model",
    }
    across = [found[number][0] for number in range(4)]
    assert across == sorted(across)
    assert across[0] == 2.5
    assert found[0][1] < found[1][1] < found[3][1]  # lower values are lower
    assert found[2][1] == 10  # a failed one is at the bad end


def test_every_source_has_a_shape_of_its_own(facts: Facts) -> None:
    trials = [
        {**facts["trials"][0], "number": number, "source": source}
        for number, source in enumerate([*SOURCES, "zebra"])
    ]
    found = marks(history_chart({**facts, "trials": trials}, log=False))
    shapes = [found[number][3] for number in range(len(trials))]
    assert len(set(shapes)) == len(SOURCES) == 7
    assert shapes[-1] == shapes[list(SOURCES).index("own")]
    assert all(path in swatch(source) for path, source in zip(shapes, SOURCES, strict=False))
    trust = trust_chart({**facts, "trials": trials})
    assert re.findall(r'<svg x="[^>]*><path d="([^"]*)"', trust) == shapes


def test_many_trials_have_smaller_marks(facts: Facts) -> None:
    assert '<g class="marks">' in history_chart(values_of(facts, [1.0] * 150), log=False)
    assert '<g class="marks crowd">' in history_chart(values_of(facts, [1.0] * 151), log=False)


def test_every_picture_says_what_it_shows(facts: Facts) -> None:
    assert label(history_chart(facts, log=False)) == (
        "Values of 3 trials, from 0.25 to 0.75. The first is 0.75, the best 0.25 in trial 3."
    )
    assert label(trust_chart(facts)) == (
        "Trust in the past at 4 trials: 0.80 at the first, 0.90 at the last, always between 0.40"
        " and 0.90."
    )
    layers, momentum = facts["parameters"][1], facts["parameters"][3]
    expected = "Value by layers of 3 trials; the best trial is at 1."
    assert label(scatter_chart(facts, layers)) == expected
    inactive = {**facts, "best": {**facts["best"], "config": ADAM}}
    expected = "Value by momentum of 1 trial; the best trial has none."
    assert label(scatter_chart(inactive, momentum)) == expected


def test_a_failed_trial_lies_below_where_greater_is_better(facts: Facts) -> None:
    found = dots(history_chart({**facts, "direction": "maximize"}, log=False))
    assert found[2][1] == 290


def test_the_best_so_far_is_a_stair_through_the_best_trials(facts: Facts) -> None:
    facts = values_of(facts, [3.0, 4.0, 1.0, 2.0])
    chart = history_chart(facts, log=False)
    found, stair = dots(chart), line(chart, "best-line")
    heights = [y for _, y in stair]
    first, best = found[0][1], found[2][1]
    assert heights == [first, first, first, first, best, best, best]
    assert stair[-1][0] == found[3][0] * 10


def test_the_stair_climbs_where_greater_is_better(facts: Facts) -> None:
    chart = history_chart(values_of(facts, [1.0, 3.0, 2.0], direction="maximize"), log=False)
    assert line(chart, "best-line")[-1][1] == dots(chart)[1][1]


def test_what_random_search_would_reach_is_drawn_with_its_band(facts: Facts) -> None:
    random = {"median": [2.0, 1.5], "low": [1.5, 1.0], "high": [2.5, 2.0]}
    chart = history_chart({**values_of(facts, [1.0, 3.0]), "random_search": random}, log=False)
    scale = Scale(0.9, 3.1)
    heights = [round(10 + (1 - scale.place(value)) * 280, 1) for value in (2.0, 1.5)]
    assert [y for _, y in line(chart, "expected")] == heights
    assert len(line(chart, "band")) == 4
    assert 'class="expectation"' in chart
    assert 'class="expectation"' not in history_chart(values_of(facts, [1.0, 3.0]), log=False)


def test_a_value_far_out_is_pale_at_the_edge(facts: Facts) -> None:
    found = dots(history_chart(values_of(facts, [1.0, 2.0, 3.0, 4.0, 1e6]), log=False))
    assert found[4][1:] == (10, "source-past beyond")
    assert found[3][2] == "source-past"


def test_a_logarithmic_picture_spaces_powers_of_ten_evenly(facts: Facts) -> None:
    facts = values_of(facts, [0.01, 0.1, 1.0])
    heights = [y for _, y, _ in dots(history_chart(facts, log=True)).values()]
    assert heights[0] - heights[1] == pytest.approx(heights[1] - heights[2], abs=0.11)
    assert history_scale(facts, log=True).log


@pytest.mark.parametrize(
    ("values", "possible"),
    [([1.0, 2.0], True), ([0.0, 1.0], False), ([-1.0, 1.0], False), ([1.0, 1.0], False)],
)
def test_a_logarithmic_picture_needs_different_values_above_zero(
    facts: Facts, values: list[float], possible: bool
) -> None:
    assert can_be_log(values_of(facts, values)) is possible


def test_one_trial_is_in_the_middle(model: MetaModel) -> None:
    facts = facts_of(tuning_of(model, [Trial(7, ADAM, "finished", 1.0)]))
    assert dots(history_chart(facts, log=False))[7][:2] == (50, 150)


def test_trust_is_a_line_through_the_recorded_ones(facts: Facts) -> None:
    chart = trust_chart(facts)
    heights = [y for _, y in line(chart, "trust-line")]
    assert heights == [round(10 + (1 - trust) * 140, 1) for trust in (0.8, 0.85, 0.4, 0.9)]
    assert re.findall('class="(source-[a-z-]*)"', chart) == [
        "source-past",
        "source-meta-model",
        "source-process",
        "source-meta-model",
    ]


def test_a_source_of_any_other_name_is_one_of_ones_own() -> None:
    assert source_class("booster") == "source-booster"
    assert source_class('"><b>') == "source-own"


def test_a_scatter_has_the_trials_that_have_the_parameter(facts: Facts) -> None:
    momentum = facts["parameters"][3]
    chart = scatter_chart(facts, momentum)
    assert re.findall('<path d="([^"]*)" class="scatter[^"]*"', chart)[0] == ""
    assert len(line(chart.replace("h0", ""), "scatter scatter-best")) == 1
    layers = scatter_chart(facts, facts["parameters"][1])
    assert re.findall('<path d="([^"]*)" class="scatter"', layers)[0].count("M") == 2


def test_names_of_choices_under_a_scatter_have_room(facts: Facts) -> None:
    names = [f"a very long name of a choice {i}" for i in range(30)]
    parameter = {"name": "optimizer", "kind": "categorical", "choices": names}
    labels = re.findall(r'y="258" text-anchor="middle">([^<]*)<', scatter_chart(facts, parameter))
    assert len(labels) == 6
    assert all(len(label) <= 7 and label.endswith("…") for label in labels)


def test_a_mark_lies_where_the_value_is_in_its_range() -> None:
    number = {"name": "x", "kind": "float", "low": 0.0, "high": 10.0, "log": False}
    assert 'cx="50.00%"' in range_bar(number, 5.0)
    choice = {"name": "x", "kind": "categorical", "choices": ["a", "b", "c", "d"]}
    kinds = re.findall('class="(track|mark)"', range_bar(choice, "c"))
    assert kinds == ["track", "track", "mark", "track"]
    assert "mark" not in range_bar(choice, "unknown")


def test_a_bar_begins_at_zero_and_its_interval_is_a_line() -> None:
    bar = interval_bar(-0.5, -0.8, 0.2, Scale(-1.0, 1.0))
    assert '<rect x="25.00%" y="3" width="25.00%"' in bar
    assert '<line x1="10.00%" x2="60.00%" y1="9" y2="9"' in bar
    assert 'class="zero"' in bar
    assert 'class="zero"' not in interval_bar(0.5, 0.2, 0.8, Scale(0.0, 1.0))
