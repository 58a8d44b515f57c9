"""Before a method: the table is read, counted, and refused where no method could meet what is required."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

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
from hedgerow.engines import Keeping, Locating, Roomy, Sharing, Source, coded, open_source
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

__all__ = ["Prepared", "Progress", "largest_k", "prepare"]

Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table that has been read and counted, with everything a method needs to know.

    ``requirements`` is what the release is held to, ``asked`` what the method is asked: where people are counted, it is
    asked for rows at home. The tuples of ``counted`` are not in memory if it is a large table.
    """

    source: Source
    schema: Schema
    roles: Roles
    counted: FrequencyTable | LargeTable
    requirements: tuple[Requirement, ...]
    asked: tuple[Requirement, ...]
    random_state: int | None
    progress: Progress
    destination: Destination | None = None
    publish_proportions: bool = False
    min_support: int | None = None
    target_bins: int | None = None

    @property
    def counts(self) -> FrequencyTable:
        """The counts of a table that fits into memory; whoever asks knows that it does."""
        if isinstance(self.counted, LargeTable):
            raise InternalError("the tuples of a large table were taken to be in memory")
        return self.counted

    @cached_property
    def seen(self) -> FrequencyTable:
        """The counts as a method learns from them: those of the target in bins, where it is to be."""
        return self.counts if self.target_bins is None else in_bins(self.counts, self.target_bins)

    @property
    def losing(self) -> FrequencyTable | LargeTable:
        """The counts by which losses are measured."""
        return self.counted if isinstance(self.counted, LargeTable) else self.seen


def prepare(
    data: Any,
    schema: Schema,
    requirements: Sequence[Requirement],
    *,
    random_state: int | None,
    progress: Progress | None = None,
    destination: str | Path | Destination | None = None,
    publish_proportions: bool = False,
    min_support: int | None = None,
    target_bins: int | None = None,
) -> Prepared:
    """Read and count a table, encode its hierarchies, and refuse what no method could meet."""
    if not isinstance(schema, Schema):
        raise BadInput.parameter("schema", "anonymize", "a hedgerow.Schema", type(schema).__name__)
    _check_random_state(random_state)
    if not isinstance(publish_proportions, bool):
        raise BadInput.parameter("publish_proportions", "anonymize", "True or False", publish_proportions)
    _check_min_support(min_support, publish_proportions)
    if target_bins is not None:
        check_bins(target_bins, schema.target)
    place = None if destination is None else Destination.of(destination)
    if place is not None:
        check_destination(place)
    progress = progress or (lambda _stage: None)
    progress("Reading and counting")
    source = open_source(data)
    roles = schema.resolve(source.columns)
    check_requirements(requirements, roles, rows=_UNKNOWN_ROWS)
    if place is not None and place.layout is not None:
        named = {"quasi": roles.quasi, "pseudonymized": roles.pseudonymized, "entity": roles.entity}
        check_partition(place.layout, roles.published, named)
    if isinstance(source, Roomy):
        source.check_room(roles, None if place is None else place.path)
    if sum(path.stat().st_size for path in source.reads) > _LARGE:
        jit.begin()
    counts = _counted(source, schema, roles, random_state)
    _refuse_undecided(source, schema, roles, counts.rows)
    if roles.entity is not None and not roles.names_people and isinstance(counts, FrequencyTable):
        roles = replace(roles, pseudonyms_link=_pseudonyms_link(source, roles))
        counts = replace(counts, roles=roles)
    if publish_proportions and not roles.linked and isinstance(counts, FrequencyTable):
        # They are told of people at home, of whom every class must have enough then.
        counts = replace(counts, links=None)
    check_requirements(requirements, roles, rows=counts.people)
    counts = counts.with_hierarchies({name: _hierarchy(source, schema, counts, name) for name in roles.quasi})
    requirements = with_trees(requirements, _sensitive_trees(source, schema, roles, counts))
    orders = {name: kind for name, kind in schema.kinds.items() if not isinstance(kind, str)}
    requirements = with_orders(requirements, orders)
    prepared = Prepared(
        source,
        schema,
        roles,
        counts,
        requirements,
        _asked(requirements, roles, publish_proportions),
        random_state,
        progress,
        place,
        publish_proportions,
        min_support,
        target_bins,
    )
    _refuse_unreachable(prepared)
    return prepared


def _counted(source: Source, schema: Schema, roles: Roles, random_state: int | None) -> FrequencyTable | LargeTable:
    """Count a table; its tuples stay with a source that can keep them, where they do not fit into memory."""
    count = source.count_or_keep if isinstance(source, Keeping) else source.count
    # An engine need not know of people, as long as rows are counted.
    return count(schema, roles) if roles.entity is None else count(schema, roles, random_state)


def _asked(requirements: Sequence[Requirement], roles: Roles, proportions: bool) -> tuple[Requirement, ...]:
    """What the method is asked so that the requirements hold, and proportions can be told."""
    if roles.entity is None:
        return tuple(requirements)
    asked = of_people(requirements)
    # Proportions are told of people at home: every class must have enough of these.
    return (*asked, Representatives(largest_k(requirements))) if proportions else asked


