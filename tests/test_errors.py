"""The errors of the library, and the helpers of their messages."""

from __future__ import annotations

import numpy as np
import pytest

from malibo import errors
from malibo.errors import listing, nearest, plural


@pytest.mark.parametrize("kind", [errors.SpaceError, errors.HistoryError, errors.ModelFileError])
def test_wrong_input_is_a_value_error_of_this_library(kind: type[Exception]) -> None:
    assert issubclass(kind, errors.InputError)
    assert issubclass(kind, errors.MaliboError)
    assert issubclass(kind, ValueError)


def test_an_exhausted_space_is_no_wrong_input() -> None:
    assert issubclass(errors.SpaceExhaustedError, errors.MaliboError)
    assert not issubclass(errors.SpaceExhaustedError, ValueError)


def test_a_missing_package_is_an_import_error() -> None:
    assert issubclass(errors.MissingDependencyError, errors.MaliboError)
    assert issubclass(errors.MissingDependencyError, ImportError)


def test_nearest_offers_a_close_name_only() -> None:
    assert nearest("learning_rat", ["layers", "learning_rate"]) == " Did you mean 'learning_rate'?"
    assert nearest("xyz", ["layers", "learning_rate"]) == ""
    assert nearest(3, ["layers"]) == ""


def test_listing_names_the_first_and_counts_the_rest() -> None:
    assert listing([]) == ""
    assert listing(["a", 1, None]) == "'a', 1, None"
    assert listing(range(5)) == "0, 1, 2, 3, 4"
    assert listing(range(7)) == "0, 1, 2, 3, 4 and 2 more"
    assert listing("abc", most=1) == "'a' and 2 more"


def test_plural_counts() -> None:
    assert [plural(n, "task") for n in (0, 1, 2, 1200)] == [
        "0 tasks",
        "1 task",
        "2 tasks",
        "1,200 tasks",
    ]


@pytest.mark.parametrize("value", [1, 7, np.int64(3)])
def test_whole_numbers_pass(value: int) -> None:
    errors.need_whole_number("trials", value)


@pytest.mark.parametrize("value", [0, -1, 2.0, "3", True, None, np.nan])
def test_what_is_no_whole_number_is_refused_by_name(value: object) -> None:
    with pytest.raises(errors.InputError, match=r"^trials must be a whole number >= 1, got "):
        errors.need_whole_number("trials", value)
    errors.need_whole_number("seed", 0, least=0)
