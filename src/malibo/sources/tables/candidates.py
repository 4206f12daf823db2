"""Configurations in the rows of a table, as they are given to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from malibo.errors import HistoryError
from malibo.sources.tables.codes import column_codes, gaps, reason_of
from malibo.sources.tables.empty import with_empty_cells
from malibo.sources.tables.frames import Table
from malibo.sources.tables.given import needed
from malibo.space import Space
from malibo.space.parameters import Array

if TYPE_CHECKING:
    import pandas as pd


def frame_codes(frame: pd.DataFrame, space: Space) -> Array:
    """Configurations in the rows of a DataFrame as codes; other columns are ignored."""
    table = Table(frame, "the table", np.arange(1, len(frame) + 1, dtype=np.intp))
    table.need([name for name in needed(space) if not space[name].when])
    table.need([name for name in space if name in frame.columns])
    frame, _ = with_empty_cells(frame, space)
    columns = []
    for name, parameter in space.items():
        codes, wrong = column_codes(frame, name, parameter)
        columns.append(codes)
        if wrong.any():
            row = int(np.argmax(wrong))
            why = reason_of(frame[name].iloc[row], parameter)
            raise HistoryError(f"column {name!r}, {table.label(row)}: {why}")
    codes = space.complete(np.stack(columns, axis=1))
    for name, empty in gaps(space, codes):
        raise HistoryError(
            f"column {name!r} is empty in {table.label(int(np.argmax(empty)))} although the"
            " parameter is active there; fill it in, or leave the row out."
        )
    return codes