def _refuse_undecided(source: Source, schema: Schema, roles: Roles, records: int) -> None:
    """Refuse to count rows where a column tells people apart who have several of them, and nobody has decided.

    The columns that may do so are found among some rows; whether one does, among all rows of some of its values.
    """
    if roles.entity is not None or schema.rows_are_people or not isinstance(source, Sharing):
        return
    most = max(1, min(_MOST_ROWS, _MOST_CELLS // len(source.columns)))
    seen = source.rows_that_share(None, most)
    columns = _key_columns(seen, source, schema)
    others = set(roles.pseudonymized)  # of these the verifier counts the people
    candidates = [name for name, column in columns.items() if name not in others and column.may_be_key]
    for name in candidates:
        # Where these are not all rows, a value may be there once and have many.
        rows = columns if records <= most else _key_columns(source.rows_that_share(name, most), source, schema)
        for key in keys_of_people(rows, roles.quasi, [name]):
            _refuse_counting_rows(key, roles)


def _pseudonyms_link(source: Source, roles: Roles) -> bool:
    """Whether some person has several rows with the same pseudonym, as far as some people's rows tell."""
    if not roles.pseudonymized or not isinstance(source, Sharing) or roles.entity is None:
        return bool(roles.pseudonymized)
    rows = source.rows_that_share(roles.entity, _MOST_ROWS)
    person = coded(rows.column(roles.entity))
    pseudonyms = (rows.column(name) for name in roles.pseudonymized)
    return any((np.bincount(alike([person, coded(one)])[~np.asarray(one.is_null())]) > 1).any() for one in pseudonyms)


def _refuse_counting_rows(key: Key, roles: Roles) -> None:
    *others, last = map(repr, key.determines[:3])
    named = " and not as a quasi-identifier" if key.name in roles.quasi else ""
    raise Disclosing(
        f"The column {key.name!r} tells people apart who have several rows, {key.rows:.1f} on average: rows that share "
        f"its value agree in {', '.join(others)} and {last}. Then k rows may be of one person. Name it as entity"
        f"{named} (entity={key.name!r}, --entity {key.name}), so that people are counted, or say that every row is a "
        "person (rows_are_people=True, --rows-are-people)."
    )


def _key_columns(rows: pa.Table, source: Source, schema: Schema) -> dict[str, KeyColumn]:
    """The columns of some rows as codes; those that cannot be read are left out."""
    found = {}
    for name in rows.column_names:
        values = rows.column(name)
        kind: Asked = "derived" if is_text(values.type) else "typed"
        with suppress(BadInput, BadValues):
            point = str(getattr(source, "decimal", "."))
            encoded = encode_column(name, values, missing=schema.missing, kind=kind, decimal_point=point)
            found[name] = KeyColumn(encoded.codes, encoded.domain)
    return found


# So many rows, and cells, are enough to see that a column tells people apart.
_MOST_ROWS = 50_000
_MOST_CELLS = 2_000_000

# Files of so many bytes are counted for as long as numba takes to start.
_LARGE = 2**25

# A bound no table reaches: columns are checked before the table is read, sizes after it.
_UNKNOWN_ROWS = 2**62


def _check_random_state(random_state: object) -> None:
    if random_state is not None:
        check_int("random_state", "anonymize", random_state, 0, must="None or an int >= 0")


def _check_min_support(min_support: object, publish_proportions: bool) -> None:
    if min_support is None:
        return
    check_int("min_support", "anonymize", min_support, 1, must="None or an int >= 1")
    if not publish_proportions:
        raise BadInput("min_support is that of proportions, which are not published. Say publish_proportions=True too.")


def _hierarchy(source: Source, schema: Schema, counts: Counted, name: str) -> EncodedHierarchy:
    """The hierarchy of a column; if it does not cover all values, the error names the first lines of those it lacks."""

    def located(lacking: Uncovered) -> BadInput:
        if not isinstance(source, Locating) or not isinstance(counts, FrequencyTable):
            return lacking
        cells = np.isin(counts.codes_of(name), lacking.codes)
        return lacking.located(source.places(name, cells))

    with translated(Uncovered, into=located):
        return resolve_hierarchy(schema.hierarchies.get(name), counts.domains[name], name)


def _sensitive_trees(source: Source, schema: Schema, roles: Roles, counts: Counted) -> dict[str, dict[str, Any]]:
    """The hierarchies given for sensitive columns, as the nested mappings that t-closeness reads."""
    trees = {}
    for name in roles.counted:
        if name not in roles.quasi and name in schema.hierarchies:
            trees[name] = _hierarchy(source, schema, counts, name).to_tree()
    return trees


def _refuse_unreachable(prepared: Prepared) -> None:
    context = context_of(prepared.counted, prepared.asked)
    failing = unreachable(prepared.asked, context)
    if failing:
        raise Infeasible(
            f"The table cannot meet {failing[0]}: even with every quasi-identifier suppressed, all "
            f"{plural(prepared.counted.rows, 'records')} as one class reach only "
            f"{reached_at_most(failing[0], context)}. Lower the requirement."
        )


def largest_k(requirements: Sequence[Requirement]) -> int:
    """The size that every class must have; what average sizes are measured by."""
    return max(one.minimal_size for one in requirements)
