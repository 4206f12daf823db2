"""A warm start by ask and tell: six past tunings, and a seventh that is new.

Run with ``python examples/ask_tell.py``. The "past" is made up on the spot: tasks whose
best learning rate and width differ a little, told on different scales.
"""

import numpy as np

import malibo

space = malibo.Space(
    lr=malibo.Float(1e-5, 1e-1, log=True),
    width=malibo.Int(16, 512, log=True),
    optimizer=malibo.Categorical(["adam", "sgd"]),
    momentum=malibo.Float(0.0, 0.99, when={"optimizer": "sgd"}),
)


def objective(config: malibo.Config, task: int) -> float:
    """A made-up validation loss; every task has its own optimum, scale and offset."""
    best_lr, best_width = 10 ** (-3 + 0.1 * task), 64 * 1.2**task
    loss = np.log10(config["lr"] / best_lr) ** 2 + 0.3 * np.log2(config["width"] / best_width) ** 2
    if config["optimizer"] == "sgd":
        loss += 0.5 + (config["momentum"] - 0.9) ** 2
    return float(10**task * loss + task)


def past_task(task: int, rng: np.random.Generator) -> malibo.Task:
    """Sixty random runs of one past task."""
    configs = space.configs(space.sample(rng, 60))
    losses = [objective(config, task) for config in configs]
    return malibo.Task.from_configs(f"task {task}", space, configs, losses)


rng = np.random.default_rng(0)
history = malibo.History([past_task(task, rng) for task in range(6)])
print(history.describe())

model = malibo.meta_train(history, seed=0)
opt = malibo.Malibo(model, seed=0)
for trial in range(10):
    config = opt.ask()
    loss = objective(config, task=3)
    opt.tell(config, loss)
    print(f"trial {trial}: loss {loss:9.3f}  {config}")

print("best:", opt.best)
