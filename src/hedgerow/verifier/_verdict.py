"""The verdict: whether a table meets its requirements, computed independently of how the table was made.

A requirement is recognized by its ``name`` and read by its attributes alone. An unknown requirement is refused.
Fractions and distances are compared with a slack of 1e-9, so that rounding in a sum never rejects a table that meets
the requirement exactly. Sizes, numbers of values and the strict inequality of recursive diversity (a quotient of two
counts) have no slack.
"""

from __future__ import annotations

import datetime as dt
import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hedgerow.errors import BadInput, NotAnonymous, listing, plural
from hedgerow.verifier._counting import count_classes, open_table
from hedgerow.verifier.classes import Bools, ClassCounts, LabelIndex
from hedgerow.verifier.formulas import (
    distinct_values,
    entropy_values,
    equal_distance,
    hierarchical_distance,
    largest_share,
    ordered_distance,
    recursive_ratio,
    share_of,
)

__all__ = ["SLACK", "Finding", "Levels", "Verdict", "enforce", "outside_levels", "verify"]

SLACK: Final = 1e-9


@dataclass(frozen=True)
class Finding:
    """What a requirement demands and what the table reaches.

    Parameters
    ----------
    requirement : str
        The requirement in words.
    measure : str
        What is measured: ``k``, ``l``, ``entropy l``, ``c``, ``t``, ``p`` or ``alpha``.
    holds : bool
        Whether every class satisfies it.
    reached, required : float
        The value of the worst class, and the value that is demanded.
    classes_violating, rows_violating : int
        The number of classes that do not satisfy it, and of the records in them.
    determined : tuple of str
        Columns that were counted as quasi-identifiers here, because quasi-identifiers determine them.
    """

    requirement: str
    measure: str
    holds: bool
    reached: float
    required: float
    classes_violating: int
    rows_violating: int
    determined: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """Whether all requirements hold, and the findings for each."""

    holds: bool
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Levels:
    """The limits on the levels of a column, and the labels that they allow.

    Parameters
    ----------
    finest, coarsest : int
    labels : tuple of str or None
        All cells that may be published; ``None`` is a missing value.
    """

    finest: int
    coarsest: int
    labels: tuple[str | None, ...]

    def __str__(self) -> str:
        if self.finest == self.coarsest:
            return f"level {self.finest}"
        return f"levels {self.finest} to {self.coarsest}"


def outside_levels(counts: ClassCounts, levels: Mapping[str, Levels], *, escaped: bool = False) -> tuple[Finding, ...]:
    """Look up every published cell of the limited columns among the labels that their levels allow.

    Parameters
    ----------
    counts : ClassCounts
    levels : mapping of column to Levels
    escaped : bool
        Whether an apostrophe may stand before a cell.

    Examples
    --------
    >>> import pyarrow as pa
    >>> counts = count_classes(pa.table({"zip": ["13*", "1**", "1**"]}), ["zip"])
    >>> [finding.holds for finding in outside_levels(counts, {"zip": Levels(1, 1, ("13*", "14*"))})]
    [False]
    """
    findings = []
    for name, allowed in levels.items():
        at = counts.columns.index(name)
        known = _Allowed(allowed.labels)
        outside = np.array([not known.has(text, escaped=escaped) for text in counts.labels[at]], dtype=bool)
        of_class = outside[counts.codes[:, at]]
        rows = int(counts.cells.rows[of_class[counts.class_of_cell]].sum())
        findings.append(
            Finding(
                requirement=f"the {allowed} of {name!r}",
                measure="the number of cells outside",
                holds=not rows,
                reached=float(rows),
                required=0.0,
                classes_violating=int(of_class.sum()),
                rows_violating=rows,
            )
        )
    return tuple(findings)


