"""What the page about parallel trials takes for granted: a table of runs, and a training."""

import runpy
from pathlib import Path

Path("train.py").write_text(
    """import argparse


def train_and_validate(lr, layers):
    return (lr - 0.01) ** 2 + layers / 10


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float)
    parser.add_argument("--layers", type=int)
    print(train_and_validate(**vars(parser.parse_args())))
"""
)
train_and_validate = runpy.run_path("train.py")["train_and_validate"]

rows = ["dataset,lr,layers,val_loss"]
for task in range(3):
    for i in range(30):
        lr, layers = 10 ** (-5 + 4 * i / 29), 1 + 7 * i % 8
        rows.append(f"data {task},{lr:.8g},{layers},{(i - 15 - task) ** 2 / 100 + layers / 10}")
Path("runs.csv").write_text("\n".join(rows))
