"""From a CSV file of past runs to a saved model, and to four suggestions in parallel.

Run with ``python examples/csv_runs.py`` (needs ``pip install "malibo[table]"``).
"""

import csv
import tempfile
from pathlib import Path

import numpy as np

import malibo

space = malibo.Space(depth=malibo.Int(2, 12), rate=malibo.Float(0.01, 0.3, log=True))
folder = Path(tempfile.mkdtemp())

# A file such as an experiment tracker exports: one row a run, an empty score for a failed one.
rng = np.random.default_rng(1)
with (folder / "runs.csv").open("w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["dataset", "depth", "rate", "accuracy"])
    for number, data_set in enumerate(["adult", "higgs", "covtype"]):
        for config in space.configs(space.sample(rng, 80)):
            error = (config["depth"] - 6 - number) ** 2 / 60 + np.log(
                config["rate"] / 0.08
            ) ** 2 / 9
            failed = config["depth"] == 12 and config["rate"] > 0.2
            score = "" if failed else 0.95 - 0.1 * number - error
            writer.writerow([data_set, config["depth"], config["rate"], score])

history = malibo.History.from_table(
    folder / "runs.csv", task="dataset", objective="accuracy", direction="maximize", space=space
)
print(history.describe())

malibo.meta_train(history, seed=0).save(folder / "tuning.malibo")

# Later, or on another machine:
model = malibo.MetaModel.load(folder / "tuning.malibo")
opt = malibo.Malibo(model, seed=0)  # it maximises, as the past did
for config in opt.ask(4):
    print(config)
    opt.tell(config, 0.9 - (config["depth"] - 7) ** 2 / 60)
opt.tell({"depth": 12, "rate": 0.3}, None)  # a failed trial, of our own choice
print("next:", opt.ask())
print("best:", opt.best)
