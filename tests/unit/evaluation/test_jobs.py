"""Running work: repetition by repetition, side by side, stopped and taken up again."""

from __future__ import annotations

import multiprocessing.connection
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.core.proportions import RESULTS_VERSION
from hedgerow.errors import BadInput
from hedgerow.evaluation.jobs import Advance, Measurement, found_in, run
from hedgerow.evaluation.store import Store
from reproductions import reproduction


def square(number: int) -> dict[str, Any]:
    return {"square": number * number}


def jobs(numbers: int = 6, **options: Any) -> list[Measurement]:
    return [Measurement("square", square, {"number": at}, "0", repetition=at % 2, **options) for at in range(numbers)]


def test_results_stand_under_their_keys_and_the_first_repetition_comes_first() -> None:
    store = Store()
    told: list[Advance] = []
    work = jobs()
    assert run(work, store, workers=1, advance=told.append)
    assert [one["square"] for one in found_in(store, work)] == [0, 1, 4, 9, 16, 25]
    assert list(store._known) == [work[at].keys[0] for at in (0, 2, 4, 1, 3, 5)]
    assert [(one.done, one.all) for one in told] == [(at, 6) for at in range(1, 7)]
    assert told[-1].seconds_left == 0
    assert all(one.seconds_left >= 0 for one in told)


def test_processes_find_the_same() -> None:
    work = [
        Measurement("numbers", dict, {"number": at}, "0") for at in range(6)
    ]  # a function that other processes can import
    alone, together = Store(), Store()
    run(work, alone, workers=1)
    run(work, together, workers=2)
    assert found_in(together, work) == found_in(alone, work)
    assert [one["number"] for one in found_in(together, work)] == list(range(6))


def test_what_is_known_is_not_run_again(tmp_path: Path) -> None:
    path = tmp_path / "cells.jsonl"
    run(jobs(3), Store(path), workers=1)
    told: list[Advance] = []
    run(jobs(5), Store(path), workers=1, advance=told.append)
    assert [(one.done, one.all) for one in told] == [(4, 5), (5, 5)]
    assert len(path.read_text().splitlines()) == 5
    # Another version of a function finds other things.
    assert found_in(Store(path), jobs(3, version=2)) == []


def halved(number: int) -> dict[str, Any]:
    return {"half": number / 2}


def halved_later(number: int, digits: int = 3) -> dict[str, Any]:
    return {"half": round(number / 2, digits)}


class Newer(hr.Mondrian):
    """The same with other results."""

    name = "mondrian"
    results_version = 1_000


def key(measure: Callable[..., Any] = halved, **changed: Any) -> str:
    given = {"name": "halves", "arguments": {"number": 4}, "data": "0", "method": hr.Mondrian(), **changed}
    return Measurement(measure=measure, **given).keys[0]


def test_a_measurement_outlives_its_module_and_parameters_that_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key()
    assert key(halved_later) == before
    assert key(halved_later, arguments={"number": 4, "digits": 3}) == before
    assert key(method=hr.Mondrian(relaxed=False)) == before
    monkeypatch.setattr(halved, "__module__", "reproductions.halves")
    monkeypatch.setattr(hr.Mondrian, "__module__", "hedgerow.methods.partition.mondrian")
    assert key() == before


@pytest.mark.parametrize(
    "changed",
    [
        {"data": "1"},
        {"name": "halves of Adult"},
        {"arguments": {"number": 5}},
        {"method": None},
        {"method": hr.TDS()},
        {"method": hr.Mondrian(relaxed=True)},
        {"method": Newer()},
        {"proportions": True},
        {"weka": True},
        {"version": 2},
    ],
    ids=str,
)
def test_what_decides_a_measurement_is_in_its_key(changed: dict[str, Any]) -> None:
    assert key(**changed) != key()


def test_another_version_of_proportions_is_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    used, unused = key(proportions=True), key()
    monkeypatch.setattr("hedgerow.evaluation.jobs.RESULTS_VERSION", RESULTS_VERSION + 1)
    assert key(proportions=True) != used
    assert key() == unused


def test_after_its_time_nothing_is_begun() -> None:
    store = Store()
    assert not run(jobs(), store, workers=1, seconds=-1.0)
    assert found_in(store, jobs()) == []


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system cannot wake a process")
@pytest.mark.parametrize("workers", [1, 2])
def test_what_runs_when_the_time_is_over_is_stopped(workers: int, tmp_path: Path) -> None:
    """Without the stop this test would take an hour; the timer and its handler are as they were."""
    sleep: Any = multiprocessing.connection.wait  # for nothing; other processes can import it
    work = [
        Measurement("numbers", dict, {"number": 1}, "0"),
        Measurement("sleep", sleep, {"object_list": [], "timeout": 3600}, "0", repetition=1),
        Measurement("sleep", sleep, {"object_list": [], "timeout": 3601}, "0", repetition=1),
    ]
    path = tmp_path / "cells.jsonl"
    before = signal.getsignal(signal.SIGALRM)
    assert not run(work, Store(path), workers=workers, seconds=1.0 if workers == 1 else 8.0)
    assert [one["number"] for one in found_in(Store(path), work)] == [1], "what was finished is kept"
    assert (signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)) == (before, (0.0, 0.0))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_mistake_is_told_as_it_is(workers: int) -> None:
    measure: Any = reproduction
    work = [Measurement("papers", measure, {"paper": f"kactus{at}"}, "0") for at in range(3)]
    with pytest.raises(BadInput, match=r"There is no paper 'kactus.'. Did you mean 'kactus'\?"):
        run(work, Store(), workers=workers)


SCRIPT = """
import sys, time
from pathlib import Path
import hedgerow as hr
from hedgerow.evaluation.api import evaluate

table = hr.datasets.make_census(400, random_state=1)
schema = hr.Schema(quasi=["age", "sex", "education"], target="income", others="drop")
evaluate(table, schema, methods=["mondrian"], k=[3, 5, 8, 13], learners=["naive-bayes"], workers=1,
         cache=Path(sys.argv[1]), advance=lambda _: time.sleep(float(sys.argv[2])))
"""


def test_killed_in_the_middle_it_goes_on_where_it_was(tmp_path: Path) -> None:
    cells = tmp_path / "cells.jsonl"
    command = [sys.executable, "-c", SCRIPT, str(cells)]
    process = subprocess.Popen([*command, "0.05"])  # slow enough to be killed
    try:
        while not cells.exists() or cells.read_text().count("\n") < 10:
            assert process.poll() is None, "it ended before it could be killed"
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    before = cells.read_text().splitlines()
    assert 10 <= len(before) < 60
    subprocess.run([*command, "0"], check=True)
    after = cells.read_text().splitlines()
    whole = [line for line in before if line.endswith("}")]
    assert after[: len(whole)] == whole, "finished cells were not run twice"
    assert len(after) == len(set(after)) == 60
