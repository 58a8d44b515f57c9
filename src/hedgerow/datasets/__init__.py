"""Synthetic tables, with their schemas, and larger versions of given ones."""

from __future__ import annotations

from hedgerow.datasets.census import make_census
from hedgerow.datasets.census_roles import census_hierarchies, census_schema
from hedgerow.datasets.hospital import hospital_hierarchies, hospital_schema, make_hospital
from hedgerow.datasets.scaling import scale_up
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
