"""What a comparison has to run, and what it makes of the cells that are finished."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final, Literal

from hedgerow._internal.rounding import digits_shown, rounded_down, share_told, significant
from hedgerow.comparison._recommending import Baseline
from hedgerow.comparison.choices import (
    Choice,
    Measure,
    Result,
    choice_of,
    kept_measures,
    risk_measures,
    score_figures,
    score_measures,
)
from hedgerow.comparison.results import Comparison, Measured, Stop
from hedgerow.errors import BadInput, Disclosing, Infeasible, MissingExtra, plural, required
from hedgerow.evaluation.api import protocol_shown, trials_of
from hedgerow.evaluation.cells import UNANONYMIZED, Treatment, Trial, key_of, library_versions, spelled_schema
from hedgerow.evaluation.jobs import Advance, Job, Results, TrialOf, finished, run
from hedgerow.evaluation.learners import Learner
from hedgerow.evaluation.results import MAJORITY, Evaluation
from hedgerow.evaluation.splits import Protocol
from hedgerow.evaluation.store import Store
from hedgerow.evaluation.tables import EvaluatedTable, OpenedTable
from hedgerow.evaluation.trials import Stage, attempt, result_of
from hedgerow.evaluation.ways import Way
from hedgerow.release import Release
from hedgerow.requirements import parse_requirement

__all__ = ["Learning", "PartOf", "Plan", "ReleaseOf", "figures_of"]


# --------------------------------------------------------------------------------------------------
# The release of a whole table, of which only figures are kept: what it risks, and what it lost.


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


@dataclass(frozen=True, eq=False)
class Learning:
    """What is learnt, and how."""

    table: EvaluatedTable
    learners: Sequence[Learner]
    protocol: Protocol
    way: Way


@dataclass(frozen=True, eq=False)
class Plan:
    """A comparison that is to be run.

    Attributes
    ----------
    table : OpenedTable
    choices : sequence of Choice
        What is compared, as it is called, in the order in which it is begun.
    treatments : sequence of Treatment
        What is done for each of them.
    threshold : float
    random_state : int
    backend : str
    learning : Learning, optional
        Where there is a target.
    """

    table: OpenedTable
    choices: Sequence[Choice]
    treatments: Sequence[Treatment]
    threshold: float
    random_state: int
    backend: Literal["pandas", "polars", "pyarrow"]
    learning: Learning | None = None

    @cached_property
    def releases(self) -> list[ReleaseOf]:
        """The whole table, treated in every way."""
        return [ReleaseOf(self.table, self.random_state, one) for one in self.treatments]

    @cached_property
    def trials(self) -> list[Trial]:
        """What learners are tried on, with the baselines."""
        if self.learning is None:
            return []
        one = self.learning
        return trials_of(one.table, one.protocol, self.random_state, self.treatments, [one.way], one.learners)

    @cached_property
    def jobs(self) -> list[Job]:
        """All work: every release first, then part by part."""
        table = None if self.learning is None else self.learning.table
        parts = [PartOf(table, self.random_state, trial) for trial in self.trials if table is not None]
        return [*self.releases, *parts]

    def run(
        self,
        store: Store,
        *,
        workers: int | None = None,
        seconds: float | None = None,
        advance: Callable[[Advance], None] | None = None,
    ) -> bool:
        """Run what is not known yet; say whether all of it was run."""
        return run(self.jobs, store, workers=workers, seconds=seconds, advance=advance)

    def found(self, store: Store, *, stopped: Stop = "") -> Comparison:
        """What is known by now.

        Raises
        ------
        Infeasible
            If everything was tried, and nothing can be released.
        """
        cells = finished(store, self.trials)
        learners = 0 if self.learning is None else len(self.learning.learners)
        parts = sum(trial.treatment.method is None for trial in self.trials)
        digits = digits_shown(self.table.table.num_rows)
        measures = self._measures(store)
        of_treatment: dict[tuple[str, int | None], list[Result]] = defaultdict(list)
        for one in cells:
            of_treatment[one["method"], one["k"]].append(one)
        choices = [
            choice_of(
                named,
                store.get(job.key),
                of_treatment[job.treatment.label, job.treatment.k],
                wanted=parts * learners,
                learners=learners,
                measures=measures,
                digits=digits,
            )
            for named, job in zip(self.choices, self.releases, strict=True)
        ]
        _refuse_nothing(choices)
        return Comparison(
            tuple(choices),
            tuple(measures),
            self.threshold,
            self._measured(choices, store, parts, stopped),
            self._baselines(of_treatment[UNANONYMIZED, None], digits),
            self._evaluation(cells),
            self.backend,
        )

    def _measures(self, store: Store) -> list[Measure]:
        schema = self.table.schema
        known = (store.get(job.key) or {} for job in self.releases)
        told = any(one.get("surest_guess") is not None for one in known)
        found = risk_measures(schema.target, self.table.roles.sensitive, proportions=told)
        return [*found, *self._scores(), *kept_measures()]

    def _baselines(self, raw: Sequence[Result], digits: int) -> dict[str, Baseline]:
        """The scores of unanonymized rows, of all learners and of each, beside those by majority."""
        if self.learning is None:
            return {}
        own = [one for one in raw if one["learner"] != MAJORITY]
        means = score_figures(own, len(self.learning.learners), digits)[0]
        majority = score_figures([one for one in raw if one["learner"] == MAJORITY], 1, digits)[0]
        names = [one.name for one in self._scores()]
        return {name: Baseline(means.get(name), majority.get(name.partition(":")[0])) for name in names}

    def _scores(self) -> list[Measure]:
        if self.learning is None:
            return []
        names = [one.name for one in self.learning.learners]
        return score_measures(self.learning.table.task, self.learning.table.target, names)

    def _evaluation(self, cells: Sequence[Result]) -> Evaluation | None:
        if self.learning is None:
            return None
        names = tuple(dict.fromkeys(one.label for one in self.treatments))
        return Evaluation(
            tuple(cells), self.learning.table.task, protocol_shown(self.learning.protocol), names, self.backend
        )

    def _measured(self, choices: Sequence[Choice], store: Store, parts: int, stopped: Stop) -> Measured:
        keys = [key for job in self.jobs for key in job.keys]
        first = self.treatments[0]
        learning = self.learning
        learnt: dict[str, Any] = {}
        if learning is not None:
            train, test = learning.way.names
            learnt = {
                "learners": tuple(one.name for one in learning.learners),
                "protocol": protocol_shown(learning.protocol),
                "parts": parts,
                "train": train,
                "test": test,
            }
        return Measured(
            rows=self.table.table.num_rows,
            counted="rows" if self.table.roles.entity is None else "people",
            target=self.table.schema.target,
            # Their descriptions leave out values, which few records may hold.
            requirements=tuple(str(parse_requirement(one) if isinstance(one, str) else one) for one in first.require),
            proportions=bool((first.parameters or {}).get("publish_proportions")),
            seconds=round(sum(one.seconds for one in choices), 1),
            cells=len(keys),
            finished=sum(store.get(key) is not None for key in keys),
            stopped=stopped,
            **learnt,
        )


def _refuse_nothing(choices: Sequence[Choice]) -> None:
    refused = [one for one in choices if one.status in ("infeasible", "disclosing")]
    if len(refused) == len(choices):
        first = refused[0]
        raise Infeasible(
            f"None of the {plural(len(choices), 'choices')} can be released. {first.label}: {first.reason}"
        )
