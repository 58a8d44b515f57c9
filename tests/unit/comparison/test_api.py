"""``hr.compare`` from end to end: what it finds, goes on with, and refuses."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.anonymizers.parameters import choice
from hedgerow.errors import InternalError
from hedgerow.evaluation.jobs import Advance

SCHEMA = hr.Schema(quasi=["age", "sex", "education"], target="income", others="drop")
PLAIN = hr.Schema(quasi=["age", "sex", "education"], others="drop")


@pytest.fixture(scope="module")
def census() -> pa.Table:
    return hr.datasets.make_census(1_200, random_state=1)


def short(data: Any, schema: hr.Schema = SCHEMA, **options: Any) -> hr.Comparison:
    given: dict[str, Any] = {"methods": "mondrian", "k": [5, 25], "workers": 1}
    if schema.target is not None:
        given |= {"learners": "naive-bayes", "protocol": ("cv", 2)}
    return hr.compare(data, schema, **{**given, **options})


def test_risk_and_utility_are_those_of_a_release_and_of_an_evaluation(census: pa.Table) -> None:
    found = short(census)
    five, large = found.choices
    assert (five.status, five.k_reached, large.k_reached) == ("done", 5, 25)
    release = hr.anonymize(census, SCHEMA, k=5, random_state=0, publish_proportions=True)
    assert five.figures["average_risk"] == pytest.approx(release.audit.risks.prosecutor.average, rel=0.05)
    assert five.figures["ncp_kept"] == pytest.approx(1 - release.audit.losses["ncp"], abs=0.01)
    scores = hr.evaluate(census, SCHEMA, methods="mondrian", k=5, learners="naive-bayes", protocol=("cv", 2), workers=1)
    (mean,) = scores.table().column("k=5").to_pylist()
    assert five.figures["accuracy"] == pytest.approx(mean, abs=0.005 + 1e-9)
    assert found.baselines["accuracy"].unanonymized == pytest.approx(
        scores.table().column("unanonymized")[0].as_py(), abs=0.005
    )
    assert found.evaluation is not None
    assert found.evaluation.table().select(["k=5"]).equals(scores.table().select(["k=5"]))
    assert found.measured.cells == found.measured.finished == 2 + 2 * (2 + 2)


def test_without_a_target_detail_is_utility(census: pa.Table) -> None:
    found = short(census, PLAIN, methods=None)
    assert [one.method for one in found.choices] == ["mondrian", "datafly"] * 2
    assert (found.utility.name, found.evaluation, found.measured.learners) == ("ncp_published_kept", None, ())
    assert found.recommendation.choice is not None
    assert found.recommendation.choice.label == "mondrian with k = 25"


def test_tables_come_in_the_type_that_the_data_had(census: pa.Table, tmp_path: Path) -> None:
    census.to_pandas().to_csv(tmp_path / "people.csv", index=False)
    kinds = {pd.DataFrame: census.to_pandas(), pl.DataFrame: pl.from_arrow(census), pa.Table: tmp_path / "people.csv"}
    frames = {kind: short(data, PLAIN).frame for kind, data in kinds.items()}
    for kind, frame in frames.items():
        assert isinstance(frame, kind)
    assert frames[pa.Table].column("ncp_kept").to_pylist() == list(frames[pd.DataFrame]["ncp_kept"])


def test_people_are_counted() -> None:
    table = hr.datasets.make_hospital(1_200, random_state=1)
    schema = hr.Schema(quasi=["sex", "postcode"], target="triage", entity="patient_id", others="drop")
    found = short(table, schema, k=[5])
    assert (found.measured.counted, found.choices[0].status) == ("people", "done")
    people = len(set(table.column("patient_id").to_pylist()))
    with pytest.raises(hr.BadInput, match=f"the table has {people} people"):
        short(table, schema, k=[5, people + 1])


def test_one_infeasible_choice_does_not_end_it(census: pa.Table) -> None:
    found = short(census, k=[5, 900], methods={"mondrian": hr.Mondrian()})
    assert [one.status for one in found.choices] == ["done", "done"]
    assert "900" in found.choices[1].reason, "no half of the table has so many rows"
    assert "accuracy" not in found.choices[1].figures
    strict = short(census, PLAIN, k=None, require=["k=3"], methods=["mondrian"], suppression_limit=[0])
    assert [one.label for one in strict.choices] == ["mondrian"]


class Failing(hr.Mondrian):
    """A method that fails in the way that its name says."""

    name = "failing"

    how: Literal["input", "verified", "extra", "bug"] = choice("The error.")

    def _fit(self, counts: Any, requirements: Any, seed: int | None) -> Any:
        raise FAILURES[self.how]


FAILURES: dict[str, hr.HedgerowError] = {
    "input": hr.BadInput("There are too many values for this method."),
    "verified": hr.NotAnonymous("The release is not 5-anonymous."),
    "extra": hr.MissingExtra("This needs a library, which is not installed."),
    "bug": InternalError("a number is not there"),
}


@pytest.mark.parametrize("how", FAILURES)
def test_one_failing_method_does_not_end_it(census: pa.Table, how: Any, tmp_path: Path) -> None:
    """Table and page say why; the other choices have their figures."""
    found = short(census, PLAIN, k=5, methods={"broken": Failing(how=how), "mondrian": hr.Mondrian()})
    broken, good = found.choices
    assert (broken.status, broken.reason, broken.figures) == ("failed", str(FAILURES[how]), {})
    assert (good.status, good.k_reached) == ("done", 5)
    assert found.recommendation.choice is good
    assert found.frame.column("status").to_pylist() == ["failed", "done"]
    assert found.frame.column("reason").to_pylist() == [str(FAILURES[how]), ""]
    page = found.report(tmp_path / "page.html").read_text(encoding="utf-8").replace("\xa0", " ")
    assert "broken with k = 5: failed" in page
    assert f"The method cannot release this table. {FAILURES[how]}" in page


def test_what_failed_is_tried_again(census: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library may be installed by then."""
    methods = {"broken": Failing(how="extra"), "mondrian": hr.Mondrian()}
    cache = tmp_path / "cells.jsonl"
    broken, good = short(census, k=5, methods=methods, cache=cache).choices
    assert (broken.status, good.status) == ("failed", "done")
    assert "accuracy" in good.figures
    monkeypatch.setattr(Failing, "_fit", hr.Mondrian._fit)
    broken, good = short(census, k=5, methods=methods, cache=cache).choices
    assert broken.figures == good.figures


