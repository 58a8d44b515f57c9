"""A cell: one learner, trained on what one method made of one training part, tested on the other part."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.evaluation.learners import Learner
from hedgerow.evaluation.learners.base import as_json
from hedgerow.evaluation.learners.weka import WekaLearner
from hedgerow.evaluation.splits import Protocol, Split
from hedgerow.evaluation.tables import EvaluatedTable, OpenedTable
from hedgerow.evaluation.ways import RAW, Way
from hedgerow.privacy import Requirement

__all__ = ["UNANONYMIZED", "Cell", "Treatment", "Trial", "library_versions", "spelled_schema"]

UNANONYMIZED: Final = "unanonymized"
"""What tables call training rows that nobody anonymized."""

_FORMAT: Final = 1
_LIBRARIES: Final = ("numpy", "scikit-learn", "numba")


@dataclass(frozen=True, eq=False)
class Treatment:
    """What is done to the training rows.

    Parameters
    ----------
    label : str
        What tables call the method.
    method : Anonymizer, optional
        Nothing is done without one.
    k : int, optional
    require : tuple of requirements
    parameters : mapping
        What else :meth:`Anonymizer.anonymize` is told: ``suppression_limit``, ``publish_proportions``, ``target_bins``.
    """

    label: str = UNANONYMIZED
    method: Anonymizer | None = None
    k: int | None = None
    require: tuple[Requirement | str, ...] = ()
    parameters: Mapping[str, Any] | None = None

    def spelled(self) -> dict[str, Any]:
        """All of it as JSON has it, with the version of the method's results."""
        if self.method is None:
            return {}
        own = {name: as_json(value) for name, value in self.method.get_params(deep=False).items() if name != "schema"}
        return {
            "method": self.method.name,
            "results": self.method.results_version,
            "own": own,
            "k": self.k,
            "require": [_spelled_requirement(one) for one in self.require],
            "parameters": as_json(dict(self.parameters or {})),
        }


@dataclass(frozen=True, eq=False)
class Trial:
    """A treatment of one training part, and every way and learner that it is tried with: the work of one process."""

    treatment: Treatment
    split: Split
    cells: tuple[Cell, ...]


@dataclass(frozen=True, eq=False)
class Cell:
    """One learner, and how rows are written for it."""

    way: Way
    learner: Learner
    key: str
    names: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        table: EvaluatedTable,
        protocol: Protocol,
        random_state: int,
        treatment: Treatment,
        split: Split,
        way: Way,
        learner: Learner,
        about: Mapping[str, Any] | None = None,
    ) -> Cell:
        """Spell a cell out; ``about`` is what else its result is to tell, such as the name of a data set."""
        way = RAW if treatment.method is None else way
        train, test = way.names
        spelled = {
            "format": _FORMAT,
            "table": table.digest,
            "schema": spelled_schema(table),
            "protocol": as_json(protocol),
            "seed": random_state,
            "repetition": split.repetition,
            "fold": split.fold,
            "treatment": treatment.spelled(),
            "way": way.spelled(),
            "learner": learner.spelled(),
            "versions": library_versions(weka=isinstance(learner, WekaLearner)),
        }
        names = {
            **(about or {}),
            "method": treatment.label,
            "k": treatment.k,
            "train": train,
            "test": test,
            "learner": learner.name,
            "repetition": split.repetition,
            "fold": split.fold,
        }
        key = hashlib.sha256(json.dumps(spelled, sort_keys=True).encode()).hexdigest()
        return cls(way, learner, key, names)


def _spelled_requirement(one: Requirement | str) -> str:
    """A requirement, told apart also by the values that its description leaves out."""
    names = one.withheld if isinstance(one, Requirement) else ()
    held = {name: as_json(value) for name in names if (value := getattr(one, name)) is not None}
    return f"{one} {json.dumps(held, sort_keys=True)}" if held else str(one)


def spelled_schema(table: OpenedTable) -> dict[str, Any]:
    """What the roles of a table's columns are, as JSON has it."""
    schema = table.schema
    names = ("target", "entity", "kinds", "weights", "missing", "hierarchies", "accept")
    roles = table.roles
    return {
        **{name: as_json(getattr(schema, name)) for name in names},
        "quasi": list(roles.quasi),
        "sensitive": list(roles.sensitive),
        "features": table.features,
    }


def library_versions(*, weka: bool = False) -> dict[str, str]:
    """Versions of the libraries that results depend on, without their last number."""
    return {name: _version(name) for name in (*_LIBRARIES, *(["python-weka-wrapper3"] if weka else []))}


@cache
def _version(name: str) -> str:
    try:
        return ".".join(version(name).split(".")[:2])
    except PackageNotFoundError:
        return "none"
