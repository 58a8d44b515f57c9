"""The audit as aligned text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence

from hedgerow._internal.notebook import MOST_NAMES
from hedgerow.errors import plural
from hedgerow.risk._auditing import Check
from hedgerow.risk.audit import AttackerRisk, Audit
from hedgerow.risk.clear import ClearColumn
from hedgerow.risk.overlap import Extent
from hedgerow.verifier import PEOPLE_PER_VALUE, Finding, Link, Verdict

__all__ = ["figure", "render", "render_check"]

_WIDTH = 100


def render(audit: Audit) -> str:
    """Write an audit, section by section; sections without content are left out."""
    sections = [
        [line for text in audit.grave for line in textwrap.wrap(text, _WIDTH)],
        _summary(audit),
        _section("Classes by size", _size_table(audit)),
        _section("Risk of being found again", _risk_table(audit)),
        _section("Sensitive columns (the worst class)", _sensitive_table(audit)),
        _section("Columns published unchanged", _clear_table(audit)),
        _section(
            "Columns coded before they were counted", [f"{name}: {one.told}" for name, one in audit.coded.items()]
        ),
        _section("Records in classes with a single value", _pairs(audit.label_homogeneity.items(), _share)),
        _section("What the published proportions reveal (original values)", _disclosure_table(audit)),
        _section("Together with the previous release", _together_lines(audit)),
        _section("Losses", _pairs(audit.losses.items(), figure)),
        _section("Requirements", [] if audit.verdict is None else _findings(audit.verdict)),
        _section("Note", [line for text in audit.warnings if text not in audit.grave for line in _bullet(text)]),
    ]
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


def render_check(check: Check) -> str:
    """Write whether a table meets its requirements, in a few lines."""
    people = "" if check.people is None else f" of {plural(check.people, 'people')}"
    revealed = [
        f"{plural(held.records, check.counted)} in {plural(held.classes, 'classes')} where {name} is the same for all"
        for name, held in check.told.items()
    ]
    lines = [
        f"{plural(check.rows, 'rows')}{people} in {plural(check.classes, 'classes')} of {_columns(check.columns)}",
        *_findings(check.verdict, check.counted),
        *revealed,
    ]
    return "\n".join(lines) + "\n"


def _summary(audit: Audit) -> list[str]:
    facts = [("rows", f"{audit.rows:,}")]
    if audit.people is not None:
        facts.append(("people", f"{audit.people_told}; k, l and risks count people"))
    facts += [
        ("quasi-identifiers", _columns(audit.columns)),
        ("classes", f"{audit.classes.number:,}"),
        ("k", f"{audit.k:,}"),
        *((f"k of {shield}", f"{k:,}") for shield, k in audit.shields.items()),
    ]
    if audit.k_determined is not None:
        facts.append((f"k with {_columns(tuple(audit.determined))}", f"{audit.k_determined:,}"))
    if audit.linked is not None:
        facts += _linked(*audit.linked)
    facts += [
        *(("rows linked by", _named(link)) for link in audit.links),
        ("k over all columns", _computed(audit.k_all)),
        ("k with wildcards", _computed(audit.wildcard_k)),
    ]
    if audit.l is not None and audit.t is not None:
        facts += [("l", str(audit.l)), ("t", figure(audit.t))]
    if audit.manifest is not None:
        facts.append(("manifest", "fits the table" if audit.manifest == "fits" else "DOES NOT FIT the table"))
    return _aligned(facts, right=())


def _computed(k: int | None) -> str:
    return "not computed" if k is None else f"{k:,}"


def _linked(sets: int, multisets: int) -> list[tuple[str, str]]:
    return [("k of linked rows", f"{sets:,} by the set of their classes; {multisets:,} with its numbers")]


def _named(link: Link) -> str:
    together = " together" if len(link.columns) > 1 else ""
    return f"{_columns(link.columns)}{together}{', which is accepted' if link.accepted else ''}"


def _columns(names: Sequence[str]) -> str:
    rest = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {rest} more" if rest > 0 else "")


def _size_table(audit: Audit) -> list[str]:
    classes = audit.classes
    rows: list[tuple[str, ...]] = [(classes.counted, "classes", f"{classes.counted} in them")]
    for bucket in classes.histogram:
        span = str(bucket.low) if bucket.low == bucket.high else f"{bucket.low:,}–{bucket.high:,}"
        rows.append((span, f"{bucket.classes:,}", f"{bucket.records:,}"))
    figures = (
        f"smallest {classes.smallest:,}, median {figure(classes.median)}, mean {figure(classes.mean)}, "
        f"largest {classes.largest:,}"
    )
    return [*_aligned(rows, right=(1, 2)), figures]


def _risk_table(audit: Audit) -> list[str]:
    risks: dict[str, AttackerRisk] = vars(audit.risks)
    rows = [("attacker", "highest", "average", "records at risk", "")]
    rows += [
        (name, _share(risk.highest), _share(risk.average), f"{risk.records_at_risk:,}", _share(risk.share_at_risk))
        for name, risk in risks.items()
    ]
    notes = [line for name, risk in risks.items() for line in _bullet(f"{name}: {risk.note}")]
    threshold = _share(audit.risks.prosecutor.threshold)
    return [*_aligned(rows, right=(1, 2, 3, 4)), f"at risk: above {threshold}", *notes]


def _sensitive_table(audit: Audit) -> list[str]:
    if not audit.sensitive:
        return []
    rows: list[tuple[str, ...]] = [
        ("column", "distinct l", "entropy l", "recursive c (l = 2)", "t equal", "t ordered", "alpha", "p")
    ]
    for name, column in audit.sensitive.items():
        ratio = "none" if column.recursive_c is None else figure(column.recursive_c)
        shares = map(figure, (column.t_equal, column.t_ordered, column.alpha))
        rows.append((name, str(column.distinct_l), figure(column.entropy_l), ratio, *shares, str(column.p)))
    return _aligned(rows, right=range(1, 8))


def _clear_table(audit: Audit) -> list[str]:
    if not audit.clear:
        return []
    rows = [("column", "role", "alone", "k with it", "reveals most of", "")]
    for name, column in audit.clear.items():
        other, share = column.most
        revealed = f"{other} ({_share(share)})" if share else "nothing"
        rows.append((name, column.role, _share(column.alone), f"{column.k:,}", revealed, _remark(column)))
    return _aligned(rows, right=(2, 3))


def _remark(column: ClearColumn) -> str:
    """Remarks on a column in clear: that it was accepted, and what determines it."""
    by = f"known from {_columns(column.determined_by)}" if column.determined_by else ""
    if column.excused:
        return f"ACCEPTED, {by}" if by else "ACCEPTED"
    return f"{by}, verified with it" if column.known else by


def _disclosure_table(audit: Audit) -> list[str]:
    if not audit.proportions:
        return []
    rows = [("column", "surest guess", "on average", "records revealed")]
    rows += [
        (name, _share(disclosure.posterior), _share(disclosure.average), f"{disclosure.records_told:,}")
        for name, disclosure in audit.proportions.items()
    ]
    known, alone = audit.fully_known or 0, audit.singled_out or 0
    return [
        *_aligned(rows, right=(1, 2, 3)),
        f"people with a tuple whose number is known: {known:,} ({_share(known / audit.rows)}); singled out, fewer than "
        f"k: {alone:,} ({_share(alone / audit.rows)})",
    ]


def _together_lines(audit: Audit) -> list[str]:
    both = audit.together
    if both is None:
        return []
    how = "exact" if both.exact else "bounds"
    by = "counted in the original table" if both.by_original else "by what is published"
    facts = [
        ("k together", f"{_extent(both.k)} ({how}, {by})"),
        ("k alone", f"{audit.k:,}; of the previous release {both.k_before:,}"),
        (f"{both.counted} in groups below {both.threshold:,}", _extent(both.below)),
        (f"{both.counted} alone in a group", _extent(both.alone)),
    ]
    if both.rows_left is not None:
        facts.append(("rows left of the new release", f"{both.rows_left:,} at least for everybody"))
    facts += [
        (f"classes with few {who}", f"{classes:,}: the difference of both releases sets them apart")
        for who, classes in (("newcomers", both.newcomers), ("leavers", both.leavers))
        if classes
    ]
    most = "" if both.by_original else "of rows in known classes at least "
    facts += [
        (f"{name} known", f"{_share(share.alone)} by this release alone, {most}{_share(share.together)} by both")
        for name, share in both.learnt.items()
    ]
    wrapped = [*textwrap.wrap(both.says, _WIDTH), *textwrap.wrap(f"Compared by {both.compared}.", _WIDTH)]
    return [*wrapped, *_aligned(facts, right=()), *(line for text in both.remarks for line in _bullet(text))]


def _extent(extent: Extent) -> str:
    least, most = extent
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def _findings(verdict: Verdict, counted: str = "records") -> list[str]:
    rows: list[tuple[str, ...]] = [
        ("", "requirement", "measure", "reached", "required", f"violating {counted}", "in classes")
    ]
    for finding in verdict.findings:
        judged = ("holds" if finding.holds else "FAILS", finding.requirement, finding.measure)
        figures = (figure(finding.reached), figure(finding.required))
        rows.append((*judged, *figures, *_violating(finding)))
    return [
        *_aligned(rows, right=range(3, 7)),
        "All requirements hold." if verdict.holds else "The requirements do NOT hold.",
    ]


def _violating(finding: Finding) -> tuple[str, str]:
    """How much violates a requirement: records and classes, or the cells and values that too few people hold."""
    if finding.measure == PEOPLE_PER_VALUE and not finding.holds:
        return plural(finding.rows_violating, "cells"), plural(finding.classes_violating, "values")
    return f"{finding.rows_violating:,}", f"{finding.classes_violating:,}"


def _section(title: str, lines: list[str]) -> list[str]:
    return [title, *(f"  {line}" for line in lines)] if lines else []


def _pairs(items: Iterable[tuple[str, float]], write: Callable[[float], str]) -> list[str]:
    return _aligned([(name, write(value)) for name, value in items], right=(1,))


def _aligned(rows: Sequence[tuple[str, ...]], right: Iterable[int]) -> list[str]:
    """Pad the cells of each column to its widest."""
    if not rows:
        return []
    to_the_right = set(right)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if i in to_the_right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _bullet(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="- ", subsequent_indent="  ")


def figure(value: float) -> str:
    """Write a figure in short: whole numbers whole, others with four digits.

    >>> figure(10.0), figure(0.05049), figure(1234567.0)
    ('10', '0.05049', '1,234,567')
    """
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.4g}"


def _share(value: float) -> str:
    return f"{100 * value:.2f} %"
