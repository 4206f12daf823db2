"""What the page about clusters takes for granted: past studies, and a server beside the database.

The server runs in a thread, so that the page goes on below it.
"""

import math
import threading
import warnings
from typing import Any

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)  # as the page says


def past_objective(trial: optuna.Trial) -> float:
    lr = trial.suggest_float("lr", 1e-5, 1e-1, log=True)
    return (math.log10(lr) + 3) ** 2 + 0.1 * (trial.suggest_int("depth", 1, 12) - 5) ** 2


for number in range(3):
    past = optuna.create_study(storage="sqlite:///past.db", study_name=f"study {number}")
    past.optimize(past_objective, n_trials=20)

serve = optuna.storages.run_grpc_proxy_server


def serve_in_a_thread(storage: Any, *, host: str, port: int) -> None:
    arguments = {"storage": storage, "host": host, "port": port}
    threading.Thread(target=serve, kwargs=arguments, daemon=True).start()
    optuna.storages.GrpcStorageProxy(host=host, port=port).wait_server_ready(timeout=60)


setattr(optuna.storages, "run_grpc_proxy_server", serve_in_a_thread)  # noqa: B010
