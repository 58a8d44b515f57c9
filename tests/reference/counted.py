"""Small tables as methods see them, for tests of their parts."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from hedgerow import KAnonymity, Schema
from hedgerow.core.counts import FrequencyTable
from hedgerow.release import pipeline

__all__ = ["counted"]


def counted(columns: dict[str, Any], **roles: Any) -> FrequencyTable:
    """The counts of a table: its target is ``y``, and what has no other role is a quasi-identifier."""
    others = {name for named in ("sensitive", "identifying") for name in roles.get(named, ())}
    quasi = [name for name in columns if name not in ("y", *others)]
    schema = Schema(quasi=quasi, target="y", **roles)
    return pipeline.prepare(pa.table(columns), schema, [KAnonymity(1)], random_state=0).counts
