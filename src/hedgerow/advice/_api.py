"""``hr.advise``: look at a table, and suggest what to do with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from hedgerow._internal.keywords import suggesting
from hedgerow._internal.rounding import digits_shown, significant
from hedgerow.advice._advice import Advice, ColumnAdvice
from hedgerow.advice._hierarchies import (
    decimal_sign,
    hierarchy_of,
    hierarchy_of_diagnoses,
    keeps_more_without,
    kind_of,
    missing_texts,
)
from hedgerow.advice._names import like_values
from hedgerow.advice._profiles import Profile, combinations, profiles_of, separation, together
from hedgerow.advice._requirements import (
    Choice,
    LeastPeople,
    choose_k,
    choose_method,
    diversity,
    few_groups,
    least_people,
)
from hedgerow.advice._roles import Judgement, judge_roles
from hedgerow.advice._trial import Trial, trial_rows, try_out
from hedgerow.anonymizers.registry import DEFAULT_METHOD, METHODS
from hedgerow.engines import File, Look, open_source
from hedgerow.errors import BadInput, HedgerowError, plural
from hedgerow.requirements import parse_requirement
from hedgerow.risk.clear import MOST_ALONE

__all__ = ["advise"]

_MOST_ROWS: Final = 50_000
_MOST_CELLS: Final = 20_000_000
_MUCH: Final = 0.5  # of the detail is lost: then ask which quasi-identifiers are needed

Progress = Callable[[str], None]
_Kind = tuple[str | tuple[str, ...] | None, str]


@suggesting
def advise(
    data: Any,
    *,
    target: str | None = None,
    k: int | None = None,
    trial: bool = True,
    progress: Progress | None = None,
) -> Advice:
    """Look at a table, and suggest the role of every column, kinds, hierarchies, a k and a method, with reasons.

    Hedgerow does not know your data: read the suggestion before you follow it. It shows no value that fewer than k rows
    have, and no value of a column that should be left out.

    Parameters
    ----------
    data : dataframe, DuckDB relation, path or File
        Whatever :func:`hedgerow.anonymize` takes, except tables of Spark. Every value is counted. In a table of more
        than 50,000 rows, columns are compared in a sample.
    target : str, optional
        The column to predict. If not given, a column whose name suggests a label.
    k : int, optional
        If not given, 11 for health data, else 5.
    trial : bool
        Whether to try the suggestion on some rows, and correct it if it does not run.
    progress : callable, optional
        Called with the name of each stage.

    Examples
    --------
    >>> import hedgerow as hr
    >>> advice = hr.advise(hr.datasets.make_voters(500, random_state=7), trial=False)
    >>> advice.schema.quasi, advice.schema.sensitive, advice.k
    (('zip', 'gender', 'race', 'birth_year'), ('party',), 5)
    """
    if not isinstance(trial, bool):
        raise BadInput.parameter("trial", "advise", "True or False", trial)
    progress = progress or (lambda _stage: None)
    source = open_source(data)
    k, k_reason = choose_k(k, source.columns)
    progress("Reading and counting")
    look = source.look(max(1, min(_MOST_ROWS, _MOST_CELLS // max(len(source.columns), 1))))
    if not look.rows:
        raise BadInput("The table has no rows.")
    untyped, decimal = source.untyped, source.decimal
    missing = missing_texts(look, k)
    if untyped and decimal == ".":
        decimal = decimal_sign(look)
    progress("Judging columns")
    profiles = profiles_of(look, missing=(*missing, ""), untyped=untyped, decimal=decimal)
    judged = judge_roles(profiles, target=target, k=k)
    adviser = _Adviser(look, profiles, untyped, k, k_reason, missing, decimal, _table_of(data))
    suggestion = adviser.suggest(judged)
    if suggestion.hopeless or not trial:
        return suggestion
    return adviser.tried(suggestion, judged, progress)


def _table_of(data: Any) -> dict[str, str]:
    """The fields of a job that name a table."""
    if isinstance(data, str | Path):
        data = File(data)
    if not isinstance(data, File):
        return {}
    fields = {"input": str(data.path), "encoding": data.encoding, "delimiter": data.delimiter, "sheet": data.sheet}
    return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True, eq=False)
class _Adviser:
    """Makes suggestions for a table, given its profile."""

    look: Look
    profiles: Mapping[str, Profile]
    untyped: bool
    k: int
    k_reason: str
    missing: tuple[str, ...]
    decimal: str
    table: Mapping[str, str]

    def suggest(self, judged: Mapping[str, Judgement], method: Choice | None = None) -> Advice:
        """Put a suggestion together, with the given method or else the best one."""
        quasi = {name: self.profiles[name] for name, judgement in judged.items() if judgement.role == "quasi"}
        kinds = {name: kind_of(profile, self.k) for name, profile in quasi.items()}
        possible = self._hierarchies(quasi, kinds)
        people = self._people(judged)
        counted, unit = (self.look.rows, "rows") if people is None else (people, "people")
        if method is None:
            method = choose_method(_first(judged, "target"), quasi, possible, counted)
        all_given = METHODS[method.value].family == "lattice"
        given = {name for name, words in possible.items() if all_given or not keeps_more_without(words)}
        require, notes = self._diverse(judged)
        shown = possible | self._diagnoses(judged)
        small = few_groups(counted, self.k, unit)
        return Advice(
            rows=self.look.rows,
            people=_rounded(people),
            columns=tuple(
                self._column(name, judgement, kinds.get(name, (None, "")), shown.get(name), given=name in given)
                for name, judgement in judged.items()
            ),
            combinations=combinations({name: profile.codes for name, profile in quasi.items()}),
            k=self.k,
            k_reason=self.k_reason,
            require=require,
            method=method,
            least=self._least(judged),
            missing=self.missing,
            decimal=self.decimal,
            notes=(*self._header(), *filter(None, [small]), *notes, *_undecided(quasi), *self._in_clear(judged)),
            sampled=self.look.sample.num_rows if self.look.sampled else None,
            hopeless=self._hopeless(quasi, counted, unit),
            table=self.table,
        )

    def _hierarchies(self, quasi: Mapping[str, Profile], kinds: Mapping[str, _Kind]) -> dict[str, str]:
        """The hierarchies that could be given."""
        hierarchies = {name: hierarchy_of(profile, as_text=kinds[name][0] == "text") for name, profile in quasi.items()}
        return {name: words for name, words in hierarchies.items() if words is not None}

    def _diagnoses(self, judged: Mapping[str, Judgement]) -> dict[str, str]:
        """The hierarchies by which rare codes of sensitive columns could be pooled."""
        sensitive = (name for name, judgement in judged.items() if judgement.role == "sensitive")
        hierarchies = {name: hierarchy_of_diagnoses(self.profiles[name]) for name in sensitive}
        return {name: words for name, words in hierarchies.items() if words is not None}

    def _people(self, judged: Mapping[str, Judgement]) -> int | None:
        """The number of people, if there is an entity."""
        entity = _first(judged, "entity")
        return None if entity is None else self.profiles[entity].distinct

    def _column(
        self, name: str, judgement: Judgement, kind: _Kind, hierarchy: str | None, *, given: bool
    ) -> ColumnAdvice:
        profile = self.profiles[name]
        return ColumnAdvice(
            name,
            judgement.role,
            judgement.reason,
            profile.kind,
            profile.distinct,
            round(min(profile.distinction, 1.0), 3),
            round(separation(profile.codes), 3),
            *kind,
            hierarchy,
            given,
        )

    def _least(self, judged: Mapping[str, Judgement]) -> LeastPeople | None:
        """How many people should hold every value."""
        roles = ("sensitive", "target", "insensitive")
        clear = {name: self.profiles[name] for name, judgement in judged.items() if judgement.role in roles}
        return least_people(clear, list(self.profiles), of_people=self._people(judged) is not None)

    def _header(self) -> list[str]:
        if not like_values(list(self.profiles)):
            return []
        return ["The column names look like values. If the first line is a record, write a line of names above it."]

    def _in_clear(self, judged: Mapping[str, Judgement]) -> list[str]:
        """A note if the columns in clear together single out too many rows."""
        clear = {
            name: self.profiles[name].codes for name, judgement in judged.items() if judgement.role == "insensitive"
        }
        if len(clear) < 2 or (alone := together(clear).alone) < MOST_ALONE:
            return []
        return [
            f"The {len(clear)} columns in clear together single out {alone:.0%} of the rows. If somebody may know "
            "several of them, make these quasi-identifiers."
        ]

    def _hopeless(self, quasi: Mapping[str, Profile], counted: int, unit: str) -> str:
        if counted < self.k:
            return f"The table has {plural(counted, unit)}: too few to hide anybody among {self.k}."
        if not quasi:
            return "Every column identifies people or holds nothing: no column is left to publish."
        return ""

    def _diverse(self, judged: Mapping[str, Judgement]) -> tuple[dict[str, str], list[str]]:
        """The l-diversity of every sensitive column, and notes on columns without it."""
        require: dict[str, str] = {}
        notes = []
        for name in (name for name, judgement in judged.items() if judgement.role == "sensitive"):
            values, reason = diversity(self.profiles[name])
            rule = f"l={values}@{name}"
            if values is None:
                notes.append(f"No l-diversity is suggested for {name!r}: {reason}.")
            elif _reads_as(rule, name):
                require[rule] = reason
            else:
                notes.append(f"No l-diversity is suggested for {name!r}: no requirement can hold this name. Rename it.")
        return require, notes

    def tried(self, suggestion: Advice, judged: dict[str, Judgement], progress: Progress) -> Advice:
        """Try a suggestion, and correct it until it runs and no column in clear discloses."""
        while True:
            progress(f"Trying {suggestion.method.value}")
            trial = self._try(suggestion)
            if trial.disclosing:
                reasons = {name: f"Published unchanged, {why}." for name, why in trial.disclosing.items()}
                judged = judged | {name: Judgement("quasi", reason) for name, reason in reasons.items()}
                suggestion = self.suggest(judged, suggestion.method)
            elif not trial.failed:
                return _with_trial(suggestion, trial)
            elif suggestion.least is not None and not (without := self._try(replace(suggestion, least=None))).failed:
                return _with_trial(_without_least(suggestion, trial.failed), without)
            elif suggestion.method.value == DEFAULT_METHOD:
                return replace(suggestion, hopeless=trial.failed)
            else:
                reason = f"The first choice, {suggestion.method.value}, did not run: {trial.failed}"
                suggestion = self.suggest(judged, Choice(DEFAULT_METHOD, reason))

    def _try(self, suggestion: Advice) -> Trial:
        schema = suggestion.schema
        kept = [name for name in self.profiles if name not in schema.identifying]
        # Text is read as in the file. A dataframe has types of its own.
        clear = {*schema.insensitive, schema.entity} - {*schema.recode}
        read = [name for name in kept if self.untyped and name not in clear and self.profiles[name].drawn is not None]
        kinds = {name: self.profiles[name].kind for name in read if name in (*(schema.quasi or ()), *schema.recode)}
        return try_out(
            trial_rows(self.look.sample, self.profiles, kept, in_one_way=read),
            replace(schema, identifying=(), kinds={**kinds, **schema.kinds}),
            method=suggestion.method.value,
            k=suggestion.k,
            require=tuple(suggestion.require),
            min_people=None if suggestion.least is None else suggestion.least.number,
        )


def _undecided(quasi: Mapping[str, Profile]) -> list[str]:
    """Notes on dates in which day and month cannot be distinguished."""
    written = {name: profile.written_dates for name, profile in quasi.items()}
    return [
        f"The dates in {name!r} may be day first or month first. By year and decade they generalize alike. For months, "
        f"name the form that is right: dates:month,year,{dates.form} or dates:month,year,{dates.other}."
        for name, dates in written.items()
        if dates is not None and dates.other is not None
    ]


def _reads_as(requirement: str, column: str) -> bool:
    """Whether a requirement, as typed, is read as one for this column."""
    try:
        return parse_requirement(requirement).column == column
    except HedgerowError:
        return False


def _rounded(people: int | None) -> int | None:
    """A number of people, rounded as in a release, because the job may be passed on."""
    return None if people is None else int(significant(people, digits_shown(people)))


def _first(judged: Mapping[str, Judgement], role: str) -> str | None:
    """The first column with a role."""
    return next((name for name, judgement in judged.items() if judgement.role == role), None)


def _without_least(suggestion: Advice, failed: str) -> Advice:
    """The suggestion without a least number of people for every value, and why."""
    least = suggestion.least
    number = 0 if least is None else least.number
    return replace(
        suggestion,
        least=None,
        notes=(*suggestion.notes, f"min-people = {number} is not suggested, because it did not run: {failed}"),
    )


def _with_trial(suggestion: Advice, trial: Trial) -> Advice:
    tried = replace(suggestion, trial=trial)
    if trial.loss <= _MUCH:
        return tried
    lost = f"The {len(suggestion.quasi)} quasi-identifiers lose {trial.loss:.0%} of their detail"
    if METHODS[suggestion.method.value].family == "suppression":
        advice = f", since {suggestion.method.value} shows only what predicts. Take {DEFAULT_METHOD} to show more"
    else:
        advice = ". Leave out those that nobody needs, or make those insensitive that nobody else knows"
    return replace(tried, notes=(*suggestion.notes, f"{lost}{advice}."))
