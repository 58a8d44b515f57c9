"""Work side by side: results, errors, and that nothing is left running."""

from __future__ import annotations

from threading import Event, get_ident

import pytest

from hedgerow._internal.threads import concurrently, side_by_side, start_thread

FEW, MANY = 10, 1_000_000


@pytest.mark.parametrize("rows", [FEW, MANY])
def test_work_that_was_begun_hands_on_its_result_and_its_error(rows: int) -> None:
    assert start_thread(lambda: 42, rows)() == 42
    wrong = start_thread(lambda: int("x"), rows)
    with pytest.raises(ValueError, match="invalid literal"):
        wrong()


@pytest.mark.parametrize("rows", [FEW, MANY])
def test_a_result_may_be_asked_for_twice_and_the_work_is_done_once(rows: int) -> None:
    done: list[int] = []
    result = start_thread(lambda: done.append(1), rows)
    assert (result(), result(), done) == (None, None, [1])


def test_many_rows_are_worked_on_beside_the_block_and_few_when_they_are_asked_for() -> None:
    go_on = Event()
    with concurrently(lambda: (go_on.wait(10), get_ident()), MANY) as beside:
        go_on.set()
    assert beside() == (True, beside()[1])
    assert beside()[1] != get_ident()
    with concurrently(get_ident, FEW) as later:
        pass
    assert later() == get_ident()


def test_a_block_that_fails_waits_for_what_it_began() -> None:
    ended = Event()

    def failing() -> None:
        with concurrently(ended.set, MANY):
            raise ValueError("the block")

    with pytest.raises(ValueError, match="the block"):
        failing()
    assert ended.is_set()


def test_results_come_in_the_order_of_the_items() -> None:
    assert side_by_side(str, range(50), MANY) == list(map(str, range(50)))
