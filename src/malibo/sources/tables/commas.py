"""Numbers with a comma: decimal ones are read with a point, and doubtful ones are pointed out.

"0,5" is a decimal comma and nothing else. "1,024" may be one, may be a thousand and some, and
may be a list of two. What the rest of the file has decides, and where it decides nothing, nobody
guesses. A few texts among numbers, such as "n.d.", do not hide what the numbers are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from malibo.errors import listing
from malibo.sources.tables.empty import NO_VALUES

if TYPE_CHECKING:
    import pandas as pd

_EXPONENT = r"([eE][+-]?\d+)?"
_COMMA = rf"[+-]?\d+(,\d+)?{_EXPONENT}"
_GROUPED = r"[+-]?[1-9]\d{0,2}(,\d{3})+"
_PLAIN = rf"[+-]?\d+{_EXPONENT}"
_POINT = rf"[+-]?(\d+\.?\d*|\.\d+){_EXPONENT}"
_GROUPED_BY_POINTS = r"[+-]?[1-9]\d{0,2}(\.\d{3})+"
_LIST = r"\W*\d+(\s*,\s*\d+){2,}\W*"

_ENOUGH = 10  # cells that are numbers, from which on others among them may be odd
_MOST = 0.9  # of the cells must be numbers for points to be decimal
_HALF = 0.5  # of the cells must be numbers for commas to be decimal: "n.d." is frequent


def with_points(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str], dict[str, str]]:
    """The table with points for decimal commas, a note on them, and the columns left in doubt.

    A file that has points in its numbers has no decimal commas: its commas stay as they are.
    """
    cells = {str(name): _counted(frame[name]) for name in frame}
    decimal = [name for name, counts in cells.items() if _decimal(counts)]
    grouped = [name for name, counts in cells.items() if _grouped(counts)]
    if not decimal or any(map(_has_points, cells.values())):
        return frame, [], {name: _with_comma(cells[name])[0] for name in grouped}
    changed = [name for name in cells if name in decimal or name in grouped]
    frame = frame.assign(**{name: _changed(frame[name]) for name in changed})
    doubtful = {name: _matching(cells[name], _GROUPED_BY_POINTS).index for name in changed}
    notes = [f"commas in {listing(changed, 10)} were read as decimal points"]
    return frame, notes, {name: str(texts[0]) for name, texts in doubtful.items() if len(texts)}


def why_unclear(column: str, example: str) -> str:
    """The sentence on a column whose commas or points may be decimal or not."""
    mark = "comma" if "," in example else "point"
    return (
        f"column {column!r} has {example!r}, and nothing tells if the {mark} is a decimal point or"
        " stands between thousands; write the numbers without it, or ignore the column."
    )


def _counted(column: pd.Series) -> pd.Series:
    """How often each text of a column occurs, without those that stand for an empty cell."""
    counts = column.dropna().str.strip().value_counts(sort=False)
    return counts[~counts.index.isin(NO_VALUES)]


def _changed(column: pd.Series) -> pd.Series:
    """The column with points in its numbers; odd cells stay as they are."""
    numbers = column.str.strip().str.fullmatch(_COMMA).fillna(False).astype(bool)
    return column.mask(numbers, column.str.replace(",", ".", regex=False))


def _decimal(counts: pd.Series) -> bool:
    """Whether a column has decimal commas: mainly numbers, and some comma that groups no digits.

    "64,64,64" among them speaks for lists.
    """
    numbers = _matching(counts, _COMMA)
    with_comma = _with_comma(numbers)
    odd = counts.drop(numbers.index)
    if not with_comma or len(_matching(odd, _LIST)) or not _mainly(numbers, counts, _HALF):
        return False
    return len(_matching(numbers, _GROUPED)) < len(with_comma)


def _grouped(counts: pd.Series) -> bool:
    """Whether a column has mainly numbers, and each comma may stand between thousands."""
    numbers = _matching(counts, f"{_GROUPED}|{_PLAIN}|{_POINT}")
    odd = counts.drop(numbers.index)
    if not _with_comma(numbers) or len(_matching(odd, _LIST)):
        return False
    return _mainly(numbers, counts, _HALF)


def _has_points(counts: pd.Series) -> bool:
    """Whether nearly all of a column is numbers, or numbers in groups, and one has a point."""
    numbers = _matching(counts, rf"{_POINT}|{_GROUPED}(\.\d*)?")
    return any("." in text for text in numbers.index) and _mainly(numbers, counts, _MOST)


def _mainly(numbers: pd.Series, counts: pd.Series, share: float) -> bool:
    """Whether all cells are numbers, or so large a share of them, and enough."""
    count, total = int(numbers.sum()), int(counts.sum())
    return count == total or (count >= _ENOUGH and count >= share * total)


def _matching(counts: pd.Series, pattern: str) -> pd.Series:
    return counts[counts.index.str.fullmatch(pattern).astype(bool)]


def _with_comma(counts: pd.Series) -> list[str]:
    return [str(text) for text in counts.index if "," in text]
