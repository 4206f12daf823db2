"""Names of columns: the one list of what a name gives away.

A name is cut into words at marks and capitals: "valLoss", "val/loss" and "val_loss" are alike.
"""

from __future__ import annotations

import re


def _set_of(text: str, separator: str | None = None) -> frozenset[str]:
    return frozenset(" ".join(item.split()) for item in text.split(separator))


#: Names that are bookkeeping, whatever the column holds.
_BOOKKEEPING = _set_of(
    """
    name, id, uuid, run, run id, run name, run uuid, run url, run number, trial, trial id,
    trial number, trial name, trial index, job, job id, job type, index, number, no, row,
    experiment, experiment id, experiment name, experiment tag, sweep, sweep id, sweep name, group,
    project, entity, user, user id, username, author, owner, tag, tags, note, notes, comment,
    comments, description, state, status, created, created at, updated, updated at, started,
    started at, finished, finished at, ended, ended at, date, time, datetime, timestamp, start time,
    end time, datetime start, datetime complete, start, end, host, hostname, node ip, pid, agent,
    commit, git commit, git hash, git hub, github, git, sha, branch, url, artifact uri, artifact,
    lifecycle stage, log dir, logdir, output dir, checkpoint, checkpoint path, seed, random seed,
    random state, epoch, step, global step, iteration, timesteps total, training iteration,
    gpu type, gpu count, cpu count, os, python version, source, source type, source name,
    source version, n params, num params, num parameters, params, model size, flops, macs,
    runtime, run time, duration, elapsed, wall time, walltime
    """,
    ",",
)

#: Parameters that nobody tunes.
_SEEDS = _set_of("seed, random seed, random state", ",")

#: Beginnings that loggers give to what is not a parameter.
_PREFIXES = {
    "_": "bookkeeping of the logger",
    "metrics.": "a measurement",
    "metrics/": "a measurement",
    "summary.": "a measurement",
    "tags.": "bookkeeping of the logger",
    "system/": "bookkeeping of the logger",
    "system.": "bookkeeping of the logger",
    "gradients/": "a measurement",
    "user_attrs_": "bookkeeping of the logger",
    "system_attrs_": "bookkeeping of the logger",
    "intermediate_values_": "a measurement",
}

_MEASURES = _set_of("""
    loss losses acc accuracy auc auroc auprc f1 recall rmse mse mae mape nll r2 error err score
    bleu rouge perplexity ppl iou miou reward return regret logloss likelihood elbo fid metric
    metrics objective
""")
_SCORES = _set_of("""
    acc accuracy auc auroc auprc ap map mrr ndcg f1 fscore precision recall sensitivity specificity
    score scores r2 r² bleu rouge meteor iou miou dice jaccard mcc kappa correlation pearson
    spearman reward rewards return returns yield conversion selectivity efficiency throughput
    profit revenue gain psnr ssim likelihood elbo wins winrate success
""")
_LOSSES = _set_of("""
    loss losses error errors err cost costs regret rmse mse mae mape nll logloss perplexity ppl fid
    brier neg negative minus inverse entropy distance time latency wer cer
""")
_PARTS_OF_DATA = _set_of("val valid validation test train training eval evaluation dev")
_SETTINGS = _set_of("""
    size sizes fraction frac ratio split share batch batches steps epochs iterations samples
    frequency freq interval every weight weights rate lr noise crop resolution length workers
    temperature dropout budget
""")
_TIMES = _set_of("runtime duration elapsed walltime timestamp latency throughput")
_CLOCKS = _set_of("""
    run wall fit train training eval evaluation val valid validation test score start end total
    gpu cpu compute inference predict prediction epoch this since mean std execution
""")


def bookkeeping(name: str) -> str:
    """Why a column of this name is no parameter, whatever it holds; empty if it may be one."""
    words = _words(name)
    if not words or name.lower().startswith("unnamed: "):
        return "it has no name"
    for prefix, reason in _PREFIXES.items():
        if name.startswith(prefix):
            return reason
    if " ".join(words) in _BOOKKEEPING:
        return "bookkeeping, by its name"
    return ""


def no_choice(name: str) -> str:
    """Why something of this name is not tuned although it is a parameter; empty if it may be."""
    words = _words(name)
    if not words:
        return "it has no name"
    return "a seed, by its name" if " ".join(words) in _SEEDS else ""


def measurement(name: str) -> str:
    """Why a column of numbers of this name is no parameter; empty if it may be one."""
    words = _words(name)
    if set(words) & _TIMES or ("time" in words and set(words) & _CLOCKS):
        return "a time, by its name"
    if words[-1] in _MEASURES:
        return "a measurement, by its name"
    if len(words) > 1 and words[0] in _PARTS_OF_DATA and not set(words) & _SETTINGS:
        return "a measurement, by its name"
    return ""


def like_a_score(name: str) -> bool:
    """Whether an objective of this name is usually maximised."""
    words = set(_words(name))
    return bool(words & _SCORES) and not words & _LOSSES


def _words(name: str) -> list[str]:
    """The words of a name in small letters."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.findall(r"[^\W_]+", apart.lower())
