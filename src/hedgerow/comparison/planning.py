"""What a comparison has to run, and what it makes of the cells that are finished."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from hedgerow.comparison.choices import Choice, Result, choice_of, score_figures
from hedgerow.comparison.measures import Measure, kept_measures, risk_measures, score_measures
from hedgerow.comparison.recommending import Baseline
from hedgerow.comparison.releasing import PartOf, ReleaseOf
from hedgerow.comparison.results import Comparison, Measured, Stop
from hedgerow.errors import Infeasible, amount
from hedgerow.evaluation.api import protocol_shown, trials_of
from hedgerow.evaluation.cells import UNANONYMIZED, Treatment, Trial
from hedgerow.evaluation.learners import Learner
from hedgerow.evaluation.results import MAJORITY, Evaluation
from hedgerow.evaluation.running import Advance, Job, finished, run
from hedgerow.evaluation.splits import Protocol
from hedgerow.evaluation.store import Store
from hedgerow.evaluation.tables import EvaluatedTable, OpenedTable
from hedgerow.evaluation.ways import Way
from hedgerow.privacy import parse_requirement
from hedgerow.rounding import digits_shown

__all__ = ["Learning", "Plan"]


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
            f"None of the {amount(len(choices), 'choices')} can be released. {first.label}: {first.reason}"
        )
