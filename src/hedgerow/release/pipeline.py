"""The pipeline around every method: read and count, fit, apply, verify, and only then return a release.

:func:`prepare` reads and counts the table before the method, and refuses requirements that no method could meet.
:func:`finish` applies the recoding, verifies and examines the published rows, and makes the release. Methods import
this module when they anonymize, so that wrong parameters are found before any heavy import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow._internal import jit
from hedgerow._internal.arrays import Longs
from hedgerow._internal.rounding import digits_shown, significant
from hedgerow._internal.threads import concurrently
from hedgerow.core.cells import ValueSet, format_value, parse, spelled
from hedgerow.core.coding import Coding
from hedgerow.core.counts import (
    Asked,
    BadValues,
    Counted,
    FrequencyTable,
    LargeTable,
    alike,
    check_bins,
    date_label,
    encode_column,
    in_bins,
    is_text,
)
from hedgerow.core.metrics import all_losses
from hedgerow.core.proportions import Proportions, count_labels, count_proportions
from hedgerow.core.recoding import Recoding
from hedgerow.engines import CountedSource, Published, Source, coded, holdable, in_memory, open_source, seed_text
from hedgerow.engines.formulas import formula_warning, formulas_in
from hedgerow.errors import BadInput, Disclosing, Infeasible, InternalError, check_int, plural, translated
from hedgerow.hierarchies import EncodedHierarchy, Uncovered, limited
from hedgerow.hierarchies import resolve as resolve_hierarchy
from hedgerow.io.destinations import Destination
from hedgerow.io.domains import Kind
from hedgerow.io.values import SUPPRESSED_TEXT, iso_moment
from hedgerow.release import Guarantee, Release, check_destination, check_partition
from hedgerow.release._coding import Bounds, Coded, check_codings, code, coded_texts, per_column
from hedgerow.release._margins import Margins
from hedgerow.release._previous import Previous, Republished
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
from hedgerow.requirements import stored as stored_requirements
from hedgerow.risk import (
    ClearColumn,
    CodedColumn,
    ReleaseFacts,
    Seen,
    audit_counts,
    classes_that_single_out,
    examine,
    judge,
    refuse_disclosing,
    singled_out,
)
from hedgerow.risk.dependencies import Key, KeyColumn, keys_of_people
from hedgerow.schema import Roles, Schema
from hedgerow.verifier import ClassCounts, Finding, Levels

__all__ = [
    "Bounds",
    "Margins",
    "Options",
    "Prepared",
    "Previous",
    "Progress",
    "check_proportions",
    "finish",
    "prepare",
    "proportions_of",
]

Progress = Callable[[str], None]


# So many rows, and cells, are enough to see that a column identifies people.
_MOST_ROWS = 50_000
_MOST_CELLS = 2_000_000

# Counting files of so many bytes takes as long as starting numba.
_LARGE = 2**25

# So much text fits into a column of every kind of table; longer columns are fine where their cells are short.
_MOST_TEXT = 2**31
_LONG_CELL = 1_000

# No table has so many rows: columns are checked before the table is read, sizes afterwards.
_UNKNOWN_ROWS = 2**62


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
    min_people : int, optional
        How many people must hold every value of every column.
    remarks : tuple of str
        Notes on how options were understood, for the warnings of the release.
    previous : Previous, optional
        An earlier release, with which the new one must meet the requirements too.
    keep_rows : bool
        Whether the recoding should know the group of each row of a file, too. A large file is not held in memory.
    """

    k: int | None = None
    require: Any = ()
    suppression_limit: float | None = None
    publish_proportions: bool | None = None
    min_support: int | None = None
    target_bins: int | None = None
    progress: Progress | None = None
    destination: str | Path | Destination | None = None
    min_people: int | None = None
    remarks: tuple[str, ...] = ()
    previous: Previous | None = None
    keep_rows: bool = False

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
        if self.min_people is not None:
            check_int("min_people", "anonymize", self.min_people, 1, must="None or an int >= 1")
            if self.min_support is not None and self.min_support < self.min_people:
                must = f"at least min_people, {self.min_people}, or None"
                raise BadInput.parameter("min_support", "anonymize", must, self.min_support)
        if self.asks_for_codings(schema):
            check_codings(schema, self.min_people)
        if self.previous is not None and self.publish_proportions:
            raise BadInput(
                "Proportions cannot be published beside an earlier release: they reveal more than the table, of which "
                "both together promise something. Leave publish_proportions (--publish-proportions) out."
            )

    def asks_for_codings(self, schema: Schema) -> bool:
        """Whether columns in clear are coded before the table is counted."""
        return self.min_people is not None or bool(schema.recode)

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
    codings : mapping of column to Coding
        How the values of columns in clear were coded before they were counted.
    beside : Republished, optional
        The earlier release, and the strata that it divides the table into.
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
    codings: Mapping[str, Coding] = field(default_factory=dict)
    beside: Republished | None = None

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


