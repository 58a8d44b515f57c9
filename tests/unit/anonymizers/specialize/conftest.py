"""Tables that the tests of specialization share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest

from hedgerow import KAnonymity, Schema
from hedgerow.core.counts import FrequencyTable
from hedgerow.release.pipeline import prepare
from hedgerow.requirements import Requirement

Counted = Callable[..., FrequencyTable]


@pytest.fixture
def counted() -> Counted:
    """Count columns against the last one, which is the class."""
    return _counted


def _counted(
    columns: Mapping[str, Sequence[Any]],
    hierarchies: Mapping[str, Any] | None = None,
    requirements: Sequence[Requirement] = (KAnonymity(1),),
    sensitive: Sequence[str] = (),
) -> FrequencyTable:
    *quasi, target = (name for name in columns if name not in sensitive)
    schema = Schema(quasi=quasi, target=target, sensitive=sensitive, hierarchies=dict(hierarchies or {}))
    return prepare(pa.table(dict(columns)), schema, requirements, random_state=0).counts
