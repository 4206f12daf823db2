"""Past tasks whose search spaces differ from each other and from the new one.

Run with ``python examples/different_spaces.py``. The target's space rules; describe() lists
what was done to fit the past to it.
"""

import numpy as np

import malibo
from malibo import Categorical, Float, Int, Space

# Last year: a narrower range, one optimizer fewer, and a parameter that is no longer there.
old = Space(lr=Float(1e-4, 1e-2, log=True), optimizer=Categorical(["adam", "sgd"]), seed=Int(0, 9))
# This year: a wider range, and no seed.
recent = Space(lr=Float(1e-5, 1e-1, log=True), optimizer=Categorical(["adam", "sgd"]))
# Now: dropout is new, and so is one choice of the optimizer.
target = Space(
    lr=Float(1e-5, 1e-1, log=True),
    optimizer=Categorical(["adam", "sgd", "lion"]),
    dropout=Float(0.0, 0.5, default=0.1),
)


def accuracy(config: malibo.Config) -> float:
    """Best near lr = 0.003, with adam."""
    penalty = {"adam": 0.0, "sgd": 0.1, "lion": 0.05}[config["optimizer"]]
    return float(0.9 - 0.1 * np.log10(config["lr"] / 3e-3) ** 2 - penalty)


def past_task(name: str, space: Space, rng: np.random.Generator) -> malibo.Task:
    """Fifty random runs, told as accuracies."""
    configs = space.configs(space.sample(rng, 50))
    scores = [accuracy(config) for config in configs]
    return malibo.Task.from_configs(name, space, configs, scores, direction="maximize")


rng = np.random.default_rng(0)
history = malibo.History(
    [past_task("product A", old, rng), past_task("product B", recent, rng)], space=target
)
print(history.describe())

opt = malibo.Malibo(malibo.meta_train(history, seed=0), seed=0)
for _ in range(8):
    config = opt.ask()
    opt.tell(config, accuracy(config))  # maximised, as the past was
    print(config)
print("best:", opt.best)
