"""Published curves on HPO-B, and own runs beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.published_examples import own_run, write_curves
from malibo.bench.published import Group, read_groups
from malibo.bench.report.hpob import hpob_page
from malibo.bench.report.pages import measured
from malibo.bench.runs import RunSet

pytest.importorskip("matplotlib")

STEPS = 6
RUNS = [("1", "a", seed) for seed in (0, 1)]


@pytest.fixture(scope="module")
def group(tmp_path_factory: pytest.TempPathFactory) -> Group:
    ends = {"GP": (0.8, 0.7), "Random": (0.7, 0.6)}
    lines = {name: [[0.5, *[end] * STEPS] for end in pair] for name, pair in ends.items()}
    folder = tmp_path_factory.mktemp("curves")
    (found,) = read_groups(write_curves(folder, "hpob_small", lines, RUNS))
    return found


def test_a_group_has_a_section_with_its_tables_figures_and_file(
    group: Group, tmp_path: Path
) -> None:
    page, files = hpob_page([group], None, tmp_path, progress=False)
    assert page is not None
    assert (page.name, list(page.commands)) == ("hpob", [])
    (section,) = page.sections
    assert section.title == group.title
    assert list(section.notes) == group.notes
    assert list(section.tables) == ["mean normalised regret"]
    assert next(iter(section.folded)) == "average rank"
    assert set(files) == set(tmp_path.iterdir())
    assert tmp_path / f"{group.name}.csv" in files
    assert [picture.line for picture in section.pictures][:2] == [
        "mean normalised regret",
        "average rank",
    ]


def test_the_page_says_that_tables_are_not_shipped_and_how_to_add_curves(
    group: Group, tmp_path: Path
) -> None:
    page, _ = hpob_page([group], None, tmp_path, progress=False)
    assert page is not None
    said = " ".join(page.notes)
    assert "not shipped" in said
    assert "`malibo bench run hpob --data hpob-data`" in said


def test_own_runs_alone_have_a_page_too(tmp_path: Path) -> None:
    runs = [own_run("malibo", "1/a", seed, [0.5, *[0.9] * STEPS]) for seed in (0, 1)]
    own = measured(RunSet("hpob", STEPS), runs)
    page, files = hpob_page([], own, tmp_path, progress=False)
    assert page is not None
    assert [section.title for section in page.sections] == ["hpob"]
    (command,) = page.commands
    assert command.startswith("malibo bench run hpob --methods malibo --seeds 2 --steps 6 --data")
    assert files == []


def test_without_anything_there_is_no_page(tmp_path: Path) -> None:
    assert hpob_page([], None, tmp_path, progress=False) == (None, [])
