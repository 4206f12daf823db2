"""meta_train: the outer loop of training, and the choice of the best weights."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import jax.numpy as jnp
import numpy as np
from tqdm import tqdm

from malibo.config import TrainConfig, with_options
from malibo.errors import InputError
from malibo.history import History
from malibo.metamodel import MetaModel, TrainingLog
from malibo.network import Array32, Network, initial_weights
from malibo.training.data import Data, batches, encode, label_history, split
from malibo.training.loop import Tree, stretch, used_embeddings
from malibo.training.recipes import EMBEDDINGS, optimizer, recipe_for
from malibo.training.validation import loss_of_known_tasks, loss_of_new_tasks, task_posterior

_VALIDATION_ROWS = 4096  # in all; more would cost time and tell no more

Weights = dict[str, Array32]


def meta_train(
    history: History,
    config: TrainConfig | None = None,
    *,
    seed: int = 0,
    progress: bool = True,
    **options: Any,
) -> MetaModel:
    """Learn from past tasks where good configurations lie.

    ``options`` are fields of TrainConfig: ``meta_train(history, recipe="paper")``.
    The weights with the best validation loss are kept. The same history, options and
    seed give the same weights.
    """
    if not isinstance(history, History):
        raise InputError(f"history must be a malibo.History, got {type(history).__name__}.")
    if not isinstance(seed, int) or seed < 0:
        raise InputError(f"seed must be a whole number >= 0, got {seed!r}.")
    return _Run(history, with_options(config or TrainConfig(), options), seed).train(progress)


class _Run:
    """One training: the data, what is held out, and the best weights so far."""

    def __init__(self, history: History, config: TrainConfig, seed: int) -> None:
        self.history, self.config = history, config
        self.rng = np.random.default_rng([seed, 0])
        self.codes = history.codes
        self.unknown = bool(history.joint.unknown(self.codes).any())
        self.p, self.n = label_history(history, config)
        self.task = history.task_index.astype(np.int32)
        self.held_out, self.held_out_tasks = split(history, self.rng)
        self.trained_tasks = np.unique(self.task[~self.held_out])
        data = self._data()
        self.training = data.rows(~self.held_out)
        self.validate = self._validation(data)
        self.recipe = recipe_for(config, len(self.training))

    def _data(self) -> Data:
        x = encode(self.history.joint, self.codes, self.rng)
        return Data(x, self.p, self.n, self.task)

    # -- validation ----------------------------------------------------------------------------

    def _validation(self, data: Data) -> Callable[[Weights], float]:
        """The function of the weights that early stopping looks at."""
        which = np.flatnonzero(self.held_out)
        which = self.rng.permutation(which if len(which) else np.arange(len(data)))
        if self.held_out_tasks:
            most = _VALIDATION_ROWS // len(self.held_out_tasks)
            tasks = [
                data.rows(which[data.task[which] == task][:most]) for task in self.held_out_tasks
            ]
            return lambda weights: loss_of_new_tasks(
                self._network(weights), self.config.task_layer, tasks
            )
        sample = data.rows(which[:_VALIDATION_ROWS])
        return lambda weights: loss_of_known_tasks(
            self._network(weights), weights[EMBEDDINGS], sample
        )

    def _network(self, weights: Weights) -> Network:
        return Network({name: w for name, w in weights.items() if name != EMBEDDINGS})

    # -- the loop ------------------------------------------------------------------------------

    def train(self, progress: bool) -> MetaModel:
        """Step, look, keep the best; stop when nothing better comes."""
        recipe = self.recipe
        run = stretch(recipe, self.config)
        weights: Tree = {name: jnp.asarray(w) for name, w in self._initial().items()}
        state = optimizer(recipe).init(weights)
        data = self._on_device(self.training)
        stream = batches(len(self.training), recipe.batch, self.rng)
        looks: list[tuple[int, float, float]] = []
        best: Weights = {}
        start = time.perf_counter()
        with tqdm(
            total=recipe.steps, desc="meta-training", unit="step", disable=not progress or None
        ) as bar:
            for step in range(0, recipe.steps, recipe.interval):
                rows = np.stack(list(islice(stream, recipe.interval)))
                weights, state = run(weights, state, data, rows)
                current = {name: np.array(w) for name, w in weights.items()}
                current[EMBEDDINGS] = used_embeddings(current[EMBEDDINGS], self.config)
                loss = self.validate(current)
                if not looks or loss < min(look[2] for look in looks):
                    best = current
                looks.append((step + recipe.interval, time.perf_counter() - start, loss))
                bar.update(recipe.interval)
                bar.set_postfix_str(f"validation loss {loss:.4f}")
                if self._stop(looks):
                    break
                if self.unknown:
                    data = self._on_device(self._data().rows(~self.held_out))
        return self._model(best, looks)

    def _initial(self) -> Weights:
        config, joint = self.config, self.history.joint
        weights = initial_weights(
            joint.dimension, config.hidden_units, config.hidden_layers, config.features, self.rng
        )
        shape = (len(self.trained_tasks), config.features)
        prior = self.rng.standard_normal(shape).astype(np.float32)
        weights[EMBEDDINGS] = prior if config.task_layer else np.zeros(shape, np.float32)
        return weights

    def _on_device(self, data: Data) -> tuple[Any, ...]:
        """The arrays of the loss; tasks renumbered, each task weighing the same."""
        task = np.searchsorted(self.trained_tasks, data.task)
        sizes = np.bincount(task)
        share = len(data) / (len(sizes) * sizes[task])
        arrays = (data.x, data.p, data.n, task.astype(np.int32), share.astype(np.float32))
        return tuple(jnp.asarray(array) for array in arrays)

    def _stop(self, looks: list[tuple[int, float, float]]) -> bool:
        losses = [look[2] for look in looks]
        return len(losses) - 1 - int(np.argmin(losses)) >= self.recipe.patience

    # -- the result ----------------------------------------------------------------------------

    def _model(self, weights: Weights, looks: list[tuple[int, float, float]]) -> MetaModel:
        held_out = "tasks" if self.held_out_tasks else "observations"
        log = TrainingLog(
            held_out if self.held_out.any() else "nothing",
            *(tuple(column) for column in zip(*looks, strict=True)),
        )
        network = self._network(weights)
        return MetaModel(
            space=self.history.space,
            joint=self.history.joint,
            network=network,
            embeddings=self._embeddings(network, weights[EMBEDDINGS]),
            tasks=self.history.names,
            config=self.config,
            direction=self.history.direction,
            log=log,
        )

    def _embeddings(self, network: Network, trained: Array32) -> Array32:
        """z of every task: as trained, or the most probable one for a held-out task."""
        embeddings = np.zeros((len(self.history.tasks), self.config.features), np.float32)
        embeddings[self.trained_tasks] = trained
        if self.config.task_layer:
            for task in self.held_out_tasks:
                rows = np.flatnonzero(self.task == task)[:_VALIDATION_ROWS]
                data = Data(
                    encode(self.history.joint, self.codes[rows], self.rng),
                    self.p[rows],
                    self.n[rows],
                    self.task[rows],
                )
                phi, offset = network.features_and_mean(data.x)
                embeddings[task] = task_posterior(phi, offset, data).mean
        return embeddings
