"""A model as the bytes of its file, to be kept inside a study."""

from __future__ import annotations

import tempfile
from pathlib import Path

from safetensors import SafetensorError, safe_open

from malibo.errors import ModelFileError
from malibo.metamodel import MetaModel
from malibo.study.database import StudyError


def to_bytes(model: MetaModel) -> tuple[bytes, str]:
    """The content of a model's file, and its checksum."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.malibo")
        model.save(path)
        return path.read_bytes(), checksum(path)


def from_bytes(content: bytes, study: Path) -> MetaModel:
    """The model that a study keeps."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.malibo")
        path.write_bytes(content)
        try:
            return MetaModel.load(path)
        except ModelFileError as error:
            reason = str(error).replace(str(path), "its model")
            raise StudyError(f"{study} cannot be used: {reason}") from None


def checksum(path: Path) -> str:
    """What a model file says of its content: the same for the same model, saved twice."""
    try:
        with safe_open(path, framework="numpy") as file:
            return str((file.metadata() or {}).get("sha256"))
    except (SafetensorError, OSError) as error:
        raise ModelFileError(f"{path} is damaged, or no model file ({error}).") from None
