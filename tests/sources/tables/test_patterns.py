"""Values and names that no parameter has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from malibo.sources.tables.cells import column_of
from malibo.sources.tables.names import bookkeeping, like_a_score, measurement
from malibo.sources.tables.patterns import no_parameter

RNG = np.random.default_rng(0)
COUNT = 60
TASKS = np.repeat([0, 1, 2], 20)
LOSSES = RNG.uniform(0, 1, COUNT)


def why(values: Any, tasks: Any = TASKS, losses: Any = LOSSES) -> str:
    column = column_of(pd.Series(values), "c")
    assert column is not None
    return no_parameter(column, np.asarray(tasks), np.asarray(losses))


# -- values --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        pd.date_range("2024-01-01", periods=COUNT),
        pd.to_timedelta(range(COUNT), unit="s"),
        ["2024-05-01T12:00:00.000Z", "2024-05-02 13:00"] * 30,
        ["1.5.2024", "05/06/24"] * 30,
        ["0:12:33", "1:02"] * 30,
    ],
)
def test_dates_and_times_are_no_parameters(values: Any) -> None:
    assert why(values) == "dates or times"


def test_texts_that_nearly_all_differ_are_identifiers() -> None:
    names = [f"run-{i}" for i in range(COUNT)]
    assert why(names) == "an identifier: 60 different texts in 60 rows"
    assert why(names[:54] * 1 + names[:6]) == "an identifier: 54 different texts in 60 rows"
    assert why(names[:50] + names[:10]) == ""
    assert why(list("abcde"), [0] * 5, LOSSES[:5]) == ""


def test_too_many_texts_are_no_choices() -> None:
    names = [f"run-{i}" for i in range(65)] * 2
    tasks, losses = np.zeros(130, dtype=int), np.zeros(130)
    assert why(names, tasks, losses) == "65 different texts: too many for choices"
    assert why(names[:64] * 2, tasks[:128], losses[:128]) == ""


@pytest.mark.parametrize("turn", [1, -1])
def test_numbers_that_count_rows_are_no_parameters(turn: int) -> None:
    assert why(np.arange(100, 160)[::turn]) == "it counts the rows"
    assert why(np.tile(np.arange(20), 3)[::turn]) == "it counts the rows"
    assert why(RNG.permutation(COUNT)) == "it counts the rows"
    assert why(np.arange(60) * 2) == ""
    assert why(np.tile(np.arange(10), 6)) == ""
    assert why(np.arange(19), [0] * 19, LOSSES[:19]) == ""


def test_what_is_the_same_within_every_task_describes_the_task() -> None:
    said = "the same in all runs of a task: it describes the task"
    assert why(np.repeat([1000, 2000, 1000], 20)) == said
    assert why(np.repeat(["val", "test", "val"], 20)) == said
    mixed = np.repeat([1000, 2000, 3000], 20)
    mixed[0] = 5
    assert why(mixed) == ""
    assert why(np.repeat([1, 2], 30), [0] * 60) == ""
    assert why([1, 1, 1, 2, 2, 2], [0] * 3 + [1] * 3, LOSSES[:6]) == ""


@pytest.mark.parametrize("turn", [1, -1])
def test_numbers_with_the_ranks_of_the_objective_are_measurements(turn: int) -> None:
    said = "it goes with the objective in every task: probably another measurement"
    noisy = turn * (LOSSES + RNG.normal(0, 0.005, COUNT))
    assert why(noisy) == said
    failed = np.where(np.arange(COUNT) % 5 == 0, np.nan, LOSSES)
    assert why(noisy, losses=failed) == said
    only_in_two = np.concatenate([noisy[:40], RNG.uniform(0, 1, 20)])
    assert why(only_in_two) == ""
    assert why(np.round(turn * LOSSES, 1)) == ""  # a grid, such as it is
    assert why(noisy[:27], TASKS[:27] * 0 + np.arange(27) % 3, LOSSES[:27]) == ""  # tasks of 9


def test_parameters_may_be() -> None:
    for values in (
        RNG.uniform(0, 1, COUNT),
        RNG.integers(0, 50, COUNT),
        RNG.choice(["adam", "sgd"], COUNT),
        RNG.choice([True, False], COUNT),
        RNG.choice(["1", "x"], COUNT),
    ):
        assert why(values) == ""


# -- names ---------------------------------------------------------------------------------

BOOKKEEPING = """
    Name,ID,State,Notes,User,Tags,Created,Sweep,GitHub,_step,_runtime,_timestamp,_wandb,
    _wandb.runtime,run_id,Run-Name,trial,number,index,uuid,status,hostname,git_commit,seed,
    random_state,epoch,global_step,datetime_start,tags.mlflow.user,metrics.acc,artifact_uri,
    user_attrs_note,system/gpu.0,experiment_id,startTime,n_params,Unnamed: 0,Job Type,—,
    Runtime,duration,Source Type
"""
MEASUREMENTS = """
    val_loss,train_loss,loss,valAcc,val/acc,accuracy,test_score,best_auc,f1,val_f1_macro,rmse,
    gpu_runtime,train_time,fit_time,time_total,mean_fit_time,eval_perplexity,regret,latency_ms
"""
PARAMETERS = """
    lr,learning_rate,batch_size,epochs,max_steps,n_layers,layers,dropout,momentum,weight_decay,
    optimizer,loss_weight,train_batch_size,val_split,test_size,train_fraction,score_threshold,
    res_time,reaction_time,warmup_time,precision,temperature,timeout,params.lr,params_lr,
    rank,num_trees,max_iter,min_samples_split,user_embedding,group_size
"""


def names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


@pytest.mark.parametrize("name", [*names(BOOKKEEPING), ""])
def test_bookkeeping_is_known_by_its_name(name: str) -> None:
    assert bookkeeping(name)


@pytest.mark.parametrize("name", names(MEASUREMENTS))
def test_measurements_are_known_by_their_names(name: str) -> None:
    assert measurement(name)
    assert not bookkeeping(name)


@pytest.mark.parametrize("name", names(PARAMETERS))
def test_names_of_parameters_are_left_alone(name: str) -> None:
    assert bookkeeping(name) == ""
    assert measurement(name) == ""


@pytest.mark.parametrize("name", names("val/acc,testAccuracy,F1,yield,roc_auc,R2,metrics.score"))
def test_scores_are_known_by_their_names(name: str) -> None:
    assert like_a_score(name)


@pytest.mark.parametrize("name", names("val_loss,accuracy_error,neg_acc,rmse,y,brier_score,"))
def test_other_objectives_are_not_taken_for_scores(name: str) -> None:
    assert not like_a_score(name)
