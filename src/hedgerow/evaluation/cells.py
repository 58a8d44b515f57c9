"""A cell of an evaluation: one learner, trained on the release of one training part and tested on the other part."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.evaluation.analyses.base import Analysis
from hedgerow.evaluation.learners import Learner
from hedgerow.evaluation.learners.base import as_json, changed, defaults_of
from hedgerow.evaluation.learners.weka import WekaLearner
from hedgerow.evaluation.splits import Protocol, Split
from hedgerow.evaluation.tables import OpenedTable
from hedgerow.evaluation.ways import RAW, Way
from hedgerow.requirements import Requirement
from hedgerow.schema import Schema

__all__ = [
    "BASELINES",
    "NO_INFORMATION",
    "UNANONYMIZED",
    "Cell",
    "Design",
    "Treatment",
    "Trial",
    "key_of",
    "library_versions",
    "spelled_schema",
]

UNANONYMIZED: Final = "unanonymized"
"""The name of original training rows in tables."""

NO_INFORMATION: Final = "no-information"
"""The name, in tables, of training rows whose quasi-identifiers are all suppressed: the baseline of analyses."""

BASELINES: Final = frozenset({UNANONYMIZED, NO_INFORMATION})

_FORMAT: Final = 2
_LIBRARIES: Final = ("numpy", "scikit-learn", "numba")
_RESOLVED: Final = ("quasi", "identifying", "pseudonymize", "sensitive", "insensitive", "others")
"""Parameters of a schema that the roles of the columns already contain."""


@dataclass(frozen=True, eq=False)
class Treatment:
    """How training rows are anonymized.

    Parameters
    ----------
    label : str
        The name of the method in tables.
    method : Anonymizer, optional
        Without a method the rows stay original.
    k : int, optional
    require : tuple of requirements
    parameters : mapping
        Further parameters of :meth:`Anonymizer.anonymize`: ``suppression_limit``, ``publish_proportions``,
        ``target_bins``.
    suppressed : bool
        Whether every quasi-identifier of every row is suppressed, without a method.
    """

    label: str = UNANONYMIZED
    method: Anonymizer | None = None
    k: int | None = None
    require: tuple[Requirement | str, ...] = ()
    parameters: Mapping[str, Any] | None = None
    suppressed: bool = False

    def spelled(self) -> dict[str, Any]:
        """The method's name, the version of its results, and the parameters that differ from their defaults.

        As in :meth:`Anonymizer.anonymize`, the treatment's parameters replace the method's own.
        """
        if self.method is None:
            return {"suppressed": True} if self.suppressed else {}
        own = self.method.get_params(deep=False)
        k, require = own.pop("k", None), own.pop("require", ())
        own.pop("schema", None)  # the table has one
        beside = {name: value for name, value in (self.parameters or {}).items() if value is not None}
        required = [*([require] if isinstance(require, Requirement | str) else require), *self.require]
        return {
            "method": self.method.name,
            "results": self.method.results_version,
            "k": k if self.k is None else self.k,
            "require": [_spelled_requirement(requirement) for requirement in required],
            "parameters": changed({**own, **beside}, defaults_of(type(self.method))),
        }


@dataclass(frozen=True, eq=False)
class Trial:
    """A treatment of one training part, with all its cells: the work of one process."""

    treatment: Treatment
    split: Split
    cells: tuple[Cell, ...]


@dataclass(frozen=True, eq=False)
class Design:
    """What all cells of an evaluation share.

    Attributes
    ----------
    table : OpenedTable
    protocol : Protocol
    random_state : int
    about : mapping, optional
        Further columns of the results, such as the name of a data set.
    """

    table: OpenedTable
    protocol: Protocol
    random_state: int
    about: Mapping[str, Any] | None = None


@dataclass(frozen=True, eq=False)
class Cell:
    """A learner or an analysis, and the way in which rows are written for it."""

    way: Way
    learner: Learner | Analysis
    key: str
    names: Mapping[str, Any]

    @classmethod
    def of(cls, design: Design, treatment: Treatment, split: Split, way: Way, learner: Learner | Analysis) -> Cell:
        """A cell with its key, and the names that its result is shown by."""
        way = RAW if treatment.method is None else way
        train, test = way.names
        spelled = {
            "table": design.table.digest,
            "schema": spelled_schema(design.table),
            "protocol": as_json(design.protocol),
            "seed": design.random_state,
            "repetition": split.repetition,
            "fold": split.fold,
            "treatment": treatment.spelled(),
            "way": way.spelled(),
            "learner": learner.spelled(),
            "versions": library_versions(weka=isinstance(learner, WekaLearner)),
        }
        if isinstance(learner, Analysis):  # the keys of learners are as before there were other tasks
            spelled["task"] = learner.task
        names = {
            **(design.about or {}),
            "method": treatment.label,
            "k": treatment.k,
            "train": train,
            "test": test,
            "learner": learner.name,
            "repetition": split.repetition,
            "fold": split.fold,
        }
        return cls(way, learner, key_of(spelled), names)


def key_of(spelled: Mapping[str, Any]) -> str:
    """The key of a result: the digest of everything that decides it.

    It must not contain the name of a module or a parameter that has its default, since results outlive both.
    """
    return hashlib.sha256(json.dumps({"format": _FORMAT, **spelled}, sort_keys=True).encode()).hexdigest()


def _spelled_requirement(requirement: Requirement | str) -> str:
    """A requirement as text, including the values that its description omits."""
    names = requirement.withheld if isinstance(requirement, Requirement) else ()
    withheld = {name: as_json(value) for name in names if (value := getattr(requirement, name)) is not None}
    return f"{requirement} {json.dumps(withheld, sort_keys=True)}" if withheld else str(requirement)


def spelled_schema(table: OpenedTable) -> dict[str, Any]:
    """The roles of a table's columns as JSON."""
    schema, roles = table.schema, table.roles
    given = {field.name: getattr(schema, field.name) for field in fields(schema) if field.name not in _RESOLVED}
    return {
        **changed(given, defaults_of(Schema)),
        "quasi": list(roles.quasi),
        "sensitive": list(roles.sensitive),
        "features": table.features,
    }


def library_versions(*, weka: bool = False) -> dict[str, str]:
    """The major and minor versions of the libraries that results depend on."""
    return {name: _version(name) for name in (*_LIBRARIES, *(["python-weka-wrapper3"] if weka else []))}


@cache
def _version(name: str) -> str:
    try:
        return ".".join(version(name).split(".")[:2])
    except PackageNotFoundError:
        return "none"