class _Allowed:
    """The labels that are allowed, in any spelling of a number or of a moment."""

    def __init__(self, labels: Sequence[str | None]) -> None:
        self._index = LabelIndex(np.array(labels, dtype=object))
        self._moments = {_moment(label) for label in labels} - {None}

    def has(self, text: str | None, *, escaped: bool) -> bool:
        """Whether a cell shows one of the labels, perhaps behind an apostrophe."""
        if self._index.find(text) is not None or (self._moments and _moment(text) in self._moments):
            return True
        return escaped and text is not None and text.startswith("'") and self.has(text[1:], escaped=False)


def _moment(text: str | None) -> dt.datetime | None:
    """The local time that a label is, if it is a date or a moment."""
    with suppress(ValueError):
        return None if text is None else dt.datetime.fromisoformat(text).replace(tzinfo=None)
    return None


def verify(
    table: Any,
    requirements: Iterable[Any],
    quasi: Sequence[str] | None = None,
    *,
    entity: str | None = None,
    missing: Sequence[str] = (),
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> Verdict:
    """Check a table, or the classes that :func:`count_classes` counted, against requirements.

    Parameters
    ----------
    table : ClassCounts, dataframe, DuckDB relation or path
    requirements : iterable of requirements
        Objects with a ``name`` and its parameters; at least one.
    quasi : sequence of str
        The quasi-identifiers; not needed with counted classes.
    entity, missing
        As for :func:`count_classes`.
    encoding, delimiter, sheet
        As for :func:`open_table`.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import pyarrow as pa
    >>> twice = SimpleNamespace(name="k-anonymity", k=2, shield=None)
    >>> verify(pa.table({"sex": ["F", "F", "M"]}), [twice], ["sex"]).holds
    False
    """
    demanded = tuple(requirements)
    if not demanded:
        raise BadInput("There is no requirement to verify. Name at least one.")
    for requirement in demanded:
        _check_of(requirement)
    if isinstance(table, ClassCounts):
        counts = table.project(quasi)
    elif quasi is None:
        raise BadInput("No quasi-identifier is named. Name the columns by which a person could be found.")
    else:
        sensitive = dict.fromkeys(
            requirement.column for requirement in demanded if getattr(requirement, "column", None) is not None
        )
        opened = open_table(table, encoding=encoding, delimiter=delimiter, sheet=sheet)
        counts = count_classes(opened, quasi, sensitive=tuple(sensitive), entity=entity, missing=missing)
    findings = [finding for requirement in demanded for finding in _findings(counts, requirement)]
    return Verdict(all(finding.holds for finding in findings), tuple(findings))


def enforce(verdict: Verdict) -> None:
    """Raise :class:`~hedgerow.errors.NotAnonymous` unless the verdict holds."""
    for finding in verdict.findings:
        if not finding.holds:
            raise NotAnonymous(
                f"The table does not meet {finding.requirement}: {finding.measure} is "
                f"{_written(finding.reached)} where {_written(finding.required)} is required, and "
                f"{plural(finding.classes_violating, 'classes')} with "
                f"{plural(finding.rows_violating, 'records')} violate it."
            )
    if not verdict.holds or not verdict.findings:
        raise NotAnonymous("The table was not shown to meet any requirement.")


@dataclass(frozen=True, eq=False)
class _Check:
    """A measure: which classes satisfy it, the value of the worst class, and the value that is demanded."""

    measure: str
    satisfied: Bools
    reached: float
    required: float


def _findings(counts: ClassCounts, requirement: Any) -> list[Finding]:
    shield = getattr(requirement, "shield", None)
    parts: list[tuple[ClassCounts, tuple[str, ...]]] = [(counts.project(shield), ())]
    # An attacker who knows a quasi-identifier knows what it determines: the requirement must hold there too.
    known = counts.known_to(shield)
    if known is not None:
        parts.append(known)
    return [
        Finding(
            requirement=f"{requirement} with {listing(determined)}" if determined else str(requirement),
            measure=check.measure,
            holds=bool(check.satisfied.all()),
            reached=check.reached,
            required=check.required,
            classes_violating=int((~check.satisfied).sum()),
            rows_violating=int(part.sizes[~check.satisfied].sum()),
            determined=determined,
        )
        for part, determined in parts
        for check in _check_of(requirement)(part, requirement)
    ]


def _k_anonymity(part: ClassCounts, requirement: Any) -> list[_Check]:
    k = _parameter(requirement, "k", 1)
    return [_Check("k", part.sizes >= k, float(part.sizes.min()), k)]


def _l_diversity(part: ClassCounts, requirement: Any) -> list[_Check]:
    histogram = part.histogram(requirement.column)
    l = _parameter(requirement, "l", 1)  # noqa: E741 - the paper's letter
    if requirement.kind == "distinct":
        values = distinct_values(histogram)
        return [_Check("l", values >= l, float(values.min()), l)]
    if requirement.kind == "entropy":
        entropy = entropy_values(histogram)
        return [_Check("entropy l", entropy >= l - SLACK, float(entropy.min()), l)]
    if requirement.kind == "recursive":
        c = _parameter(requirement, "c", 0)
        ratio = recursive_ratio(histogram, math.ceil(l))
        return [_Check("c", ratio < c, float(ratio.max()), c)]
    raise BadInput(f"The verifier does not know the l-diversity called {requirement.kind!r}. Nothing is verified.")


def _t_closeness(part: ClassCounts, requirement: Any) -> list[_Check]:
    histogram, column = part.histogram(requirement.column), requirement.column
    t = _parameter(requirement, "t", 0)
    if requirement.distance == "equal":
        distance = equal_distance(histogram)
    elif requirement.distance == "ordered":
        distance = ordered_distance(histogram, getattr(requirement, "order", None), column=column)
    elif requirement.distance == "hierarchical":
        distance = hierarchical_distance(histogram, getattr(requirement, "tree", None), column=column)
    else:
        raise BadInput(f"The verifier does not know the distance {requirement.distance!r}. Nothing is verified.")
    return [_Check("t", distance <= t + SLACK, float(distance.max()), t)]


def _p_sensitive(part: ClassCounts, requirement: Any) -> list[_Check]:
    p = _parameter(requirement, "p", 1)
    values = distinct_values(part.histogram(requirement.column))
    return [*_k_anonymity(part, requirement), _Check("p", values >= p, float(values.min()), p)]


def _alpha_k(part: ClassCounts, requirement: Any) -> list[_Check]:
    alpha = _parameter(requirement, "alpha", 0)
    histogram = part.histogram(requirement.column)
    value = getattr(requirement, "value", None)
    if value is None:
        share = largest_share(histogram, part.sizes)
    else:
        code = LabelIndex(histogram.labels).find(value)
        share = np.zeros(len(part.sizes)) if code is None else share_of(histogram, part.sizes, code)
    within = share <= alpha + SLACK
    return [*_k_anonymity(part, requirement), _Check("alpha", within, float(share.max()), alpha)]


_CHECKS: Final[dict[str, Callable[[ClassCounts, Any], list[_Check]]]] = {
    "k-anonymity": _k_anonymity,
    "l-diversity": _l_diversity,
    "t-closeness": _t_closeness,
    "p-sensitive": _p_sensitive,
    "alpha-k": _alpha_k,
}


def _check_of(requirement: Any) -> Callable[[ClassCounts, Any], list[_Check]]:
    name = getattr(requirement, "name", type(requirement).__name__)
    if name not in _CHECKS:
        raise BadInput.unknown("requirement", str(name), _CHECKS, "The verifier does not know how to check it.")
    return _CHECKS[name]


def _parameter(requirement: Any, name: str, least: float) -> float:
    """Read a number, and refuse NaN and numbers that are too small: they would let every table pass."""
    value: Any = getattr(requirement, name, None)
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not (real and math.isfinite(value) and value >= least):
        raise BadInput.parameter(name, str(requirement.name), f"a number >= {least}", value)
    return float(value)


def _written(number: float) -> str:
    return f"{number:.6g}" if math.isfinite(number) else "without bound"
