"""Speed and memory, as ratios measured in one run: ``python benchmarks/speed.py``.

Everything runs on one core, in processes of its own where memory or start-up counts;
repeats are interleaved and medians reported, so that a busy machine disturbs all alike.
Prints a table, and writes it as JSON beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
Row = dict[str, Any]


def one_core() -> None:
    """Keep this process and its children on one core (where the system can)."""
    os.environ.update(ONE_THREAD)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def interleaved(repeats: int, **functions: Callable[[], float]) -> dict[str, float]:
    """Median of what each function returns (seconds), taking turns."""
    found: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(repeats):
        for name, function in functions.items():
            found[name].append(function())
    return {name: statistics.median(values) for name, values in found.items()}


def clock(function: Callable[[], object]) -> Callable[[], float]:
    """The function, returning how long it took."""

    def timed() -> float:
        start = time.perf_counter()
        function()
        return time.perf_counter() - start

    return timed


def in_process(*arguments: str) -> Any:
    """What this script prints as JSON when called with these arguments."""
    command = [sys.executable, str(Path(__file__).resolve()), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=HERE)
    return json.loads(done.stdout.splitlines()[-1])


# -- meta-training -------------------------------------------------------------------------------

HISTORIES = ("fcnet", "branin", "hartmann3d")


def history(name: str) -> Any:
    """1,536 observations of 3 tasks, 32,768 of 256, or 131,072 of 256."""
    import ensembles
    import numpy as np

    from malibo.bench.problems.packaged import FCNET, load
    from malibo.bench.problems.tables import TableProblem

    if name == "fcnet":
        return TableProblem(load(FCNET), "protein_structure").past(np.random.default_rng(0))
    sizes = {"branin": 128, "hartmann3d": 512}
    return ensembles.family_history(name, tasks=256, size=sizes[name], seed=0)


def train_once(name: str, recipe: str, seed: int) -> Row:
    """Seconds and validation losses of one training."""
    from malibo import meta_train

    past = history(name)
    start = time.perf_counter()
    log = meta_train(past, recipe=recipe, gamma=1 / 3, seed=seed, progress=False).log
    total = time.perf_counter() - start
    return {
        "observations": len(past),
        "tasks": len(past.tasks),
        "total": total,
        "seconds": list(log.seconds),
        "validation": list(log.validation),
    }


def training(repeats: int) -> Iterator[Row]:
    """Time of ``fast`` until it has the best validation loss of ``paper``, over paper's time.

    Paper's time is given twice: until its own best loss, and until it stopped (patience of
    100 epochs). Both recipes see the same split of the data. The first history is trained in
    a moment, and its validation loss is noisy: it has seven times the repeats.
    """
    for name in HISTORIES:
        until_best, until_stop, fast_time, reached = [], [], [], 0
        runs = 7 * repeats if name == HISTORIES[0] else repeats
        for seed in range(runs):
            paper = in_process("--train", name, "paper", str(seed))
            fast = in_process("--train", name, "fast", str(seed))
            goal = min(paper["validation"])
            hit = [s for s, v in zip(fast["seconds"], fast["validation"], strict=True) if v <= goal]
            reached += bool(hit)
            fast_time.append(hit[0] if hit else fast["total"])
            until_best.append(paper["seconds"][paper["validation"].index(goal)])
            until_stop.append(paper["total"])
        median = statistics.median
        yield (
            {
                "what": f"training, {paper['observations']:,} observations, {paper['tasks']} tasks",
                "malibo": median(fast_time),
                "other": median(until_stop),
                "ratio": median(f / p for f, p in zip(fast_time, until_stop, strict=True)),
                "target": 0.1,
                "note": f"against paper until it stops; until its best loss"
                f" {median(until_best):.2f} s (ratio"
                f" {median(f / p for f, p in zip(fast_time, until_best, strict=True)):.2f});"
                f" fast reached the loss in {reached} of {runs} runs",
            }
        )


def memory() -> Iterator[Row]:
    """Peak memory of training on 600,000 observations with 16 parameters."""
    peak = in_process("--memory")
    yield (
        {
            "what": "peak memory, training on 600,000 observations, D = 16 (GB)",
            "malibo": peak,
            "other": None,
            "ratio": peak,
            "target": 2.0,
            "note": "",
        }
    )


def memory_once() -> float:
    """Peak resident memory in GB."""
    import ensembles

    from malibo import meta_train

    past = ensembles.noise_history(parameters=16, tasks=60, size=10_000, seed=0)
    meta_train(past, steps=400, progress=False)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


# -- suggesting ----------------------------------------------------------------------------------


def suggestions(repeats: int) -> Iterator[Row]:
    """One suggestion against the straightforward way, and against Optuna's TPE."""
    import ensembles
    import numpy as np
    from straightforward import straightforward_suggest

    from malibo import SuggestConfig, meta_train
    from malibo.observations import Observations
    from malibo.suggest import suggest

    paper = SuggestConfig.paper()
    for parameters in (2, 9, 18):
        past = ensembles.noise_history(parameters, tasks=4, size=256, seed=0)
        model = meta_train(past, steps=200, progress=False)
        for size in (10, 100, 500, 2000):
            rng = np.random.default_rng(0)
            codes = rng.uniform(size=(size, parameters))
            losses = ((codes - 0.4) ** 2).sum(axis=1) + 0.01 * rng.standard_normal(size)
            seen = Observations(codes, losses, np.empty((0, parameters)))

            def ours(
                config: SuggestConfig, seen: Observations = seen, model: Any = model
            ) -> Callable[[], object]:
                return lambda: suggest(model, seen, config, np.random.default_rng(1))

            def theirs(seen: Observations = seen, model: Any = model) -> object:
                return straightforward_suggest(model, seen, paper, np.random.default_rng(1))

            ways = {"suggestion": ours(SuggestConfig()), "suggestion, paper": ours(paper)}
            for name, way in ways.items():
                way()
                found = interleaved(repeats, malibo=clock(way), other=clock(theirs))
                yield _row(f"{name}, N = {size:,}, D = {parameters}", found, 1 / 8)
            if (parameters, size) == (9, 100):
                tpe = _tpe(codes, losses)
                tpe()
                found = interleaved(5 * repeats, malibo=clock(ways["suggestion"]), other=tpe)
                yield _row("suggestion against Optuna TPE, N = 100, D = 9", found, 3.0)


