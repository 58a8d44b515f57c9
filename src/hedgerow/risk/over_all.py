"""What k does not cover: how few look alike once every published column counts, and not only quasi-identifiers."""

from __future__ import annotations

from hedgerow.risk.audit import Audit

__all__ = ["beyond_quasi"]


def beyond_quasi(audit: Audit) -> str:
    """Say in plain words that fewer look alike over all columns than over the quasi-identifiers.

    Parameters
    ----------
    audit : Audit

    Returns
    -------
    str
        Empty where as many do, where it was not computed, and where k is 1 already.

    Examples
    --------
    >>> import hedgerow as hr, pyarrow as pa
    >>> table = pa.table({"town": ["Ulm", "Ulm"], "shoe": [41, 42]})
    >>> print(beyond_quasi(hr.audit(table, quasi=["town"])).partition(":")[0])
    Over all columns together, somebody stands alone
    >>> beyond_quasi(hr.audit(table, quasi=["town", "shoe"]))
    ''
    """
    if audit.k_all is None or audit.k_all >= audit.k:
        return ""
    few = "somebody stands alone" if audit.k_all == 1 else f"as few as {audit.k_all:,} look alike"
    found = "that person's row" if audit.k_all == 1 else "these few rows"
    return (
        f"Over all columns together, {few}: whoever also knows what the other columns say of a person can "
        f"find {found}. The guarantee takes it that nobody knows a person by them."
    )
