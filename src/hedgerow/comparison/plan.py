"""The plan of a comparison: the work for each choice, and the result of what is finished.

A :class:`Choice` goes all the way: the plan has it without figures, the result with them.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from hedgerow._internal.rounding import digits_shown, rounded_down, share_told, significant
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.comparison._recommendation import Baseline
from hedgerow.comparison.choices import (
    Cells,
    Choice,
    Measure,
    Result,
    Status,
    find_measure,
    kept_measures,
    risk_measures,
    score_figures,
    score_measures,
    with_results,
)
from hedgerow.comparison.results import Comparison, Measured, Stop
from hedgerow.core.cells import SUPPRESSED
from hedgerow.errors import BadInput, Disclosing, HedgerowError, Infeasible, MissingExtra, plural, required
from hedgerow.evaluation.analyses import Analysis
from hedgerow.evaluation.api import protocol_shown, task_of, trials_of
from hedgerow.evaluation.cells import (
    NO_INFORMATION,
    UNANONYMIZED,
    Treatment,
    Trial,
    key_of,
    library_versions,
    spelled_schema,
)
from hedgerow.evaluation.jobs import Advance, Job, Results, TrialOf, finished, run
from hedgerow.evaluation.learners import Learner
from hedgerow.evaluation.results import MAJORITY, Evaluation
from hedgerow.evaluation.scores import SCORES
from hedgerow.evaluation.splits import Protocol
from hedgerow.evaluation.store import Store
from hedgerow.evaluation.tables import AnyTask, OpenedTable
from hedgerow.evaluation.trials import Stage, attempt, result_of
from hedgerow.evaluation.ways import Way
from hedgerow.release import Release
from hedgerow.requirements import Requirement, parse_requirement

__all__ = ["Learning", "PartJob", "Plan", "ReleaseJob", "Settings", "Treatments", "figures_of", "find_utility"]


# --------------------------------------------------------------------------------------------------
# The release of the whole table, of which only figures are kept: its risks and its losses.


# Before all training parts: without the risk of the release, scores have no meaning.
_FIRST: Final = (0, -1)


@dataclass(frozen=True, eq=False)
class ReleaseJob:
    """The release of the whole table by one treatment: the work of one process."""

    table: OpenedTable
    random_state: int
    treatment: Treatment

    @property
    def order(self) -> tuple[int, int]:
        """Before all parts."""
        return _FIRST

    @cached_property
    def key(self) -> str:
        """The key of its result: everything that decides its figures."""
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

    def left(self, store: Store) -> ReleaseJob | None:
        """The job itself, unless its result is known."""
        return self if _unknown(store, self.key) else None

    def staged(self, folder: Path) -> Callable[[], Results]:
        """Write the table for the processes, once for all jobs."""
        return partial(_released, Stage.of(self.table, folder, self.random_state), self.treatment, self.key)


class PartJob(TrialOf):
    """A trial on a training part. The errors of a method do not end the run."""

    def left(self, store: Store) -> PartJob | None:
        """The trial with the cells whose results are not known."""
        cells = tuple(cell for cell in self.trial.cells if _unknown(store, cell.key))
        return replace(self, trial=replace(self.trial, cells=cells)) if cells else None

    def staged(self, folder: Path) -> Callable[[], Results]:
        """Write the table for the processes, once for all jobs."""
        return partial(_attempted, Stage.of(self.table, folder, self.random_state), self.trial)


def _unknown(store: Store, key: str) -> bool:
    """Whether a cell has no result, or failed: what was not installed then may be now."""
    result = store.get(key)
    return result is None or result.get("status") == "failed"


def _attempted(stage: Stage[OpenedTable], trial: Any) -> Results:
    try:
        return attempt(stage, trial)
    except HedgerowError as reason:
        # What learners need and is not installed is missing everywhere, what a method needs only there.
        if isinstance(reason, MissingExtra) and trial.treatment.method is None:
            raise
        return [result_of(cell, _status(reason), {"reason": str(reason)}) for cell in trial.cells]


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
    except HedgerowError as reason:
        return [{**known, "status": _status(reason), "reason": str(reason)}]
    seconds = round(time.perf_counter() - began, 4)
    return [{**known, "status": "done", **figures_of(release, treatment.k), "anonymizing_seconds": seconds}]


def _status(reason: HedgerowError) -> Status:
    """The status of a choice that ended with an error."""
    return (
        "infeasible" if isinstance(reason, Infeasible) else "disclosing" if isinstance(reason, Disclosing) else "failed"
    )


def figures_of(release: Release, k: int | None = None) -> dict[str, Any]:
    """The risks of a release, and what it keeps.

    At most one of the compared releases is published. So figures that everybody could count in a published table are
    rounded, too. The smallest class is rounded down, but not below the k that was asked for and is met.
    """
    audit, rows, lost = release.audit, release.facts["rows_in"], release.facts["rows_lost"]
    digits = digits_shown(rows)
    shares = {name: significant(share, digits) for name, share in audit.label_homogeneity.items()}
    label = None if release.target is None else shares.pop(release.target)
    smallest = rounded_down(audit.k, digits)
    smallest = smallest if k is None or audit.k < k else max(smallest, k)
    guesses = [significant(column.posterior, digits) for column in audit.proportions.values()]
    figures: dict[str, Any] = {
        "k_reached": smallest,
        "highest_risk": 1 / smallest,
        "average_risk": significant(audit.risks.prosecutor.average, digits),
        "label_disclosure": label,
        "sensitive_disclosure": max(shares.values(), default=None),
        "surest_guess": max(guesses, default=None),
        "classes": round(significant(audit.classes.number, digits)),
        "rows_lost": share_told(lost / rows, rows),
        "prec": audit.losses.get("prec"),
        **{name: _kept(audit.losses, loss, digits) for name, loss in _LOSSES.items()},
        "warnings": list(audit.grave),
        "cells": [round(share, digits) for share in _cells_of(release)],
        "same": _fingerprint(release),
    }
    if not release.guarantee.enforced:
        figures |= {"status": "weak", "reason": required(release.recoding.weak, "why a release is weak")}
    return figures


_LOSSES: Final = {
    "ncp_kept": "ncp",
    "ncp_published_kept": "ncp_published",
    "loss_kept": "loss",
    "cells_kept": "suppression",
}


def _cells_of(release: Release) -> Cells:
    """How the cells of the written table look."""
    written, recoding = release.classes, release.recoding
    written = written if written.entity is None else written.by_rows
    suppressed = untouched = 0
    sizes = recoding.sizes if recoding.pieces is None else recoding.pieces.sizes(len(recoding.groups))
    for at, column in enumerate(recoding.columns):
        hidden = np.array([label == str(SUPPRESSED) for label in written.labels[at]])
        suppressed += int(written.sizes[hidden[written.codes[:, at]]].sum())
        exact = np.array([kind == "value" for kind in column.kinds])
        untouched += int(sizes[exact[recoding.groups[:, at]]].sum())
    cells = written.rows * len(recoding.columns)
    return Cells(untouched / cells, (cells - untouched - suppressed) / cells, suppressed / cells)


def _fingerprint(release: Release) -> str:
    """The same for tables with the same classes, and different for others. It stays among the private results."""
    classes, digest = release.classes, hashlib.sha256()
    digest.update(json.dumps([labels.tolist() for labels in classes.labels]).encode())
    digest.update(classes.codes.tobytes())
    digest.update(classes.sizes.tobytes())
    return digest.hexdigest()


def _kept(losses: Mapping[str, float], name: str, digits: int) -> float | None:
    return None if name not in losses else round(1 - losses[name], digits)


# --------------------------------------------------------------------------------------------------
# The plan.


@dataclass(frozen=True, eq=False)
class Treatments:
    """The methods of a comparison, and the requirements and parameters that all choices share."""

    methods: Mapping[str, Anonymizer]
    require: tuple[Requirement | str, ...]
    parameters: Mapping[str, Any]

    def of(self, choice: Choice) -> Treatment:
        """The treatment that makes the release of a choice."""
        parameters = {**self.parameters, "suppression_limit": choice.suppression_limit}
        return Treatment(choice.treatment_label, self.methods[choice.method], choice.k, self.require, parameters)


@dataclass(frozen=True, eq=False)
class Learning:
    """The learners of a comparison, and how they are trained and tested; or analyses in their place."""

    table: OpenedTable
    learners: Sequence[Learner] | Sequence[Analysis]
    protocol: Protocol
    way: Way

    @property
    def names(self) -> list[str]:
        """The names of the learners."""
        return [learner.name for learner in self.learners]

    @property
    def task(self) -> AnyTask:
        """The task of the learners or analyses."""
        return task_of(self.table, self.learners)

    @property
    def measures(self) -> list[Measure]:
        """Their scores, as measures of utility."""
        return score_measures(self.task, self.table.schema.target, self.names)


def find_utility(learning: Learning | None, name: str) -> Measure:
    """The named measure of utility; if it is a score of another task, the error names the task."""
    known = [*([] if learning is None else learning.measures), *kept_measures()]
    if name not in {measure.name for measure in known}:
        for task, scores in SCORES.items():
            if name in scores and task not in ("classes", "numbers"):
                raise BadInput(f"The measure {name!r} is one of another task. Choose task={task!r} (--task {task}).")
    return find_measure(known, name, "utility")


@dataclass(frozen=True)
class Settings:
    """How a comparison is made and judged, whatever its choices are.

    Attributes
    ----------
    threshold : float
        The highest risk of a person in a recommended choice.
    random_state : int
    backend : str
        The dataframe library of tables.
    utility : str, optional
        The measure of utility that decides.
    """

    threshold: float
    random_state: int
    backend: Literal["pandas", "polars", "pyarrow"]
    utility: str | None = None


@dataclass(frozen=True, eq=False)
class Plan:
    """A comparison that is to be run.

    Attributes
    ----------
    table : OpenedTable
    choices : sequence of Choice
        The choices without figures, in the order of their work.
    treatments : Treatments
        How each choice is made.
    settings : Settings
    learning : Learning, optional
        Only with a target, or with analyses.
    """

    table: OpenedTable
    choices: Sequence[Choice]
    treatments: Treatments
    settings: Settings
    learning: Learning | None = None

    @cached_property
    def releases(self) -> list[ReleaseJob]:
        """The release of each choice."""
        seed = self.settings.random_state
        return [ReleaseJob(self.table, seed, self.treatments.of(choice)) for choice in self.choices]

    @cached_property
    def trials(self) -> list[Trial]:
        """The trials of learners, with the baselines."""
        learning = self.learning
        if learning is None:
            return []
        treatments = [job.treatment for job in self.releases]
        return trials_of(
            learning.table,
            learning.protocol,
            self.settings.random_state,
            treatments,
            [learning.way],
            learning.learners,
        )

    @cached_property
    def jobs(self) -> list[Job]:
        """All work: every release first, then part by part."""
        table = None if self.learning is None else self.learning.table
        seed = self.settings.random_state
        parts = [PartJob(table, seed, trial) for trial in self.trials if table is not None]
        return [*self.releases, *parts]

    def run(
        self,
        store: Store,
        *,
        workers: int | None = None,
        seconds: float | None = None,
        advance: Callable[[Advance], None] | None = None,
    ) -> bool:
        """Run the jobs without a stored result; the result is whether all of them finished."""
        return run(self.jobs, store, workers=workers, seconds=seconds, advance=advance)

    def result(self, store: Store, *, stopped: Stop = "") -> Comparison:
        """The comparison as far as it is finished.

        Raises
        ------
        Infeasible, BadInput
            If everything was tried, and nothing can be released.
        """
        results = finished(store, self.trials)
        by_treatment: dict[tuple[str, int | None], list[Result]] = defaultdict(list)
        for result in results:
            by_treatment[result["method"], result["k"]].append(result)
        learners = 0 if self.learning is None else len(self.learning.learners)
        parts = sum(trial.treatment.label == UNANONYMIZED for trial in self.trials)
        digits = digits_shown(self.table.table.num_rows)
        measures = self._measures(store)
        choices = [
            with_results(
                choice,
                store.get(job.key),
                by_treatment[job.treatment.label, job.treatment.k],
                wanted=parts * learners,
                learners=learners,
                measures=measures,
                digits=digits,
            )
            for choice, job in zip(self.choices, self.releases, strict=True)
        ]
        _refuse_nothing(choices)
        choices = _with_alike(choices, [(store.get(job.key) or {}).get("same") for job in self.releases])
        return Comparison(
            tuple(choices),
            tuple(measures),
            self.settings.threshold,
            self._measured(choices, store, parts, stopped),
            self._baselines(by_treatment, digits),
            self._evaluation(results),
            self.settings.backend,
        )

    def _measures(self, store: Store) -> list[Measure]:
        results = (store.get(job.key) or {} for job in self.releases)
        proportions = any(result.get("surest_guess") is not None for result in results)
        risks = risk_measures(self.table.schema.target, self.table.roles.sensitive, proportions=proportions)
        utilities = [*([] if self.learning is None else self.learning.measures), *kept_measures()]
        # The measures are in the order of their rank: the first that is known decides.
        return [*risks, *sorted(utilities, key=lambda measure: measure.name != self.settings.utility)]

    def _baselines(
        self, by_treatment: Mapping[tuple[str, int | None], Sequence[Result]], digits: int
    ) -> dict[str, Baseline]:
        """The scores of unanonymized rows, of all learners and of each, beside those of the lower baseline."""
        learning = self.learning
        if learning is None:
            return {}
        number, raw = len(learning.learners), by_treatment.get((UNANONYMIZED, None), [])
        of_raw = score_figures([result for result in raw if result["learner"] != MAJORITY], number, digits)
        means, errors = of_raw.means, of_raw.errors
        majority = score_figures([result for result in raw if result["learner"] == MAJORITY], 1, digits).means
        nothing = score_figures(by_treatment.get((NO_INFORMATION, None), []), number, digits).means
        names = [measure.name for measure in learning.measures]
        if learning.task in ("classes", "numbers"):
            return {
                name: Baseline(means.get(name), majority.get(name.partition(":")[0]), error=errors.get(name, 0.0))
                for name in names
            }
        return {name: Baseline(means.get(name), nothing.get(name), "no-information") for name in names}

    def _evaluation(self, results: Sequence[Result]) -> Evaluation | None:
        learning = self.learning
        if learning is None:
            return None
        labels = tuple(dict.fromkeys(choice.treatment_label for choice in self.choices))
        shown = protocol_shown(learning.protocol)
        return Evaluation(tuple(results), learning.task, shown, labels, self.settings.backend)

    def _measured(self, choices: Sequence[Choice], store: Store, parts: int, stopped: Stop) -> Measured:
        keys = [key for job in self.jobs for key in job.keys]
        measured = Measured(
            rows=self.table.table.num_rows,
            counted="rows" if self.table.roles.entity is None else "people",
            target=self.table.schema.target,
            # The text of a parsed requirement leaves out values, which few records may hold.
            requirements=tuple(map(_requirement_text, self.treatments.require)),
            proportions=bool(self.treatments.parameters["publish_proportions"]),
            seconds=round(sum(choice.seconds for choice in choices), 1),
            cells=len(keys),
            finished=sum(store.get(key) is not None for key in keys),
            stopped=stopped,
        )
        if self.learning is None:
            return measured
        train, test = self.learning.way.names
        return replace(
            measured,
            task=self.learning.task,
            learners=tuple(self.learning.names),
            protocol=protocol_shown(self.learning.protocol),
            parts=parts,
            train=train,
            test=test,
        )


def _with_alike(choices: Sequence[Choice], fingerprints: Sequence[str | None]) -> list[Choice]:
    """The choices with the other k that give the very same table."""
    by_release: dict[tuple[str, float | None, str], list[int]] = defaultdict(list)
    keys = [
        (choice.method, choice.suppression_limit, same) if same is not None else None
        for choice, same in zip(choices, fingerprints, strict=True)
    ]
    for choice, key in zip(choices, keys, strict=True):
        if key is not None and choice.k is not None:
            by_release[key].append(choice.k)
    return [
        choice if key is None else replace(choice, alike=tuple(k for k in by_release[key] if k != choice.k))
        for choice, key in zip(choices, keys, strict=True)
    ]


def _requirement_text(requirement: Requirement | str) -> str:
    return str(parse_requirement(requirement) if isinstance(requirement, str) else requirement)


def _refuse_nothing(choices: Sequence[Choice]) -> None:
    statuses = {choice.status for choice in choices}
    if statuses <= {"infeasible", "disclosing", "failed"}:
        error = BadInput if statuses == {"failed"} else Infeasible
        first = choices[0]
        raise error(f"None of the {plural(len(choices), 'choices')} can be released. {first.label}: {first.reason}")
