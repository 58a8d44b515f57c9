"""After a method: the recoding is applied, what was published is counted and examined, and a release is made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from hedgerow._internal.arrays import Longs
from hedgerow._internal.rounding import digits_shown, significant
from hedgerow._internal.threads import concurrently
from hedgerow.core.cells import ValueSet, parse, spelled
from hedgerow.core.counts import Counted, FrequencyTable
from hedgerow.core.counts.reading import date_label
from hedgerow.core.metrics import all_losses
from hedgerow.core.proportions import Proportions, count_labels, count_proportions
from hedgerow.core.recoding import Recoding
from hedgerow.engines import Limited, Published, seed_text
from hedgerow.engines.formulas import formula_warning, formulas_in
from hedgerow.errors import BadInput, Infeasible, InternalError
from hedgerow.io.domains import Kind
from hedgerow.io.values import iso_moment
from hedgerow.release import Guarantee, Release
from hedgerow.release.pipeline._preparing import Prepared, largest_k
from hedgerow.requirements import stored as stored_requirements
from hedgerow.risk import (
    ClearColumn,
    ReleaseFacts,
    Seen,
    audit_counts,
    classes_that_single_out,
    examine,
    judge,
    refuse_disclosing,
    singled_out,
)
from hedgerow.verifier import ClassCounts

__all__ = ["check_proportions", "finish", "proportions_of", "support_facts", "weak_proportions"]


# --------------------------------------------------------------------------------------------------
# What a release says of its classes beyond the table, where it is asked for, and what has to be true of that.


def proportions_of(prepared: Prepared, recoding: Recoding) -> Proportions | None:
    """Count and pool the proportions if they are asked for and every class is large enough to have them told."""
    if not prepared.publish_proportions:
        return None
    if recoding.weak is not None:
        raise BadInput("publish_proportions needs a release that keeps its guarantee. Leave one of the two out.")
    exact = count_proportions(prepared.counted, recoding)
    smallest, demanded = int(exact.sizes.min()), largest_k(prepared.requirements)
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
    from hedgerow.core.proportions.label_margins import proportions_to_publish

    labels = count_labels(prepared.counted, recoding)
    proportions = proportions_to_publish(exact, labels, support)
    hushed = np.zeros(len(exact.sizes), dtype=bool)
    # A set may also name values that nobody in its class holds: those of a region, or of rows away from home.
    while support >= demanded and (loud := classes_that_single_out(proportions, demanded) & ~hushed).any():
        hushed |= loud
        proportions = proportions_to_publish(exact, labels, support, hushed=hushed)
    if support >= demanded and singled_out(proportions, demanded).people:
        if prepared.roles.entity is not None:
            # A class also shows values of rows away from home, of which proportions tell nothing.
            raise Infeasible(
                "Proportions cannot be published: told of each person once, they would single people out. Raise "
                "min_support (--min-support), or leave them out."
            )
        raise InternalError("the pooled proportions would single people out")
    return proportions


def weak_proportions(prepared: Prepared, proportions: Proportions | None) -> tuple[str, ...]:
    """What has to be said of proportions with too little support."""
    demanded = largest_k(prepared.requirements)
    if proportions is None or proportions.min_support >= demanded:
        return ()
    return (
        f"The proportions have a support of {proportions.min_support} where {demanded} records are required of a "
        "class: they are weak and may single people out. The table itself keeps its requirements.",
    )


def support_facts(prepared: Prepared, proportions: Proportions | None) -> dict[str, Any]:
    """What the manifest says of the proportions."""
    if proportions is None:
        return {}
    strict = proportions.min_support >= largest_k(prepared.requirements)
    return {"min_support": proportions.min_support, "proportions_guaranteed": strict}


def check_proportions(prepared: Prepared, proportions: Proportions, classes: ClassCounts) -> None:
    """Refuse proportions of other classes than those that the verifier counted."""
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
    """Whether proportions are those of the classes, one by one, which are known by what they publish.

    Of people they tell those at home, who may be fewer.
    """
    told = np.stack([column.published.astype(np.int64) for column in proportions.columns], axis=1)
    counted = _codes_of(classes, proportions)
    if counted.shape != told.shape:
        return False
    of_told, of_counted = np.lexsort(told.T), np.lexsort(counted.T)
    if not np.array_equal(told[of_told], counted[of_counted]):
        return False
    people, fewest = classes.sizes[of_counted], proportions.sizes[of_told]
    return bool((fewest == people).all() if classes.entity is None else (fewest <= people).all())


def _codes_of(classes: ClassCounts, proportions: Proportions) -> Longs:
    """What the classes publish as numbers of the proportions' texts, (classes, columns); -1 is none of them."""
    codes = []
    for column in proportions.columns:
        number = {_as_spelled(text, column.kind, proportions.missing): at for at, text in enumerate(column.texts)}
        for at, text in enumerate(column.texts):
            # A column that is published as it was shows a value such as ``*`` without braces.
            said = None if text is None else parse(text)
            if isinstance(said, ValueSet) and len(said.members) == 1:
                number.setdefault(_as_spelled(next(iter(said.members)), column.kind, proportions.missing), at)
        at = classes.columns.index(column.name)
        labels = [number.get(_as_spelled(one, column.kind, proportions.missing), -1) for one in classes.labels[at]]
        codes.append(np.array(labels, dtype=np.int64)[classes.codes[:, at]])
    return np.stack(codes, axis=1)


