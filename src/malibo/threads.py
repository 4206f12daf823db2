"""One thread for matrix products.

The matrices here are small. Several threads gain nothing on them, and on a machine whose
cores are busy they wait for each other: a training of one second took fifty.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock

import scipy.linalg  # noqa: F401  (numpy and scipy may each bring a BLAS library)
from threadpoolctl import ThreadpoolController

_held = Lock()


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    """The BLAS libraries of this process, found once."""
    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS to one thread within the context.

    The limit is the process's, and only the thread that set it can lift it. Where Python threads
    overlap, the first one in sets and lifts it and the others leave it alone, so that none is left
    behind; what the others still do when the first is done may use more threads.
    """
    if not _held.acquire(blocking=False):
        yield
        return
    try:
        with _controller().limit(limits=1, user_api="blas"):
            yield
    finally:
        _held.release()
