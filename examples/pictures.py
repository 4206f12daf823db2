"""Pictures of a tuning: its course, its acquisition, what was learned, and how far it is trusted.

Run with ``python examples/pictures.py``; the pictures go to a temporary folder, or to the one that
the environment variable ``PICTURES`` names. The past is made up on the spot: twelve tasks whose
best learning rate and width differ.
"""

import os
import tempfile
from pathlib import Path

import numpy as np

import malibo
from malibo import plots

space = malibo.Space(
    lr=malibo.Float(1e-5, 1e-1, log=True),
    width=malibo.Int(16, 512, log=True),
    optimizer=malibo.Categorical(["adam", "sgd", "rmsprop"]),
)


def objective(config: malibo.Config, task: float) -> float | None:
    """A made-up validation loss: the greater the number of the task, the slower and wider."""
    if config["lr"] > 0.01 * 2 ** (5 - task / 2):  # training diverges: a failed trial
        return None
    lr, width = np.log10(config["lr"]), np.log2(config["width"])
    penalty = {"adam": 0.0, "sgd": 0.3, "rmsprop": 0.1}[config["optimizer"]]
    loss = (lr + 2.2 + task / 5) ** 2 + 0.4 * (width - 5 - task / 4) ** 2
    return float(1 - np.exp(-loss / 3) + 0.2 * penalty)


rng = np.random.default_rng(0)
tasks = []
for number in range(12):
    configs = space.configs(space.sample(rng, 60))
    losses = [objective(config, number) for config in configs]
    tasks.append(malibo.Task.from_configs(f"task {number}", space, configs, losses))
history = malibo.History(tasks)

model = malibo.meta_train(history, seed=0)
opt = malibo.Malibo(model, seed=0)
for _ in range(20):
    config = opt.ask()
    opt.tell(config, objective(config, 8.5))

pictures = {
    "history": plots.history_figure(opt, history),
    "acquisition": plots.acquisition_figure(opt, "lr", steps=[0, 1, 4, 12]),
    "acquisition-map": plots.acquisition_figure(opt, ["lr", "width"], steps=[0, 1, 4, 12]),
    "features": plots.features_figure(model, "lr"),
    "features-map": plots.features_figure(model, ["lr", "width"]),
    "similarity": plots.similarity_figure(model, opt),
    "trust": plots.trust_figure(opt),
}
folder = Path(os.environ.get("PICTURES") or tempfile.mkdtemp())
for name, figure in pictures.items():
    figure.savefig(folder / f"{name}.png", dpi=110)
    print(folder / f"{name}.png")

print("best:", opt.best)
