"""Audit any table: count it with the verifier, and derive every figure from the counts."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from hedgerow._internal.rounding import digits_shown, rounded_up, significant
from hedgerow.core.cells import SUPPRESSED
from hedgerow.core.proportions import Proportions
from hedgerow.errors import BadInput, listing, plural
from hedgerow.risk._identification import AttackerRisk, Risks, attacker_risks, people_fitting, tells_apart
from hedgerow.risk._inputs import Auditable, Described, check_columns, labels_of, read_demands, with_trees
from hedgerow.risk._proportions import disclosures, singled_out
from hedgerow.risk.audit import Audit, ClassSummary, SensitiveAudit, Together
from hedgerow.risk.clear import ClearColumn
from hedgerow.risk.manifest import determined_beside, manifest_fit
from hedgerow.risk.previous import Given, audit_together, quasi_of
from hedgerow.verifier import (
    ClassCounts,
    Finding,
    Histogram,
    Link,
    Verdict,
    count_classes,
    k_of_all,
    open_table,
    verify,
    wildcard_k,
)
from hedgerow.verifier.classes import Integers, LabelIndex
from hedgerow.verifier.formulas import (
    distinct_values,
    entropy_values,
    equal_distance,
    largest_share,
    ordered_distance,
    recursive_ratio,
)

__all__ = ["audit", "audit_counts", "gravest", "tell_roughly"]


# --------------------------------------------------------------------------------------------------
# The audit of a release that counts people, where its table does not tell whose a row is.
#
# Whoever knows all rows but one, and whose they are, could tell from an exact number of people whether that row is of
# somebody they know. So what everybody can count in the table is told of its rows, and figures of people are rounded.
# Exact are only the fewest people who share something, and the fewest values that they have: these are what is
# promised.


def tell_roughly(audit: Audit, counts: ClassCounts) -> Audit:
    """Round the figures of people.

    Parameters
    ----------
    audit : Audit
        With exact figures.
    counts : ClassCounts
        What it was made from.
    """
    digits = digits_shown(counts.people)
    records = round(significant(counts.records, digits))
    risks = audit.risks
    return replace(
        audit,
        people=round(significant(counts.people, digits)),
        risks=Risks(
            _risk(risks.prosecutor, records, digits),
            _risk(risks.journalist, records, digits),
            replace(_risk(risks.marketer, records, digits), highest=significant(risks.marketer.highest, digits)),
        ),
        verdict=None if audit.verdict is None else _verdict(audit.verdict, digits),
        clear={name: replace(one, alone=rounded_up(one.alone, digits)) for name, one in audit.clear.items()},
    )


def _risk(risk: AttackerRisk, records: int, digits: int) -> AttackerRisk:
    """The highest risk is 1 / k, and stays."""
    share = rounded_up(risk.share_at_risk, digits)
    return replace(
        risk, average=significant(risk.average, digits), records_at_risk=round(share * records), share_at_risk=share
    )


def _verdict(verdict: Verdict, digits: int) -> Verdict:
    return replace(verdict, findings=tuple(_finding(one, digits) for one in verdict.findings))


def _finding(finding: Finding, digits: int) -> Finding:
    """Whether a requirement holds is never rounded, nor is a number of people or of values."""
    if finding.measure in ("k", "l", "p"):
        return finding
    return replace(finding, reached=significant(finding.reached, digits))


# --------------------------------------------------------------------------------------------------
# What makes a table, or what it promises, worth nothing: it is said before anything else.


_NEXT_TO_NOTHING: Final = 0.95
_ADVICE: Final = "Lower the requirements, give hierarchies, or name fewer quasi-identifiers."


def gravest(counts: ClassCounts, demanded: Sequence[Any], loss: float | None) -> tuple[str, ...]:
    """Say if a requirement promises nothing, and if nothing is kept.

    Parameters
    ----------
    counts : ClassCounts
        The table as it was counted.
    demanded : sequence of requirements
    loss : float, optional
        What is lost as published, ``ncp_published``, where it is known.
    """
    return (*_promises(demanded), *_kept(counts, loss))


def _promises(demanded: Sequence[Any]) -> tuple[str, ...]:
    if not any(one.name == "k-anonymity" and getattr(one, "k", None) == 1 for one in demanded):
        return ()
    return ("1-anonymity promises nothing: every table has it, and people may stand alone in it. Ask for a k above 1.",)


def _kept(counts: ClassCounts, loss: float | None) -> tuple[str, ...]:
    if all(label is None or label == str(SUPPRESSED) for labels in counts.labels for label in labels):
        said = "The table keeps nothing of its quasi-identifiers: every cell of them is suppressed or missing."
        return (f"{said} {_ADVICE}",)
    if loss is not None and loss >= _NEXT_TO_NOTHING:
        # The figure itself would have more digits than a small table may tell.
        said = (
            f"The table keeps next to nothing of its quasi-identifiers: {_NEXT_TO_NOTHING:.0%} or more of it is lost."
        )
        return (f"{said} {_ADVICE}",)
    return ()


# One chance in five, the customary limit for data released to researchers (El Emam & Dankar 2008).
DEFAULT_THRESHOLD: Final = 0.2


def audit(
    table: Any,
    *,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    target: str | None = None,
    population: Any = None,
    entity: str | None = None,
    require: Iterable[Any] = (),
    k: int | None = None,
    missing: Sequence[str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    threshold: float | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    previous: Any = None,
    original: Any = None,
    changed: Sequence[str] = (),
    previous_quasi: Sequence[str] = (),
) -> Audit:
    """Measure what a table gives away.

    Parameters
    ----------
    table : dataframe, DuckDB relation, path or Release
        pandas, polars or pyarrow; or whatever files :class:`hedgerow.File` reads. A file with a manifest beside it is
        compared with the digest in it. A release is counted anew; whatever of the following is not given, it says
        itself.
    quasi : sequence of str
        The columns by which a person could be found. Only a release needs none.
    sensitive : sequence of str, optional
        The columns whose values must not become known.
    target : str, optional
        The column whose labels are to be learnt; its homogeneity is measured too.
    population : dataframe, DuckDB relation or path, optional
        The people among whom a journalist would search, with the same quasi-identifiers, generalized or not.
    entity : str, optional
        The column that tells people apart, where a person may have several rows.
    require : iterable of requirements
        What the table has to satisfy, as objects or as text such as ``"l=3@disease"``; ``verdict`` tells whether
        it does.
    k : int, optional
        Short for k-anonymity over all quasi-identifiers.
    missing : sequence of str, optional
        Texts that mean "no value".
    hierarchies : mapping of column to hierarchy, optional
        As in a schema. Those of quasi-identifiers say which people of the population a label stands for; those of
        sensitive columns serve requirements that measure distances in them.
    threshold : float, optional
        A record is at risk above it; 1/k if k is given, else 0.2.
    encoding, delimiter : str, optional
        Of text files, also of the population's; recognised if not given.
    sheet : str, optional
        Of a workbook: which sheet holds the table, where several hold something.
    previous : dataframe, DuckDB relation, path or Release, optional
        An earlier release of the same people: ``together`` tells what both give away, and a k that is required must
        hold for both together.
    original : dataframe, DuckDB relation or path, optional
        The table that both releases were made from, which only whoever publishes has. Then people are counted; else
        figures are bounds by what is published.
    changed : sequence of str
        Columns whose values may have changed since the earlier release. By all others that both publish as they are,
        rows are compared.
    previous_quasi : sequence of str
        The quasi-identifiers of the earlier release. A release, or a saved one with its manifest, says them itself;
        where nothing does, no k is proved of both together.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["12*", "12*", "13*"], "illness": ["flu", "cold", "flu"]})
    >>> result = audit(table, quasi=["zip"], sensitive=["illness"])
    >>> result.k, result.l, result.risks.prosecutor.highest
    (1, 1, 1.0)
    """
    origin = table
    known = table.described if isinstance(table, Auditable) else None
    demanded = read_demands(k, require)
    threshold = _threshold(threshold, k)
    if known is not None:
        table = known.artefact
        quasi = known.quasi if quasi is None else quasi
        sensitive = known.sensitive if sensitive is None else sensitive
        target = known.target if target is None else target
        missing = known.missing if missing is None else missing
        demanded = demanded or tuple(known.requirements)
    if quasi is None:
        raise BadInput("No quasi-identifier is named. Name the columns by which a person could be found in quasi=.")
    sensitive = () if sensitive is None else sensitive
    hierarchies = {} if hierarchies is None else hierarchies
    if isinstance(sensitive, str):
        raise BadInput.parameter("sensitive", "audit", "a list of column names", sensitive)
    protected = [column for one in demanded if (column := getattr(one, "column", None)) is not None]
    counted = dict.fromkeys((*sensitive, *(() if target is None else (target,)), *protected))
    both = _check_previous(previous, original, changed, previous_quasi)
    earlier = quasi_of(previous, previous_quasi) if both else ()
    check_columns(hierarchies, [*dict.fromkeys((*quasi, *counted, *earlier))])
    options: dict[str, Any] = {
        "missing": () if missing is None else missing,
        "encoding": encoding,
        "delimiter": delimiter,
    }
    people = None
    if known is not None and entity is None:
        entity, people = known.entity, known.people
    fit, unfit = manifest_fit(table)
    table = open_table(table, encoding=encoding, delimiter=delimiter, sheet=sheet)
    of_manifest = {} if fit != "fits" or known is not None else determined_beside(origin)
    determined = {
        name: by
        for name, by in (of_manifest if known is None else known.determined).items()
        if name not in (*quasi, *counted, entity) and set(by) & set(quasi)
    }
    counts = count_classes(
        table, quasi, sensitive=tuple(counted), entity=entity, people=people, determined=determined, **options
    )
    result = audit_counts(
        counts,
        sensitive=sensitive,
        target=target,
        population=None if population is None else count_classes(_table_of(population), quasi, **options),
        hierarchies=hierarchies,
        require=demanded,
        threshold=threshold,
        losses=None if known is None else known.audit.losses,
        warnings=unfit,
        k_all=_k_all(table, counts, known, entity),
        clear=None if known is None else known.audit.clear,
        linked=entity in counts.table_columns,
        links=() if known is None or people is None else known.audit.links,
        proportions=None if known is None else known.proportions,
    )
    result = replace(result, manifest=fit)
    if not both:
        return result
    return _with_previous(
        result,
        audit_together(
            origin,
            table,
            Given(
                previous=previous,
                original=original,
                quasi=quasi,
                asked=tuple(dict.fromkeys((*sensitive, *(() if target is None else (target,))))),
                entity=entity,
                changed=changed,
                hierarchies={name: one for name, one in hierarchies.items() if name in {*quasi, *earlier}},
                required=max((one.k for one in demanded if _is_plain_k(one)), default=None),
                options=options,
                previous_quasi=tuple(previous_quasi),
            ),
        ),
    )


def _check_previous(previous: Any, original: Any, changed: Any, previous_quasi: Any) -> bool:
    """Whether two releases are audited together; refuse what is of use only then."""
    lists = {"changed": changed, "previous_quasi": previous_quasi}
    for name, one in lists.items():
        if isinstance(one, str):
            raise BadInput.parameter(name, "audit", "a list of column names", one)
    named = [name for name, one in {"original": original is not None, **lists}.items() if one]
    if previous is None and named:
        raise BadInput(
            f"{named[0]} (--{named[0].replace('_', '-')}) is of use only beside an earlier release. Name that one with "
            "previous= (--previous)."
        )
    return previous is not None


def _is_plain_k(requirement: Any) -> bool:
    return getattr(requirement, "name", None) == "k-anonymity" and getattr(requirement, "shield", None) is None


def _with_previous(audit: Audit, together: Together) -> Audit:
    """The audit with what both releases give away, which is judged with the other requirements."""
    finding, verdict = together.finding, audit.verdict
    if finding is not None and verdict is not None:
        verdict = Verdict(verdict.holds and finding.holds, (*verdict.findings, finding))
    return replace(audit, together=together, verdict=verdict)


def _k_all(table: Any, counts: ClassCounts, known: Described | None, entity: str | None) -> int | None:
    """How few share all columns; where the table does not name its people, as it was when it was made."""
    if counts.complete:
        return counts.k_all
    if known is not None and known.people is not None:
        return known.audit.k_all
    return k_of_all(table, entity=entity)


def audit_counts(
    counts: ClassCounts,
    *,
    sensitive: Sequence[str] | None = None,
    target: str | None = None,
    population: ClassCounts | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    require: Iterable[Any] = (),
    k: int | None = None,
    threshold: float | None = None,
    losses: Mapping[str, float] | None = None,
    lost: float | None = None,
    warnings: Sequence[str] = (),
    proportions: Proportions | None = None,
    k_all: int | None = None,
    clear: Mapping[str, ClearColumn] | None = None,
    linked: bool = False,
    links: Sequence[Link] = (),
    roughly: bool = False,
    rows_are_people: bool = False,
) -> Audit:
    """Audit classes that are already counted, so that nothing is counted twice.

    Parameters are those of :func:`audit`, with these differences:

    Parameters
    ----------
    counts : ClassCounts
        The table, counted with its sensitive columns and its target.
    sensitive : sequence of str, optional
        ``None`` means every counted column but the target.
    population : ClassCounts, optional
        Counted over the same quasi-identifiers.
    losses : mapping of metric name to float, optional
        What the release lost, to be shown beside.
    lost : float, optional
        What is lost as published, exactly: a release that keeps next to nothing says so first.
    warnings : sequence of str
        What the method that made the release has to say.
    proportions : Proportions, optional
        What is published beside the table.
    k_all : int, optional
        How few share the values of all columns.
    clear : mapping of column to ClearColumn, optional
        What the columns that are published as they are tell.
    linked : bool
        Whether a reader can tell which rows are of one person, because the table names the person.
    links : sequence of Link
        The columns by which a reader can tell it besides.
    roughly : bool
        Whether people are counted of whom a reader must not know how many there are.
    rows_are_people : bool
        Whether somebody says that every row is a person.
    """
    given = hierarchies or {}
    demanded = with_trees(read_demands(k, require), given, counts)
    limit = _threshold(threshold, k)
    if sensitive is None:
        sensitive = tuple(name for name in counts.histograms if name != target)
    # What everybody can count in the table is told of its rows, exactly.
    counted = counts.by_rows if roughly else counts
    of_column = {name: _sensitive_audit(counted, counted.histogram(name)) for name in sensitive}
    described = dict.fromkeys((*sensitive, *(() if target is None else (target,))))
    fitting = None if population is None else people_fitting(counts, population, labels_of(given, population))
    wildcard = wildcard_k(counts)
    least = max((getattr(one, "minimal_size", 1) for one in demanded), default=1)
    known = None if proportions is None else singled_out(proportions, least)
    grave = gravest(counts, demanded, lost)
    exact = Audit(
        rows=counts.rows,
        columns=counts.columns,
        k=int(counts.sizes.min()),
        shields={
            ", ".join(shield): int(counts.project(shield).sizes.min())
            for one in demanded
            if (shield := getattr(one, "shield", None)) is not None
        },
        wildcard_k=wildcard,
        l=min((one.distinct_l for one in of_column.values()), default=None),
        t=max((one.t_equal for one in of_column.values()), default=None),
        sensitive=of_column,
        classes=ClassSummary.of(counted),
        risks=attacker_risks(counts, limit, fitting),
        label_homogeneity={name: _homogeneity(counted, counted.histogram(name)) for name in described},
        losses=dict(losses or {}),
        warnings=(
            *grave,
            *warnings,
            *_known_already(clear or {}),
            *_warnings(counts, demanded, fitting, wildcard, said=rows_are_people),
        ),
        grave=grave,
        verdict=verify(counts, demanded) if demanded else None,
        proportions={} if proportions is None else disclosures(proportions),
        singled_out=None if known is None else known.people,
        fully_known=None if known is None else known.known,
        k_all=counts.k_all if k_all is None and counts.complete else k_all,
        people=None if counts.entity is None else counts.people,
        linked=_fewest_linked(counts, links) if linked or links else None,
        links=tuple(links),
        clear=dict(clear or {}),
        determined=dict(counts.determined),
        k_determined=None if counts.wider is None else int(counts.wider.sizes.min()),
        tells_apart={
            name: tells_apart(np.bincount(counted.codes[:, at], counted.sizes, len(labels)).astype(np.int64))
            for at, (name, labels) in enumerate(zip(counted.columns, counted.labels, strict=True))
        },
    )
    return tell_roughly(exact, counts) if roughly else exact


def _fewest_linked(counts: ClassCounts, links: Sequence[Link]) -> tuple[int, int]:
    """How few people share their classes, by whatever links their rows."""
    sets, often = counts.linked
    return min([sets, *(one.k for one in links)]), min([often, *(one.often for one in links)])


def _table_of(table: Any) -> Any:
    return table.described.artefact if isinstance(table, Auditable) else table


def _threshold(threshold: Any, k: int | None) -> float:
    if threshold is None:
        return DEFAULT_THRESHOLD if k is None else 1.0 / k
    real = isinstance(threshold, numbers.Real) and not isinstance(threshold, bool)
    if not (real and 0 <= float(threshold) <= 1):
        raise BadInput.parameter("threshold", "audit", "a number from 0 to 1", threshold)
    return float(threshold)


def _sensitive_audit(counts: ClassCounts, histogram: Histogram) -> SensitiveAudit:
    values = int(distinct_values(histogram).min())
    ratio = float(recursive_ratio(histogram, 2).max())
    return SensitiveAudit(
        distinct_l=values,
        entropy_l=float(entropy_values(histogram).min()),
        recursive_c=ratio if math.isfinite(ratio) else None,
        t_equal=float(equal_distance(histogram).max()),
        t_ordered=float(ordered_distance(histogram).max()),
        alpha=float(largest_share(histogram, counts.sizes).max()),
        p=values,
    )


def _homogeneity(counts: ClassCounts, histogram: Histogram) -> float:
    single = distinct_values(histogram) == 1
    return int(counts.sizes[single].sum()) / counts.records


def _known_already(clear: Mapping[str, ClearColumn]) -> list[str]:
    """What has to be said of protected columns that quasi-identifiers determine."""
    return [
        f"The column {name!r} follows from {listing(one.determined_by)}: whoever knows that of a person knows it "
        f"without the table. As a {one.role} column it is not counted as known."
        for name, one in clear.items()
        if one.role in ("target", "sensitive") and one.determined_by
    ]


def _warnings(
    counts: ClassCounts,
    demanded: Sequence[Any],
    fitting: Integers | None,
    wildcard: int | None,
    *,
    said: bool,
) -> list[str]:
    found = []
    if said:
        found.append(
            "Rows are counted as people, because whoever made the release says that every row is a person. Where that "
            "is wrong, k rows may be of fewer than k people."
        )
    elif counts.entity is None:
        found.append(
            "Rows are counted, not people: several rows of one person are not detected unless entity= (--entity) "
            "names the column that tells people apart."
        )
    open_columns = [
        name
        for name, labels in zip(counts.columns, counts.labels, strict=True)
        if any(label is None or label == str(SUPPRESSED) for label in labels)
    ]
    if open_columns:
        computed = "was not computed" if wildcard is None else f"is {wildcard}"
        found.append(
            f"Missing or suppressed cells occur in {listing(open_columns)}. They count as a value of their "
            f"own; the k if they may stand for any value {computed}."
        )
    if fitting is not None and (short := int((fitting < counts.sizes).sum())):
        found.append(
            f"In {short} of {plural(len(counts.sizes), 'classes')} the population has fewer people than the table has "
            "records: it does not contain the table, writes values in another way, or labels hide the match whose "
            "hierarchy is not given (--hierarchy). There the prosecutor's risk is used."
        )
    for one in demanded:
        value = getattr(one, "value", None)
        if value is not None and LabelIndex(counts.histogram(one.column).labels).find(value) is None:
            found.append(f"The value that {one} limits does not occur in {one.column}. Check how it is written.")
    return found