def test_if_all_methods_fail_it_says_why(census: pa.Table) -> None:
    broken = {"broken": Failing(how="input")}
    with pytest.raises(
        hr.BadInput, match=r"None of the 2 choices can be released. broken with k = 5: There are too ma"
    ):
        short(census, PLAIN, methods=broken)


def test_if_nothing_can_be_released_it_says_why(census: pa.Table) -> None:
    schema = hr.Schema(quasi=["age", "sex"], sensitive=["disease"], others="drop")
    with pytest.raises(hr.Infeasible, match=r"None of the 2 choices can be released. mondrian with k = 5: .*13"):
        short(census, schema, require="l=13@disease")


def test_finished_cells_are_kept_and_found_under_new_names(census: pa.Table, tmp_path: Path) -> None:
    cache = tmp_path / "cells.jsonl"
    first = short(census, cache=cache)
    lines = cache.read_text().splitlines()
    told: list[Advance] = []
    again = short(census, cache=str(cache), methods={"ours": hr.Mondrian()}, advance=told.append)
    assert told == []
    assert cache.read_text().splitlines() == lines
    assert [one.figures for one in again.choices] == [one.figures for one in first.choices]
    assert [one.label for one in again.choices] == ["ours with k = 5", "ours with k = 25"]


def test_after_its_time_it_tells_what_is_finished(census: pa.Table, tmp_path: Path) -> None:
    cache = tmp_path / "cells.jsonl"
    # The clock is looked at before a cell is begun: the first takes longer than this.
    found = short(census, time_limit=1e-9, cache=cache)
    assert (found.measured.stopped, found.measured.finished) == ("time", 0)
    assert {one.status for one in found.choices} == {"not begun"}
    assert found.recommendation.choice is None
    done = short(census, cache=cache)
    assert (done.measured.stopped, done.measured.finished) == ("", done.measured.cells)


