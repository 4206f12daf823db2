"""What all pictures share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from malibo.plots.style import blank, legend, shortened, whole_numbers, wrapped
from strategies import repeatable


def test_a_long_name_keeps_both_ends() -> None:
    assert shortened("learning rate") == "learning rate"
    assert shortened("a name with a number 17", 12) == "a name…er 17"
    assert len(shortened("x" * 100, 20)) == 20


def test_a_dollar_begins_no_formula() -> None:
    assert shortened("$x$") == r"\$x\$"


@repeatable
@given(st.text(alphabet=st.characters(exclude_characters="$"), max_size=60), st.integers(4, 40))
def test_no_name_is_longer_than_it_may_be(name: str, most: int) -> None:
    assert len(shortened(name, most)) == min(len(name), most)


def test_a_note_is_wrapped_by_the_width_of_the_figure() -> None:
    text = "word " * 40
    assert max(map(len, wrapped(Figure(figsize=(4, 2)), text).splitlines())) <= 60
    assert wrapped(Figure(figsize=(20, 2)), text) == text.strip()


def test_each_name_is_once_in_the_legend() -> None:
    figure = blank(6, 3, "Title")
    for axes in figure.subplots(1, 2):
        axes.plot([0, 1], label="line")
        axes.plot([0, 1])
    legend(figure, "note")
    (box,) = figure.legends
    assert [text.get_text() for text in box.get_texts()] == ["line"]
    assert box.get_title().get_text() == "note"


@pytest.mark.parametrize("last", [1, 2, 30])
def test_numbers_of_trials_are_whole(last: int) -> None:
    axes = Figure().subplots()
    axes.set_xlim(0.5, last + 0.5)
    whole_numbers(axes)
    assert all(tick == int(tick) for tick in axes.get_xticks())


def test_lines_of_a_note_are_about_equally_long() -> None:
    first, second = wrapped(Figure(figsize=(8, 2)), "word " * 26).splitlines()
    assert abs(len(first) - len(second)) < 30
