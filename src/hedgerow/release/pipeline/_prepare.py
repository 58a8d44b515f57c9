"""Before a method: read and count the table, and refuse requirements that no method could meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow._internal import jit
from hedgerow.core.counts import (
    Asked,
    BadValues,
    Counted,
    FrequencyTable,
    Key,
    KeyColumn,
    LargeTable,
    alike,
    check_bins,
    encode_column,
    in_bins,
    is_text,
    keys_of_people,
)
from hedgerow.engines import CountedSource, Source, coded, open_source
from hedgerow.errors import BadInput, Disclosing, Infeasible, InternalError, check_int, plural, translated
from hedgerow.hierarchies import EncodedHierarchy, Uncovered
from hedgerow.hierarchies import resolve as resolve_hierarchy
from hedgerow.io.destinations import Destination
from hedgerow.release import check_destination, check_partition
from hedgerow.requirements import (
    Representatives,
    Requirement,
    context_of,
    of_people,
    reached_at_most,
    unreachable,
    with_orders,
    with_trees,
)
from hedgerow.requirements import check as check_requirements
from hedgerow.schema import Roles, Schema

__all__ = ["Options", "Prepared", "Progress", "prepare"]

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """The options of :func:`hedgerow.anonymize` beside the table, its schema, the method and the seed.

    ``None`` leaves the choice to the method, whose own parameters have the same names.

    Attributes
    ----------
    k, require
        The requirements, as they are given.
    suppression_limit : float or int, optional
        How many records may be lost.
    publish_proportions : bool, optional
    min_support : int, optional
    target_bins : int, optional
    progress : callable, optional
        Called with the name of each stage.
    destination : path, optional
        Where the release will be saved, if it is known.
    """

    k: int | None = None
    require: Any = ()
    suppression_limit: float | None = None
    publish_proportions: bool | None = None
    min_support: int | None = None
    target_bins: int | None = None
    progress: Progress | None = None
    destination: str | Path | Destination | None = None

    def check(self, schema: Schema) -> None:
        """Refuse options that no release can meet, before the table is opened."""
        if self.publish_proportions is not None and not isinstance(self.publish_proportions, bool):
            raise BadInput.parameter("publish_proportions", "anonymize", "True or False", self.publish_proportions)
        if self.min_support is not None:
            check_int("min_support", "anonymize", self.min_support, 1, must="None or an int >= 1")
            if not self.publish_proportions:
                raise BadInput("min_support requires publish_proportions=True.")
        if self.target_bins is not None:
            check_bins(self.target_bins, schema.target)

    def report(self, stage: str) -> None:
        """Name the stage that begins."""
        if self.progress is not None:
            self.progress(stage)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table that has been read and counted, with everything a method needs to know.

    Attributes
    ----------
    source : CountedSource
        What the recoding is applied to.
    schema : Schema
    roles : Roles
    counted : FrequencyTable or LargeTable
        The counts, with hierarchies.
    requirements : tuple of Requirement
        What the release must meet.
    asked : tuple of Requirement
        What the method must meet so that the release does: where people are counted, it counts representatives.
    options : Options
    destination : Destination, optional
    random_state : int, optional
    """

    source: CountedSource
    schema: Schema
    roles: Roles
    counted: FrequencyTable | LargeTable
    requirements: tuple[Requirement, ...]
    asked: tuple[Requirement, ...]
    options: Options
    destination: Destination | None
    random_state: int | None

    @property
    def counts(self) -> FrequencyTable:
        """The counts of a table that fits into memory."""
        if isinstance(self.counted, LargeTable):
            raise InternalError("the tuples of a large table were taken to be in memory")
        return self.counted

    @property
    def binned(self) -> FrequencyTable | LargeTable:
        """The counts that losses are measured by: with the target in bins, if it is to be in bins."""
        bins = self.options.target_bins
        return self.counted if bins is None or isinstance(self.counted, LargeTable) else in_bins(self.counted, bins)

    @property
    def k(self) -> int:
        """The size that every class must have."""
        return max(requirement.minimal_size for requirement in self.requirements)


