"""The model file: whole, safe, and refused with a reason."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load, save

import malibo
from malibo import Categorical, Float, Int, Malibo, MetaModel, Space, modelfile
from malibo.errors import ModelFileError
from points import all_of
from strategies import repeatable


def same(one: MetaModel, other: MetaModel) -> bool:
    """Whether two models are equal in every field and every array."""
    if (one.network is None) != (other.network is None):
        return False
    arrays: list[dict[str, Any]] = [
        {} if m.network is None else dict(m.network.weights) for m in (one, other)
    ]
    arrays = [{**a, "z": m.embeddings} for a, m in zip(arrays, (one, other), strict=True)]
    if one.best is not None and other.best is not None:
        arrays = [{**a, "best": m.best} for a, m in zip(arrays, (one, other), strict=True)]
    if (one.functions is None) != (other.functions is None):
        return False
    if one.functions is not None and other.functions is not None:
        parts = [dataclasses.asdict(f) for f in (one.functions, other.functions)]
        arrays = [{**a, **part} for a, part in zip(arrays, parts, strict=True)]
    fields = [
        (m.space, m.joint, m.view, m.absent, m.tasks, m.config, m.direction, m.log, m.best is None)
        for m in (one, other)
    ]
    return (
        fields[0] == fields[1]
        and arrays[0].keys() == arrays[1].keys()
        and all(a.dtype == arrays[1][name].dtype for name, a in arrays[0].items())
        and all(np.array_equal(a, arrays[1][name], equal_nan=True) for name, a in arrays[0].items())
        and all(a.shape == arrays[1][name].shape for name, a in arrays[0].items())
    )


@pytest.fixture(scope="module")
def content(model: MetaModel, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a model file."""
    path = tmp_path_factory.mktemp("saved") / "model.malibo"
    model.save(path)
    return path.read_bytes()


def load_bytes(folder: Path, content: bytes) -> MetaModel:
    path = folder / "some.malibo"
    path.write_bytes(content)
    return MetaModel.load(path)


def rewritten(content: bytes, arrays: dict[str, Any] | None = None, **metadata: str) -> bytes:
    """A file with other metadata, as a stranger might write it."""
    return save(arrays or load(content), metadata_of(content) | metadata)


def metadata_of(content: bytes) -> dict[str, str]:
    length = int.from_bytes(content[:8], "little")
    known: dict[str, str] = json.loads(content[8 : 8 + length])["__metadata__"]
    return known


# -- there and back ------------------------------------------------------------------------


def test_a_loaded_model_is_equal_in_everything(
    model: MetaModel, content: bytes, tmp_path: Path
) -> None:
    loaded = load_bytes(tmp_path, content)
    assert same(loaded, model)
    assert len(loaded.log.validation) > 1


def test_a_loaded_model_suggests_the_same(model: MetaModel, content: bytes, tmp_path: Path) -> None:
    optimizers = [Malibo(m, seed=5) for m in (model, load_bytes(tmp_path, content))]
    for trial in range(7):
        one, other = (optimizer.ask() for optimizer in optimizers)
        assert one == other
        for optimizer in optimizers:
            optimizer.tell(one, float(trial % 3))


def test_a_model_without_a_past_can_be_saved(tuning_space: Space, tmp_path: Path) -> None:
    model = MetaModel(space=tuning_space, joint=tuning_space, direction="maximize")
    model.save(str(tmp_path / "cold.malibo"))
    assert same(MetaModel.load(str(tmp_path / "cold.malibo")), model)


