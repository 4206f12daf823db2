from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from threadpoolctl import ThreadpoolController

from malibo.threads import one_thread


def blas_threads() -> list[int]:
    controller = ThreadpoolController().select(user_api="blas")
    return [library["num_threads"] for library in controller.info()]


def test_blas_has_one_thread_within_and_its_own_number_after() -> None:
    before = blas_threads()
    assert before, "numpy comes with a BLAS library"
    with one_thread():
        assert set(blas_threads()) == {1}
    assert blas_threads() == before


def test_the_number_is_restored_after_an_error() -> None:
    before = blas_threads()
    with pytest.raises(RuntimeError), one_thread():
        raise RuntimeError
    assert blas_threads() == before


def test_overlapping_callers_leave_no_limit_behind() -> None:
    before = blas_threads()
    both_inside, first_out = Barrier(2, timeout=30), Barrier(2, timeout=30)

    def first() -> None:
        with one_thread():
            both_inside.wait()
        first_out.wait()

    def second() -> None:
        with one_thread():
            both_inside.wait()
            first_out.wait()

    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(first), pool.submit(second)]:
            future.result()
    assert blas_threads() == before
    with one_thread():  # and the next caller can limit again
        assert set(blas_threads()) == {1}