def _row(what: str, found: dict[str, float], target: float) -> Row:
    ratio = found["malibo"] / found["other"]
    return {"what": what, **found, "ratio": ratio, "target": target, "note": ""}


def _tpe(codes: Any, losses: Any) -> Callable[[], float]:
    """Time of one ask of Optuna's TPESampler in a study with the same trials."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    names = [f"x{i}" for i in range(codes.shape[1])]
    space: dict[str, optuna.distributions.BaseDistribution] = {
        name: optuna.distributions.FloatDistribution(0, 1) for name in names
    }

    def ask() -> float:
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
        for row, loss in zip(codes, losses, strict=True):
            values = dict(zip(names, map(float, row), strict=True))
            study.add_trial(
                optuna.create_trial(params=values, distributions=space, value=float(loss))
            )
        return clock(lambda: study.ask(space))()

    return ask


def optuna(repeats: int) -> Iterator[Row]:
    """A suggestion through Optuna against ``Malibo.ask``, in memory and in SQLite.

    Of SQLite's time, what a study with random suggestions takes is subtracted: Optuna writes
    every value by itself, whichever the sampler is.
    """
    import tempfile

    import through_optuna

    model = through_optuna.trained()
    with tempfile.TemporaryDirectory() as folder:
        for name, storage in (("memory", None), ("SQLite", f"sqlite:///{folder}/study.db")):
            asks = through_optuna.asks(model, storage)
            interleaved(1, **asks)
            found = interleaved(3 * repeats, **asks)
            random = found.pop("random")
            row = _row(f"suggestion through Optuna, {name}, 1,000 trials", found, 2.0)
            if storage:
                row["ratio"] = (found["malibo"] - random) / found["other"]
                row["note"] = f"of which {random:.3f} s with random suggestions, subtracted"
            yield row


# -- importing -----------------------------------------------------------------------------------


def importing(repeats: int) -> Iterator[Row]:
    """``import malibo`` against importing what it cannot do without."""

    def seconds(statement: str) -> Callable[[], float]:
        code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
        run = [sys.executable, "-c", code]
        return lambda: float(subprocess.run(run, check=True, capture_output=True, text=True).stdout)

    needed = "import numpy, scipy.linalg, scipy.special, lightgbm"
    found = interleaved(repeats, malibo=seconds("import malibo"), other=seconds(needed))
    yield _row("import, against numpy, scipy and lightgbm", found, 1.2)


# -- the table -----------------------------------------------------------------------------------


def show(row: Row) -> str:
    """One line of the table."""
    other = "" if row["other"] is None else f"{row['other']:10.4f}"
    verdict = "ok" if row["ratio"] <= row["target"] else "MISSED"
    line = f"{row['what']:58} {row['malibo']:10.4f} {other:>10} {row['ratio']:8.3f}"
    return f"{line} {row['target']:8.3f}  {verdict}" + (
        f"\n    {row['note']}" if row["note"] else ""
    )


def main() -> None:
    """Measure what is asked for, or everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parts = ["training", "suggestions", "optuna", "memory", "importing"]
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(parts)}; all by default")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--output", type=Path, default=HERE / "speed.json")
    parser.add_argument("--train", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--memory", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    one_core()
    if options.train:
        print(json.dumps(train_once(options.train[0], options.train[1], int(options.train[2]))))
        return
    if options.memory:
        print(json.dumps(memory_once()))
        return
    if unknown := set(options.parts) - set(parts):
        parser.error(f"unknown part {sorted(unknown)}; known: {', '.join(parts)}")
    measures: dict[str, Callable[[], Iterator[Row]]] = {
        "training": lambda: training(max(1, options.repeats // 2)),
        "suggestions": lambda: suggestions(options.repeats),
        "optuna": lambda: optuna(options.repeats),
        "memory": memory,
        "importing": lambda: importing(3 * options.repeats),
    }
    print(f"{'':58} {'malibo':>10} {'other':>10} {'ratio':>8} {'target':>8}", flush=True)
    rows: list[Row] = []
    for name in options.parts or parts:
        for row in measures[name]():
            print(show(row), flush=True)
            rows.append(row)
    machine = {"python": platform.python_version(), "processor": platform.processor()}
    options.output.write_text(json.dumps({"machine": machine, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
