"""meta_train: the outer loop of training, and the choice of the best weights."""

from __future__ import annotations

import numbers
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from malibo.config import TrainConfig, with_options
from malibo.errors import InputError, MaliboError
from malibo.history import History
from malibo.labels import label
from malibo.metamodel import MetaModel, TrainingLog
from malibo.network import Array32, Network, initial_weights
from malibo.threads import one_thread
from malibo.training.data import (
    Data,
    batches,
    best_codes,
    encode,
    gaps,
    label_history,
    random_codes,
    split,
)
from malibo.training.functions import fit_functions
from malibo.training.loss import EMBEDDINGS, Loss, used_embeddings
from malibo.training.recipes import Optimizer, recipe_for
from malibo.training.regularizer import empirical_cdf
from malibo.training.validation import (
    SHOTS,
    NewTask,
    loss_of_known_tasks,
    loss_of_new_tasks,
    task_posterior,
)

_REFRESH = 8  # steps between two sorts of the embeddings: ranks carry no gradient
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
        hint = " Load it: History.from_table(...)." if isinstance(history, str) else ""
        raise InputError(f"history must be a malibo.History, got {type(history).__name__}.{hint}")
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or seed < 0:
        raise InputError(f"seed must be a whole number >= 0, got {seed!r}.")
    chosen = with_options(TrainConfig, config, options)
    with one_thread():
        return _Run(history, chosen, int(seed)).train(progress)