def test_releases_come_first_then_part_by_part(census: pa.Table) -> None:
    """Whenever it ends, there is something of everything."""

    def stop(how_far: Advance) -> None:
        if how_far.done >= 4:  # two releases, and the baselines of the first part
            raise KeyboardInterrupt

    found = short(census, advance=stop)
    assert found.measured.stopped == "interrupted"
    assert [(one.status, one.k_reached) for one in found.choices] == [("in part", 5), ("in part", 25)]
    assert found.utility.name == "ncp_published_kept"
    assert found.recommendation.reason.endswith("2 choices are not finished: that may change it.")


SCRIPT = """
import sys, time
from pathlib import Path
import hedgerow as hr

table = hr.datasets.make_census(1_200, random_state=1)
schema = hr.Schema(quasi=["age", "sex", "education"], target="income", others="drop")
hr.compare(table, schema, methods=["mondrian", "datafly"], k=[5, 10, 25], learners=["naive-bayes"], workers=1,
           cache=Path(sys.argv[1]), advance=lambda _: time.sleep(float(sys.argv[2])))
"""


def test_killed_in_the_middle_it_goes_on_and_computes_nothing_twice(tmp_path: Path) -> None:
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
    whole = [line for line in cells.read_text().splitlines() if line.endswith("}")]
    assert 10 <= len(whole) < 46
    subprocess.run([*command, "0"], check=True)
    after = cells.read_text().splitlines()
    assert after[: len(whole)] == whole
    assert len(after) == len(set(after)) == 6 + 5 * (2 + 6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": "mondrain"}, "There is no method 'mondrain'. Did you mean 'mondrian'"),
        ({"methods": []}, "No method is given"),
        ({"methods": [hr.Mondrian]}, "The 'methods' parameter of compare must be names of methods, or Anonymizers"),
        ({"k": 0}, "The 'k' parameter of compare must be an int >= 1"),
        ({"k": 1_201}, "k is 1,201, and the table has 1,200 rows"),
        ({"k": None}, "No k is given, and nothing else is required"),
        ({"suppression_limit": [0, 2.5]}, "The 'suppression_limit' parameter of compare must be a share"),
        ({"suppression_limit": []}, "No suppression limit is given"),
        ({"suppression_limit": "2%"}, "must be a share"),
        ({"risk_threshold": 0}, "The 'risk_threshold' parameter of compare must be a number above 0"),
        ({"risk_threshold": 1.5}, "must be a number above 0, and 1 at most"),
        ({"time_limit": 0}, "The 'time_limit' parameter of compare must be a number of seconds above 0"),
        ({"time_limit": "10m"}, "a number of seconds above 0"),
        ({"protocol": "2x5cv"}, "The 'protocol' parameter of compare must be"),
        ({"train": "raw", "test": "recoded"}, "The 'train' parameter of compare must be"),
        ({"random_state": -1}, "The 'random_state' parameter of compare must be"),
        ({"workers": 0}, "The 'workers' parameter of compare must be"),
        ({"learners": "c54"}, "There is no learner 'c54'. Did you mean 'c45'"),
        ({"learners": ["linear"]}, "the target holds classes"),
        ({"schema": PLAIN, "learners": ["c45"]}, "Learners are named, but no target"),
        ({"schema": {"quasi": ["age"]}}, "The 'schema' parameter of compare must be a hedgerow.Schema"),
        ({"schema": PLAIN, "methods": "kactus"}, "target"),
    ],
    ids=str,
)
def test_bad_input(options: dict[str, Any], message: str, census: pa.Table) -> None:
    given: dict[str, Any] = {"schema": SCHEMA, "protocol": "holdout", "workers": 1, "k": 5, **options}
    with pytest.raises(hr.BadInput, match=message):
        hr.compare(census, given.pop("schema"), **given)


@pytest.mark.parametrize(
    ("ks", "threshold"), [([5, 10, 50, 100], 0.05), ([5], 0.2), ([5, 10], 0.1), ([20], 0.05)], ids=str
)
def test_the_threshold_follows_from_k(ks: list[int], threshold: float, census: pa.Table) -> None:
    assert short(census, PLAIN, k=ks).threshold == threshold
    assert short(census, PLAIN, k=ks, risk_threshold=0.33).threshold == 0.33
