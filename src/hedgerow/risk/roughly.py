"""The audit of a release that counts people, where its table does not tell whose a row is.

Whoever knows all rows but one, and whose they are, could tell from an exact number of people whether that row is of
somebody they know. So what everybody can count in the table is told of its rows, and figures of people are rounded.
Exact are only the fewest people who share something, and the fewest values that they have: these are what is promised.
"""

from __future__ import annotations

from dataclasses import replace

from hedgerow.risk.attackers import AttackerRisk, Risks
from hedgerow.risk.audit import Audit
from hedgerow.rounding import digits_shown, rounded_up, significant
from hedgerow.verifier import ClassCounts, Finding, Verdict

__all__ = ["tell_roughly"]


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
