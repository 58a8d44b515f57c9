"""From the parameters ``k=`` and ``require=`` to a checked list of requirements."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from hedgerow.errors import BadInput, TooFewRows, listing, plural
from hedgerow.requirements._k_anonymity import KAnonymity
from hedgerow.requirements._notation import parse_requirement
from hedgerow.requirements.binding import Context, Requirement
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

    >>> [str(requirement) for requirement in resolve(10, ["l=3@disease"])]
    ['10-anonymity', '3-diversity of disease']
    """
    given = (require,) if isinstance(require, Requirement | str) else require
    if not isinstance(given, Iterable):
        raise BadInput.parameter("require", "anonymize", "a list of requirements", type(require).__name__)
    requirements = [each if isinstance(each, Requirement) else parse_requirement(each) for each in given]
    if k is not None:
        requirements.insert(0, KAnonymity(k))
    if not requirements:
        raise BadInput("No requirement is given. Give k=10 (-k 10), or name some with require= (--require).")
    if len([each for each in requirements if isinstance(each, KAnonymity) and each.shield is None]) > 1:
        raise BadInput("The k of all quasi-identifiers is given twice. Give it once, as k= or as a requirement.")
    return tuple(requirements)


def check(requirements: Iterable[Requirement], roles: Roles, rows: int) -> None:
    """Refuse the first requirement that does not fit the table's roles or its number of rows."""
    protected = {*roles.sensitive, roles.target}
    for requirement in requirements:
        for name in requirement.shield or ():
            if name not in roles.quasi:
                raise _wrong_shield(name, requirement, roles)
        if requirement.column is not None and requirement.column not in protected:
            raise _unprotected(requirement.column, requirement, roles)
        if requirement.minimal_size > rows:
            raise TooFewRows(
                f"{requirement} needs at least {plural(requirement.minimal_size, 'rows')}, and the table has {rows}. "
                "Lower the requirement or give more rows."
            )


def _wrong_shield(name: str, requirement: Requirement, roles: Roles) -> BadInput:
    if name not in roles.columns:
        return BadInput.unknown("column", name, roles.columns, f"It is in the shield of {requirement}.")
    return BadInput(
        f"The column {name!r} in the shield of {requirement} is not a quasi-identifier. Name it in quasi (--quasi)."
    )


def _unprotected(name: str, requirement: Requirement, roles: Roles) -> BadInput:
    if name not in roles.columns:
        return BadInput.unknown("column", name, roles.columns, f"It is protected by {requirement}.")
    protected = sorted({*roles.sensitive, *(() if roles.target is None else (roles.target,))})
    return BadInput(
        f"The column {name!r} of {requirement} is not sensitive. Name it in sensitive (--sensitive)"
        + (f"; sensitive now: {listing(protected)}." if protected else ".")
    )


def with_trees(
    requirements: Iterable[Requirement], trees: Mapping[str, Mapping[str, object]]
) -> tuple[Requirement, ...]:
    """Give each requirement that needs a tree the tree of its column, if there is one."""
    return tuple(each.with_tree(trees[str(each.column)]) if each.column in trees else each for each in requirements)


def with_orders(requirements: Iterable[Requirement], orders: Mapping[str, Sequence[str]]) -> tuple[Requirement, ...]:
    """Give each requirement that needs an order the order of its column, if there is one."""
    return tuple(each.with_order(orders[str(each.column)]) if each.column in orders else each for each in requirements)


def unreachable(requirements: Sequence[Requirement], context: Context) -> tuple[Requirement, ...]:
    """List the requirements that even a class of all rows fails.

    If the classes of some partition satisfy a monotone requirement, so does their union, the whole table. So no release
    can meet the listed requirements.
    """
    unmet = []
    for requirement in requirements:
        bound = requirement.bind(context)
        whole = np.zeros((1, 0), np.int64) if bound.column < 0 else context.columns[bound.column].histogram[np.newaxis]
        if requirement.monotone and not bound.satisfied(np.array([context.rows]), whole)[0]:
            unmet.append(requirement)
    return tuple(unmet)


def reached_at_most(requirement: Requirement, context: Context) -> str:
    """What one class of all rows reaches, in words: no release of the table can do better.

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
# Requirements in a manifest: their parameters, except those that name values, which few records may hold.


_KIND: Final = "requirement"
_WITHHELD: Final = "withheld"


def stored(requirement: Requirement) -> dict[str, Any]:
    """A requirement as a manifest has it.

    Examples
    --------
    >>> from hedgerow.requirements import AlphaK, KAnonymity
    >>> stored(KAnonymity(4, shield=["sex"]))
    {'requirement': 'k', 'k': 4, 'shield': ['sex']}
    >>> stored(AlphaK(0.5, 3, "disease", value="HIV"))
    {'requirement': 'alpha', 'alpha': 0.5, 'k': 3, 'column': 'disease', 'withheld': ['value']}
    """
    shown: dict[str, Any] = {_KIND: requirement.letter}
    hidden: list[str] = []
    declared: Any = requirement
    for field in dataclasses.fields(declared) if dataclasses.is_dataclass(declared) else ():
        value = getattr(requirement, field.name)
        if value is None:
            continue
        if field.name in requirement.withheld:
            hidden.append(field.name)
        else:
            shown[field.name] = list(value) if isinstance(value, tuple) else value
    return {**shown, _WITHHELD: hidden} if hidden else shown


def withheld(stored: Mapping[str, Any]) -> tuple[str, ...]:
    """The parameters of a requirement that its manifest does not show."""
    return tuple(stored.get(_WITHHELD, ()))


def restored(stored: Mapping[str, Any]) -> Requirement:
    """Read what :func:`stored` wrote; withheld parameters are absent.

    >>> restored({"requirement": "k", "k": 4, "shield": ["sex"]})
    KAnonymity(k=4, shield=('sex',))
    """
    kind = Requirement.kinds.get(stored[_KIND])
    if kind is None:
        raise BadInput.unknown("requirement", str(stored[_KIND]), Requirement.kinds, "A manifest names it.")
    return kind(**{name: value for name, value in stored.items() if name not in (_KIND, _WITHHELD)})
