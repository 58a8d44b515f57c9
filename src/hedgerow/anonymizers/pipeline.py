"""The pipeline every method runs in: read and count, fit, apply, count again, and only then hand out a release.

It is apart from the estimators so that a wrong table, schema or requirement is found before scikit-learn or numba
is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow import privacy
from hedgerow.counts import FrequencyTable, check_bins, in_bins
from hedgerow.engines import Locating, Published, Source, open_source, seed_text
from hedgerow.engines.formulas import formula_warning, formulas_in
from hedgerow.errors import BadInput, Infeasible, InternalError, translated, whole
from hedgerow.hierarchies import EncodedHierarchy, Uncovered
from hedgerow.hierarchies import resolve as resolve_hierarchy
from hedgerow.metrics import all_losses
from hedgerow.privacy import Requirement
from hedgerow.proportions import Proportions, count_proportions
from hedgerow.recoding import Recoding
from hedgerow.release import Guarantee, Release, check_destination
from hedgerow.risk import ClearColumn, audit_counts, examine, refuse_disclosing, singled_out
from hedgerow.rounding import digits_shown, significant
from hedgerow.schema import Roles, Schema
from hedgerow.verifier import ClassCounts

__all__ = ["Prepared", "Progress", "finish", "prepare"]

Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table that has been read and counted, with everything a method needs to know.

    ``requirements`` is what the release is held to, ``asked`` what the method is asked: where people are counted, it is
    asked for rows at home.
    """

    source: Source
    schema: Schema
    roles: Roles
    counts: FrequencyTable
    requirements: tuple[Requirement, ...]
    asked: tuple[Requirement, ...]
    random_state: int | None
    progress: Progress
    destination: Path | None = None
    publish_proportions: bool = False
    min_support: int | None = None
    target_bins: int | None = None

    @cached_property
    def seen(self) -> FrequencyTable:
        """The counts as a method learns from them: those of the target in bins, where it is to be."""
        return self.counts if self.target_bins is None else in_bins(self.counts, self.target_bins)


