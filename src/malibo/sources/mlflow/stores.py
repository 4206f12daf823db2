"""Runs of MLflow from where they are kept: its files, a server, or a DataFrame."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from tqdm import tqdm

from malibo.errors import HistoryError, listing
from malibo.extras import require
from malibo.sources.mlflow.files import database_runs, folder_runs
from malibo.sources.mlflow.runs import Metric, Run, as_logged

if TYPE_CHECKING:
    import pandas as pd

_EXPECTED = (
    "a source of MLflow is a folder such as 'mlruns', a file such as 'mlflow.db', the address of"
    " a server, or the DataFrame that mlflow.search_runs() returns"
)


def stored_runs(source: str | PathLike[str] | pd.DataFrame, metric: Metric) -> list[Run]:
    """All runs of a source that are not deleted, the oldest first (a DataFrame in its order)."""
    if not isinstance(source, str | PathLike):
        return list(_frame_runs(source, metric))
    runs = tqdm(_runs(source, metric), "runs read", unit="", disable=None, leave=False, delay=1)
    return sorted(runs, key=lambda run: (run.started, run.run_id))


def name_of(source: object) -> str:
    """A source in messages; passwords are not told."""
    if not isinstance(source, str | PathLike):
        return "the table"
    return repr(_without_passwords(os.fspath(source)))


def _without_passwords(text: str) -> str:
    return re.sub(r"//[^/\s]*@", "//***@", text)


def _runs(source: str | PathLike[str], metric: Metric) -> Iterator[Run]:
    text = os.fspath(source)
    if sqlite := re.match(r"sqlite(?:\+\w+)?:///([^?]*)", text):
        return _path_runs(Path(sqlite[1]), metric)
    if text.startswith("file:"):
        return _path_runs(Path(url2pathname(urlsplit(text).path)), metric)
    if re.match(r"https?://|databricks(?:$|://)", text):
        return _server_runs(text, metric)
    if "://" in text:
        raise HistoryError(
            f"{name_of(source)} is not read directly; give what"
            " mlflow.search_runs(search_all_experiments=True) returns instead."
        )
    return _path_runs(Path(text), metric)


def _path_runs(path: Path, metric: Metric) -> Iterator[Run]:
    if path.is_dir():
        return folder_runs(path, metric)
    if not path.is_file():
        raise HistoryError(f"there is no file or folder {str(path)!r}; {_EXPECTED}.")
    return database_runs(path, metric)


# -- a server ------------------------------------------------------------------------------


def _server_runs(address: str, metric: Metric) -> Iterator[Run]:
    """Through MLflow's own client, which knows how to log in."""
    mlflow = require("mlflow", "mlflow")
    errors = require("requests", "mlflow").exceptions
    try:
        _need_answer(address)
        client = mlflow.MlflowClient(tracking_uri=address)
        names = {one.experiment_id: one.name for one in _pages(client.search_experiments)}
        for run in _pages(client.search_runs, experiment_ids=list(names)) if names else ():
            yield _server_run(client, run, names[run.info.experiment_id], metric)
    except (mlflow.MlflowException, errors.RequestException, ImportError) as error:
        first = _without_passwords(" ".join(str(error).strip().splitlines()[:1]))
        raise HistoryError(f"{name_of(address)} cannot be read: {first}") from None


def _need_answer(address: str) -> None:
    """Refuse an address that does not answer: the client would try again for four minutes."""
    requests = require("requests", "mlflow")
    if not address.startswith("http"):
        return
    try:
        requests.head(address, timeout=10)
    except (requests.exceptions.SSLError, requests.exceptions.ReadTimeout):
        return  # the client may have been told to trust it, or to wait for longer
    except requests.exceptions.ConnectionError:
        raise HistoryError(
            f"{name_of(address)} does not answer; start the server, or mend the address."
        ) from None


def _server_run(client: Any, run: Any, experiment: str, metric: Metric) -> Run:
    value = run.data.metrics.get(metric.name)
    if value is not None and metric.pick == "last":
        value = as_logged(value)
    elif value is not None:
        history = client.get_metric_history(run.info.run_id, metric.name)
        value = metric.value((point.step, point.timestamp, point.value) for point in history)
    return Run(
        run.info.run_id,
        experiment,
        run.info.status,
        run.info.start_time or 0,
        run.data.params,
        run.data.tags,
        sorted(run.data.metrics),
        value,
    )


def _pages(search: Any, **options: Any) -> Iterator[Any]:
    """All that a search finds, page by page."""
    token = None
    while True:
        page = search(max_results=1000, page_token=token, **options)
        yield from page
        token = page.token
        if not token:
            return


# -- a DataFrame ---------------------------------------------------------------------------


def _frame_runs(frame: pd.DataFrame, metric: Metric) -> Iterator[Run]:
    """As ``mlflow.search_runs()`` returns it; an empty cell was not logged."""
    pandas = require("pandas", "table")
    if not isinstance(frame, pandas.DataFrame):
        raise HistoryError(f"{_EXPECTED}; got {type(frame).__name__}.")
    if missing := [name for name in ("run_id", "status") if name not in frame.columns]:
        raise HistoryError(
            f"{_EXPECTED}; the DataFrame has no column {missing[0]!r}, it has"
            f" {listing(frame.columns, 10)}."
        )
    if twice := sorted(map(str, frame.columns[frame.columns.duplicated()])):
        raise HistoryError(f"the DataFrame has {listing(twice)} more than once; keep one.")
    if metric.pick != "last":
        raise HistoryError(
            "metric='best' needs all that was logged, and a DataFrame of mlflow.search_runs() has"
            " the last values; give the folder, file or address of the runs instead."
        )
    cells = {str(name): _cells(frame[name]) for name in frame.columns}
    params, tags, metrics = (_after(f"{kind}.", cells) for kind in ("params", "tags", "metrics"))
    nothing = [None] * len(frame)
    experiments = cells.get("experiment_name", cells.get("experiment_id", nothing))
    values = metrics.get(metric.name, nothing)
    for row, value in enumerate(values):
        yield Run(
            str(cells["run_id"][row]),
            str(experiments[row] or ""),
            str(cells["status"][row]),
            0,
            {name: column[row] for name, column in params.items() if column[row] is not None},
            {name: column[row] for name, column in tags.items() if column[row] is not None},
            list(metrics),
            None if value is None else _number(value, metric),
        )


def _cells(column: pd.Series) -> list[Any]:
    """The cells of a column, None where they are empty."""
    known = column.notna()
    return [cell if there else None for cell, there in zip(column.tolist(), known, strict=True)]


def _number(value: object, metric: Metric) -> float:
    try:
        return as_logged(float(str(value)))
    except ValueError:
        raise HistoryError(
            f"column 'metrics.{metric.name}' must be numeric, got {value!r}."
        ) from None


def _after(prefix: str, columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """The columns whose names have a prefix, by the names without it."""
    return {k.removeprefix(prefix): v for k, v in columns.items() if k.startswith(prefix)}
