"""Which columns are coded before a table is counted, and what of it is told.

Columns that are published in clear are coded here: by the schema's recodes, and so that at least ``min_people`` people
hold every value. Quasi-identifiers are left to the method, which must satisfy a requirement for each of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from hedgerow.core.coding import Coding, ColumnToCode, ValueMap, code_column, parse_recode
from hedgerow.engines import Source
from hedgerow.errors import BadInput, Infeasible, listing, plural
from hedgerow.release._guarantee import SmallCounts
from hedgerow.requirements import KAnonymity, Requirement
from hedgerow.schema import Roles, Schema
from hedgerow.verifier.classes import text_of

__all__ = ["Bounds", "Coded", "check_codings", "code", "coded_texts", "per_column"]

_MOST_ROUNDS: Final = 5


@dataclass(frozen=True, eq=False)
class Coded:
    """The coded columns of a table.

    Attributes
    ----------
    schema : Schema
        With hierarchies in which the published values are leaves.
    codings : mapping of column to Coding
        The columns that were looked at.
    """

    schema: Schema
    codings: Mapping[str, Coding] = field(default_factory=dict)


@dataclass(frozen=True)
class Bounds:
    """The number of people below which values are pooled: more than ``least`` where suppression takes some of them.

    Attributes
    ----------
    least : int, optional
        The least number of people of every value.
    columns : mapping of column to int
        The bounds of columns that need a higher one.
    rounds : int
        How often they were raised.
    """

    least: int | None
    columns: Mapping[str, int] = field(default_factory=dict)
    rounds: int = 0

    def of(self, column: str) -> int | None:
        """The bound of a column."""
        return self.columns.get(column, self.least)

    def raised(self, few: SmallCounts, codings: Mapping[str, Coding], lost: int) -> Bounds:
        """Higher bounds for the columns whose values were too few after ``lost`` records were suppressed.

        Nothing helps columns that cannot be pooled further, or a release that suppressed nothing. In the last round the
        bounds are so high that as many losses cannot bring a value below the least number.
        """
        failing, least = few.held.failing, few.held.least
        if not lost:
            raise few
        stuck = [name for name in failing if not (name in codings and codings[name].pools)]
        if stuck or self.rounds == _MOST_ROUNDS:
            names = stuck or list(failing)
            raise Infeasible(
                f"After {plural(lost, 'records')} were suppressed, values of {listing(names)} are held by fewer than "
                f"{plural(least, 'people')}. Lower the suppression limit (--suppression-limit), or code these columns "
                "more coarsely."
            )
        surely = least + lost
        columns = dict(self.columns)
        for name, rare in failing.items():
            bound = (self.of(name) or least) + least - rare.fewest
            columns[name] = max(bound, surely) if self.rounds == _MOST_ROUNDS - 1 else bound
        return Bounds(self.least, columns, self.rounds + 1)


def check_codings(schema: Schema, min_people: int | None) -> None:
    """Refuse recodes that cannot be read, and a person who is published where nobody may be alone."""
    for name, words in schema.recode.items():
        parse_recode(words, name)
    if min_people is not None and schema.entity is not None and schema.entity in schema.insensitive:
        raise BadInput(
            f"The column {schema.entity!r} identifies people and is to be published unchanged, and min_people demands "
            "several people for every value. Replace it by pseudonyms (pseudonymize, --pseudonymize), or drop it."
        )


def code(source: Source, schema: Schema, roles: Roles, min_people: int | None, bounds: Bounds | None = None) -> Coded:
    """Code the columns of a source that are published in clear, before it is counted.

    Parameters
    ----------
    source : Source
    schema : Schema
    roles : Roles
    min_people : int, optional
        The fewest people who may hold a value.
    bounds : Bounds, optional
        Below which numbers of people values are pooled, if that is not ``min_people``.
    """
    clear = [name for name in roles.published if name not in (*roles.quasi, *roles.pseudonymized)]
    if min_people is None:
        clear = [name for name in clear if name in schema.recode]
    if not clear:
        return Coded(schema)
    source.coding = {}
    codings: dict[str, Coding] = {}
    maps: dict[str, ValueMap] = {}
    for name in clear:
        kind = schema.kinds.get(name, "derived" if source.untyped else "typed")
        column = ColumnToCode(
            name,
            kind if isinstance(kind, str) else "text",
            tuple(schema.missing),
            source.decimal,
            hierarchy=schema.hierarchies.get(name),
            recode=parse_recode(schema.recode[name], name) if name in schema.recode else None,
            least=min_people,
            bound=min_people if bounds is None else bounds.of(name),
        )
        codings[name] = coding = code_column(column, source.holders(name, schema, roles))
        if coding.map is not None:
            maps[name] = coding.map
    source.coding = maps
    trees = {name: coding.tree for name, coding in codings.items() if coding.tree is not None}
    return Coded(replace(schema, hierarchies={**schema.hierarchies, **trees}), codings)


def coded_texts(codings: Mapping[str, Coding]) -> dict[str, dict[str | None, str | None]]:
    """What the values of coded columns were published as, as texts."""
    maps = {name: coding.map for name, coding in codings.items() if coding.map is not None}
    return {
        name: {
            text_of(value): text_of(published)
            for value, published in zip(one.values.to_pylist(), one.published.to_pylist(), strict=True)
        }
        for name, one in maps.items()
    }


def per_column(requirements: Sequence[Requirement], roles: Roles, min_people: int) -> tuple[Requirement, ...]:
    """What a method must satisfy so that enough people hold every value of each quasi-identifier.

    Classes that are large enough over all quasi-identifiers are large enough over each of them.
    """
    plain = (one.k for one in requirements if isinstance(one, KAnonymity) and one.shield is None)
    if max(plain, default=0) >= min_people:
        return ()
    return tuple(KAnonymity(min_people, shield=(name,)) for name in roles.quasi)
