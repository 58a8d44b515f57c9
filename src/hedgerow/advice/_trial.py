"""The trial of a suggestion: whether it runs, how much detail it loses, and whether a column in clear discloses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa

from hedgerow._internal.arrays import Longs
from hedgerow.advice._profiles import Profile, some_rows
from hedgerow.errors import Disclosing, HedgerowError, required
from hedgerow.risk.clear import MOST_ALONE, MOST_GIVEN_AWAY, ClearColumn
from hedgerow.schema import Schema

__all__ = ["Trial", "try_out", "trial_rows"]

_MOST_ROWS: Final = 5_000  # methods that train models take a second for these
# Disclosure is measured on a random sample of classes: another run may find a little more.
_MARGIN: Final = 0.8
_SEED: Final = 7


@dataclass(frozen=True)
class Trial:
    """The result of trying a suggestion.

    Attributes
    ----------
    rows : int
        The number of rows of the trial.
    loss : float
        The share of the quasi-identifiers' detail that the published table loses (``ncp_published``).
    disclosing : mapping of column to str
        Columns in clear that would disclose something, and what.
    failed : str
        Why it does not run, as a sentence; empty if it does.
    """

    rows: int
    loss: float = 1.0
    disclosing: Mapping[str, str] = field(default_factory=dict)
    failed: str = ""

    def told(self, rows: int) -> str:
        """The result in words, for a table of so many rows.

        >>> Trial(5000, 0.31).told(90_000)
        'Tried on 5,000 of the rows: it runs and loses 31% of the detail (less with all rows).'
        """
        part = self.rows < rows
        on, less = (f"{self.rows:,} of the rows", " (less with all rows)") if part else ("all rows", "")
        return f"Tried on {on}: it runs and loses {self.loss:.0%} of the detail{less}."


def trial_rows(
    sample: pa.Table, profiles: Mapping[str, Profile], names: Sequence[str], *, in_one_way: Collection[str]
) -> pa.Table:
    """Draw rows from the sample, to try a suggestion on.

    Parameters
    ----------
    sample : Arrow table
    profiles : mapping of column to Profile
    names : sequence of str
        The needed columns.
    in_one_way : collection of str
        Text columns whose values are spelled as counting reads them. The other columns stay as they are.
    """
    rows = some_rows(sample.num_rows, _MOST_ROWS)
    drawn = {name: sample.column(name).take(rows) for name in names}
    return pa.table(drawn | {name: _spelled(profiles[name], rows) for name in in_one_way})


def _spelled(profile: Profile, rows: Longs) -> pa.Array:
    domain = required(profile.drawn, "the values of a column that is generalized")
    labels = pa.array([*domain.labels.tolist(), None], type=pa.string())
    return labels.take(pa.array(profile.codes[rows]))


def try_out(
    rows: pa.Table, schema: Schema, *, method: str, k: int, require: Sequence[str], min_people: int | None = None
) -> Trial:
    """Anonymize some rows as suggested, and find the columns in clear that would be refused, or nearly.

    Parameters
    ----------
    rows : Arrow table
    schema : Schema
    method : str
    k : int
    require : sequence of str
        Further requirements.
    min_people : int, optional
        How many people must hold every value.
    """
    from hedgerow.anonymizers.registry import anonymize

    try:
        release = anonymize(
            rows, schema, method=method, k=k, require=require, min_people=min_people, random_state=_SEED
        )
    except Disclosing as error:
        # A target or sensitive column cannot become a quasi-identifier.
        if set(error.columns) & {*schema.sensitive, schema.target}:
            return Trial(rows.num_rows, failed=str(error))
        return Trial(rows.num_rows, disclosing={name: f"it {why}" for name, why in error.columns.items()})
    except HedgerowError as error:
        return Trial(rows.num_rows, failed=str(error))
    audit = release.audit
    disclosing = {name: why for name, column in audit.clear.items() if (why := _too_much(column))}
    # What is accepted here would be refused in a release.
    disclosing |= {name: _linking(name, link.columns) for link in audit.links if link.accepted for name in link.columns}
    return Trial(rows.num_rows, round(float(audit.losses["ncp_published"]), 3), disclosing)


def _linking(name: str, columns: Sequence[str]) -> str:
    """Why a column may not be published: it links the rows of a person."""
    others = [repr(other) for other in columns if other != name]
    beside = f", together with {' and '.join(others)}" if others else ""
    return f"it would link the rows of a person{beside}"


def _too_much(column: ClearColumn) -> str:
    """What a column in clear may disclose; nothing if it may be published."""
    other, share = column.most
    if column.role != "insensitive":
        return ""
    if column.alone >= _MARGIN * MOST_ALONE:
        return f"{column.alone:.0%} of the people have a value of it that nobody else has"
    return f"it would reveal {share:.0%} of {other!r}" if share >= _MARGIN * MOST_GIVEN_AWAY else ""
