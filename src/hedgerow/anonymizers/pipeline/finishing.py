"""After a method: the recoding is applied, what was published is counted and examined, and a release is made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from hedgerow import privacy
from hedgerow.anonymizers.pipeline.preparing import Prepared, largest_k
from hedgerow.anonymizers.pipeline.proportioning import (
    check_proportions,
    proportions_of,
    support_facts,
    weak_proportions,
)
from hedgerow.counts import Counted, FrequencyTable
from hedgerow.engines import Limited, Published, seed_text
from hedgerow.engines.formulas import formula_warning, formulas_in
from hedgerow.metrics import all_losses
from hedgerow.recoding import Recoding
from hedgerow.release import Guarantee, Release
from hedgerow.risk import ClearColumn, Seen, audit_counts, examine, judge, refuse_disclosing
from hedgerow.rounding import digits_shown, significant
from hedgerow.threads import meanwhile
from hedgerow.verifier import ClassCounts

__all__ = ["finish"]


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
        meanwhile(look, guarantee.rows) as seen,
        meanwhile(partial(_formulas, published, guarantee), guarantee.rows) as others,
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
        # Exact ones would let whoever knows all rows but one find that row by trying.
        losses={name: significant(loss, digits_shown(prepared.counted.rows)) for name, loss in losses.items()},
        lost=losses.get("ncp_published"),
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
        roughly=prepared.roles.entity is not None and not prepared.roles.names_people,
        rows_are_people=prepared.schema.rows_are_people,
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
        "require": [privacy.stored(one) for one in prepared.requirements],
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
