"""Rows of codes: which of them are the same."""

from __future__ import annotations

import numpy as np

from malibo.space.parameters import Array


def unique_rows(codes: Array) -> Array:
    """Each configuration once, sorted; an inactive cell (NaN) is equal to another one."""
    filled = np.where(np.isnan(codes), -np.inf, codes)
    _, first = np.unique(filled, axis=0, return_index=True)
    return np.asarray(codes[first])