def prepare(
    data: Any,
    schema: Schema,
    requirements: Sequence[Requirement],
    *,
    random_state: int | None,
    progress: Progress | None = None,
    destination: Path | None = None,
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
    if destination is not None:
        check_destination(destination)
    progress = progress or (lambda _stage: None)
    progress("Reading and counting")
    source = open_source(data)
    roles = schema.resolve(source.columns)
    privacy.check(requirements, roles, rows=_UNKNOWN_ROWS)
    # An engine need not know of people, as long as rows are counted.
    counts = source.count(schema, roles) if roles.entity is None else source.count(schema, roles, random_state)
    if publish_proportions and not roles.linked:
        # They are told of people at home, of whom every class must have enough then.
        counts = replace(counts, links=None)
    privacy.check(requirements, roles, rows=counts.people)
    counts = replace(counts, hierarchies={name: _hierarchy(source, schema, counts, name) for name in roles.quasi})
    requirements = privacy.with_trees(requirements, _sensitive_trees(source, schema, roles, counts))
    orders = {name: kind for name, kind in schema.kinds.items() if not isinstance(kind, str)}
    requirements = privacy.with_orders(requirements, orders)
    prepared = Prepared(
        source,
        schema,
        roles,
        counts,
        requirements,
        _asked(requirements, roles, publish_proportions),
        random_state,
        progress,
        destination,
        publish_proportions,
        min_support,
        target_bins,
    )
    _refuse_unreachable(prepared)
    return prepared


def _asked(requirements: Sequence[Requirement], roles: Roles, proportions: bool) -> tuple[Requirement, ...]:
    """What the method is asked so that the requirements hold, and proportions can be told."""
    if roles.entity is None:
        return tuple(requirements)
    asked = privacy.of_people(requirements)
    # Proportions are told of people at home: every class must have enough of these.
    return (*asked, privacy.AtHome(_demanded_k(requirements))) if proportions else asked


# A bound no table reaches: columns are checked before the table is read, sizes after it.
_UNKNOWN_ROWS = 2**62


def _check_random_state(random_state: object) -> None:
    if random_state is not None:
        whole("random_state", "anonymize", random_state, 0, must="None or an int >= 0")


def _check_min_support(min_support: object, publish_proportions: bool) -> None:
    if min_support is None:
        return
    whole("min_support", "anonymize", min_support, 1, must="None or an int >= 1")
    if not publish_proportions:
        raise BadInput("min_support is that of proportions, which are not published. Say publish_proportions=True too.")


def _hierarchy(source: Source, schema: Schema, counts: FrequencyTable, name: str) -> EncodedHierarchy:
    """The hierarchy of a column; if it does not cover all values, the error names the first lines of those it lacks."""

    def located(lacking: Uncovered) -> BadInput:
        if not isinstance(source, Locating):
            return lacking
        cells = np.isin(counts.codes_of(name), lacking.codes)
        return lacking.located(source.places(name, cells))

    with translated(Uncovered, into=located):
        return resolve_hierarchy(schema.hierarchies.get(name), counts.domains[name], name)


def _sensitive_trees(source: Source, schema: Schema, roles: Roles, counts: FrequencyTable) -> dict[str, dict[str, Any]]:
    """The hierarchies given for sensitive columns, as the nested mappings that t-closeness reads."""
    trees = {}
    for name in roles.counted:
        if name not in roles.quasi and name in schema.hierarchies:
            trees[name] = _hierarchy(source, schema, counts, name).to_tree()
    return trees


def _refuse_unreachable(prepared: Prepared) -> None:
    context = privacy.context_of(prepared.counts, prepared.asked)
    failing = privacy.unreachable(prepared.asked, context)
    if failing:
        raise Infeasible(
            f"The table cannot meet {failing[0]}: even with every quasi-identifier suppressed, all "
            f"{prepared.counts.rows:,} records as one class reach only {privacy.reached_at_most(failing[0], context)}. "
            "Lower the requirement."
        )


def finish(prepared: Prepared, recoding: Recoding, parameters: Mapping[str, Any]) -> Release:
    """Apply a recoding, verify the published rows with independent code, audit them, and make the release."""
    prepared.progress("Writing rows")
    schema = prepared.schema
    recoding = replace(recoding, missing=tuple(schema.missing), identifying=(*schema.identifying, *schema.pseudonymize))
    proportions = _proportions(prepared, recoding)
    published = _applied(prepared, recoding)
    prepared.progress("Verifying")
    guarantee = _guarantee(prepared, recoding)
    classes = guarantee.count(published.native, None if prepared.roles.entity is None else published.people)
    if proportions is not None and not _speaks_of(proportions, classes):
        if prepared.roles.linked:
            raise Infeasible(
                "Proportions cannot be published: they tell of each person once, and some class has too few people who "
                "are told of there. Leave them out, or drop the column that links the rows of a person."
            )
        raise InternalError("the proportions speak of other classes than those that were published")
    prepared.progress("Auditing")
    clear, k_all = _in_clear(prepared, recoding, classes)
    losses = all_losses(prepared.seen, recoding, k=_demanded_k(prepared.requirements))
    audit = audit_counts(
        classes,
        sensitive=prepared.roles.sensitive,
        target=prepared.roles.target,
        require=prepared.requirements,
        # Exact ones would let whoever knows all rows but one find that row by trying.
        losses={name: significant(loss, digits_shown(prepared.counts.rows)) for name, loss in losses.items()},
        lost=losses.get("ncp_published"),
        warnings=(
            *(() if recoding.weak is None else (recoding.weak,)),
            *_weak_proportions(prepared, proportions),
            *recoding.warnings,
            *prepared.counts.remarks,
            *_formulas(published, classes),
        ),
        proportions=proportions,
        k_all=k_all,
        clear=clear,
        linked=prepared.roles.linked,
        roughly=prepared.roles.entity is not None and not prepared.roles.linked,
    )
    return Release(
        published,
        classes,
        guarantee,
        recoding,
        audit,
        {**_facts(prepared, recoding), **_support(prepared, proportions), "parameters": _shown(parameters)},
        _markers(prepared),
        proportions,
        prepared.counts.hierarchies,
        reads=prepared.source.reads,
        losses=losses,
    )


def _speaks_of(proportions: Proportions, classes: ClassCounts) -> bool:
    """Whether proportions are those of the classes; of people they tell those at home, who may be fewer."""
    told, counted = np.sort(proportions.sizes), np.sort(classes.sizes)
    if classes.entity is None:
        return np.array_equal(told, counted)
    return len(told) == len(counted) and bool((told <= counted).all())


def _in_clear(prepared: Prepared, recoding: Recoding, classes: ClassCounts) -> tuple[dict[str, ClearColumn], int]:
    """What the columns that are published as they are tell, unless it is too much."""
    examined = examine(
        prepared.source,
        prepared.counts,
        recoding,
        classes,
        accepted=prepared.schema.accept,
        random_state=prepared.random_state,
    )
    refuse_disclosing(examined.columns)
    digits = digits_shown(prepared.counts.rows)
    # Computed from original values, as losses are.
    shown = {
        name: replace(one, gives_away={other: significant(told, digits) for other, told in one.gives_away.items()})
        for name, one in examined.columns.items()
    }
    return shown, examined.k_all


def _formulas(published: Published, classes: ClassCounts) -> tuple[str, ...]:
    """Whether a spreadsheet would compute some of the published cells.

    Of the columns that the verifier grouped, it has counted every cell; only the others are looked through.
    """
    cells = classes.cells
    quasi = zip(classes.columns, classes.codes[classes.class_of_cell].T, classes.labels, strict=True)
    others = ((name, column.codes, column.labels) for name, column in cells.sensitive.items())
    found = {
        name: formulas_in(labels, np.bincount(codes, cells.rows, len(labels)))
        for name, codes, labels in (*quasi, *others)
    }
    found |= published.formulas([name for name in classes.table_columns if name not in found])
    warning = formula_warning({name: number for name, number in found.items() if number})
    return () if warning is None else (warning,)


def _guarantee(prepared: Prepared, recoding: Recoding) -> Guarantee:
    """What the published rows are held to, in memory and in every file."""
    roles = prepared.roles
    protected = (*roles.sensitive, *(one.column for one in prepared.requirements if one.column))
    return Guarantee(
        columns=roles.published,
        quasi=roles.quasi,
        counted=tuple(dict.fromkeys((*protected, *(() if roles.target is None else (roles.target,))))),
        requirements=prepared.requirements,
        missing=tuple(prepared.schema.missing),
        rows=prepared.counts.rows - recoding.lost,
        enforced=recoding.weak is None,
        entity=roles.entity,
        linked=roles.linked,
    )


def _proportions(prepared: Prepared, recoding: Recoding) -> Proportions | None:
    """Count and pool the proportions if they are asked for and every class is large enough to have them told."""
    if not prepared.publish_proportions:
        return None
    if recoding.weak is not None:
        raise BadInput("publish_proportions needs a release that keeps its guarantee. Leave one of the two out.")
    exact = count_proportions(prepared.counts, recoding)
    smallest, demanded = int(exact.sizes.min()), _demanded_k(prepared.requirements)
    if smallest < demanded:
        raise Infeasible(
            f"Proportions cannot be published: over all quasi-identifiers the smallest class has {smallest} of the "
            f"{demanded} records that are required of a shield, and they would tell its values. Require k of all "
            "quasi-identifiers too."
        )
    support = demanded if prepared.min_support is None else int(prepared.min_support)
    if support > exact.sizes.sum():
        must = f"at most {int(exact.sizes.sum())}, the number of published rows"
        raise BadInput.parameter("min_support", "anonymize", must, support)

    # It needs numba, which no wrong parameter should wait for.
    from hedgerow.proportions.pooling import pool

    proportions = pool(exact, support)
    if support >= demanded and singled_out(proportions, demanded).people:
        if prepared.roles.entity is not None:
            # A class also shows values of rows away from home, of which proportions tell nothing.
            raise Infeasible(
                "Proportions cannot be published: told of each person once, they would single people out. Raise "
                "min_support (--min-support), or leave them out."
            )
        raise InternalError("the pooled proportions would single people out")
    return proportions


def _weak_proportions(prepared: Prepared, proportions: Proportions | None) -> tuple[str, ...]:
    """What has to be said of proportions with too little support."""
    demanded = _demanded_k(prepared.requirements)
    if proportions is None or proportions.min_support >= demanded:
        return ()
    return (
        f"The proportions have a support of {proportions.min_support} where {demanded} records are required of a "
        "class: they are weak and may single people out. The table itself keeps its requirements.",
    )


def _support(prepared: Prepared, proportions: Proportions | None) -> dict[str, Any]:
    """What the manifest says of the proportions."""
    if proportions is None:
        return {}
    strict = proportions.min_support >= _demanded_k(prepared.requirements)
    return {"min_support": proportions.min_support, "proportions_guaranteed": strict}


def _shown(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters for the manifest; an object by the name of its type."""
    plain = (str, int, float, bool, type(None))
    return {name: value if isinstance(value, plain) else type(value).__name__ for name, value in parameters.items()}


def _demanded_k(requirements: Sequence[Requirement]) -> int:
    """The size that every class must have; what average sizes are measured by."""
    return max(one.minimal_size for one in requirements)


def _applied(prepared: Prepared, recoding: Recoding) -> Published:
    """Make the published rows."""
    # A CSV takes empty text for missing: where a column has both, saving decides.
    destination = None if _two_blanks(prepared.counts) else prepared.destination
    return prepared.source.apply(recoding, seed_text(prepared.random_state), destination)


def _two_blanks(counts: FrequencyTable) -> bool:
    """Whether a column holds both missing values and empty text."""
    return any(
        domain.has_missing and domain.kind == "text" and "" in domain.labels for domain in counts.domains.values()
    )


def _facts(prepared: Prepared, recoding: Recoding) -> dict[str, Any]:
    roles = prepared.roles
    return {
        "method": recoding.method,
        "requirements": [str(one) for one in prepared.requirements],
        "require": [privacy.stored(one) for one in prepared.requirements],
        "missing": list(prepared.schema.missing),
        "seed_given": prepared.random_state is not None,
        "rows_in": prepared.counts.rows,
        "rows_lost": recoding.lost,
        "guaranteed": recoding.weak is None,
        "columns": {
            "quasi": list(roles.quasi),
            "target": roles.target,
            "sensitive": list(roles.sensitive),
            "insensitive": list(roles.insensitive),
            "accepted": list(prepared.schema.accept),
            "pseudonymized": list(roles.pseudonymized),
            "dropped": list(roles.dropped),
            "entity": roles.entity,
        },
        **({} if prepared.target_bins is None else {"target_bins": prepared.target_bins}),
        "weights": dict(prepared.schema.weights),
        "hierarchies": {name: one.description for name, one in prepared.counts.hierarchies.items()},
        **recoding.facts,
    }


def _markers(prepared: Prepared) -> dict[str, str]:
    """How a CSV writes a missing quasi-identifier: as the input marked it."""
    marker = next(iter(prepared.schema.missing), "")
    with_missing = [name for name in prepared.roles.quasi if prepared.counts.domains[name].has_missing]
    return dict.fromkeys(with_missing, marker) if marker else {}