def _as_spelled(text: str | None, kind: Kind, missing: Sequence[str]) -> str | None:
    """A published text in one spelling for engine and verifier: a moment is local, without its time zone."""
    if text is None or text in missing:
        return None
    moment = iso_moment(text) if kind == "date" else None
    return spelled(text, kind) if moment is None else date_label(moment)


def finish(prepared: Prepared, recoding: Recoding, parameters: Mapping[str, Any]) -> Release:
    """Apply a recoding, verify the published rows with independent code, audit them, and make the release."""
    prepared.progress("Writing rows")
    schema = prepared.schema
    roles = prepared.roles
    recoding = replace(
        recoding,
        missing=tuple(schema.missing),
        identifying=(*schema.identifying, *schema.pseudonymize),
        in_clear=tuple(name for name in roles.published if name not in (*roles.quasi, *roles.pseudonymized)),
    )
    proportions = proportions_of(prepared, recoding)
    published = _applied(prepared, recoding)
    prepared.progress("Verifying")
    guarantee = _guarantee(prepared, recoding)
    look = partial(
        examine,
        prepared.source,
        prepared.counted,
        recoding,
        random_state=prepared.random_state,
        accepted=schema.accept,
        missing=schema.missing,
    )
    people = None if prepared.roles.entity is None else published.people
    with (
        concurrently(look, guarantee.rows) as seen,
        concurrently(partial(_formulas, published, guarantee), guarantee.rows) as others,
    ):
        classes = guarantee.count(published.native, people)
    if proportions is not None:
        check_proportions(prepared, proportions, classes)
    prepared.progress("Auditing")
    # Only where the engine counted people too does it tell what columns in clear say of people.
    told_of = classes.by_rows if roles.entity is None and classes.entity is not None else classes
    clear, k_all = _in_clear(prepared, seen(), told_of)
    known = seen().known(roles, schema.accept)
    if known:
        prepared.progress("Verifying with what quasi-identifiers determine")
        guarantee = replace(guarantee, determined=known)
        classes = guarantee.count(published.native, people)
    losses = all_losses(prepared.losing, recoding, k=largest_k(prepared.requirements))
    audit = audit_counts(
        classes,
        sensitive=prepared.roles.sensitive,
        target=prepared.roles.target,
        require=prepared.requirements,
        release=ReleaseFacts(
            # Exact ones would let whoever knows all rows but one find that row by trying.
            losses={name: significant(loss, digits_shown(prepared.counted.rows)) for name, loss in losses.items()},
            loss=losses.get("ncp_published"),
            warnings=(
                *(() if recoding.weak is None else (recoding.weak,)),
                *weak_proportions(prepared, proportions),
                *recoding.warnings,
                *prepared.counted.remarks,
                *_formula_warning(others(), classes, guarantee.columns),
            ),
            proportions=proportions,
            k_all=k_all,
            clear=clear,
            linked=prepared.roles.names_people,
            links=guarantee.links(classes),
            rounded=prepared.roles.entity is not None and not prepared.roles.names_people,
            rows_are_people=prepared.schema.rows_are_people,
        ),
    )
    return Release(
        published,
        classes,
        guarantee,
        recoding,
        audit,
        {**_facts(prepared, recoding, known), **support_facts(prepared, proportions), "parameters": _shown(parameters)},
        _markers(prepared),
        proportions,
        prepared.counted.hierarchies,
        reads=prepared.source.reads,
        losses=losses,
        originals=prepared.counted if isinstance(prepared.counted, FrequencyTable) else None,
    )


