"""Numbers with a comma: decimal ones are read with a point, and doubtful ones are pointed out.

"0,5" is a decimal comma and nothing else. "1,024" may be one, may be a thousand and some, and
may be a list of two. What the rest of the file has decides, and where it decides nothing, nobody
guesses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from malibo.errors import listing

if TYPE_CHECKING:
    import pandas as pd

_EXPONENT = r"([eE][+-]?\d+)?"
_COMMA = rf"[+-]?\d+(,\d+)?{_EXPONENT}"
_GROUPED = r"[+-]?[1-9]\d{0,2}(,\d{3})+"
_PLAIN = rf"[+-]?\d+{_EXPONENT}"
_POINT = rf"[+-]?(\d+\.?\d*|\.\d+){_EXPONENT}"


def with_points(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str], dict[str, str]]:
    """The table with points for decimal commas, a note on them, and the columns left in doubt.

    A file that has points in its numbers has no decimal commas: its commas stay as they are.
    """
    cells = {str(name): frame[name].dropna().drop_duplicates() for name in frame}
    decimal = [name for name, values in cells.items() if _decimal(values)]
    grouped = [name for name, values in cells.items() if _grouped(values)]
    if not decimal or any(map(_has_points, cells.values())):
        return frame, [], {name: _example(cells[name]) for name in grouped}
    changed = [name for name in cells if name in decimal or name in grouped]
    frame = frame.assign(
        **{name: frame[name].str.replace(",", ".", regex=False) for name in changed}
    )
    return frame, [f"commas in {listing(changed, 10)} were read as decimal points"], {}


def why_unclear(column: str, example: str) -> str:
    """The sentence on a column whose commas may be decimal or not."""
    return (
        f"column {column!r} has {example!r}, and nothing tells if the comma is a decimal point or"
        " stands between thousands; write the numbers without it, or ignore the column."
    )


def _with_comma(values: pd.Series) -> pd.Series:
    return values[values.str.contains(",", regex=False)]


def _decimal(values: pd.Series) -> bool:
    """Whether a column has decimal commas: numbers alone, and some comma that groups no digits."""
    with_comma = _with_comma(values)
    numbers = len(with_comma) > 0 and bool(values.str.fullmatch(_COMMA).all())
    return numbers and not with_comma.str.fullmatch(_GROUPED).all()


def _grouped(values: pd.Series) -> bool:
    """Whether a column has numbers alone, and each comma may stand between thousands."""
    with_comma = _with_comma(values)
    numbers = len(with_comma) > 0 and bool(with_comma.str.fullmatch(_GROUPED).all())
    return numbers and bool(values.drop(with_comma.index).str.fullmatch(f"{_PLAIN}|{_POINT}").all())


def _has_points(values: pd.Series) -> bool:
    """Whether a column has nothing but numbers, or numbers in groups, and one has a point."""
    with_point = values[values.str.contains(".", regex=False)]
    return len(with_point) > 0 and bool(
        values.str.fullmatch(rf"{_POINT}|[+-]?[1-9]\d{{0,2}}(,\d{{3}})+(\.\d*)?").all()
    )


def _example(values: pd.Series) -> str:
    return str(_with_comma(values).iloc[0])
