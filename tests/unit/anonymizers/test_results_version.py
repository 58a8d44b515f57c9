"""A method that begins to make other releases raises its ``results_version``, so that no stale result is taken for new.

``tests/golden/results_versions.json`` holds digests of one release of each method: of its rows, proportions, recoding,
audit and manifest. Write the file anew with
``HEDGEROW_WRITE_VERSIONS=1 pytest tests/unit/anonymizers/test_results_version.py``, where

- rows, proportions or recoding have changed on purpose: raise the version of the method first;
- only the audit or the manifest has changed on purpose: leave the version as it is.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hr

PATH = Path(__file__).parents[2] / "golden" / "results_versions.json"
METHODS: dict[str, type[hr.Anonymizer]] = {method["name"]: getattr(hr, method["class"]) for method in hr.methods()}

COLUMNS = ["age", "sex", "zip", "education", "workclass"]
PARAMETERS: dict[str, dict[str, Any]] = {
    # By the loss it finds what OptimalLattice does here.
    "genetic": {"cost": "classification"},
    "heuristicmin": {"max_states": 200},
    # Judged by its default, the loss, its best generalization would be the one that OptimalLattice finds.
    "incognito": {"metric": "discernibility"},
}
# The manifest shows them too.
VERSIONS = {"hedgerow", "versions"}
SENTENCES = {"grave", "notice", "warnings"}
# Which row of the table is in which group follows from the groups; the recoding keeps it for a later release.
OF_ROWS = {"rows", "coded"}


def release_of(name: str) -> hr.Release:
    rows, k, columns = 2000, 5, COLUMNS
    hierarchies = {**hr.datasets.census_schema().hierarchies, "age": "intervals:2,4,8,16,32"}
    if METHODS[name].family in ("partition", "merge"):  # without hierarchies they publish intervals and sets
        del hierarchies["age"], hierarchies["education"]
    if name == "hedge":  # it rehearses learning with each candidate, which takes long
        columns = ["age", "sex", "education"]
    elif name == "mingen":  # it finds the optimum by an integer program
        rows, k, columns = 200, 4, ["age", "sex", "education"]
        hierarchies = {"age": "intervals:5,10,20", "sex": "flat", "education": "flat"}
    elif name == "tdr":  # it grows intervals of numbers without a hierarchy, where these are worth it
        columns = ["age", "sex"]
        del hierarchies["age"]
    schema = hr.Schema(
        quasi=columns,
        sensitive=["disease"],
        target="income",
        others="drop",
        hierarchies={column: hierarchies[column] for column in columns if column in hierarchies},
    )
    method = METHODS[name](**PARAMETERS.get(name, {}), publish_proportions=True)
    table = hr.datasets.make_census(rows, random_state=5)
    release: hr.Release = method.anonymize(table, schema, k=k, random_state=7)
    return release


def parts(release: hr.Release, folder: Path) -> dict[str, Any]:
    """What a release consists of.

    Of several optima MinGen takes the solver's first, which differs between versions of SciPy: there it is what all
    optima have in common, the proof, the generalizations and Prec.
    """
    if release.recoding.method == "mingen":
        facts = release.recoding.facts
        return {"optimum": [facts["proved"], facts["generalizations"], release.losses["prec"]]}
    assert release.proportions is not None
    manifest = {name: fact for name, fact in release.manifest.items() if name not in VERSIONS}
    recoding = json.loads(release.recoding.save(folder / "recoding.json").read_text(encoding="utf-8"))
    return {
        # The operating system's randomness decides their order.
        "rows": sorted(repr(tuple(row.values())) for row in release.table.to_pylist()),
        "proportions": release.proportions.to_dict(),
        "recoding": {name: fact for name, fact in recoding.items() if name not in OF_ROWS},
        # The audit shows few digits of what was lost.
        "audit": {"shown": manifest.pop("audit"), "losses": dict(release.losses)},
        "manifest": manifest,
    }


def rounded(part: Any) -> Any:
    """A part with ten digits of each number, and without sentences.

    The last digits of a sum depend on the version of NumPy; another wording is no other release.
    """
    if isinstance(part, dict):
        return {name: rounded(item) for name, item in part.items() if name not in SENTENCES}
    if isinstance(part, list):
        return [rounded(item) for item in part]
    return f"{part:.10g}" if isinstance(part, float) else part


def digest(part: Any) -> str:
    text = json.dumps(rounded(part), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("name", METHODS)
def test_the_version_is_raised_with_the_results(name: str, tmp_path: Path) -> None:
    digests = {part: digest(content) for part, content in parts(release_of(name), tmp_path).items()}
    now = {"version": METHODS[name].results_version, **digests}
    if os.environ.get("HEDGEROW_WRITE_VERSIONS"):
        known = json.loads(PATH.read_text()) if PATH.exists() else {}
        PATH.write_text(json.dumps({**known, name: now}, indent=1, sort_keys=True) + "\n")
    assert json.loads(PATH.read_text())[name] == now, (
        f"{name} makes another release than before. If that is meant, the docstring above says what to do."
    )


@pytest.mark.parametrize("part", ["rows", "proportions", "recoding", "audit", "manifest"])
def test_no_method_passes_for_another(part: str) -> None:
    known = json.loads(PATH.read_text())
    assert known.keys() == METHODS.keys()
    of_method = {name: digests[part] for name, digests in known.items() if name != "mingen"}
    assert len(set(of_method.values())) == len(of_method)