@pytest.mark.parametrize(
    "changes",
    [
        {"lr": Float(1e-6, 1, log=True)},
        {"decay": Float(0, 1)},
        {"layers": None},
        {"optimizer": Categorical(["sgd", "lion"]), "decay": Int(0, 3, when={"optimizer": "lion"})},
    ],
)
def test_a_model_for_another_space_is_the_same_when_loaded(
    changes: dict[str, Any], model: MetaModel, tmp_path: Path
) -> None:
    parameters = {n: p for n, p in {**model.space, **changes}.items() if p is not None}
    other = model.for_space(Space({**parameters, "momentum": Float(0, 0.9)}))
    assert other.view is not None
    other.save(tmp_path / "other.malibo")
    loaded = MetaModel.load(tmp_path / "other.malibo", other.space)
    assert same(loaded, other)
    codes = other.space.sample(np.random.default_rng(0), 20)
    points = zip(all_of(loaded.points(codes)), all_of(other.points(codes)), strict=True)
    assert all(np.array_equal(one, two) for one, two in points)
    assert np.array_equal(loaded.promising, other.promising, equal_nan=True)


def test_a_file_from_before_there_were_views_has_none(
    model: MetaModel, content: bytes, tmp_path: Path
) -> None:
    header = json.loads(metadata_of(content)["header"])
    assert header.pop("view") is None
    text = json.dumps(header)
    checksum = modelfile._checksum(text, load(content))
    assert same(load_bytes(tmp_path, rewritten(content, header=text, sha256=checksum)), model)


def test_a_file_from_before_there_were_functions_has_none(
    model: MetaModel, content: bytes, tmp_path: Path
) -> None:
    arrays = {n: array for n, array in load(content).items() if not n.startswith("functions")}
    metadata = metadata_of(content)
    header = json.loads(metadata["header"])
    del header["config"]["functions"]
    text = json.dumps(header)
    checksum = modelfile._checksum(text, arrays)
    loaded = load_bytes(tmp_path, rewritten(content, arrays, header=text, sha256=checksum))
    assert loaded.functions is None
    assert same(loaded, dataclasses.replace(model, functions=None))
    assert len(loaded.scales) == 1
    model.space.codes([Malibo(loaded, seed=0).ask()])


def test_functions_that_lack_a_part_are_refused(content: bytes, tmp_path: Path) -> None:
    arrays = {n: array for n, array in load(content).items() if n != "functions.lengths"}
    checksum = modelfile._checksum(metadata_of(content)["header"], arrays)
    with pytest.raises(ModelFileError, match="cannot be understood"):
        load_bytes(tmp_path, rewritten(content, arrays, sha256=checksum))


def test_saving_replaces_an_older_file(model: MetaModel, tmp_path: Path) -> None:
    path = tmp_path / "model.malibo"
    path.write_text("older")
    model.save(path)
    assert same(MetaModel.load(path), model)
    assert os.listdir(tmp_path) == ["model.malibo"]


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no umask")
@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_permissions_follow_the_umask(
    tuning_space: Space, tmp_path: Path, umask: int, mode: int
) -> None:
    before = os.umask(umask)
    try:
        MetaModel.uninformed(tuning_space).save(tmp_path / "model.malibo")
        assert os.umask(umask) == umask
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "model.malibo").stat().st_mode) == mode


# -- writing that fails --------------------------------------------------------------------


