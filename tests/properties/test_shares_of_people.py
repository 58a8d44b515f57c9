"""Shares and distributions of people with several rows: what a method satisfies, the verifier finds satisfied."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.core.counts import FrequencyTable, mark_people, tabulate
from hedgerow.errors import Infeasible
from hedgerow.io.domains import holders_of
from hedgerow.release import NotOfPeople
from hedgerow.release.pipeline import prepare
from hedgerow.requirements import HoldersOfValues, Requirement, context_of, of_people, parse_requirement

visits = st.lists(
    st.tuples(st.integers(0, 14), st.integers(20, 26), st.sampled_from("FM"), st.sampled_from("abcd")),
    min_size=20,
    max_size=60,
)
REQUIREMENTS = [
    "t=0.35@ill",
    "t=0.25:ordered@ill",
    "t=0.4@ill:shield=age",
    "l=1.8:entropy@ill",
    "l=2:recursive:c=3@ill",
    "alpha=0.7:k=2@ill",
    "alpha=0.6:k=2:value=a@ill",
]
METHODS: dict[str, dict[str, Any]] = {
    "mondrian": {},
    "relaxed": {"mode": "relaxed"},
    "k-member": {},
    "kaca": {},
    "greedy": {},
    "tds": {},
    "datafly": {"suppression_limit": 0.1},
    "optimal": {"suppression_limit": 0.1},
    "improved": {"suppression_limit": 0.1},
}
SCHEMA = hr.Schema(quasi=["age", "sex"], sensitive=["ill"], insensitive=["row"], accept=["row"], entity="person")


def table_of(rows: list[tuple[Any, ...]]) -> pa.Table:
    columns = dict(zip(("person", "age", "sex", "ill"), map(list, zip(*rows, strict=True)), strict=True))
    return pa.table({**columns, "row": [f"r{at}" for at in range(len(rows))]})