# --------------------------------------------------------------------------------------------------
# Before the method: read and count the table, and refuse requirements that no method could meet.


def prepare(
    data: Any,
    schema: Schema,
    requirements: Sequence[Requirement],
    options: Options | None = None,
    *,
    random_state: int | None = None,
    bounds: Bounds | None = None,
    margins: Margins | None = None,
) -> Prepared:
    """Read and count a table, encode its hierarchies, and refuse requirements that no method could meet.

    With ``bounds``, values are pooled that fewer people hold than these. With ``margins``, the method must meet
    stricter requirements than the release.
    """
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
    roles = schema.resolve(source.columns, coded=options.min_people is not None)
    check_requirements(requirements, roles, rows=_UNKNOWN_ROWS)
    if destination is not None and destination.layout is not None:
        named = {"quasi": roles.quasi, "pseudonymized": roles.pseudonymized, "entity": roles.entity}
        check_partition(destination.layout, roles.published, named)
    source.check_room(roles, None if destination is None else destination.path)
    republished = None
    if options.previous is not None:
        options.report("Comparing with the previous release")
        republished = options.previous.read(source, schema, roles, requirements)
        source = republished.source
    elif options.keep_rows and holdable(source):
        source, _ = in_memory(source, "A recoding with the group of each row")
    coded, source.coding = Coded(schema), None  # a source may have been coded before
    if options.asks_for_codings(schema):
        coded = code(source, schema, roles, options.min_people, bounds)
    schema = coded.schema
    if roles.entity is not None:
        by_shares = dict.fromkeys(str(one.column) for one in requirements if one.by_shares)
        roles = replace(roles, by_people=tuple(by_shares))
    counted_source, counted = _count(source, schema, roles, options, random_state)
    check_requirements(requirements, counted.roles, rows=counted.people)
    counted = counted.with_hierarchies(_hierarchies(counted_source, schema, counted, roles.quasi))
    requirements = _with_values(requirements, counted_source, schema, counted)
    asked = _asked(requirements, counted, options, margins or Margins())
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
        coded.codings,
        republished,
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

    Candidates are found in a sample of rows. Each is then judged by all rows of some of its values, which show how many
    rows a value has, and by the sample, which shows a value of very many rows.
    """
    if roles.entity is not None or schema.rows_are_people:
        return
    most = max(1, min(_MOST_ROWS, _MOST_CELLS // len(source.source.columns)))
    sample = _key_columns(source, schema, None, most)
    others = set(roles.pseudonymized)  # the verifier counts the people of these
    candidates = [name for name, column in sample.items() if name not in others and column.may_be_key]
    for name in candidates:
        samples = [sample] if source.counted.rows <= most else [_key_columns(source, schema, name, most), sample]
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
        f"The column {key.name!r} identifies people who have several rows, {key.rows:.1f} on average and up to about "
        f"{key.most:,}: rows that share its value agree in {', '.join(others)} and {last}. So k rows may belong to one "
        f"person. To count people, name it as entity{named} (entity={key.name!r}, --entity {key.name}). Or confirm "
        "that every row is a person (rows_are_people=True, --rows-are-people)."
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


def _hierarchies(
    source: CountedSource, schema: Schema, counted: FrequencyTable | LargeTable, names: Iterable[str]
) -> dict[str, EncodedHierarchy]:
    """The hierarchies of some columns; an error about values that one lacks says where the first of them stand."""
    found = {}
    for name in names:
        with translated(Uncovered, into=partial(_located, source, counted, name)):
            found[name] = resolve_hierarchy(schema.hierarchies.get(name), counted.domains[name], name)
        if name in schema.levels:
            found[name] = limited(found[name], schema.levels[name], name)
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


def _asked(
    requirements: Sequence[Requirement], counted: Counted, options: Options, margins: Margins
) -> tuple[Requirement, ...]:
    """What the method must meet so that the requirements hold; refused if not even one class of all records does."""
    least = options.min_people
    per_value = () if least is None else per_column(requirements, counted.roles, least)
    for of in margins.lower():
        asked = (*requirements, *per_value)
        if counted.roles.entity is not None:
            asked = of_people(asked, counted.domains, of)
            if options.publish_proportions:
                # Proportions count representatives: every class must have enough of them.
                asked = (*asked, Representatives(max(one.minimal_size for one in requirements)))
        context = context_of(counted, asked)
        failing = unreachable(asked, context)
        if not failing:
            return asked
    raise Infeasible(
        f"The table cannot meet {failing[0]}: even with every quasi-identifier suppressed, all "
        f"{plural(counted.rows, 'records')} as one class reach only {reached_at_most(failing[0], context)}. Lower "
        "the requirement."
    )


# --------------------------------------------------------------------------------------------------
# After the method: apply the recoding, verify and examine the published rows, and make the release.


def finish(prepared: Prepared, recoding: Recoding, parameters: Mapping[str, Any]) -> Release:
    """Apply a recoding, verify the published rows with independent code, audit them, and make the release."""
    report, schema, roles = prepared.options.report, prepared.schema, prepared.roles
    report("Writing rows")
    recoding = replace(
        recoding,
        missing=tuple(schema.missing),
        identifying=(*schema.identifying, *schema.pseudonymize),
        in_clear=tuple(name for name in roles.published if name not in (*roles.quasi, *roles.pseudonymized)),
    )
    proportions = proportions_of(prepared, recoding)
    published = _applied(prepared, recoding)
    report("Verifying")
    guarantee = _guarantee(prepared, recoding)
    people = None if roles.entity is None else published.people
    look = partial(
        examine,
        prepared.source,
        prepared.counted,
        recoding,
        random_state=prepared.random_state,
        accepted=schema.accept,
        missing=schema.missing,
    )
    # Where the verifier groups a column, it counts the formulas in it.
    others = [name for name in guarantee.columns if name not in (*guarantee.quasi, *guarantee.counted)]
    with (
        concurrently(look, guarantee.rows) as seen,
        concurrently(partial(published.formulas, others), guarantee.rows) as formulas,
    ):
        classes = guarantee.count(published.native, people)
    if proportions is not None:
        check_proportions(prepared, proportions, classes)
    held = guarantee.count_values(published.native, people)
    report("Auditing")
    clear, k_all = _in_clear(prepared, seen(), classes)
    determined = seen().known(roles, schema.accept)
    if determined:
        report("Verifying with what quasi-identifiers determine")
        guarantee = replace(guarantee, determined=determined)
        classes = guarantee.count(published.native, people)
    both, of_both = _verified_both(prepared, published, guarantee)
    recoding = replace(recoding, rows=prepared.source.groups_of_rows(), coded=coded_texts(prepared.codings))
    losses = all_losses(prepared.binned, recoding, k=prepared.k)
    audit = audit_counts(
        classes,
        sensitive=roles.sensitive,
        target=roles.target,
        require=prepared.requirements,
        release=ReleaseFacts(
            # Exact losses would let an attacker who knows all rows but one find that row by trying.
            losses=_rounded(losses, prepared),
            loss=losses.get("ncp_published"),
            warnings=_warnings(
                prepared, recoding, proportions, _formula_warning(formulas(), classes, guarantee.columns)
            ),
            proportions=proportions,
            k_all=k_all,
            clear=clear,
            linked=roles.names_people,
            links=guarantee.links(classes),
            rounded=roles.entity is not None and not roles.names_people,
            rows_are_people=schema.rows_are_people,
            held=held,
            coded=_coded(prepared),
            of_both=of_both,
        ),
    )
    return Release(
        published,
        classes,
        guarantee,
        recoding,
        audit,
        {
            **_facts(prepared, recoding, determined, proportions, parameters),
            **({"allowed_levels": _levels_to_publish(guarantee, classes)} if guarantee.levels else {}),
            **both,
        },
        _markers(prepared),
        proportions,
        prepared.counted.hierarchies,
        reads=prepared.source.source.reads,
        losses=losses,
        originals=prepared.counted if isinstance(prepared.counted, FrequencyTable) else None,
    )


def _verified_both(
    prepared: Prepared, published: Published, guarantee: Guarantee
) -> tuple[dict[str, Any], tuple[Finding, ...]]:
    """Verify the release together with the earlier one: what the manifest says of it, and the findings."""
    if prepared.beside is None:
        return {}, ()
    prepared.options.report("Verifying with the previous release")
    findings = prepared.beside.verify(published, guarantee)
    facts = {**prepared.beside.named, "requirements": [str(one) for one in prepared.requirements]}
    return {"previous": facts}, findings


def _coded(prepared: Prepared) -> dict[str, CodedColumn]:
    """What is told of the coded columns: how, and rounded figures of what they lost."""
    told = {}
    for name, coding in prepared.codings.items():
        if coding.map is None:
            continue
        figures = {"changed": coding.changed, "change": coding.change, "correlation": coding.correlation}
        known = _rounded({figure: value for figure, value in figures.items() if value is not None}, prepared)
        told[name] = CodedColumn(how=prepared.schema.recode.get(name, "rare values together"), **known)
    return told


def _rounded(figures: Mapping[str, float], prepared: Prepared) -> dict[str, float]:
    """Figures computed from original values, with as few digits as may be published."""
    digits = digits_shown(prepared.counted.rows)
    return {name: significant(value, digits) for name, value in figures.items()}


def _warnings(
    prepared: Prepared, recoding: Recoding, proportions: Proportions | None, formulas: str | None
) -> tuple[str, ...]:
    """What whoever publishes the release should know, the gravest first."""
    found = [] if recoding.weak is None else [recoding.weak]
    if proportions is not None and proportions.min_support < prepared.k:
        found.append(
            f"The proportions have a support of {proportions.min_support} where {prepared.k} records are required of a "
            "class: they are weak and may single people out. The table itself keeps its requirements."
        )
    return (
        *found,
        *prepared.options.remarks,
        *recoding.warnings,
        *prepared.counted.remarks,
        *([] if formulas is None else [formulas]),
    )


def _in_clear(prepared: Prepared, seen: Seen, classes: ClassCounts) -> tuple[dict[str, ClearColumn], int]:
    """What the columns that are published unchanged reveal, and k over all columns; refused if it is too much."""
    if prepared.roles.entity is None and classes.entity is not None:
        # The engine counted rows, and only the verifier counted people.
        classes = classes.by_rows
    examined = judge(seen, prepared.counted, classes, accepted=prepared.schema.accept)
    refuse_disclosing(examined.columns, seen.together)
    shown = {
        name: replace(column, gives_away=_rounded(column.gives_away, prepared))
        for name, column in examined.columns.items()
    }
    return shown, examined.k_all


def _formula_warning(others: Mapping[str, int], classes: ClassCounts, columns: Sequence[str]) -> str | None:
    """A warning if a spreadsheet would compute some of the published cells, or names of columns.

    The verifier has counted every cell of the columns that it grouped; ``others`` counts the formulas in the rest.
    """
    cells = classes.cells
    quasi = zip(classes.columns, classes.codes[classes.class_of_cell].T, classes.labels, strict=True)
    sensitive = ((name, column.codes, column.labels) for name, column in cells.sensitive.items())
    found = {
        name: formulas_in(labels, np.bincount(codes, cells.rows, len(labels)))
        for name, codes, labels in (*quasi, *sensitive)
    }
    return formula_warning({name: number for name, number in {**found, **others}.items() if number}, columns)


def _guarantee(prepared: Prepared, recoding: Recoding) -> Guarantee:
    """What must be true of the published rows, in memory and in every file."""
    roles = prepared.roles
    shares = prepared.source.source.shares
    protected = (*roles.sensitive, *(one.column for one in prepared.requirements if one.column))
    return Guarantee(
        columns=roles.published,
        quasi=roles.quasi,
        counted=tuple(dict.fromkeys((*protected, *(() if roles.target is None else (roles.target,))))),
        requirements=prepared.requirements,
        missing=tuple(prepared.schema.missing),
        rows=prepared.counted.rows - recoding.lost,
        enforced=recoding.weak is None,
        entity=roles.entity,
        linked=roles.names_people,
        linking=tuple(name for name in roles.published if name not in roles.quasi),
        # Where every row is said to be a person, pseudonyms are not those of people.
        pseudonyms=() if prepared.schema.rows_are_people else roles.pseudonymized,
        accepted=tuple(prepared.schema.accept),
        memory=None if shares is None else shares.verifier,
        levels=_levels(prepared.counted),
        min_people=prepared.options.min_people,
        exempt=roles.pseudonymized,
    )


def _levels(counts: Counted) -> dict[str, Levels]:
    """The limited columns, each with all cells that its levels allow."""
    found = {}
    for name in counts.quasi:
        hierarchy = counts.hierarchies[name]
        if hierarchy.limits is None:
            continue
        nodes = hierarchy.nodes_within
        labels = {hierarchy.labels[node] for node in nodes.tolist()}
        # A value may be written in a form that no set or interval has.
        leaves = nodes[hierarchy.level[nodes] == 0].tolist()
        written = {format_value(label) for node in leaves if (label := hierarchy.labels[node]) is not None}
        hidden = {SUPPRESSED_TEXT} if hierarchy.root in nodes else set()
        found[name] = Levels(*hierarchy.limits, _sorted({*labels, *written, *hidden}))
    return found


def _sorted(labels: set[str | None]) -> tuple[str | None, ...]:
    """Labels by their text, the missing one last."""
    return (*sorted(label for label in labels if label is not None), *([None] if None in labels else []))


def _levels_to_publish(guarantee: Guarantee, classes: ClassCounts) -> dict[str, dict[str, Any]]:
    """The limits for the manifest. Of the labels that they allow, only those in the table: others name values."""
    published = dict(zip(classes.columns, classes.labels, strict=True))
    return {
        name: {"finest": one.finest, "coarsest": one.coarsest, "labels": list(_sorted(set(published[name].tolist())))}
        for name, one in guarantee.levels.items()
    }


def _applied(prepared: Prepared, recoding: Recoding) -> Published:
    """Make the published rows."""
    _refuse_long_texts(recoding)
    destination, seed = prepared.destination, seed_text(prepared.random_state)
    if destination is not None and destination.layout is not None:
        return prepared.source.apply(recoding, seed, destination.path, destination.layout)
    # A CSV takes empty text for missing: where a column has empty text, saving decides.
    place = None if destination is None or _holds_empty_text(prepared.counted) else destination.path
    return prepared.source.apply(recoding, seed, place)


def _refuse_long_texts(recoding: Recoding) -> None:
    """Refuse sets of so many values that no table can hold them once for every row."""
    for at, column in enumerate(recoding.columns):
        lengths = np.array([len((text or "").encode()) for text in column.texts], dtype=np.int64)
        total = int(lengths[recoding.groups[:, at]] @ recoding.sizes)
        if total >= max(_MOST_TEXT, _LONG_CELL * int(recoding.sizes.sum())):
            name = column.domain.name
            raise Infeasible(
                f"The sets of {name!r} would take 2 GB of text or more, because each row lists "
                f"its values. Give the column a hierarchy, so that rows show its labels (--hierarchy {name}=…), or "
                "take another method."
            )


def _holds_empty_text(counts: Counted) -> bool:
    """Whether a column holds empty text that is a value."""
    return any(domain.kind == "text" and "" in domain.labels for domain in counts.domains.values())


def _facts(
    prepared: Prepared,
    recoding: Recoding,
    determined: Mapping[str, Sequence[str]],
    proportions: Proportions | None,
    parameters: Mapping[str, Any],
) -> dict[str, Any]:
    """How the release was made, for its manifest."""
    plain = (str, int, float, bool, type(None))
    strict = proportions is not None and proportions.min_support >= prepared.k
    roles = prepared.roles
    return {
        "method": recoding.method,
        "requirements": [str(one) for one in prepared.requirements],
        "require": [stored_requirements(one) for one in prepared.requirements],
        "missing": list(prepared.schema.missing),
        "rows_are_people": prepared.schema.rows_are_people,
        "seed_given": prepared.random_state is not None,
        "rows_in": prepared.counted.rows,
        "rows_lost": recoding.lost,
        "guaranteed": recoding.weak is None,
        "columns": {
            "quasi": list(roles.quasi),
            "target": roles.target,
            "sensitive": list(roles.sensitive),
            "insensitive": list(roles.insensitive),
            "accepted": list(prepared.schema.accept),
            "determined": {name: list(by) for name, by in determined.items()},
            "pseudonymized": list(roles.pseudonymized),
            "dropped": list(roles.dropped),
            "entity": roles.entity,
        },
        **({} if prepared.options.target_bins is None else {"target_bins": prepared.options.target_bins}),
        **({} if prepared.options.min_people is None else {"min_people": int(prepared.options.min_people)}),
        **({"recode": dict(prepared.schema.recode)} if prepared.schema.recode else {}),
        "weights": dict(prepared.schema.weights),
        "hierarchies": {name: one.description for name, one in prepared.counted.hierarchies.items()},
        **recoding.facts,
        **({} if proportions is None else {"min_support": proportions.min_support, "proportions_guaranteed": strict}),
        # An object by the name of its type.
        "parameters": {
            name: value if isinstance(value, plain) else type(value).__name__ for name, value in parameters.items()
        },
    }


def _markers(prepared: Prepared) -> dict[str, str]:
    """How a CSV writes a missing quasi-identifier: as the input marked it."""
    marker = next(iter(prepared.schema.missing), "")
    with_missing = [name for name in prepared.roles.quasi if prepared.counted.domains[name].has_missing]
    return dict.fromkeys(with_missing, marker) if marker else {}


# --------------------------------------------------------------------------------------------------
# Proportions: what a release may publish of its classes beside the table.


def proportions_of(prepared: Prepared, recoding: Recoding) -> Proportions | None:
    """Count and pool the proportions if they are asked for; refuse if a class is too small for them."""
    if not prepared.options.publish_proportions:
        return None
    if recoding.weak is not None:
        raise BadInput("publish_proportions needs a release that keeps its guarantee. Leave one of the two out.")
    exact = count_proportions(prepared.counted, recoding)
    smallest, demanded = int(exact.sizes.min()), prepared.k
    if smallest < demanded:
        raise Infeasible(
            f"Proportions cannot be published: over all quasi-identifiers the smallest class has {smallest} of the "
            f"{demanded} records that are required of a shield, and they would tell its values. Require k of all "
            "quasi-identifiers too."
        )
    support = max(demanded, prepared.options.min_people or 0)
    if prepared.options.min_support is not None:
        support = int(prepared.options.min_support)
    if support > exact.sizes.sum():
        must = f"at most {int(exact.sizes.sum())}, the number of published rows"
        raise BadInput.parameter("min_support", "anonymize", must, support)

    # It needs numba, which no wrong parameter should wait for.
    from hedgerow.core.proportions.label_margins import proportions_to_publish

    labels = count_labels(prepared.counted, recoding)
    proportions = proportions_to_publish(exact, labels, support)
    if support < demanded:
        return proportions
    hushed = np.zeros(len(exact.sizes), dtype=bool)
    # A set may also name values that nobody in its class holds, of a region or of rows that represent nobody.
    while (loud := classes_that_single_out(proportions, demanded) & ~hushed).any():
        hushed |= loud
        proportions = proportions_to_publish(exact, labels, support, hushed=hushed)
    _refuse_singling_out(prepared, proportions)
    return proportions


def _refuse_singling_out(prepared: Prepared, proportions: Proportions) -> None:
    """Refuse pooled proportions by which somebody can be singled out."""
    if not singled_out(proportions, prepared.k).people:
        return
    if prepared.roles.entity is None:
        raise InternalError("the pooled proportions would single people out")
    # A class also shows values of rows that represent nobody, which the proportions do not count.
    raise Infeasible(
        "Proportions cannot be published: even with each person counted once, they would single people out. Raise "
        "min_support (--min-support), or leave them out."
    )


def check_proportions(prepared: Prepared, proportions: Proportions, classes: ClassCounts) -> None:
    """Refuse proportions that do not describe exactly the classes that the verifier counted."""
    if prepared.roles.entity is None and classes.entity is not None:
        raise Infeasible(
            "Proportions cannot be published: they would tell of rows, and a pseudonym stands in several. Name the "
            f"column of the person as entity (entity={classes.entity!r}, --entity {classes.entity}), or leave them out."
        )
    if _speaks_of(proportions, classes):
        return
    if prepared.roles.linked:
        raise Infeasible(
            "Proportions cannot be published: they tell of each person once, and some class has too few people who "
            "are told of there. Leave them out, or drop the column that links the rows of a person."
        )
    raise InternalError("the proportions speak of other classes than those that were published")


def _speaks_of(proportions: Proportions, classes: ClassCounts) -> bool:
    """Whether the proportions describe exactly these classes, which are matched by their published values.

    If people are counted, the proportions count representatives, who may be fewer.
    """
    described = np.stack([column.published.astype(np.int64) for column in proportions.columns], axis=1)
    counted = _codes_of(classes, proportions)
    if counted.shape != described.shape:
        return False
    order, counted_order = np.lexsort(described.T), np.lexsort(counted.T)
    if not np.array_equal(described[order], counted[counted_order]):
        return False
    people, fewest = classes.sizes[counted_order], proportions.sizes[order]
    return bool((fewest == people).all() if classes.entity is None else (fewest <= people).all())


def _codes_of(classes: ClassCounts, proportions: Proportions) -> Longs:
    """The published values of classes as numbers of the proportions' texts, (classes, columns); -1 for other texts."""
    codes = []
    for column in proportions.columns:
        number = {_as_spelled(text, column.kind, proportions.missing): at for at, text in enumerate(column.texts)}
        for at, text in enumerate(column.texts):
            # A column that is published unchanged shows a value such as ``*`` without braces.
            said = None if text is None else parse(text)
            if isinstance(said, ValueSet) and len(said.members) == 1:
                number.setdefault(_as_spelled(next(iter(said.members)), column.kind, proportions.missing), at)
        at = classes.columns.index(column.name)
        labels = [number.get(_as_spelled(one, column.kind, proportions.missing), -1) for one in classes.labels[at]]
        codes.append(np.array(labels, dtype=np.int64)[classes.codes[:, at]])
    return np.stack(codes, axis=1)


def _as_spelled(text: str | None, kind: Kind, missing: Sequence[str]) -> str | None:
    """A published text in the spelling that engine and verifier share: a moment is local, without its time zone."""
    if text is None or text in missing:
        return None
    moment = iso_moment(text) if kind == "date" else None
    return spelled(text, kind) if moment is None else date_label(moment)