@pytest.mark.parametrize("step", ["replace", "fsync"])
@pytest.mark.parametrize(
    ("error", "raised"),
    [(OSError(28, "No space left"), ModelFileError), (KeyboardInterrupt(), KeyboardInterrupt)],
)
def test_a_failed_writing_leaves_the_old_file(
    step: str,
    error: BaseException,
    raised: type[BaseException],
    model: MetaModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "model.malibo"
    path.write_text("older")

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(raised):
        model.save(path)
    assert path.read_text() == "older"
    assert os.listdir(tmp_path) == ["model.malibo"]


def test_a_place_that_cannot_be_written_is_named(model: MetaModel, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    for place, reason in [
        ("none/m", "No such file"),
        ("file/m", "Not a dir"),
        ("folder", "Is a dir"),
    ]:
        with pytest.raises(ModelFileError, match=f"cannot write {tmp_path / place}: {reason}"):
            model.save(tmp_path / place)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


def test_a_folder_without_permission_gives_a_model_file_error(
    model: MetaModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(ModelFileError, match="Permission denied"):
        model.save(tmp_path / "model.malibo")


# -- reading that fails --------------------------------------------------------------------


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none.malibo"
    with pytest.raises(ModelFileError, match=f"there is no model file '{path}'"):
        MetaModel.load(path)
    with pytest.raises(ModelFileError, match=f"'{tmp_path}' is a directory"):
        MetaModel.load(tmp_path)


@pytest.mark.parametrize("path", [None, 5])
def test_what_is_no_path_is_refused(path: Any, model: MetaModel) -> None:
    with pytest.raises(ModelFileError, match=f"expected the path of a model file, got {path}"):
        MetaModel.load(path)
    with pytest.raises(ModelFileError, match=f"expected the path of a model file, got {path}"):
        model.save(path)


@pytest.mark.parametrize("text", ["", "hello", "just some longer text\n" * 100])
def test_a_text_or_empty_file_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"some\.malibo is no model file"):
        load_bytes(tmp_path, text.encode())


@pytest.mark.parametrize("share", [0.0001, 0.01, 0.1, 0.5, 0.9, 0.99999])
def test_a_truncated_file_is_refused(share: float, content: bytes, tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"is (damaged, truncated or )?no model file"):
        load_bytes(tmp_path, content[: int(share * len(content))])


@repeatable
@given(place=st.floats(0, 1, exclude_max=True), header=st.booleans(), flip=st.integers(1, 255))
def test_a_changed_byte_is_never_silently_accepted(
    place: float,
    header: bool,
    flip: int,
    content: bytes,
    model: MetaModel,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    end = 8 + int.from_bytes(content[:8], "little") if header else len(content)
    damaged = bytearray(content)
    damaged[int(place * end)] ^= flip
    try:
        loaded = load_bytes(tmp_path_factory.getbasetemp(), bytes(damaged))
    except ModelFileError:
        return
    assert same(loaded, model)  # white space of the header, for example


def test_a_changed_weight_is_found_by_its_checksum(content: bytes, tmp_path: Path) -> None:
    damaged = bytearray(content)
    damaged[-1] ^= 1
    with pytest.raises(ModelFileError, match="is damaged: its checksum does not match"):
        load_bytes(tmp_path, bytes(damaged))


@pytest.mark.parametrize("change", ["name", "shape", "type"])
def test_an_array_with_another_name_shape_or_type_is_found(
    change: str, content: bytes, tmp_path: Path
) -> None:
    arrays = load(content)
    weight = arrays.pop("input.weight")
    changed = {"name": weight, "shape": weight.reshape(weight.shape[::-1])}
    changed["type"] = weight.view(np.int32)
    arrays["input.weights" if change == "name" else "input.weight"] = changed[change]
    with pytest.raises(ModelFileError, match="is damaged: its checksum does not match"):
        load_bytes(tmp_path, rewritten(content, arrays))


def test_a_foreign_safetensors_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="is a safetensors file, but not one of malibo"):
        load_bytes(tmp_path, save({"weight": np.zeros(3, np.float32)}))


@pytest.mark.parametrize("version", ["2", "10", "", "1.5", "²", "-1"])
def test_a_newer_version_is_refused(version: str, content: bytes, tmp_path: Path) -> None:
    message = rf"has format version '{version}', .* pip install --upgrade malibo"
    with pytest.raises(ModelFileError, match=message):
        load_bytes(tmp_path, rewritten(content, version=version))


@pytest.mark.parametrize(
    "header", ["", "[]", "3", "{}", '{"space": "{}"}', '{"space": 1, "log": {}}']
)
def test_a_header_without_sense_is_refused(header: str, content: bytes, tmp_path: Path) -> None:
    checksum = modelfile._checksum(header, load(content))
    with pytest.raises(ModelFileError, match="the header cannot be understood"):
        load_bytes(tmp_path, rewritten(content, header=header, sha256=checksum))


def test_no_pickle_is_near_the_model_file() -> None:
    imported = {
        name.name
        for module in (modelfile, malibo.metamodel)
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in [*node.names, ast.alias(getattr(node, "module", None) or "")]
    }
    assert not imported & {"pickle", "dill", "joblib", "marshal", "shelve", "torch"}