class _Run:
    """One training: the data, what is held out, and the best weights so far."""

    def __init__(self, history: History, config: TrainConfig, seed: int) -> None:
        self.history, self.config = history, config
        self.rng = np.random.default_rng([seed, 0])
        self.background_rng = np.random.default_rng([seed, 1])
        self.functions_rng = np.random.default_rng([seed, 2])
        self.codes = history.codes
        self.unknown = bool(history.joint.unknown(self.codes).any())
        self.p, self.n = label_history(history, config)
        self.task = history.task_index.astype(np.int32)
        self.held_out, self.held_out_tasks = split(history, self.rng)
        self.trained_tasks = np.unique(self.task[~self.held_out])
        data = self._data()
        self.training = self._training_part(data)
        self.share = self._shares()
        self.gaps = gaps(history)
        self.recipe = recipe_for(config, len(self.training), self.gaps)
        self.validate = self._validation(data)
        self.loss = Loss(config, self.recipe.variance)
        self.stream = batches(len(self.training), self.recipe.batch, self.rng)

    def _data(self) -> Data:
        x = encode(self.history.joint, self.codes, self.rng)
        return Data(x, self.p, self.n, self.task)

    def _training_part(self, data: Data) -> Data:
        """What is not held out, its tasks numbered from 0."""
        part = data.rows(~self.held_out)
        return replace(part, task=np.searchsorted(self.trained_tasks, part.task).astype(np.int32))

    def _shares(self) -> Array32:
        """N / (T · N_t) of each row: a task weighs the same whatever its size."""
        sizes = np.bincount(self.training.task)
        share = len(self.training) / (len(sizes) * sizes[self.training.task])
        return share.astype(np.float32)

    # -- validation ----------------------------------------------------------------------------

    def _validation(self, data: Data) -> Callable[[Weights], float]:
        """The function of the weights that early stopping looks at."""
        which = np.flatnonzero(self.held_out)
        which = self.rng.permutation(which if len(which) else np.arange(len(data)))
        if self.held_out_tasks:
            most = _VALIDATION_ROWS // len(self.held_out_tasks)
            rows = [which[data.task[which] == task][:most] for task in self.held_out_tasks]
            tasks = [self._new_task(data, chosen) for chosen in rows]
            return lambda weights: loss_of_new_tasks(
                self._network(weights), self.config.task_layer, tasks
            )
        sample = self._with_background(data.rows(which[:_VALIDATION_ROWS]))
        return lambda weights: loss_of_known_tasks(
            self._network(weights), weights[EMBEDDINGS], sample
        )

    def _new_task(self, data: Data, rows: NDArray[np.intp]) -> NewTask:
        """Rows of a held-out task, the first of them known as they would be of a new one."""
        known = rows[: min(SHOTS, len(rows) // 2)]
        labels = label(self.history.losses[known], self.config.past_gamma, self.config.utility)
        p, n = labels.p.astype(np.float32), labels.n.astype(np.float32)
        return NewTask(self._with_background(data.rows(rows)), replace(data.rows(known), p=p, n=n))

    def _with_background(self, data: Data) -> Data:
        """As many random configurations beside the observations as in a step."""
        size = round(len(data) * self.recipe.background / self.recipe.batch)
        return data.joined(self._background(size)) if size else data

    def _network(self, weights: Weights) -> Network:
        return Network({name: w for name, w in weights.items() if name != EMBEDDINGS})

    # -- the loop ------------------------------------------------------------------------------

    def train(self, progress: bool) -> MetaModel:
        """Step, look, keep the best; stop when nothing better comes."""
        recipe = self.recipe
        optimizer = Optimizer(self._initial(), recipe)
        looks: list[tuple[int, float, float]] = []
        best: Weights = {}
        start = time.perf_counter()
        bar = tqdm(
            total=recipe.steps, desc="meta-training", unit="step", disable=not progress or None
        )
        with bar:
            while optimizer.step_number < recipe.steps:
                self._stretch(optimizer, min(recipe.interval, recipe.steps - optimizer.step_number))
                current = optimizer.average()
                current[EMBEDDINGS] = used_embeddings(current[EMBEDDINGS], self.config)
                loss = self.validate(current)
                if loss < min((look[2] for look in looks), default=np.inf):
                    best = current
                looks.append((optimizer.step_number, time.perf_counter() - start, loss))
                bar.update(optimizer.step_number - bar.n)
                bar.set_postfix_str(f"validation loss {loss:.4f}")
                if self._stop(looks):
                    break
                if self.unknown:
                    self.training = self._training_part(self._data())
        if not best:
            raise MaliboError(
                "training failed: the validation loss was never a finite number. Options far from"
                " their defaults may cause this; try without them."
            )
        return self._model(best, looks)

    def _stretch(self, optimizer: Optimizer, steps: int) -> None:
        """Some gradient steps; the embeddings are sorted anew every few, for it costs time."""
        cdf = empirical_cdf(optimizer.weights[EMBEDDINGS])
        extra = self.recipe.background
        background = self._background(steps * extra) if extra else None
        ones = np.ones(extra, np.float32)
        for step in range(steps):
            if step and step % _REFRESH == 0:
                cdf = empirical_cdf(optimizer.weights[EMBEDDINGS])
            rows = next(self.stream)
            batch, share = self.training.rows(rows), self.share[rows]
            if background is not None:
                batch = batch.joined(background.rows(slice(step * extra, (step + 1) * extra)))
                share = np.concatenate([share, ones])
            _, gradient = self.loss.value_and_gradient(optimizer.weights, batch, share, cdf)
            optimizer.step(gradient)

    def _background(self, size: int) -> Data:
        """Random configurations of any task, none of them good.

        Runs that some optimiser chose leave regions without any. Nothing there would tell the
        network that they are no better than the rest, and it might promise most just there.
        """
        rng, joint = self.background_rng, self.history.joint
        codes = random_codes(self.history, size, rng)
        task = rng.integers(len(self.trained_tasks), size=size).astype(np.int32)
        nothing = np.zeros(size, np.float32)
        return Data(encode(joint, codes, rng), nothing, nothing + 1, task)

    def _initial(self) -> Weights:
        config, joint = self.config, self.history.joint
        weights = initial_weights(
            joint.dimension, config.hidden_units, config.hidden_layers, config.features, self.rng
        )
        shape = (len(self.trained_tasks), config.features)
        prior = self.rng.standard_normal(shape).astype(np.float32)
        weights[EMBEDDINGS] = prior if config.task_layer else np.zeros(shape, np.float32)
        return weights

    def _stop(self, looks: list[tuple[int, float, float]]) -> bool:
        losses = np.nan_to_num([look[2] for look in looks], nan=np.inf)
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
            functions=(
                fit_functions(self.history, self.functions_rng, self.gaps)
                if self.config.with_functions
                else None
            ),
            embeddings=self._embeddings(network, weights[EMBEDDINGS]),
            tasks=self.history.names,
            sizes=tuple(len(task) for task in self.history),
            config=self.config,
            direction=self.history.direction,
            log=log,
            best=best_codes(self.history),
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
