"""The same seed and results give the same suggestion: here, elsewhere, and after a restart."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import malibo
from malibo import Malibo, MetaModel

if TYPE_CHECKING:
    from conftest import Objective

Results = list[tuple[dict[str, Any], float | None]]

ELSEWHERE = """
import json, sys
from malibo import Malibo, MetaModel
told = json.load(sys.stdin)
optimizer = Malibo(MetaModel.load(sys.argv[1]), seed=int(sys.argv[2]))
for config, loss in told:
    optimizer.tell(config, loss)
json.dump(optimizer.ask(3), sys.stdout)
"""


def elsewhere(model: Path, seed: int, told: Results, hash_seed: int) -> list[dict[str, Any]]:
    """What another process suggests."""
    source = str(Path(malibo.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(model), str(seed)],
        input=json.dumps(told),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": source, "PYTHONHASHSEED": str(hash_seed)},
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def trials(optimizer: Malibo, objective: Objective, count: int) -> Results:
    """Some more trials; the third of all is a failure."""
    start = len(optimizer.results)
    for trial in range(start, start + count):
        config = optimizer.ask()
        optimizer.tell(config, None if trial == 2 else objective(config))
    return optimizer.results[start:]


def retold(model: MetaModel, seed: int, told: Results) -> Malibo:
    optimizer = Malibo(model, seed=seed)
    for config, loss in told:
        optimizer.tell(config, loss)
    return optimizer


def test_another_process_suggests_the_same(
    model: MetaModel, objective: Objective, tmp_path: Path
) -> None:
    model.save(tmp_path / "model.malibo")
    optimizer = Malibo(model, seed=11)
    told = trials(optimizer, objective, 8)
    expected = optimizer.ask(3)
    for hash_seed in (1, 2):
        assert elsewhere(tmp_path / "model.malibo", 11, told, hash_seed) == expected


def test_a_restart_goes_on_where_it_stopped(model: MetaModel, objective: Objective) -> None:
    whole = trials(Malibo(model, seed=4), objective, 10)
    for stop in (0, 1, 4, 7):
        again = retold(model, 4, whole[:stop])
        assert trials(again, objective, 10 - stop) == whole[stop:]


def test_a_restart_without_a_past_goes_on_as_well(model: MetaModel, objective: Objective) -> None:
    cold = MetaModel.uninformed(model.space)
    whole = trials(Malibo(cold, seed=4), objective, 14)
    assert retold(cold, 4, whole[:12]).ask() == whole[12][0]


def test_other_seeds_suggest_otherwise(model: MetaModel, objective: Objective) -> None:
    told = trials(Malibo(model, seed=0), objective, 8)
    found = {json.dumps(retold(model, seed, told).ask()) for seed in range(5)}
    assert len(found) > 1  # some may agree on what promises most


def test_without_a_seed_every_optimizer_has_its_own(model: MetaModel) -> None:
    optimizers = [Malibo(space=model.space) for _ in range(4)]
    assert len({optimizer.seed for optimizer in optimizers}) == 4
    assert len({json.dumps(optimizer.ask()) for optimizer in optimizers}) == 4


def test_a_drawn_seed_is_known_and_can_be_used_again(model: MetaModel) -> None:
    first = Malibo(space=model.space)
    assert Malibo(space=model.space, seed=first.seed).ask(3) == first.ask(3)


def test_every_trial_has_a_stream_of_its_own(model: MetaModel) -> None:
    """Random search over one table, after results of other configurations."""
    codes = model.space.sample(np.random.default_rng(0), 60)
    table, others = model.space.configs(codes[:50]), model.space.configs(codes[50:])
    optimizers = [Malibo(space=model.space, candidates=table, seed=0) for _ in others]
    for count, optimizer in enumerate(optimizers):
        for config in others[:count]:
            optimizer.tell(config, 1.0)
    assert len({json.dumps(optimizer.ask()) for optimizer in optimizers}) > 5


def test_asking_does_not_depend_on_other_optimizers(model: MetaModel) -> None:
    alone = Malibo(model, seed=0).ask(3)
    one, other = Malibo(model, seed=0), Malibo(model, seed=1)
    mixed = []
    for _ in range(3):
        mixed.append(one.ask())
        other.ask()
    assert mixed == alone


def test_training_again_gives_the_same_suggestions(model: MetaModel, past: malibo.History) -> None:
    again = malibo.meta_train(past, steps=100, progress=False)
    assert Malibo(again, seed=0).ask(3) == Malibo(model, seed=0).ask(3)
