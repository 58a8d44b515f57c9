"""The schema: which role each column plays, how it generalizes, what counts as missing."""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, field, fields
from fractions import Fraction
from pathlib import PurePath
from types import NoneType
from typing import Any, Final, Literal

from hedgerow._internal.keywords import suggesting
from hedgerow._internal.notebook import MOST_NAMES, NotebookRepr, names_shown
from hedgerow.errors import BadInput, is_int, listing

__all__ = ["KINDS", "Others", "Roles", "Schema"]

Others = Literal["error", "insensitive", "drop"]

KINDS: Final = ("number", "date", "text")
"""The kinds of columns that a schema may name, besides values in an order."""


@dataclass(frozen=True)
class Roles:
    """A schema applied to the columns of one table: every column has exactly one fate.

    ``pseudonyms_link`` is whether, as far as is known, a pseudonym may stand in several rows of a person.
    ``column_weights`` has how much each quasi-identifier counts in losses. Their mean is 1, so that only their ratios
    matter; all are exactly 1 if none is given, or all are equal. ``by_people`` has the sensitive columns of which a
    requirement asks how many people have each value, where people are counted.
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
    by_people: tuple[str, ...] = ()

    @property
    def names_people(self) -> bool:
        """Whether the column that identifies people is published, unchanged or as pseudonyms."""
        return self.entity is not None and self.entity not in self.dropped

    @property
    def linked(self) -> bool:
        """Whether a method must assume that a reader can see which rows belong to one person.

        The column of the person shows it, or pseudonyms of another column do. The verifier finds other columns that
        link rows in the published table.
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
class Schema(NotebookRepr):
    """Roles of the columns, hierarchies of the quasi-identifiers, and what counts as missing.

    Parameters
    ----------
    quasi : sequence of str, optional
        Columns by which a person could be found: they are generalized. ``None`` makes every column without another role
        a quasi-identifier (as a scikit-learn pipeline needs it); name them for a publication.
    target : str, optional
        The column whose labels a model will predict.
    identifying : sequence of str
        Columns that name a person: dropped.
    pseudonymize : sequence of str
        Identifying columns that are replaced by random pseudonyms instead (the same person, the same pseudonym).
    sensitive : sequence of str
        Columns that requirements like l-diversity protect.
    insensitive : sequence of str
        Columns that are published unchanged.
    entity : str, optional
        The column that identifies the person, where a person may have several rows: then k, l and the risks count
        people and not rows. It is dropped unless it is also pseudonymized or insensitive.
    rows_are_people : bool
        Whether every row is a different person, so that rows may be counted. Set it if a column only looks as if it
        identified people with several rows: without this or ``entity`` such a table is refused.
    hierarchies : mapping of column to hierarchy
        An object of :mod:`hedgerow.hierarchies`, a builder's name, the path of an ARX CSV or TOML file, or a
        nested dict. A quasi-identifier without a hierarchy gets an automatic one. In other columns, ``min_people``
        generalizes rare values by it.
    kinds : mapping of column to kind
        What a quasi-identifier holds, where its type does not show it: ``"number"``, ``"date"``, ``"text"``, or a list
        of its values in their order. Otherwise the types of a dataframe decide (text is text, whatever it looks like).
        In a CSV a column holds numbers if all its values are numbers without a leading zero, and dates if all are ISO
        dates. For a sensitive column, a list is the scale of an ordered t-closeness.
    recode : mapping of column to str
        How the numbers of a sensitive or insensitive column, or of the target, are made coarser before the table is
        counted: ``"round:1000"``, ``"top:90"``, ``"bottom:18"`` or ``"microaggregate:11"``, also joined with commas.
    accept : sequence of str
        Insensitive and sensitive columns, or the target, to publish although they single people out or reveal what the
        release hides. Without it such a release is refused. Accepted columns are not judged, and do not count as
        quasi-identifiers if a quasi-identifier determines them.
    weights : mapping of quasi-identifier to number
        How much the loss of each counts, in all metrics that average over columns and in the choices of methods that
        lower such a loss. Other columns have the weight 1, and only the ratios matter. Of a column with the weight 0
        nothing needs to be kept; it is as anonymous as the others.
    levels : mapping of quasi-identifier to levels
        The finest and the coarsest level of its hierarchy that may be published: a pair, in which ``None`` leaves a
        side open, or one level. Level 0 are the values as they are; the top ``*`` is the highest level.
    missing : sequence of str
        Texts that mean "no value", besides null.
    others : {"error", "insensitive", "drop"}
        What happens to a column without a role.

    Examples
    --------
    >>> import hedgerow as hr
    >>> schema = hr.Schema(quasi=["age", "sex"], target="income", others="drop")
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
    recode: Mapping[str, str] = field(default_factory=dict)
    accept: Sequence[str] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    levels: Mapping[str, Any] = field(default_factory=dict)
    missing: Sequence[str] = ("",)
    others: Others = "error"

    def __post_init__(self) -> None:
        for name in _NAMES:
            object.__setattr__(self, name, _checked_names(name, getattr(self, name)))
        for name, (kinds, must) in _TYPES.items():
            value = getattr(self, name)
            if not isinstance(value, kinds):
                raise BadInput.parameter(name, "Schema", must, value if kinds is bool else type(value).__name__)
        if self.others not in ("error", "insensitive", "drop"):
            raise BadInput.parameter("others", "Schema", "'error', 'insensitive' or 'drop'", self.others)
        for name in _MAPPINGS:
            object.__setattr__(self, name, dict(getattr(self, name)))
        for column, kind in self.kinds.items():
            _check_kind(column, kind)
        weights = {column: _checked_weight(column, weight) for column, weight in self.weights.items()}
        object.__setattr__(self, "weights", weights)
        levels = {column: _checked_levels(column, given) for column, given in self.levels.items()}
        object.__setattr__(self, "levels", levels)
        self._check_named()

    def __repr__(self) -> str:
        """What differs from the defaults; of hierarchies and orders only what kind they are."""
        changed = [field.name for field in fields(self) if getattr(self, field.name) != _default(field)]
        return f"Schema({', '.join(f'{name}={_shown(getattr(self, name))}' for name in changed)})"

    def _named(self) -> list[tuple[str, str]]:
        """Every column that the caller named, with its role; a target may be sensitive too."""
        named = [(column, role) for role in _LIST_ROLES for column in getattr(self, role) or ()]
        if self.target is not None and self.target not in self.sensitive:
            named.append((self.target, "target"))
        return named

    def _check_named(self) -> None:
        """Refuse a column with two roles, and an entity together with ``rows_are_people``."""
        if self.rows_are_people and self.entity is not None:
            raise BadInput(
                f"The column {self.entity!r} is named as entity, and every row is called a person. Leave one of the "
                "two out: entity (--entity) or rows_are_people (--rows-are-people)."
            )
        seen: dict[str, str] = {}
        for column, role in self._named():
            if column in seen:
                other = seen[column]
                both = f"twice as {role}" if other == role else f"as {other} and as {role}"
                raise BadInput(f"The column {column!r} is named {both}. Give each column one role.")
            seen[column] = role

    def resolve(self, columns: Sequence[str], *, coded: bool = False) -> Roles:
        """Apply the schema to the columns of a table, or refuse it with the reason why it does not fit.

        If values of columns in clear are to be ``coded``, insensitive columns may have hierarchies too.
        """
        columns = tuple(columns)
        repeated = [name for name, times in Counter(columns).items() if times > 1]
        if repeated:
            raise BadInput(f"The table has several columns called {listing(repeated)}. Rename them.")
        present = set(columns)
        for column, hint in self._mentioned():
            if column not in present:
                raise BadInput.unknown("column", column, columns, hint)
        named = dict(self._named())
        taken = {*named, self.entity}
        unassigned = tuple(name for name in columns if name not in taken)
        quasi, rest = (unassigned, ()) if self.quasi is None else (tuple(self.quasi), unassigned)
        by_fate = {self.others: rest}
        insensitive = (*self.insensitive, *by_fate.get("insensitive", ()))
        self._check_roles(quasi, insensitive, by_fate.get("error", ()), coded=coded)
        entity = () if self.entity is None or self.entity in named else (self.entity,)
        return Roles(
            columns=columns,
            quasi=quasi,
            target=self.target,
            sensitive=tuple(self.sensitive),
            insensitive=insensitive,
            pseudonymized=tuple(self.pseudonymize),
            dropped=(*self.identifying, *entity, *by_fate.get("drop", ())),
            column_weights=_with_mean_1([self.weights.get(name, 1.0) for name in quasi]),
            entity=self.entity,
        )

    def _mentioned(self) -> Iterator[tuple[str, str]]:
        """Every column that the schema mentions, and where."""
        for column, role in self._named():
            yield column, f"It is named as {role}."
        for name, what in _MAPPINGS.items():
            for column in getattr(self, name):
                yield column, f"A {what} is given for it."
        if self.entity is not None:
            yield self.entity, "It is named as entity."
        for column in self.accept:
            yield column, "It is accepted."

    def _check_roles(
        self, quasi: Sequence[str], insensitive: Sequence[str], undecided: Sequence[str], *, coded: bool
    ) -> None:
        """Refuse roles that contradict each other, and columns without a role."""
        in_clear = {*self.sensitive, self.target}
        if self.entity is not None and self.entity in {*(self.quasi or ()), *in_clear}:
            raise BadInput(
                f"The column {self.entity!r} identifies people, and is named in another role too. Name it only as "
                "entity, or also as identifying, pseudonymized or insensitive."
            )
        if not quasi:
            raise BadInput("No quasi-identifier is named. Name the columns by which a person could be found.")
        if undecided:
            raise BadInput(
                f"No role is given for {listing(undecided)}. "
                "Name a role for each, or say others='insensitive' or others='drop' (--others)."
            )
        for column in _outside(self.hierarchies, {*quasi, *in_clear, *(insensitive if coded else ())}):
            raise BadInput(
                f"A hierarchy is given for {column!r}, which is not a quasi-identifier or sensitive. Leave it out, or "
                "name the column as such."
            )
        for column in _outside(self.recode, {*in_clear, *insensitive}):
            raise BadInput(
                f"A recode is given for {column!r}, which is not published in clear. Quasi-identifiers are generalized "
                "by the method: give them a hierarchy instead."
            )
        for column in _outside(self.weights, {*quasi}):
            raise BadInput(
                f"A weight is given for {column!r}, which is not a quasi-identifier. Leave it out, or name the "
                "column as one."
            )
        self._check_levels(quasi)
        for column in _outside(self.accept, {*insensitive, *in_clear}):
            raise BadInput(
                f"The column {column!r} is accepted, but is not published unchanged. Accept insensitive columns, "
                "sensitive ones or the target."
            )

    def _check_levels(self, quasi: Sequence[str]) -> None:
        """Refuse limits on the levels of a column that has none."""
        for column in _outside(self.levels, {*quasi}):
            raise BadInput(
                f"Levels are given for {column!r}, which is not a quasi-identifier. Leave them out, or name the column "
                "as one."
            )
        for column in self.levels:
            if self.hierarchies.get(column) in (None, "automatic"):
                raise BadInput(
                    f"Levels are given for {column!r}, which has no hierarchy to count them in. Give it one "
                    f"(hierarchies={{{column!r}: …}}, --hierarchy {column}=…), or leave its levels out."
                )


Schema.__init__ = suggesting(Schema.__init__)  # type: ignore[method-assign]  # it is what the dataclass made


def _outside(columns: Iterable[str], allowed: Container[str | None]) -> list[str]:
    return [column for column in columns if column not in allowed]


def _default(parameter: Field[Any]) -> Any:
    return parameter.default if parameter.default_factory is MISSING else parameter.default_factory()


def _shown(value: Any) -> str:
    """A parameter in short: all names; of mappings the columns, and the kind of what each has."""
    if isinstance(value, tuple):
        return f"[{names_shown(value)}]"
    if not isinstance(value, Mapping):
        return repr(value)
    shown = ", ".join(f"{name!r}: {_kind_shown(given)}" for name, given in list(value.items())[:MOST_NAMES])
    rest = len(value) - MOST_NAMES
    return "{" + shown + (f" and {rest} more" if rest > 0 else "") + "}"


def _kind_shown(given: object) -> str:
    """The kind of hierarchy or column that is given.

    >>> [_kind_shown(given) for given in ("masking:2,3", "towns.csv", {"any": ["a"]}, ["low", "high"], "text")]
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


