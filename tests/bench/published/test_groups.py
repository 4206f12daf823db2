"""Groups: who is compared with whom, on which runs, and under which names."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

from bench.published_examples import own_run, write_curves
from malibo.bench.metrics import average_ranks
from malibo.bench.published import Group, read_groups
from malibo.bench.published.tables import averages, by_space

TWO = [("4796", "23", 0), ("5527", "31", 0)]
ONE = TWO[:1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two discrete files, the second with fewer runs, and one that starts elsewhere."""
    large = {"GP": [[0.5, 0.75, 1], [0.25, 0.5, 0.5]], "Random": [[0.5, 0.5, 0.5], [0.25, 0.25, 1]]}
    write_curves(tmp_path, "hpob_discrete", large, TWO)
    write_curves(tmp_path, "hpob_discrete_nap", {"NAP": [[0.5, 1, 1]]}, ONE)
    elsewhere = {"GP-C": [[0.51, 0.75, 1], [0.25, 0.5, 0.5]]}
    return write_curves(tmp_path, "hpob_continuous", elsewhere, TWO)


def by_name(groups: list[Group]) -> dict[str, Group]:
    return {group.name: group for group in groups}


def test_files_that_start_alike_are_compared_on_the_runs_they_share(folder: Path) -> None:
    groups = read_groups(folder)
    assert [(group.name, group.title) for group in groups] == [
        ("hpob-discrete", "HPO-B discrete: 2 methods on 2 tasks"),
        ("hpob-discrete-nap", "HPO-B discrete with NAP: 3 methods on 1 task"),
        ("hpob-continuous", "HPO-B continuous: 1 method on 2 tasks"),
    ]
    large, small, _ = (group.curves for group in groups)
    assert large.methods == ("GP", "Random")
    assert list(large.steps) == [0, 1, 2]
    assert_allclose(large.values["GP"], [[0.5, 0.25, 0], [0.75, 0.5, 0.5]])
    assert small.methods == ("GP", "Random", "NAP")
    assert small.keys["GP"] == small.keys["NAP"] == [("4796/23", 0)]
    assert_allclose(small.values["GP"], [[0.5, 0.25, 0]])


def test_runs_are_in_the_same_order_for_all_methods(tmp_path: Path) -> None:
    write_curves(tmp_path, "a", {"A": [[0.1, 0.2], [0.3, 0.4]]}, TWO)
    write_curves(tmp_path, "b", {"B": [[0.3, 0.6], [0.1, 0.5]]}, TWO[::-1])
    (group,) = read_groups(tmp_path)
    assert group.curves.keys["A"] == group.curves.keys["B"] == [("4796/23", 0), ("5527/31", 0)]
    assert_allclose(group.curves.values["B"], [[0.9, 0.5], [0.7, 0.4]])


def test_files_that_overlap_are_compared_on_the_overlap_only(tmp_path: Path) -> None:
    three = [*TWO, ("5527", "37", 0)]
    write_curves(tmp_path, "a", {"A": [[0.1, 0.2], [0.3, 0.4]]}, three[:2])
    write_curves(tmp_path, "b", {"B": [[0.3, 0.6], [0.1, 0.5]]}, three[1:])
    found = {
        group.name: (group.curves.methods, group.curves.tasks) for group in read_groups(tmp_path)
    }
    assert found == {
        "a": (("A",), ("4796/23", "5527/31")),
        "b": (("B",), ("5527/31", "5527/37")),
        "a-b": (("A", "B"), ("5527/31",)),
    }


def test_files_of_different_lengths_are_compared_up_to_the_shorter(tmp_path: Path) -> None:
    write_curves(tmp_path, "a", {"A": [[0.1, 0.2, 0.3]]}, ONE)
    write_curves(tmp_path, "b", {"B": [[0.1, 0.5]]}, ONE)
    found = {group.name: list(group.curves.steps) for group in read_groups(tmp_path)}
    assert found == {"a": [0, 1, 2], "a-b": [0, 1]}


