"""What several sections share."""

from __future__ import annotations

from malibo.report.markup import Markup, joined, tag


def section(title: str, *body: object) -> Markup:
    """A part of the page under its title."""
    return tag("section", tag("h2", title), *body)


def interval(middle: float, low: float, high: float) -> Markup:
    """A number, and small beside it the interval in which it is."""
    return joined(f"{_signed(middle)} ", tag("small", f"{_signed(low)} to {_signed(high)}"))


def _signed(number: float) -> str:
    """Two decimals; no minus before a zero."""
    return f"{round(number, 2) + 0:.2f}".replace("-", "−")


def bars_table(titles: tuple[str, ...], rows: list[Markup], identifier: str) -> Markup:
    """A table with a name, a bar and then numbers in each row."""
    kinds = (None, None, *["number"] * (len(titles) - 2))
    head = [
        tag("th", title, scope="col", class_=kind)
        for title, kind in zip(titles, kinds, strict=True)
    ]
    body = tag("tbody", *rows)
    return tag("table", tag("thead", tag("tr", *head)), body, class_="bars", id=identifier)