def _checked_names(parameter: str, value: object) -> tuple[str, ...] | None:
    """Names of columns as a tuple; only the quasi-identifiers may be left open."""
    if parameter == "quasi" and value is None:
        return None
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise BadInput.parameter(parameter, "Schema", "a list of column names", type(value).__name__)
    names = tuple(value)
    if not all(isinstance(name, str) for name in names):
        raise BadInput(f"The {parameter!r} parameter of Schema must hold only text. Write column names as strings.")
    return names


def _check_kind(column: str, kind: object) -> None:
    """Refuse what is no kind of column."""
    if isinstance(kind, str):
        if kind not in KINDS:
            raise BadInput.unknown("kind", kind, KINDS, f"It is given for {column!r}.")
        return
    listed = isinstance(kind, Iterable) and not isinstance(kind, Mapping)
    order = list(kind) if listed and isinstance(kind, Iterable) else []
    if not order or not all(isinstance(value, str) for value in order) or len(set(order)) < len(order):
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


def _checked_levels(column: str, given: object) -> tuple[int, int | None]:
    """Limits as the finest and the coarsest level, which may be open.

    >>> _checked_levels("zip", 2), _checked_levels("zip", (None, 3)), _checked_levels("zip", [1, None])
    ((2, 2), (0, 3), (1, None))
    """
    ends = list(given) if isinstance(given, tuple | list) else [given, given]
    if len(ends) == 2 and any(end is not None for end in ends):
        finest, coarsest = 0 if ends[0] is None else ends[0], ends[1]
        if is_int(finest, 0) and (coarsest is None or is_int(coarsest, finest)):
            return int(finest), None if coarsest is None else int(coarsest)
    raise BadInput(
        f"The levels of {column!r} must be one whole number from 0 on, or a pair of them, the finest first, in which "
        "None leaves a side open."
    )


