"""From runs that MLflow has tracked to a model, and to the first suggestions for a new task.

Run with ``python examples/mlflow_runs.py`` (needs ``pip install "malibo[mlflow]"``).
"""

import os
import tempfile
from pathlib import Path

os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"  # recent versions write folders only if told to
os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"

import mlflow
import numpy as np

import malibo

runs = Path(tempfile.mkdtemp()) / "mlruns"


def validation_loss(lr: float, optimizer: str, shift: float) -> float:
    """What a training would come to; the best learning rate differs from task to task."""
    distance = np.log10(lr) + 2.5 + shift
    return float(distance**2 + (0.3 if optimizer == "adam" else 0.5))


# What you have already: an experiment for each data set, and in it a run for each training.
client = mlflow.MlflowClient(tracking_uri=runs.as_uri())
rng = np.random.default_rng(0)
for number, data_set in enumerate(["adult", "higgs", "covtype"]):
    experiment = client.create_experiment(data_set)
    for _ in range(25):
        lr, optimizer = 10 ** rng.uniform(-5, -1), str(rng.choice(["adam", "sgd"]))
        run = client.create_run(experiment).info.run_id
        client.log_param(run, "lr", lr)
        client.log_param(run, "optimizer", optimizer)
        if lr > 0.05:
            client.set_terminated(run, "FAILED")
            continue
        client.log_metric(run, "val_loss", validation_loss(lr, optimizer, 0.3 * number))
        client.set_terminated(run)

# The same for "sqlite:///mlflow.db", the address of a server, or mlflow.search_runs().
history = malibo.History.from_mlflow(runs, objective="val_loss")
print(history.describe())

opt = malibo.Malibo(malibo.meta_train(history, seed=0), seed=0)
for _ in range(8):
    config = opt.ask()
    opt.tell(config, validation_loss(**config, shift=0.2))
print("best:", opt.best)
