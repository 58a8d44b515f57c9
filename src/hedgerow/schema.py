"""The schema: which role each column plays, how it generalizes, what counts as missing."""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, field, fields
from fractions import Fraction
from pathlib import PurePath
from typing import Any, Final, Literal

from hedgerow._internal.notebook import MOST_NAMES, Shown, names_shown
from hedgerow.errors import BadInput, listing

__all__ = ["KINDS", "Others", "Roles", "Schema"]

Others = Literal["error", "insensitive", "drop"]

KINDS: Final = ("number", "date", "text")
"""What a column may be said to hold, besides values in an order."""


@dataclass(frozen=True)
class Roles:
    """A schema applied to the columns of one table: every column has exactly one fate.

    ``pseudonyms_link`` is whether pseudonyms stand in several rows of a person, as far as is known.
    ``column_weights`` tells how much each quasi-identifier counts in losses. Their mean is 1, so that only their
    ratios matter; all are exactly 1 where none was given, or all the same.
    """

    columns: tuple[str, ...]
    quasi: tuple[str, ...]
    target: str | None
    sensitive: tuple[str, ...]
    insensitive: tuple[str, ...]
    pseudonymized: tuple[str, ...]
    dropped: tuple[str, ...]
    column_weights: tuple[float, ...]
    entity: str | None = None
    pseudonyms_link: bool = True

    @property
    def names_people(self) -> bool:
        """Whether the column that tells people apart is published, as it is or as pseudonyms."""
        return self.entity is not None and self.entity not in self.dropped

    @property
    def linked(self) -> bool:
        """Whether a method must take it that a reader can tell which rows are of one person.

        By the person's own column, or by pseudonyms of another one. Which columns link rows besides, the verifier
        finds in what is published.
        """
        return self.names_people or (self.entity is not None and bool(self.pseudonymized) and self.pseudonyms_link)

    @property
    def published(self) -> tuple[str, ...]:
        """The columns of the release, in the order of the input."""
        gone = set(self.dropped)
        return tuple(name for name in self.columns if name not in gone)

    @property
    def counted(self) -> tuple[str, ...]:
        """The columns that make up a cell of the frequency table: quasi-identifiers, target, sensitive ones."""
        target = () if self.target is None or self.target in self.sensitive else (self.target,)
        return (*self.quasi, *target, *self.sensitive)


