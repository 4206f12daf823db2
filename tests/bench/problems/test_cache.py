"""The cache of columns: a copy that is made anew whenever it is in doubt."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from safetensors.numpy import save_file

from malibo.bench.problems import cache

COLUMNS = {
    "codes": np.arange(6, dtype=np.uint8).reshape(3, 2),
    "losses": np.array([0.5, np.nan, -1e300]),
    "transposed": np.arange(6.0).reshape(2, 3).T,
}


class Maker:
    """Makes the columns, and counts how often."""

    def __init__(self, columns: cache.Columns = COLUMNS) -> None:
        self.columns = columns
        self.calls = 0

    def __call__(self) -> cache.Columns:
        self.calls += 1
        return self.columns


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which the columns are cached."""
    monkeypatch.setenv("MALIBO_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "set.safetensors"


@pytest.fixture
def filled(file: Path) -> Path:
    """The same, and the columns are in it."""
    cache.columns("set", "source", Maker())
    return file


def made_anew(source: str = "source") -> bool:
    """Whether the columns are made, which are right in any case."""
    maker = Maker()
    found = cache.columns("set", source, maker)
    assert found.keys() == COLUMNS.keys()
    for name, column in COLUMNS.items():
        assert_array_equal(found[name], column)
        assert found[name].dtype == column.dtype
    return maker.calls == 1


def test_columns_are_made_once(file: Path) -> None:
    assert not file.exists()
    assert made_anew()
    assert file.exists()
    assert not made_anew()


def test_nothing_else_is_left_in_the_folder(filled: Path) -> None:
    assert list(filled.parent.iterdir()) == [filled]


def test_each_name_has_its_own_columns(filled: Path) -> None:
    other = cache.columns("other", "source", Maker({"a": np.ones(1)}))
    assert list(other) == ["a"]
    assert not made_anew()


def test_columns_of_another_source_are_made_anew(filled: Path) -> None:
    assert made_anew("changed")
    assert not made_anew("changed")


def test_an_empty_column_is_kept(file: Path) -> None:
    maker = Maker({"none": np.empty((0, 3))})
    for _ in range(2):
        assert cache.columns("set", "source", maker)["none"].shape == (0, 3)
    assert maker.calls == 1


@pytest.mark.parametrize("position", [0, 60, -40, -1])
def test_a_damaged_file_is_made_anew(position: int, filled: Path) -> None:
    content = bytearray(filled.read_bytes())
    content[position] ^= 1
    filled.write_bytes(content)
    assert made_anew()
    assert not made_anew()


@pytest.mark.parametrize("kept", [0, 4, 50, -1])
def test_a_truncated_file_is_made_anew(kept: int, filled: Path) -> None:
    filled.write_bytes(filled.read_bytes()[:kept])
    assert made_anew()
    assert not made_anew()


@pytest.mark.parametrize(
    "metadata", [None, {"source": "source"}, {"source": "source", "sha256": "0" * 64}]
)
def test_a_foreign_file_is_made_anew(metadata: dict[str, str] | None, filled: Path) -> None:
    save_file({"codes": np.zeros((3, 2))}, filled, metadata)
    assert made_anew()
    assert not made_anew()


def test_a_file_of_another_format_is_made_anew(filled: Path) -> None:
    np.save(filled.with_suffix(".npy"), np.zeros(1000))
    filled.with_suffix(".npy").replace(filled)
    assert made_anew()


def test_a_folder_in_place_of_the_file_is_no_obstacle(file: Path) -> None:
    file.mkdir(parents=True)
    assert made_anew()
    assert made_anew()
    assert list(file.parent.iterdir()) == [file]


def test_a_folder_that_cannot_be_written_costs_time_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text").write_text("a file is no folder")
    monkeypatch.setenv("MALIBO_CACHE", str(tmp_path / "text" / "below"))
    assert made_anew()
    assert made_anew()


def test_a_full_disk_leaves_no_part_behind(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr("os.replace", full)
    assert made_anew()
    assert list(file.parent.iterdir()) == []


def test_the_folder_is_the_users_unless_another_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cache.folder() == tmp_path / "cache"
    platformdirs = pytest.importorskip("platformdirs")
    monkeypatch.delenv("MALIBO_CACHE")
    assert cache.folder() == Path(platformdirs.user_cache_dir("malibo"))