def prepare(
    data: Any,
    schema: Schema,
    requirements: Sequence[Requirement],
    options: Options | None = None,
    *,
    random_state: int | None = None,
) -> Prepared:
    """Read and count a table, encode its hierarchies, and refuse requirements that no method could meet."""
    if not isinstance(schema, Schema):
        raise BadInput.parameter("schema", "anonymize", "a hedgerow.Schema", type(schema).__name__)
    if random_state is not None:
        check_int("random_state", "anonymize", random_state, 0, must="None or an int >= 0")
    options = Options() if options is None else options
    options.check(schema)
    destination = None if options.destination is None else Destination.of(options.destination)
    if destination is not None:
        check_destination(destination)
    options.report("Reading and counting")
    source = open_source(data)
    roles = schema.resolve(source.columns)
    check_requirements(requirements, roles, rows=_UNKNOWN_ROWS)
    if destination is not None and destination.layout is not None:
        named = {"quasi": roles.quasi, "pseudonymized": roles.pseudonymized, "entity": roles.entity}
        check_partition(destination.layout, roles.published, named)
    source.check_room(roles, None if destination is None else destination.path)
    counted_source, counted = _count(source, schema, roles, options, random_state)
    check_requirements(requirements, counted.roles, rows=counted.people)
    counted = counted.with_hierarchies(_hierarchies(counted_source, schema, counted, roles.quasi))
    requirements = _with_values(requirements, counted_source, schema, counted)
    asked = _asked(requirements, counted, options)
    return Prepared(
        counted_source,
        schema,
        counted.roles,
        counted,
        requirements,
        asked,
        options,
        destination,
        random_state,
    )


def _count(
    source: Source, schema: Schema, roles: Roles, options: Options, random_state: int | None
) -> tuple[CountedSource, FrequencyTable | LargeTable]:
    """Count a table, and refuse to count rows where people must be counted."""
    if sum(path.stat().st_size for path in source.reads) > _LARGE:
        jit.begin()
    source_counted = source.count(schema, roles, random_state)
    counted = source_counted.counted
    _refuse_undecided(source_counted, schema, roles)
    if isinstance(counted, LargeTable):
        return source_counted, counted
    if roles.entity is not None and not roles.names_people:
        roles = replace(roles, pseudonyms_link=_pseudonyms_link(source_counted, roles))
        counted = replace(counted, roles=roles)
    if options.publish_proportions and not roles.linked:
        # Proportions count representatives, of whom every class must then have enough.
        counted = replace(counted, links=None)
    return source_counted, counted


