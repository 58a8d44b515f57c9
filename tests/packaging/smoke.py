"""What a stranger does first with an installed Hedgerow; run by ``test_wheel.py`` where nothing else is installed."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import hedgerow as hr
from hedgerow.anonymizers.registry import METHODS

QUASI: Final = ["age", "sex", "education"]
ABSENT: Final = ("pandas", "polars", "pyspark", "weka", "python_calamine", "imblearn", "pytest")


def main() -> None:
    """Release, learn, report and compare in a folder that is given."""
    folder, source = Path(sys.argv[1]), Path(sys.argv[2])
    assert not Path(hr.__file__).is_relative_to(source), "Hedgerow comes from the source tree"
    assert [name for name in ABSENT if importlib.util.find_spec(name)] == [], "the environment is not empty"
    everything_has_its_name()
    release(folder)
    learn(folder)
    say_what_is_missing(folder)


def everything_has_its_name() -> None:
    """Every public name can be imported without an extra."""
    for name in dir(hr):
        assert getattr(hr, name) is not None, name


def release(folder: Path) -> None:
    """Every method once; what comes back was verified, and is counted once more here."""
    table = hr.datasets.make_census(60, random_state=0)
    schema = hr.Schema(quasi=QUASI, target="income", others="drop")
    for method in METHODS:
        made = hr.anonymize(table, schema, method=method, k=5, random_state=0)
        assert hr.audit(made.table, quasi=QUASI).k >= 5, method
        made.save(folder / f"{method}.csv")
        assert hr.Release.load(folder / f"{method}.csv").audit.k >= 5, method
    for edition in ("internal", "public"):
        page = made.report(folder / f"{edition}.html", edition=edition)
        assert "<svg" in page.read_text(encoding="utf-8"), edition


def learn(folder: Path) -> None:
    """Our learners on two methods, and the page that compares them, which brings its own Vega."""
    table = hr.datasets.make_census(200, random_state=0)
    schema = hr.Schema(quasi=QUASI, target="income", others="drop")
    found = hr.evaluate(
        table, schema, methods=["mondrian"], k=5, learners=["c45", "id3", "kadet"], protocol="holdout", workers=1
    )
    assert len(found.frame) > 0
    compared = hr.compare(table, schema, methods=["mondrian", "kactus"], k=[5], learners=["c45"], workers=1)
    page = compared.report(folder / "comparison.html").read_text(encoding="utf-8")
    assert "vegaEmbed" in page
    assert len(page) > 500_000, "the page does not hold Vega"


def say_what_is_missing(folder: Path) -> None:
    """Each thing that needs more than is installed says in one sentence what to type."""
    table = hr.datasets.make_census(60, random_state=0)
    schema = hr.Schema(quasi=QUASI, target="income", others="drop")
    (folder / "people.xlsx").write_bytes(b"PK")
    # A module that is opened first by whoever has Spark.
    spark = "hedgerow.engines.spark"
    needs: dict[str, Callable[[], object]] = {
        "'hedgerow[excel]'": lambda: hr.audit(folder / "people.xlsx", quasi=["age"]),
        "'hedgerow[weka]'": lambda: hr.evaluate(table, schema, methods=["mondrian"], k=5, learners=["j48"], workers=1),
        "'hedgerow[spark]'": lambda: importlib.import_module(spark),
        "pandas": lambda: hr.datasets.make_census(10, backend="pandas"),
        "polars": lambda: hr.datasets.make_census(10, backend="polars"),
    }
    for line, call in needs.items():
        try:
            call()
        except hr.MissingExtra as missing:
            said = str(missing)
        assert said.endswith(f"pip install {line}"), said
        assert "\n" not in said, said


if __name__ == "__main__":
    main()