def _with_mean_1(weights: Sequence[float]) -> tuple[float, ...]:
    """Weights divided by their mean; computed exactly, so that multiples of the weights give identical results.

    >>> _with_mean_1([3.0, 3.0]), _with_mean_1([0.3, 0.1]) == _with_mean_1([0.3 * 8, 0.1 * 8])
    ((1.0, 1.0), True)
    """
    exact = [Fraction(weight) for weight in weights]
    mean = sum(exact, Fraction()) / len(exact)
    if not mean:
        raise BadInput("All quasi-identifiers have the weight 0. Give a larger one to those that matter.")
    return tuple(float(weight / mean) for weight in exact)


_LIST_ROLES: Final = ("quasi", "identifying", "pseudonymize", "sensitive", "insensitive")
_NAMES: Final = (*_LIST_ROLES, "accept", "missing")
_MAPPINGS: Final = {
    "hierarchies": "hierarchy",
    "kinds": "kind",
    "weights": "weight",
    "levels": "level",
    "recode": "recode",
}
_TYPES: Final[Mapping[str, tuple[Any, str]]] = {
    "target": ((str, NoneType), "a column name"),
    "entity": ((str, NoneType), "a column name"),
    "rows_are_people": (bool, "True or False"),
    **{name: (Mapping, f"a mapping of column to {held}") for name, held in _MAPPINGS.items()},
}
