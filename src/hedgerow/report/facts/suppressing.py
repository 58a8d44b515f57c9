"""What was left out: rows, cells, and both by the label of the target."""

from __future__ import annotations

from typing import Literal

import numpy as np

from hedgerow.arrays import Floats, Longs
from hedgerow.errors import amount
from hedgerow.published import SUPPRESSED, spelled
from hedgerow.report.facts.holding import Holding, most_held
from hedgerow.report.facts.sections.keeping import LabelShare, Suppression
from hedgerow.report.facts.subjects import Subject
from hedgerow.report.facts.wording import DIGITS, share
from hedgerow.verifier import ClassCounts

__all__ = ["suppression"]

_MOST_LABELS = 12


def suppression(subject: Subject) -> Suppression | None:
    """What was left out; ``None`` for an audit, which does not know what there was."""
    published = subject.published
    if published is None:
        return None
    rows_in, lost = int(subject.manifest["rows_in"]), int(subject.manifest["rows_lost"])
    labels, note = _labels(subject, published)
    return Suppression(
        rows=share(
            "rows left out",
            lost / rows_in,
            f"Of {amount(rows_in, 'rows')} {lost:,} {'was' if lost == 1 else 'were'} left out so that the others "
            "could stay finer.",
            "good" if lost == 0 else "note",
        ),
        cells=share(
            "cells hidden",
            subject.audit.losses["suppression"],
            "The share of quasi-identifier cells that tell nothing (*), those of rows that were left out included.",
        ),
        labels=labels,
        labels_note=note,
    )


def _hidden(published: ClassCounts) -> Floats:
    """The share of quasi-identifiers that each class hides; an empty cell tells nothing either."""
    hidden = [
        np.array([label is None or label == str(SUPPRESSED) for label in labels])[published.codes[:, at]]
        for at, labels in enumerate(published.labels)
    ]
    return np.asarray(np.mean(hidden, axis=0))


def _labels(subject: Subject, published: ClassCounts) -> tuple[tuple[LabelShare, ...], str]:
    target = subject.target
    if target is None:
        return (), "No column was named as target, so nothing is told by label."
    if subject.whose_unknown:
        return (), "People were counted, and the table does not say whose its rows are: labels of few cannot be told."
    column = published.cells.sensitive[target]
    held = most_held(Holding.of_cells(published, column.codes, len(column.labels)), subject.fewest, _MOST_LABELS)
    if held is None or not held.shown:
        return (), f"Too few share a label of {target!r} to tell it by label."
    group = held.group[column.codes]
    groups = len(held.shown) + 1
    rows = np.bincount(group, published.cells.rows, groups)
    hidden = np.bincount(group, published.cells.rows * _hidden(published)[published.class_of_cell], groups)
    lost = _lost(subject, target, published, held.group, groups)
    found = []
    for at in np.flatnonzero(rows).tolist():
        code = held.shown[at] if at < len(held.shown) else None
        kind: Literal["value", "others", "missing"] = (
            "others" if code is None else "missing" if column.labels[code] is None else "value"
        )
        found.append(
            LabelShare(
                label="others" if code is None else "no value" if kind == "missing" else str(column.labels[code]),
                kind=kind,
                share=round(float(rows[at] / published.rows), DIGITS),
                cells=round(float(hidden[at] / rows[at]), DIGITS),
                rows=None if lost is None else lost[at],
            )
        )
    return tuple(found), f"Labels that fewer than {subject.fewest:,} {subject.unit} have are told together as others."


def _lost(subject: Subject, target: str, published: ClassCounts, group: Longs, groups: int) -> list[float] | None:
    """The share of original rows of each label that were left out, where that may be told."""
    if int(subject.manifest["rows_lost"]) == 0:
        return [0.0] * groups
    if subject.originals is None:
        return None
    counts = subject.originals.counts
    domain = counts.domains[target]
    labels = published.cells.sensitive[target].labels.tolist()
    place = {None if label is None else spelled(label, domain.kind): code for code, label in enumerate(labels)}
    # A label that nobody has any more is among the others.
    group_of_code = np.array(
        [
            group[place[label]] if label in place else groups - 1
            for label in (*domain.labels.tolist(), *[None] * domain.has_missing)
        ]
    )
    before = np.bincount(group_of_code, counts.histogram(target), groups)
    after = np.bincount(group[published.cells.sensitive[target].codes], published.cells.rows, groups)
    return [round(float(1 - one / max(all_, 1)), subject.digits) for one, all_ in zip(after, before, strict=True)]