@dataclass(frozen=True, kw_only=True, repr=False)
class Schema(Shown):
    """Roles of the columns, hierarchies of the quasi-identifiers, and what counts as missing.

    Parameters
    ----------
    quasi : sequence of str, optional
        Columns by which a person could be found: they are generalized. ``None`` makes every column without
        another role a quasi-identifier (what a scikit-learn pipeline wants); name them for a publication.
    target : str, optional
        The column whose labels are to be learnt from the release.
    identifying : sequence of str
        Columns that name a person: dropped.
    pseudonymize : sequence of str
        Identifying columns that are replaced by random pseudonyms instead (the same person, the same pseudonym).
    sensitive : sequence of str
        Columns that requirements like l-diversity protect.
    insensitive : sequence of str
        Columns published as they are.
    entity : str, optional
        The column that tells people apart, where a person may have several rows: then k, l and the risks count people
        and not rows. It is dropped unless it is also pseudonymized or insensitive.
    rows_are_people : bool
        Whether every row is a person of its own, so that rows may be counted. Say so where a column looks as if it told
        people apart who have several rows, and does not: without this or ``entity`` such a table is refused.
    hierarchies : mapping of column to hierarchy
        An object of :mod:`hedgerow.hierarchies`, a builder's name, the path of an ARX CSV or TOML file, or a
        nested dict. A quasi-identifier without one gets an automatic one.
    kinds : mapping of column to kind
        What a quasi-identifier holds, where its type does not say it: ``"number"``, ``"date"``, ``"text"``, or a list
        of its values in their order. A dataframe's types decide otherwise (text is text, whatever it looks like). In a
        CSV a column is one of numbers if all its values are, none with a leading zero, and of dates if all are ISO
        dates. For a sensitive column, a list is the scale of an ordered t-closeness.
    accept : sequence of str
        Insensitive and sensitive columns, or the target, that are published though they single people out or tell what
        the release hides. Without it such a release is refused. What is accepted is not judged, and does not count as
        a quasi-identifier if one determines it.
    weights : mapping of quasi-identifier to number
        How much the loss of each counts, in all metrics that average over columns and in the choices of methods that
        lower such a loss. Columns that are not named have 1, and only the ratios matter. Of a column with the weight 0
        nothing needs to be kept; it is as anonymous as the others.
    missing : sequence of str
        Texts that mean "no value", besides null.
    others : {"error", "insensitive", "drop"}
        What happens to a column that nobody gave a role.

    Examples
    --------
    >>> schema = Schema(quasi=["age", "sex"], target="income", others="drop")
    >>> schema.resolve(["id", "age", "sex", "income"]).published
    ('age', 'sex', 'income')
    """

    quasi: Sequence[str] | None = None
    target: str | None = None
    identifying: Sequence[str] = ()
    pseudonymize: Sequence[str] = ()
    sensitive: Sequence[str] = ()
    insensitive: Sequence[str] = ()
    entity: str | None = None
    rows_are_people: bool = False
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    kinds: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    accept: Sequence[str] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    missing: Sequence[str] = ("",)
    others: Others = "error"

    def __post_init__(self) -> None:
        for name in ("quasi", "identifying", "pseudonymize", "sensitive", "insensitive", "accept", "missing"):
            value = getattr(self, name)
            if name == "quasi" and value is None:
                continue
            if isinstance(value, str) or not isinstance(value, Iterable):
                raise BadInput.parameter(name, "Schema", "a list of column names", type(value).__name__)
            names = tuple(value)
            if not all(isinstance(item, str) for item in names):
                raise BadInput(f"The {name!r} parameter of Schema must hold only text. Write column names as strings.")
            object.__setattr__(self, name, names)
        for name in ("target", "entity"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise BadInput.parameter(name, "Schema", "a column name", type(value).__name__)
        if not isinstance(self.rows_are_people, bool):
            raise BadInput.parameter("rows_are_people", "Schema", "True or False", self.rows_are_people)
        if self.rows_are_people and self.entity is not None:
            raise BadInput(
                f"The column {self.entity!r} is said to tell people apart, and every row to be a person. Leave one of "
                "the two out: entity (--entity) or rows_are_people (--rows-are-people)."
            )
        if self.others not in ("error", "insensitive", "drop"):
            raise BadInput.parameter("others", "Schema", "'error', 'insensitive' or 'drop'", self.others)
        for name, held in _MAPPINGS.items():
            given = getattr(self, name)
            if not isinstance(given, Mapping):
                raise BadInput.parameter(name, "Schema", f"a mapping of column to {held}", type(given).__name__)
            object.__setattr__(self, name, dict(given))
        for column, kind in self.kinds.items():
            _check_kind(column, kind)
        checked = {column: _checked_weight(column, weight) for column, weight in self.weights.items()}
        object.__setattr__(self, "weights", checked)
        self._check_one_role_each()

    def __repr__(self) -> str:
        """What differs from the defaults; of hierarchies and orders only what kind they are."""
        changed = [one.name for one in fields(self) if getattr(self, one.name) != _default(one)]
        return f"Schema({', '.join(f'{name}={_shown(getattr(self, name))}' for name in changed)})"

    def _named(self) -> list[tuple[str, str]]:
        """Every (column, role) the caller wrote down; a target may be sensitive too."""
        named = [(column, role) for role in _LIST_ROLES for column in getattr(self, role) or ()]
        if self.target is not None and self.target not in self.sensitive:
            named.append((self.target, "target"))
        return named

    def _check_one_role_each(self) -> None:
        seen: dict[str, str] = {}
        for column, role in self._named():
            if column in seen:
                other = seen[column]
                both = f"twice as {role}" if other == role else f"as {other} and as {role}"
                raise BadInput(f"The column {column!r} is named {both}. Give each column one role.")
            seen[column] = role

    def resolve(self, columns: Sequence[str]) -> Roles:
        """Apply the schema to a table's columns, or say what does not fit."""
        columns = tuple(columns)
        repeated = [name for name, times in Counter(columns).items() if times > 1]
        if repeated:
            raise BadInput(f"The table has several columns called {listing(repeated)}. Rename them.")
        present = set(columns)
        for column, role in self._named():
            if column not in present:
                raise BadInput.unknown("column", column, columns, f"It is named as {role}.")
        for name, what in _MAPPINGS.items():
            for column in getattr(self, name):
                if column not in present:
                    raise BadInput.unknown("column", column, columns, f"A {what} is given for it.")
        named = {column for column, _ in self._named()}
        gone = self._check_entity(columns, named)
        unassigned = [name for name in columns if name not in named and name not in gone]
        quasi = tuple(self.quasi) if self.quasi is not None else tuple(unassigned)
        if self.quasi is None:
            unassigned = []
        if not quasi:
            raise BadInput("No quasi-identifier is named. Name the columns by which a person could be found.")
        if unassigned and self.others == "error":
            raise BadInput(
                f"No role is given for {listing(unassigned)}. "
                "Name a role for each, or say others='insensitive' or others='drop' (--others)."
            )
        for column in self.hierarchies:
            if column not in quasi and column not in self.sensitive and column != self.target:
                raise BadInput(f"A hierarchy is given for {column!r}, which is not a quasi-identifier or sensitive.")
        for column in self.weights:
            if column not in quasi:
                raise BadInput(
                    f"A weight is given for {column!r}, which is not a quasi-identifier. Leave it out, or name the "
                    "column as one."
                )
        insensitive = (*self.insensitive, *(unassigned if self.others == "insensitive" else ()))
        for column in self.accept:
            if column not in present:
                raise BadInput.unknown("column", column, columns, "It is accepted.")
            if column not in (*insensitive, *self.sensitive, self.target):
                raise BadInput(
                    f"The column {column!r} is accepted, but is not published as it is. Accept insensitive columns, "
                    "sensitive ones or the target."
                )
        return Roles(
            columns=columns,
            quasi=quasi,
            target=self.target,
            sensitive=tuple(self.sensitive),
            insensitive=insensitive,
            pseudonymized=tuple(self.pseudonymize),
            dropped=(*self.identifying, *gone, *(unassigned if self.others == "drop" else ())),
            column_weights=_with_mean_1([self.weights.get(name, 1.0) for name in quasi]),
            entity=self.entity,
        )

    def _check_entity(self, columns: Sequence[str], named: Collection[str]) -> tuple[str, ...]:
        """The column of the person, if nobody gave it another role: then it is dropped."""
        if self.entity is None:
            return ()
        if self.entity not in columns:
            raise BadInput.unknown("column", self.entity, columns, "It is named as entity.")
        if self.entity in (*(self.quasi or ()), *self.sensitive, self.target):
            raise BadInput(
                f"The column {self.entity!r} tells people apart, and is named in another role too. Name it only as "
                "entity, or also as identifying, pseudonymized or insensitive."
            )
        return () if self.entity in named else (self.entity,)


def _default(parameter: Field[Any]) -> Any:
    return parameter.default if parameter.default_factory is MISSING else parameter.default_factory()


def _shown(value: Any) -> str:
    """A parameter in short: names as they are, of mappings the columns and what kind of thing each has."""
    if isinstance(value, tuple):
        return f"[{names_shown(value)}]"
    if not isinstance(value, Mapping):
        return repr(value)
    shown = ", ".join(f"{name!r}: {_kind_shown(one)}" for name, one in list(value.items())[:MOST_NAMES])
    rest = len(value) - MOST_NAMES
    return "{" + shown + (f" and {rest} more" if rest > 0 else "") + "}"


def _kind_shown(given: object) -> str:
    """What kind of hierarchy or column is meant.

    >>> [_kind_shown(one) for one in ("masking:2,3", "towns.csv", {"any": ["a"]}, ["low", "high"], "text")]
    ['masking', 'csv file', 'taxonomy', 'order of 2', 'text']
    """
    if isinstance(given, str | PurePath):
        ending = PurePath(given).suffix.lower()
        return f"{ending[1:]} file" if ending in (".csv", ".toml") else str(given).partition(":")[0]
    if isinstance(given, numbers.Real):
        return f"{float(given):g}"
    if isinstance(given, Mapping):
        return "taxonomy"
    return f"order of {len(given)}" if isinstance(given, list | tuple) else type(given).__name__


def _check_kind(column: str, kind: object) -> None:
    """Refuse what is no kind of column."""
    if isinstance(kind, str):
        if kind not in KINDS:
            raise BadInput.unknown("kind", kind, KINDS, f"It is given for {column!r}.")
        return
    listed = isinstance(kind, Iterable) and not isinstance(kind, Mapping)
    order = list(kind) if listed and isinstance(kind, Iterable) else []
    if not order or not all(isinstance(one, str) for one in order) or len(set(order)) < len(order):
        raise BadInput(
            f"The kind of {column!r} must be 'number', 'date', 'text', or a list of its values in their order, each "
            "once."
        )


def _checked_weight(column: str, weight: object) -> float:
    """Refuse what is no weight of a column."""
    if not isinstance(weight, bool) and isinstance(weight, numbers.Real):
        # A whole number may be too large for a float.
        with suppress(OverflowError):
            number = float(weight)
            if math.isfinite(number) and number >= 0:
                return number
    raise BadInput(f"The weight of {column!r} must be a finite number >= 0. Give it another, or leave it out.")


def _with_mean_1(weights: Sequence[float]) -> tuple[float, ...]:
    """Weights over their mean; computed exactly, so that multiples of them give the very same.

    >>> _with_mean_1([3.0, 3.0]), _with_mean_1([0.3, 0.1]) == _with_mean_1([0.3 * 8, 0.1 * 8])
    ((1.0, 1.0), True)
    """
    exact = [Fraction(weight) for weight in weights]
    mean = sum(exact, Fraction()) / len(exact)
    if not mean:
        raise BadInput("All quasi-identifiers have the weight 0. Give a larger one to those that matter.")
    return tuple(float(weight / mean) for weight in exact)


_MAPPINGS: Final = {"hierarchies": "hierarchy", "kinds": "kind", "weights": "weight"}
_LIST_ROLES = ("quasi", "identifying", "pseudonymize", "sensitive", "insensitive")
