"""The model file: safetensors with a JSON header. Nothing in it is ever executed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from os import PathLike
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from malibo.config import TrainConfig
from malibo.errors import InputError, ModelFileError
from malibo.files import write_whole
from malibo.functions import Functions
from malibo.metamodel import MetaModel, TrainingLog
from malibo.network import Array32, Network
from malibo.space import Space

FORMAT = "malibo"
VERSION = 1
_EMBEDDINGS, _BEST = "embeddings", "best"
_FUNCTIONS = ("functions.centres", "functions.lengths", "functions.weights")


def write_model(model: MetaModel, path: str | PathLike[str]) -> None:
    """Write a model file: whole, or not at all."""
    if not isinstance(path, str | PathLike):
        raise ModelFileError(f"expected the path of a model file, got {path!r}.")
    tensors: dict[str, Any] = {_EMBEDDINGS: model.embeddings}
    if model.best is not None:
        tensors[_BEST] = model.best
    if model.network is not None:
        tensors |= model.network.weights
    if model.functions is not None:
        arrays = (model.functions.centres, model.functions.lengths, model.functions.weights)
        tensors |= dict(zip(_FUNCTIONS, arrays, strict=True))
    tensors = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    header = json.dumps(_header(model))
    metadata = {
        "format": FORMAT,
        "version": str(VERSION),
        "header": header,
        "sha256": _checksum(header, tensors),
    }
    write_whole(path, save(tensors, metadata), ModelFileError)


def _header(model: MetaModel) -> dict[str, Any]:
    return {
        "space": model.space.to_json(),
        "joint": model.joint.to_json(),
        "view": model.view and model.view.to_json(),
        "absent": dict(model.absent),
        "tasks": list(model.tasks),
        "sizes": list(model.sizes),
        "config": asdict(model.config),
        "direction": model.direction,
        "log": asdict(model.log),
    }


def read_model(path: str | PathLike[str]) -> MetaModel:
    """Read and check a model file."""
    if not isinstance(path, str | PathLike):
        raise ModelFileError(f"expected the path of a model file, got {path!r}.")
    if os.path.isdir(path):
        raise ModelFileError(f"{os.fspath(path)!r} is a directory, not a model file.")
    if not os.path.isfile(path):
        raise ModelFileError(f"there is no model file {os.fspath(path)!r}.")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            names = file.keys()
            tensors = {name: file.get_tensor(name) for name in names}
    except (SafetensorError, OSError) as error:
        if not _begins_like_one(path):
            raise ModelFileError(f"{path} is no model file; malibo train makes one.") from None
        raise ModelFileError(
            f"{path} is damaged, truncated or no model file ({error}). Train the model again,"
            " or copy the file anew."
        ) from None
    header = _checked_header(path, metadata, tensors)
    try:
        return _model(json.loads(header), tensors)
    except (InputError, KeyError, TypeError, ValueError) as error:
        raise ModelFileError(f"{path}: the header cannot be understood ({error!r}).") from None


def _begins_like_one(path: str | PathLike[str]) -> bool:
    """Whether a file begins with a length and JSON, as one of safetensors does."""
    with open(path, "rb") as file:
        return file.read(9)[8:] == b"{"


def _checked_header(
    path: str | PathLike[str], metadata: Mapping[str, str], tensors: Mapping[str, Array32]
) -> str:
    if metadata.get("format") != FORMAT:
        raise ModelFileError(f"{path} is a safetensors file, but not one of malibo.")
    version = metadata.get("version", "")
    if not version.isdecimal() or int(version) > VERSION:
        raise ModelFileError(
            f"{path} has format version {version!r}, and this malibo reads up to {VERSION};"
            " run: pip install --upgrade malibo"
        )
    header = metadata.get("header", "")
    if metadata.get("sha256") != _checksum(header, tensors):
        raise ModelFileError(f"{path} is damaged: its checksum does not match; copy it anew.")
    return header


def _model(header: dict[str, Any], tensors: dict[str, Array32]) -> MetaModel:
    embeddings, best = tensors.pop(_EMBEDDINGS), tensors.pop(_BEST, None)
    functions = [tensors.pop(name) for name in _FUNCTIONS if name in tensors]
    log: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in header["log"].items()
    }
    return MetaModel(
        space=Space.from_json(header["space"]),
        joint=Space.from_json(header["joint"]),
        view=Space.from_json(header["view"]) if header.get("view") else None,
        network=Network(tensors) if tensors else None,
        functions=Functions(*functions) if functions else None,
        absent=header.get("absent", {}),
        best=None if best is None else best.astype(np.float64),
        embeddings=embeddings,
        tasks=tuple(header["tasks"]),
        sizes=tuple(header.get("sizes", ())),
        config=TrainConfig(**header["config"]),
        direction=header["direction"],
        log=TrainingLog(**log),
    )


def _checksum(header: str, tensors: Mapping[str, Array32]) -> str:
    """SHA-256 over the header and every array with its name and shape."""
    digest = hashlib.sha256(header.encode())
    for name in sorted(tensors):
        digest.update(f"{name}{tensors[name].shape}{tensors[name].dtype}".encode())
        digest.update(tensors[name].tobytes())
    return digest.hexdigest()
