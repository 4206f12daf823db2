"""Markup: nothing that a user wrote becomes HTML."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malibo.report.markup import Markup, escaped, joined, script_data, tag
from report.examples import NASTY
from strategies import repeatable

anything = st.text() | st.sampled_from([NASTY, "</script>", "<!--", "a\x00b", "\ud800", "&lt;"])


class Reader(HTMLParser):
    """Collects elements and the text in them."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def read(markup: str) -> Reader:
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader


def printable(text: str) -> str:
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", "\ufffd", text)


@repeatable
@given(anything, anything)
def test_texts_and_attributes_are_read_back_as_they_were(text: str, attribute: str) -> None:
    found = read(tag("p", text, data_name=attribute))
    assert found.elements == [("p", {"data-name": printable(attribute)})]
    assert found.text == printable(text)


@repeatable
@given(st.recursive(anything | st.none() | st.booleans() | st.integers(), st.lists))
def test_data_for_the_script_is_read_back_and_cannot_end_its_element(data: Any) -> None:
    markup = script_data(data, "data")
    inside = markup.removeprefix('<script type="application/json" id="data">')
    inside = inside.removesuffix("</script>")
    assert json.loads(inside) == data
    assert not re.search("[<>&\u2028\u2029]", inside)
    assert inside.isascii()


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_json_does_not_know_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        script_data([number], "data")


def test_markup_is_put_into_others_as_it_is() -> None:
    inner = tag("b", "<")
    assert inner == "<b>&lt;</b>"
    assert joined(inner, ["<", None, (inner,)], 3) == "<b>&lt;</b>&lt;<b>&lt;</b>3"
    assert isinstance(joined("<"), Markup)
    assert escaped(Markup("<")) == "&lt;"


def test_attributes_that_are_none_or_false_are_left_out() -> None:
    assert tag("i", class_="a", id=None, hidden=False) == '<i class="a"></i>'
    assert (
        tag("i", hidden=True, for_="x", aria_label="y") == '<i hidden for="x" aria-label="y"></i>'
    )


def test_elements_without_content_are_closed_at_once_and_their_numbers_short() -> None:
    assert tag("circle", cx="3%", cy=4.0, r=1 / 3) == '<circle cx="3%" cy="4" r="0.3"/>'
