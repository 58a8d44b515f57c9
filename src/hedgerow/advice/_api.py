"""``hr.advise``: look at a table, and suggest what to do with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from hedgerow._internal.rounding import digits_shown, significant
from hedgerow.advice._advice import Advice, ColumnAdvice
from hedgerow.advice._generalizing import decimal_sign, generalized, keeps_more_without, kind_of, missing_texts
from hedgerow.advice._names import like_values
from hedgerow.advice._profiles import Profile, profiles_of
from hedgerow.advice._requirements import Choice, choose_k, choose_method, diversity, few_groups
from hedgerow.advice._roles import Judgement, judge_roles
from hedgerow.advice._separation import combinations, separation, together
from hedgerow.advice._trial import Trial, trial_rows, try_out
from hedgerow.anonymizers.registry import DEFAULT_METHOD, METHODS
from hedgerow.engines import File, Look, open_source
from hedgerow.errors import BadInput, HedgerowError, plural
from hedgerow.requirements import parse_requirement
from hedgerow.risk.clear import MOST_ALONE

__all__ = ["advise"]

_MOST_ROWS: Final = 50_000
_MOST_CELLS: Final = 20_000_000
_MUCH: Final = 0.5  # of the detail is lost: then somebody should ask which quasi-identifiers are needed

Progress = Callable[[str], None]


def advise(
    data: Any,
    *,
    target: str | None = None,
    k: int | None = None,
    trial: bool = True,
    progress: Progress | None = None,
) -> Advice:
    """Look at a table, and suggest the role of every column, kinds, hierarchies, a k and a method, with reasons.

    It is a suggestion of somebody who does not know the data: read it before you follow it. No value that fewer than k
    rows have is told, and none of a column that should be left out.

    Parameters
    ----------
    data : dataframe, DuckDB relation, path or File
        Whatever :func:`hedgerow.anonymize` takes, but for tables of Spark. Of more than 50,000 rows a sample is
        compared; every value is counted.
    target : str, optional
        The column that is to be learnt; without it, one that is called like a label.
    k : int, optional
        Without it, one with a precedent.
    trial : bool
        Whether to try the suggestion on some rows, and mend it if it does not run.
    progress : callable, optional
        Called with the name of each stage.

    Examples
    --------
    >>> import hedgerow as hr
    >>> advice = advise(hr.datasets.make_voters(500, random_state=7), trial=False)
    >>> advice.schema.quasi, advice.schema.sensitive, advice.k
    (('zip', 'gender', 'race', 'birth_year'), ('party',), 5)
    """
    if not isinstance(trial, bool):
        raise BadInput.parameter("trial", "advise", "True or False", trial)
    told = progress or (lambda _stage: None)
    source = open_source(data)
    wanted, why = choose_k(k, source.columns)
    told("Reading and counting")
    look = source.look(max(1, min(_MOST_ROWS, _MOST_CELLS // max(len(source.columns), 1))))
    if not look.rows:
        raise BadInput("The table has no rows.")
    untyped, decimal = source.untyped, source.decimal
    missing = missing_texts(look, wanted)
    if untyped and decimal == ".":
        decimal = decimal_sign(look)
    told("Judging columns")
    profiles = profiles_of(look, missing=(*missing, ""), untyped=untyped, decimal=decimal)
    judged = judge_roles(profiles, target=target, k=wanted)
    seen = _Seen(look, profiles, untyped, wanted, why, missing, decimal, _table_of(data))
    suggestion = seen.suggest(judged)
    if suggestion.hopeless or not trial:
        return suggestion
    return seen.tried(suggestion, judged, told)


def _table_of(data: Any) -> dict[str, str]:
    """The fields of a job that say where a table is."""
    if isinstance(data, str | Path):
        data = File(data)
    if not isinstance(data, File):
        return {}
    fields = {"input": str(data.path), "encoding": data.encoding, "delimiter": data.delimiter, "sheet": data.sheet}
    return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True, eq=False)
class _Seen:
    """A table that was looked at, from which suggestions are made."""

    look: Look
    profiles: Mapping[str, Profile]
    untyped: bool
    k: int
    k_reason: str
    missing: tuple[str, ...]
    decimal: str
    table: Mapping[str, str]

    def suggest(self, judged: Mapping[str, Judgement], method: Choice | None = None) -> Advice:
        """Put a suggestion together; with another method than the first choice, if one is given."""
        quasi = {name: self.profiles[name] for name, one in judged.items() if one.role == "quasi"}
        kinds = {name: kind_of(one, self.k) for name, one in quasi.items()}
        could = {
            name: words
            for name, one in quasi.items()
            if (words := generalized(one, as_text=kinds[name][0] == "text")) is not None
        }
        entity = next((name for name, one in judged.items() if one.role == "entity"), None)
        target = next((name for name, one in judged.items() if one.role == "target"), None)
        people = None if entity is None else self.profiles[entity].distinct
        counted = self.look.rows if people is None else people
        chosen = choose_method(target, quasi, could, counted) if method is None else method
        all_given = METHODS[chosen.value].family == "lattice"
        require, weak = self._diverse(judged)
        small = few_groups(counted, self.k, "rows" if people is None else "people")
        columns = tuple(
            ColumnAdvice(
                name,
                one.role,
                one.reason,
                self.profiles[name].kind,
                self.profiles[name].distinct,
                round(min(self.profiles[name].distinction, 1.0), 3),
                round(separation(self.profiles[name].codes), 3),
                *kinds.get(name, (None, "")),
                could.get(name),
                name in could and (all_given or not keeps_more_without(could[name])),
            )
            for name, one in judged.items()
        )
        return Advice(
            rows=self.look.rows,
            # As a release tells it: the job may be passed on.
            people=None if people is None else int(significant(people, digits_shown(people))),
            columns=columns,
            combinations=combinations({name: one.codes for name, one in quasi.items()}),
            k=self.k,
            k_reason=self.k_reason,
            require=require,
            method=chosen,
            missing=self.missing,
            decimal=self.decimal,
            notes=(*self._header(), *([] if small is None else [small]), *weak, *self._in_clear(judged)),
            sampled=self.look.sample.num_rows if self.look.sampled else None,
            hopeless=self._hopeless(quasi, counted, "rows" if people is None else "people"),
            table=self.table,
        )

    def _header(self) -> list[str]:
        if not like_values(list(self.profiles)):
            return []
        return ["The names of columns look like values. If the first line is a record, write a line of names above it."]

    def _in_clear(self, judged: Mapping[str, Judgement]) -> list[str]:
        """What is to be said of the columns that are published as they are, all together."""
        clear = {name: self.profiles[name].codes for name, one in judged.items() if one.role == "insensitive"}
        if len(clear) < 2 or (alone := together(clear).alone) < MOST_ALONE:
            return []
        return [
            f"The {len(clear)} columns in clear together single out {alone:.0%} of the rows: make those "
            "quasi-identifiers of which somebody may know several."
        ]

    def _hopeless(self, quasi: Mapping[str, Profile], counted: int, what: str) -> str:
        if counted < self.k:
            return f"The table has {plural(counted, what)}: too few for anybody to be hidden among {self.k}."
        if not quasi:
            return "Every column tells who somebody is, or holds nothing: no column is left to be published."
        return ""

    def _diverse(self, judged: Mapping[str, Judgement]) -> tuple[dict[str, str], list[str]]:
        """The l of every sensitive column, and what is to be said where there is none."""
        require: dict[str, str] = {}
        notes = []
        for name in (name for name, one in judged.items() if one.role == "sensitive"):
            values, reason = diversity(self.profiles[name])
            rule = f"l={values}@{name}"
            if values is None:
                notes.append(f"No l-diversity is asked of {name!r}: {reason}.")
            elif _reads_as(rule, name):
                require[rule] = reason
            else:
                notes.append(f"No l-diversity is asked of {name!r}, whose name a requirement cannot hold: rename it.")
        return require, notes

    def tried(self, suggestion: Advice, judged: dict[str, Judgement], progress: Progress) -> Advice:
        """Try a suggestion, and mend it until it runs and nothing in clear discloses."""
        while True:
            progress(f"Trying {suggestion.method.value}")
            found = self._try(suggestion)
            if found.disclosing:
                why = {name: f"Published as it is, {told}." for name, told in found.disclosing.items()}
                judged = judged | {name: Judgement("quasi", reason) for name, reason in why.items()}
                suggestion = self.suggest(judged, suggestion.method)
            elif not found.failed:
                return _with_trial(suggestion, found)
            elif suggestion.method.value == DEFAULT_METHOD:
                return replace(suggestion, hopeless=found.failed)
            else:
                reason = f"The first choice, {suggestion.method.value}, did not run: {found.failed}"
                suggestion = self.suggest(judged, Choice(DEFAULT_METHOD, reason))

    def _try(self, suggestion: Advice) -> Trial:
        schema = suggestion.schema
        kept = [name for name in self.profiles if name not in schema.identifying]
        # Text is read as the file would be; what a dataframe holds says itself what it is.
        clear = (*schema.insensitive, schema.entity)
        read = [name for name in kept if self.untyped and name not in clear and self.profiles[name].drawn is not None]
        kinds = {name: self.profiles[name].kind for name in read if name in (schema.quasi or ())}
        return try_out(
            trial_rows(self.look.sample, self.profiles, kept, in_one_way=read),
            replace(schema, identifying=(), kinds={**kinds, **schema.kinds}),
            method=suggestion.method.value,
            k=suggestion.k,
            require=tuple(suggestion.require),
        )


def _reads_as(requirement: str, column: str) -> bool:
    """Whether a requirement, as it is typed, speaks of the column that is meant."""
    try:
        return parse_requirement(requirement).column == column
    except HedgerowError:
        return False


def _with_trial(suggestion: Advice, found: Trial) -> Advice:
    tried = replace(suggestion, trial=found)
    if found.loss <= _MUCH:
        return tried
    lost = f"{found.loss:.0%} of the detail of the {len(suggestion.quasi)} quasi-identifiers is lost"
    if METHODS[suggestion.method.value].family == "suppression":
        advice = f"since {suggestion.method.value} shows only what predicts. Take {DEFAULT_METHOD} to show more"
    else:
        advice = "which is much. Leave out those that nobody needs, or make those insensitive that nobody else knows"
    return replace(tried, notes=(*suggestion.notes, f"{lost}, {advice}."))