def _refuse_undecided(source: CountedSource, schema: Schema, roles: Roles) -> None:
    """Refuse to count rows if a column identifies people who have several rows, and you have not decided on it.

    Candidates are found in a sample of rows. Each is then judged by these rows, which show a value of many rows, and by
    all rows of some of its values, which show values of few rows.
    """
    if roles.entity is not None or schema.rows_are_people:
        return
    most = max(1, min(_MOST_ROWS, _MOST_CELLS // len(source.source.columns)))
    sample = _key_columns(source, schema, None, most)
    others = set(roles.pseudonymized)  # the verifier counts the people of these
    candidates = [name for name, column in sample.items() if name not in others and column.may_be_key]
    for name in candidates:
        samples = [sample] if source.counted.rows <= most else [sample, _key_columns(source, schema, name, most)]
        for key in chain.from_iterable(keys_of_people(columns, roles.quasi, [name]) for columns in samples):
            _refuse_counting_rows(key, roles)


def _pseudonyms_link(source: CountedSource, roles: Roles) -> bool:
    """Whether a person has several rows with the same pseudonym, judged by the rows of some people."""
    if not roles.pseudonymized or roles.entity is None:
        return bool(roles.pseudonymized)
    rows = source.rows_that_share(roles.entity, _MOST_ROWS)
    if rows is None:
        return True
    person = coded(rows.column(roles.entity))
    pseudonyms = (rows.column(name) for name in roles.pseudonymized)
    return any((np.bincount(alike([person, coded(one)])[~np.asarray(one.is_null())]) > 1).any() for one in pseudonyms)


def _refuse_counting_rows(key: Key, roles: Roles) -> None:
    *others, last = map(repr, key.determines[:3])
    named = " and not as a quasi-identifier" if key.name in roles.quasi else ""
    raise Disclosing(
        f"The column {key.name!r} tells people apart who have several rows, {key.rows:.1f} on average and up to "
        f"{key.most:,}: rows that share its value agree in {', '.join(others)} and {last}. Then k rows may be of one "
        f"person. Name it as entity{named} (entity={key.name!r}, --entity {key.name}), so that people are counted, or "
        "say that every row is a person (rows_are_people=True, --rows-are-people)."
    )


def _key_columns(source: CountedSource, schema: Schema, shared: str | None, most: int) -> dict[str, KeyColumn]:
    """The columns of some rows as codes; columns that cannot be read are left out."""
    found: dict[str, KeyColumn] = {}
    rows = source.rows_that_share(shared, most)
    if rows is None:
        return found
    for name in rows.column_names:
        values = rows.column(name)
        kind: Asked = "derived" if is_text(values.type) else "typed"
        with suppress(BadInput, BadValues):
            point = source.source.decimal
            encoded = encode_column(name, values, missing=schema.missing, kind=kind, decimal_point=point)
            found[name] = KeyColumn(encoded.codes, encoded.domain)
    return found


# So many rows, and cells, are enough to see that a column identifies people.
_MOST_ROWS = 50_000
_MOST_CELLS = 2_000_000

# Counting files of so many bytes takes as long as starting numba.
_LARGE = 2**25

# No table has so many rows: columns are checked before the table is read, sizes afterwards.
_UNKNOWN_ROWS = 2**62


def _hierarchies(
    source: CountedSource, schema: Schema, counted: FrequencyTable | LargeTable, names: Iterable[str]
) -> dict[str, EncodedHierarchy]:
    """The hierarchies of some columns; an error about values that one lacks says where the first of them stand."""
    found = {}
    for name in names:
        with translated(Uncovered, into=partial(_located, source, counted, name)):
            found[name] = resolve_hierarchy(schema.hierarchies.get(name), counted.domains[name], name)
    return found


def _located(source: CountedSource, counted: FrequencyTable | LargeTable, name: str, lacking: Uncovered) -> BadInput:
    if isinstance(counted, LargeTable):
        return lacking
    places = source.places(name, np.isin(counted.codes_of(name), lacking.codes))
    return lacking if places is None else lacking.located(places)


def _with_values(
    requirements: Sequence[Requirement], source: CountedSource, schema: Schema, counted: FrequencyTable | LargeTable
) -> tuple[Requirement, ...]:
    """The requirements with the trees and orders of their columns' values, as the schema has them."""
    named = [name for name in counted.cell_columns if name in schema.hierarchies and name not in counted.quasi]
    trees = {name: one.to_tree() for name, one in _hierarchies(source, schema, counted, named).items()}
    orders = {name: kind for name, kind in schema.kinds.items() if not isinstance(kind, str)}
    return with_orders(with_trees(requirements, trees), orders)


def _asked(requirements: Sequence[Requirement], counted: Counted, options: Options) -> tuple[Requirement, ...]:
    """What the method must meet so that the requirements hold; refused if not even one class of all records does."""
    asked = tuple(requirements)
    if counted.roles.entity is not None:
        asked = of_people(requirements)
        if options.publish_proportions:
            # Proportions count representatives: every class must have enough of them.
            asked = (*asked, Representatives(max(one.minimal_size for one in requirements)))
    context = context_of(counted, asked)
    failing = unreachable(asked, context)
    if failing:
        raise Infeasible(
            f"The table cannot meet {failing[0]}: even with every quasi-identifier suppressed, all "
            f"{plural(counted.rows, 'records')} as one class reach only {reached_at_most(failing[0], context)}. Lower "
            "the requirement."
        )
    return asked