def test_a_file_that_fits_two_others_is_compared_with_each(tmp_path: Path) -> None:
    write_curves(tmp_path, "a", {"A": [[0.1, 0.2], [0.3, 0.4]]}, TWO)
    write_curves(tmp_path, "b", {"B": [[0.1, 0.2], [0.5, 0.6]]}, TWO)
    write_curves(tmp_path, "c", {"C": [[0.1, 0.3]]}, ONE)
    methods = {group.name: group.curves.methods for group in read_groups(tmp_path)}
    assert methods == {"a": ("A",), "a-c": ("A", "C"), "b": ("B",), "b-c": ("B", "C")}


def test_the_same_name_in_two_files_gets_the_file_with_it(tmp_path: Path) -> None:
    write_curves(tmp_path, "a", {"GP": [[0.1, 0.2]]}, ONE)
    write_curves(tmp_path, "b", {"GP": [[0.1, 0.5]]}, ONE)
    (group,) = read_groups(tmp_path)
    assert group.curves.methods == ("GP", "GP (b)")


def test_notes_say_what_there_is_and_what_is_odd(tmp_path: Path) -> None:
    lines = {"A": [[0.5, 0.4, 0.6], [0.1, 0.2, 0.3]], "B": [[0.5, 0.6, 0.7], [0.2, 0.2, 0.3]]}
    (group,) = read_groups(write_curves(tmp_path, "odd", lines, TWO))
    assert group.notes == [
        "2 runs of each method: 2 tasks of 2 search spaces, 1 seed. Step 0 is the best of the"
        " given initial configurations, and curves end at step 2.",
        "Published curves of odd.npz: A, B.",
        "Curves of A that get worse at some step: 1, shown as they were published.",
        "The methods of odd.npz do not all start from the same values: they differ on 1 run.",
    ]
    assert_allclose(group.curves.values["A"][0], [0.5, 0.6, 0.4])


# -- own runs ------------------------------------------------------------------------------

STARTS = (0.5, 0.25)
OWN = [
    own_run("malibo", "4796/23", 0, [0.5, 1, 1]),
    own_run("malibo", "5527/31", 0, [0.25, 0.75, 1]),
]


def test_own_runs_join_the_groups_that_start_like_them(folder: Path) -> None:
    groups = by_name(read_groups(folder, OWN))
    assert list(groups) == ["hpob-discrete", "hpob-discrete-nap", "hpob-continuous"]
    whole = groups["hpob-discrete"]
    assert whole.title == "HPO-B discrete with own runs: 3 methods on 2 tasks"
    assert whole.curves.methods == ("malibo", "GP", "Random")
    assert_allclose(whole.curves.values["malibo"], [[0.5, 0, 0], [0.75, 0.25, 0]])
    assert "Own runs: MALIBO." in whole.notes
    assert groups["hpob-discrete-nap"].curves.methods == ("malibo", "GP", "Random", "NAP")
    assert groups["hpob-continuous"].curves.methods == ("GP-C",)


def test_some_own_runs_make_a_group_of_their_own(folder: Path) -> None:
    groups = by_name(read_groups(folder, OWN[1:]))
    assert groups["hpob-discrete"].curves.methods == ("GP", "Random")
    assert len(groups["hpob-discrete"].curves.tasks) == 2
    own = groups["hpob-discrete-own"].curves
    assert (own.methods, own.tasks) == (("malibo", "GP", "Random"), ("5527/31",))


def test_own_runs_of_fewer_steps_leave_the_others_whole(folder: Path) -> None:
    short = [
        own_run(run.method, run.task, 0, [value, 1]) for run, value in zip(OWN, STARTS, strict=True)
    ]
    groups = by_name(read_groups(folder, short))
    assert list(groups["hpob-discrete"].curves.steps) == [0, 1, 2]
    assert list(groups["hpob-discrete-own"].curves.steps) == [0, 1]


