"""Tables of a group, recomputed by hand."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from bench.published_examples import write_curves
from malibo.bench.published import Group, group_tables, read_groups, write_group_csv
from malibo.errors import InputError

# one task of the first search space, two of the second, two seeds each
RUNS = [
    (space, task, seed) for space, task in (("1", "a"), ("2", "a"), ("2", "b")) for seed in (0, 1)
]
END = {"A": [0.9, 0.7, 1.0, 1.0, 0.8, 0.6], "B": [0.9, 0.6, 0.9, 0.9, 0.9, 0.9]}


def curve(end: float, steps: int = 30) -> list[float]:
    """From 0.5 at the start to the end at step 5."""
    return [0.5, *[0.55] * 4, *[end] * (steps - 4)]


@pytest.fixture
def group(tmp_path: Path) -> Group:
    lines = {name: [curve(end) for end in ends] for name, ends in END.items()}
    (found,) = read_groups(write_curves(tmp_path, "hpob_small", lines, RUNS))
    return found


def test_regret_is_the_mean_over_runs_with_the_error_over_seeds(group: Group) -> None:
    tables = group_tables(group)
    # A has 0.3/3 with seed 0 and 0.7/3 with seed 1, B 0.3/3 and 0.6/3; two seeds: half the distance
    assert tables["mean normalised regret"] == [
        ["method", "step 5", "step 25"],
        ["B", "0.1500 ± 0.0500", "0.1500 ± 0.0500"],
        ["A", "0.1667 ± 0.0667", "0.1667 ± 0.0667"],
    ]


def test_ranks_share_ties(group: Group) -> None:
    # A has ranks 1.5, 1, 1, 1, 2, 2
    assert group_tables(group)["average rank"] == [
        ["method", "step 5", "step 25"],
        ["A", "1.42", "1.42"],
        ["B", "1.58", "1.58"],
    ]


def test_search_spaces_count_alike_when_averaged_first(group: Group) -> None:
    table = group_tables(group)["mean normalised regret, averaged within each search space first"]
    # A: (0.2 + 0.15) / 2, by seed (0.1 + 0.1) / 2 and (0.3 + 0.2) / 2; B: (0.25 + 0.1) / 2
    assert table[1:] == [
        ["A", "0.1750 ± 0.0750", "0.1750 ± 0.0750"],
        ["B", "0.1750 ± 0.0750", "0.1750 ± 0.0750"],
    ]


def test_a_single_seed_has_no_error_and_short_curves_their_last_step(tmp_path: Path) -> None:
    lines = {"optformer_ei": [[0.5, 0.75]], "oss_optformer_H": [[0.5, 0.875]]}
    (found,) = read_groups(write_curves(tmp_path, "short", lines, RUNS[:1]))
    assert group_tables(found)["mean normalised regret"] == [
        ["method", "step 1"],
        ["OSS OptFormer-H", "0.1250"],
        ["OptFormer, EI", "0.2500"],
    ]


def test_the_csv_file_has_every_search_space_and_step_0(group: Group, tmp_path: Path) -> None:
    write_group_csv(group, tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8") as file:
        rows = {
            (row["search_space"], row["method"], row["step"]): row for row in csv.DictReader(file)
        }
    assert len(rows) == 3 * 2 * 3
    assert rows["all", "A", "5"] == {
        "method": "A",
        "label": "A",
        "search_space": "all",
        "tasks": "3",
        "seeds": "2",
        "step": "5",
        "regret": "0.1667",
        "regret_se": "0.06667",
        "rank": "1.417",
        "space_regret": "0.175",
        "space_regret_se": "0.075",
    }
    assert rows["all", "B", "0"]["regret"] == "0.5"
    assert rows["2", "A", "25"]["regret"] == "0.15"
    assert rows["2", "A", "25"]["tasks"] == "2"
    assert rows["1", "A", "25"]["rank"] == "1.25"


def test_a_place_that_cannot_be_written_is_named(group: Group, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write"):
        write_group_csv(group, tmp_path / "none" / "out.csv")
