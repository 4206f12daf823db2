"""Files of curves: what is read, what is left alone, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from bench.published_examples import own_run, write_curves
from malibo.bench.published.curves import own_curves, read_curves
from malibo.errors import InputError

RUNS = [("4796", "23", 0), ("4796", "23", 1), ("5527", "31", 0)]
LINES = {
    "A": [[0.5, 0.75], [0.25, 1.0], [0.0, 0.5]],
    "B": [[0.5, 0.5], [0.25, 0.5], [0.0, 1.0]],
}


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    (found,) = read_curves(write_curves(tmp_path, "two", LINES, RUNS, "float32"))
    assert (found.source, found.methods, found.last) == ("two", ("A", "B"), 1)
    assert found.runs == (("4796/23", 0), ("4796/23", 1), ("5527/31", 0))
    assert found.values.dtype == np.float32
    assert_allclose(found.values, [*LINES.values()])
    assert not found.own


def test_seeds_may_be_numbers(tmp_path: Path) -> None:
    numbers = np.array([3, 14, 0])
    (found,) = read_curves(write_curves(tmp_path, "two", LINES, RUNS, seed=numbers))
    assert [seed for _, seed in found.runs] == [3, 14, 0]


def test_files_of_something_else_are_left_alone(tmp_path: Path) -> None:
    write_curves(tmp_path, "b", LINES, RUNS)
    write_curves(tmp_path, "a", LINES, RUNS)
    np.savez(tmp_path / "table.npz", X=np.zeros(3), seed=np.zeros(3))
    (tmp_path / "summary.csv").write_text("method,regret\n")
    assert [found.source for found in read_curves(tmp_path)] == ["a", "b"]


def test_values_out_of_range_by_rounding_are_put_on_the_edge(tmp_path: Path) -> None:
    lines = {"A": [[-1e-7, 0.5], [0.25, 1 + 1e-7], [0.0, 0.5]]}
    (found,) = read_curves(write_curves(tmp_path, "one", lines, RUNS))
    assert found.values.min() == 0
    assert found.values.max() == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seed": None}, "f.npz has no array 'seed'; expected .npz files with the arrays methods"),
        ({"methods": np.array(["A"])}, r"the shape \(1 methods, 3 runs, steps\), got \(2, 3, 2\)"),
        ({"methods": np.array("A")}, r"f.npz: methods must be a list .* got shape \(\)"),
        ({"methods": np.array(["A", "A"])}, "f.npz: each method must occur once; 'A' occurs 2"),
        ({"dataset": np.array(["23"])}, "one entry for each run, got 3, 1 and 3"),
        ({"seed": np.array(["0", "x", "1"])}, "f.npz: a seed must be a whole number.* got 'x'"),
        ({"seed": np.array([0.5, 1, 2])}, "f.npz: a seed must be a whole number.* got '0.5'"),
        ({"seed": np.array([0, 0, 0])}, r"each run must occur once; \('4796/23', 0\) occurs 2"),
        ({"curves": np.zeros((2, 3))}, r"got \(2, 3\)"),
        ({"curves": np.zeros((2, 3, 0))}, r"got \(2, 3, 0\)"),
        ({"curves": np.full((2, 3, 2), "x")}, "f.npz: curves must be numbers"),
        ({"curves": np.full((2, 3, 2), np.nan)}, "must be finite; NaN or infinite: 12 values"),
        ({"curves": np.full((2, 3, 2), 1.01)}, r"to \[0, 1\], 1 the best, got values from 1.01"),
        ({"curves": np.full((2, 3, 2), -0.01)}, r"got values from -0.01 to -0.01"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_name_of_the_file(
    tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    write_curves(tmp_path, "f", LINES, RUNS, **changed)
    with pytest.raises(InputError, match=message) as caught:
        read_curves(tmp_path)
    assert str(caught.value).startswith("f.npz")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04 and no more"])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "torn.npz").write_bytes(content)
    with pytest.raises(InputError, match=r"torn\.npz cannot be read .*; download it again"):
        read_curves(tmp_path)


def test_a_folder_without_curves_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there are no published curves in .*; expected \.npz"):
        read_curves(tmp_path)
    with pytest.raises(InputError, match="there is no folder 'none' of published curves"):
        read_curves(Path("none"))


# -- own runs ------------------------------------------------------------------------------


def test_own_runs_are_curves_from_the_best_given_configuration_on() -> None:
    (found,) = own_curves([own_run("malibo", "4796/23", 0, [0.25, 0.5, 0.75], scale=8.0)])
    assert found.own
    assert (found.methods, found.runs) == (("malibo",), (("4796/23", 0),))
    assert_allclose(found.values, [[[0.25, 0.5, 0.75]]])


def test_own_methods_of_the_same_runs_go_together() -> None:
    runs = [own_run(method, "4796/23", seed, [0, 1]) for method in "ab" for seed in (1, 0)]
    runs += [own_run("c", "4796/23", 0, [0, 1])]
    assert [(found.methods, found.runs) for found in own_curves(runs)] == [
        (("a", "b"), (("4796/23", 0), ("4796/23", 1))),
        (("c",), (("4796/23", 0),)),
    ]


def test_a_run_that_used_up_its_table_stays_where_it_is() -> None:
    runs = [own_run("a", "x/1", 0, [0, 0.5, 0.5, 0.75]), own_run("a", "x/2", 0, [0, 1])]
    (found,) = own_curves(runs)
    assert_allclose(found.values, [[[0.0, 0.5, 0.5, 0.75], [0.0, 1.0, 1.0, 1.0]]])


def test_runs_that_were_never_published_do_not_count() -> None:
    assert own_curves([own_run("a", "x/1", 5, [0, 1]), own_run("a", "x/1", 0, [0, 1], 0)]) == []
