"""What a release says of its classes beyond the table, where it is asked for, and what has to be true of that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hedgerow.anonymizers.pipeline.preparing import Prepared, largest_k
from hedgerow.arrays import Longs
from hedgerow.counts.reading import date_label
from hedgerow.domains import Kind
from hedgerow.errors import BadInput, Infeasible, InternalError
from hedgerow.proportions import Proportions, count_labels, count_proportions
from hedgerow.published import ValueSet, parse, spelled
from hedgerow.recoding import Recoding
from hedgerow.risk import classes_that_single_out, singled_out
from hedgerow.values import iso_moment
from hedgerow.verifier import ClassCounts

__all__ = ["check_proportions", "proportions_of", "support_facts", "weak_proportions"]


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
    from hedgerow.proportions.lifting import proportions_to_publish

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
