"""What README.md takes for granted: a table of runs, a training, past studies, an objective."""

from pathlib import Path
from typing import Any

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)


def train_and_validate(lr: float, **others: Any) -> float:
    return (lr - 0.01) ** 2


def objective(trial: optuna.Trial) -> float:
    return (trial.suggest_float("x", -5, 5) - 1) ** 2


Path("train.py").write_text(
    """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
parser.add_argument("--layers", type=int)
parser.add_argument("--optimizer")
parser.add_argument("--momentum", type=float)
print((parser.parse_args().lr - 0.01) ** 2)
"""
)

rows = ["dataset,lr,layers,optimizer,momentum,val_loss"]
for task in range(3):
    for i in range(30):
        lr, layers = 10 ** (-5 + 4 * i / 29), 1 + i % 8
        optimizer, momentum = ("sgd", f"{0.03 * i:.2f}") if i % 2 else ("adam", "")
        loss = (i - 15 - task) ** 2 / 100 + layers / 10
        rows.append(f"data {task},{lr:.8g},{layers},{optimizer},{momentum},{loss}")
Path("runs.csv").write_text("\n".join(rows))

for number in range(2):
    past = optuna.create_study(storage="sqlite:///past.db", study_name=f"study {number}")
    past.optimize(objective, n_trials=20)
