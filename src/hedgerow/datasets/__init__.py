"""Synthetic tables with their schemas, and larger versions of your own tables.

Examples, tests and benchmarks may import it. It imports only the schema, hierarchies and errors.
Start with :func:`make_census`.
"""

from __future__ import annotations

from hedgerow.datasets._census import census_hierarchies, census_schema, make_census
from hedgerow.datasets._hospital import hospital_hierarchies, hospital_schema, make_hospital
from hedgerow.datasets._scaling import scale_up
from hedgerow.datasets.voters import make_voters, voters_hierarchies, voters_schema

__all__ = [
    "census_hierarchies",
    "census_schema",
    "hospital_hierarchies",
    "hospital_schema",
    "make_census",
    "make_hospital",
    "make_voters",
    "scale_up",
    "voters_hierarchies",
    "voters_schema",
]
