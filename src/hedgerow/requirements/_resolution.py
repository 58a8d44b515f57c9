"""From what a caller asks for (``k=``, ``require=``) to a checked list of requirements."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from hedgerow.errors import BadInput, TooFewRows, listing, plural
from hedgerow.requirements._base import Requirement
from hedgerow.requirements._k_anonymity import KAnonymity
from hedgerow.requirements._notation import parse_requirement
from hedgerow.requirements.binding import Context
from hedgerow.schema import Roles

__all__ = [
    "check",
    "reached_at_most",
    "resolve",
    "restored",
    "stored",
    "unreachable",
    "with_orders",
    "with_trees",
    "withheld",
]


def resolve(
    k: int | None = None, require: Requirement | str | Iterable[Requirement | str] = ()
) -> tuple[Requirement, ...]:
    """Join ``k`` and ``require`` into one list; the k on all quasi-identifiers comes first.

    >>> [str(one) for one in resolve(10, ["l=3@disease"])]
    ['10-anonymity', '3-diversity of disease']
    """
    given = (require,) if isinstance(require, Requirement | str) else require
    if not isinstance(given, Iterable):
        raise BadInput.parameter("require", "anonymize", "a list of requirements", type(require).__name__)
    requirements = [one if isinstance(one, Requirement) else parse_requirement(one) for one in given]
    if k is not None:
        requirements.insert(0, KAnonymity(k))
    if not requirements:
        raise BadInput("No requirement is given. Say k=10 (-k 10) or name some with require= (--require).")
    if sum(isinstance(one, KAnonymity) and one.shield is None for one in requirements) > 1:
        raise BadInput("The k of all quasi-identifiers is given twice. Give it once, as k= or as a requirement.")
    return tuple(requirements)


def check(requirements: Iterable[Requirement], roles: Roles, rows: int) -> None:
    """Say which requirement does not fit the table's roles or its number of rows, if one does not."""
    protected = {*roles.sensitive, *(() if roles.target is None else (roles.target,))}
    for requirement in requirements:
        for name in requirement.shield or ():
            if name not in roles.columns:
                raise BadInput.unknown("column", name, roles.columns, f"It is in the shield of {requirement}.")
            if name not in roles.quasi:
                raise BadInput(
                    f"The column {name!r} in the shield of {requirement} is not a quasi-identifier. "
                    "Name it in quasi (--quasi)."
                )
        column = requirement.column
        if column is not None and column not in roles.columns:
            raise BadInput.unknown("column", column, roles.columns, f"It is protected by {requirement}.")
        if column is not None and column not in protected:
            raise BadInput(
                f"The column {column!r} of {requirement} is not sensitive. Name it in sensitive (--sensitive)"
                + (f"; sensitive now: {listing(sorted(protected))}." if protected else ".")
            )
        if requirement.minimal_size > rows:
            raise TooFewRows(
                f"{requirement} needs at least {plural(requirement.minimal_size, 'rows')}, and the table has {rows}. "
                "Lower the requirement or give more rows."
            )


def with_trees(
    requirements: Iterable[Requirement], trees: Mapping[str, Mapping[str, object]]
) -> tuple[Requirement, ...]:
    """Give each requirement that lacks a tree the one of its column, where there is one."""
    return tuple(
        one if one.column is None or one.column not in trees else one.with_tree(trees[one.column])
        for one in requirements
    )


def with_orders(requirements: Iterable[Requirement], orders: Mapping[str, Sequence[str]]) -> tuple[Requirement, ...]:
    """Give each requirement that lacks an order the one of its column, where there is one."""
    return tuple(
        one if one.column is None or one.column not in orders else one.with_order(orders[one.column])
        for one in requirements
    )


def unreachable(requirements: Sequence[Requirement], context: Context) -> tuple[Requirement, ...]:
    """List the requirements that even one class of all rows fails.

    A monotone requirement that some partition satisfies is satisfied by the union of its classes, the whole
    table; so no release can meet those listed.
    """
    found = []
    for requirement in requirements:
        bound = requirement.bind(context)
        whole = np.zeros((1, 0), np.int64) if bound.column < 0 else context.columns[bound.column].histogram[np.newaxis]
        if requirement.monotone and not bound.satisfied(np.array([context.rows]), whole)[0]:
            found.append(requirement)
    return tuple(found)


def reached_at_most(requirement: Requirement, context: Context) -> str:
    """Say what one class of all rows reaches: no release of the table can do better.

    >>> from hedgerow.io.domains import Domain
    >>> from hedgerow.requirements import LDiversity, SensitiveColumn
    >>> illness = Domain("illness", "text", np.array(["cold", "flu"]))
    >>> context = Context((SensitiveColumn(illness, np.array([6, 2])),), 8)
    >>> reached_at_most(LDiversity(3, "illness"), context), reached_at_most(KAnonymity(9), context)
    ('2 distinct values', '8 records')
    """
    if context.rows < requirement.minimal_size:
        return plural(context.rows, "records")
    return requirement.reached(context)


# --------------------------------------------------------------------------------------------------
# Requirements in a manifest: their parameters, but for those that name values, which few records may hold.


_KIND: Final = "requirement"
_WITHHELD: Final = "withheld"


def stored(requirement: Requirement) -> dict[str, Any]:
    """What a manifest tells of a requirement.

    Examples
    --------
    >>> from hedgerow.requirements import AlphaK, KAnonymity
    >>> stored(KAnonymity(4, shield=["sex"]))
    {'requirement': 'k', 'k': 4, 'shield': ['sex']}
    >>> stored(AlphaK(0.5, 3, "disease", value="HIV"))
    {'requirement': 'alpha', 'alpha': 0.5, 'k': 3, 'column': 'disease', 'withheld': ['value']}
    """
    told: dict[str, Any] = {_KIND: requirement.letter}
    kept = []
    for one in _parameters(requirement):
        value = getattr(requirement, one)
        if value is None:
            continue
        if one in requirement.withheld:
            kept.append(one)
        else:
            told[one] = list(value) if isinstance(value, tuple) else value
    return {**told, _WITHHELD: kept} if kept else told


def withheld(told: Mapping[str, Any]) -> tuple[str, ...]:
    """The parameters of a requirement that its manifest keeps to itself."""
    return tuple(told.get(_WITHHELD, ()))


def restored(told: Mapping[str, Any]) -> Requirement:
    """Read what :func:`stored` wrote; what was withheld is not there.

    >>> restored({"requirement": "k", "k": 4, "shield": ["sex"]})
    KAnonymity(k=4, shield=('sex',))
    """
    kind = Requirement.kinds.get(told[_KIND])
    if kind is None:
        raise BadInput.unknown("requirement", str(told[_KIND]), Requirement.kinds, "A manifest names it.")
    return kind(**{name: value for name, value in told.items() if name not in (_KIND, _WITHHELD)})


def _parameters(requirement: Any) -> list[str]:
    return [one.name for one in dataclasses.fields(requirement)] if dataclasses.is_dataclass(requirement) else []
