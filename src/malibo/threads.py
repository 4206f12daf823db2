"""One thread for matrix products.

The matrices here are small. Several threads gain nothing on them, and on a machine whose
cores are busy they wait for each other: a training of one second took fifty.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = Lock()
_inside = 0  # how many callers hold the limit; the last one out lifts it
_limit: Any = None


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    """The BLAS libraries of numpy and scipy, found once."""
    import scipy.linalg  # noqa: F401  (it may bring a library of its own)

    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS to one thread within; safe when several Python threads do so at once."""
    global _inside, _limit
    with _lock:
        if _inside == 0:
            _limit = _controller().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limit.restore_original_limits()