def test_a_published_method_with_the_name_of_an_own_one_is_marked(folder: Path) -> None:
    own = [
        own_run("gp", run.task, 0, [value, 1, 1]) for run, value in zip(OWN, STARTS, strict=True)
    ]
    whole = by_name(read_groups(folder, own))["hpob-discrete"]
    assert whole.curves.methods == ("gp", "GP (published)", "Random")


def test_own_runs_that_start_elsewhere_are_left_out_and_named(folder: Path) -> None:
    wrong = own_run("malibo", "5527/31", 0, [0.3, 0.75, 1])
    groups = by_name(read_groups(folder, [OWN[0], wrong]))
    assert groups["hpob-discrete"].curves.methods == ("GP", "Random")
    assert groups["hpob-discrete-nap"].curves.methods == ("malibo", "GP", "Random", "NAP")
    assert groups["hpob-discrete"].notes[-1] == (
        "1 own run of MALIBO left out: own and published initial values differ, for example on"
        " 5527/31 with seed 0: best 0.300000 against 0.250000."
    )
    nowhere = read_groups(folder, [wrong])
    assert all("malibo" not in group.curves.methods for group in nowhere)
    assert all(
        "MALIBO cannot be compared: own and published initial values differ" in group.notes[-1]
        for group in nowhere
    )


def test_own_runs_of_other_tasks_or_seeds_are_mentioned(folder: Path) -> None:
    foreign = read_groups(folder, [own_run("malibo", "9/9", 0, [0.5, 1, 1])])
    assert "no own run is of a task and seed that was published" in foreign[0].notes[-1]
    beyond = read_groups(folder, [*OWN, own_run("malibo", "4796/23", 5, [0.5, 1, 1])])
    assert beyond[0].curves.methods == ("malibo", "GP", "Random")
    assert beyond[0].notes[-1].startswith("1 own run left out: only seeds 0 to 4 with the given")
    assert "left out" not in beyond[-1].notes[-1]


def test_the_same_configuration_is_a_tie_in_the_precision_of_the_file(tmp_path: Path) -> None:
    value = 0.98765432109
    write_curves(tmp_path, "f", {"A": [[0.5, value]]}, ONE, "float32")
    (group,) = read_groups(tmp_path, [own_run("malibo", "4796/23", 0, [0.5, value])])
    ranks = average_ranks(group.curves)
    assert ranks["malibo"][1] == ranks["A"][1] == 1.5


# -- the published files themselves --------------------------------------------------------

SUMMARY = {
    "discrete_all": "hpob-discrete",
    "discrete_nap23": "hpob-discrete-nap",
    "continuous_hpob": "hpob-continuous",
    "continuous_optformer": "hpob-continuous-optformer",
}


@pytest.mark.skipif("MALIBO_DATA" not in os.environ, reason="MALIBO_DATA names no folder of data")
def test_the_published_files_give_the_published_numbers() -> None:
    anchors = Path(os.environ["MALIBO_DATA"]) / "anchors"
    groups = by_name(read_groups(anchors))
    assert list(groups) == [*SUMMARY.values()]
    found = {
        name: {
            "reg": {method: mean for method, (mean, _) in averages(group.curves).items()},
            "rank": average_ranks(group.curves),
            "spreg": {
                method: mean for method, (mean, _) in averages(by_space(group.curves)).items()
            },
        }
        for name, group in groups.items()
    }
    with (anchors / "hpob_summary.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        group = SUMMARY[row["group"]]
        method = "OptFormer-NAP" if row["method"] == "OptFormer" else row["method"]
        for column in [column for column in row if "@" in column]:
            measure, step = column.split("@")
            # the curves of OptFormer are stored in single precision: close ones are ties there
            coarse = measure == "rank" and group == "hpob-continuous-optformer"
            value = found[group][measure][method][int(step)]
            assert value == pytest.approx(float(row[column]), abs=0.07 if coarse else 1e-5), row
    assert len(rows) == sum(len(group.curves.methods) for group in groups.values())
