"""The release of a whole table, of which only figures are kept: what it risks, and what it lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

from hedgerow.errors import BadInput, Disclosing, Infeasible, MissingExtra, required
from hedgerow.evaluation.cells import Treatment, key_of, library_versions, spelled_schema
from hedgerow.evaluation.running import Results, TrialOf
from hedgerow.evaluation.store import Store
from hedgerow.evaluation.tables import EvaluatedTable, OpenedTable
from hedgerow.evaluation.trying import Stage, attempt, result_of
from hedgerow.release import Release
from hedgerow.rounding import digits_shown, rounded_down, share_told, significant

__all__ = ["PartOf", "ReleaseOf", "figures_of"]

# Before all training parts: a release tells the risk, without which no score says anything.
_FIRST: Final = (0, -1)


@dataclass(frozen=True, eq=False)
class ReleaseOf:
    """A treatment of the whole table: the work of one process."""

    table: OpenedTable
    random_state: int
    treatment: Treatment

    @property
    def order(self) -> tuple[int, int]:
        """Before all parts."""
        return _FIRST

    @cached_property
    def key(self) -> str:
        """Tells it apart by all that decides its figures."""
        spelled = {
            "table": self.table.digest,
            "schema": spelled_schema(self.table),
            "seed": self.random_state,
            "release": self.treatment.spelled(),
            "versions": library_versions(),
        }
        return key_of(spelled)

    @property
    def keys(self) -> tuple[str, ...]:
        """Its one key."""
        return (self.key,)

    def left(self, store: Store) -> ReleaseOf | None:
        """Itself, if it is not known."""
        return self if store.get(self.key) is None else None

    def staged(self, folder: Path) -> Callable[[], Results]:
        """Write the table out, once for all."""
        return partial(_released, Stage.of(self.table, folder, self.random_state), self.treatment, self.key)


class PartOf(TrialOf):
    """A trial with a training part, where nothing that is wrong with the part ends the run.

    Whatever is wrong with the whole table, or with what was asked, its release has told before.
    """

    def staged(self, folder: Path) -> Callable[[], Results]:
        """Write the table out, once for all."""
        return partial(_attempted, Stage.of(self.table, folder, self.random_state), self.trial)


def _attempted(stage: Stage[EvaluatedTable], trial: Any) -> Results:
    try:
        return attempt(stage, trial)
    except Disclosing as reason:
        return [result_of(cell, "disclosing", {"reason": str(reason)}) for cell in trial.cells]
    except MissingExtra:
        raise
    except BadInput as reason:
        return [result_of(cell, "failed", {"reason": str(reason)}) for cell in trial.cells]


def _released(stage: Stage[OpenedTable], treatment: Treatment, key: str) -> Results:
    table = stage.table
    began = time.perf_counter()
    known = {"key": key, "method": treatment.label, "k": treatment.k}
    try:
        release = required(treatment.method, "a method").anonymize(
            table.table,
            table.schema,
            k=treatment.k,
            require=treatment.require,
            random_state=stage.random_state,
            **(treatment.parameters or {}),
        )
    except Infeasible as reason:
        return [{**known, "status": "infeasible", "reason": str(reason)}]
    except Disclosing as reason:
        return [{**known, "status": "disclosing", "reason": str(reason)}]
    seconds = round(time.perf_counter() - began, 4)
    return [{**known, "status": "done", **figures_of(release, treatment.k), "anonymizing_seconds": seconds}]


def figures_of(release: Release, k: int | None = None) -> dict[str, Any]:
    """What a release risks and keeps.

    Of all releases that are compared at most one is published. So what everybody could count in a published table is
    rounded here too. The smallest class is rounded down, but never below the k that was asked for and is met.
    """
    audit, facts = release.audit, release.facts
    rows = facts["rows_in"]
    digits = digits_shown(rows)
    losses = audit.losses
    same = {name: significant(share, digits) for name, share in audit.label_homogeneity.items()}
    label = None if release.target is None else same.pop(release.target)
    smallest = rounded_down(audit.k, digits)
    smallest = smallest if k is None or audit.k < k else max(smallest, k)
    found: dict[str, Any] = {
        "k_reached": smallest,
        "highest_risk": 1 / smallest,
        "average_risk": significant(audit.risks.prosecutor.average, digits),
        "label_disclosure": label,
        "sensitive_disclosure": max(same.values(), default=None),
        "surest_guess": max((significant(one.posterior, digits) for one in audit.proportions.values()), default=None),
        "classes": round(significant(audit.classes.number, digits)),
        "rows_lost": share_told(facts["rows_lost"] / rows, rows),
        "prec": losses.get("prec"),
        **{name: _kept(losses, loss, digits) for name, loss in _LOSSES.items()},
        "warnings": list(audit.grave),
    }
    if not release.guarantee.enforced:
        found |= {"status": "weak", "reason": required(release.recoding.weak, "why a release is weak")}
    return found


_LOSSES: Final = {
    "ncp_kept": "ncp",
    "ncp_published_kept": "ncp_published",
    "loss_kept": "loss",
    "cells_kept": "suppression",
}


def _kept(losses: Mapping[str, float], name: str, digits: int) -> float | None:
    return None if name not in losses else round(1 - losses[name], digits)
