"""Synthetic tables, with their schemas, and larger versions of given ones."""

from __future__ import annotations

from hedgerow.datasets.census import make_census
from hedgerow.datasets.census_roles import census_hierarchies, census_schema
from hedgerow.datasets.hospital import hospital_hierarchies, hospital_schema, make_hospital
from hedgerow.datasets.scaling import scale_up

__all__ = [
    "census_hierarchies",
    "census_schema",
    "hospital_hierarchies",
    "hospital_schema",
    "make_census",
    "make_hospital",
    "scale_up",
]