def _in_clear(prepared: Prepared, seen: Seen, classes: ClassCounts) -> tuple[dict[str, ClearColumn], int]:
    """What the columns that are published as they are tell, unless it is too much."""
    examined = judge(seen, prepared.counted, classes, accepted=prepared.schema.accept)
    refuse_disclosing(examined.columns, seen.together)
    digits = digits_shown(prepared.counted.rows)
    # Computed from original values, as losses are.
    shown = {
        name: replace(one, gives_away={other: significant(told, digits) for other, told in one.gives_away.items()})
        for name, one in examined.columns.items()
    }
    return shown, examined.k_all


def _formulas(published: Published, guarantee: Guarantee) -> dict[str, int]:
    """The cells that a spreadsheet would compute, in the columns that the verifier does not group."""
    grouped = {*guarantee.quasi, *guarantee.counted}
    return published.formulas([name for name in guarantee.columns if name not in grouped])


def _formula_warning(others: Mapping[str, int], classes: ClassCounts, columns: Sequence[str]) -> tuple[str, ...]:
    """Whether a spreadsheet would compute some of the published cells, or names of columns.

    Of the columns that the verifier grouped, it has counted every cell; only the others were looked through.
    """
    cells = classes.cells
    quasi = zip(classes.columns, classes.codes[classes.class_of_cell].T, classes.labels, strict=True)
    sensitive = ((name, column.codes, column.labels) for name, column in cells.sensitive.items())
    found = {
        name: formulas_in(labels, np.bincount(codes, cells.rows, len(labels)))
        for name, codes, labels in (*quasi, *sensitive)
    }
    warning = formula_warning({name: number for name, number in {**found, **others}.items() if number}, columns)
    return () if warning is None else (warning,)


def _guarantee(prepared: Prepared, recoding: Recoding) -> Guarantee:
    """What the published rows are held to, in memory and in every file."""
    roles = prepared.roles
    shares = prepared.source.shares if isinstance(prepared.source, Limited) else None
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
    )


def _shown(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters for the manifest; an object by the name of its type."""
    plain = (str, int, float, bool, type(None))
    return {name: value if isinstance(value, plain) else type(value).__name__ for name, value in parameters.items()}


def _applied(prepared: Prepared, recoding: Recoding) -> Published:
    """Make the published rows."""
    destination, seed = prepared.destination, seed_text(prepared.random_state)
    if destination is not None and destination.layout is not None:
        return prepared.source.apply(recoding, seed, destination.path, destination.layout)
    # A CSV takes empty text for missing: where a column has both, saving decides.
    place = None if destination is None or _two_blanks(prepared.counted) else destination.path
    return prepared.source.apply(recoding, seed, place)


def _two_blanks(counts: Counted) -> bool:
    """Whether a column holds both missing values and empty text."""
    return any(
        domain.has_missing and domain.kind == "text" and "" in domain.labels for domain in counts.domains.values()
    )


def _facts(prepared: Prepared, recoding: Recoding, known: Mapping[str, Sequence[str]]) -> dict[str, Any]:
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
            "determined": {name: list(by) for name, by in known.items()},
            "pseudonymized": list(roles.pseudonymized),
            "dropped": list(roles.dropped),
            "entity": roles.entity,
        },
        **({} if prepared.target_bins is None else {"target_bins": prepared.target_bins}),
        "weights": dict(prepared.schema.weights),
        "hierarchies": {name: one.description for name, one in prepared.counted.hierarchies.items()},
        **recoding.facts,
    }


def _markers(prepared: Prepared) -> dict[str, str]:
    """How a CSV writes a missing quasi-identifier: as the input marked it."""
    marker = next(iter(prepared.schema.missing), "")
    with_missing = [name for name in prepared.roles.quasi if prepared.counted.domains[name].has_missing]
    return dict.fromkeys(with_missing, marker) if marker else {}
