"""The data sets of the papers, from the folder that ``HEDGEROW_DATA`` names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.errors import BadInput
from hedgerow.evaluation.cells import key_of
from hedgerow.evaluation.learners.base import as_json
from hedgerow.evaluation.tables import digest_of, open_table
from hedgerow.schema import Schema

__all__ = [
    "ADULT",
    "adult",
    "adult_hierarchies",
    "complete",
    "data_folder",
    "digest_of_adult",
    "digest_of_data",
    "has",
    "read_set",
]

ADULT = "salary-class"
"""The target of Adult."""


def data_folder() -> Path:
    """Where the data sets are."""
    given = os.environ.get("HEDGEROW_DATA")
    if not given or not Path(given).is_dir():
        raise BadInput(
            "The data sets of the papers are not here. Set HEDGEROW_DATA to the folder that holds them: "
            "export HEDGEROW_DATA=…/data. reproductions/data/README.md says where they come from."
        )
    return Path(given)


def has(name: str) -> bool:
    """Whether a data set is here; Adult has two files and a folder of hierarchies."""
    given = os.environ.get("HEDGEROW_DATA")
    if not given:
        return False
    folder = Path(given) / name
    files = ("adult_train.csv.gz", "adult_test.csv.gz", "hierarchies") if name == "adult" else (f"{name}.csv",)
    return all((folder / file).exists() for file in files)


@cache
def read_set(name: str, target: str, numbers: tuple[str, ...] = ()) -> pa.Table:
    """A data set by the name of its folder, every column in its type; ``?`` is a missing value.

    ``numbers`` are columns of numbers that are written with leading zeros, which text alone would not tell.
    """
    path = data_folder() / name / f"{name}.csv"
    if not path.is_file():
        raise BadInput(f"The data set {name!r} is not in the folder that HEDGEROW_DATA names. Put {path.name!r} there.")
    kinds = dict.fromkeys(numbers, "number")
    return open_table(path, Schema(target=target, missing=("", "?"), kinds=kinds)).table


@cache
def adult(part: str = "both") -> pa.Table:
    """Adult without the rows that miss a value: ``"train"`` (30,162 rows), ``"test"`` (15,060) or ``"both"``."""
    parts = ("train", "test") if part == "both" else (part,)
    tables = []
    for one in parts:
        path = data_folder() / "adult" / f"adult_{one}.csv.gz"
        if not path.is_file():
            raise BadInput(f"Adult is not in the folder that HEDGEROW_DATA names. Put {path.name!r} there.")
        tables.append(open_table(path, Schema(target=ADULT, missing=("", "?"))).table)
    return complete(pa.concat_tables(tables))


def complete(table: pa.Table) -> pa.Table:
    """The rows that miss no value."""
    whole = None
    for column in table.columns:
        held = pc.is_valid(column)
        whole = held if whole is None else pc.and_(whole, held)
    return table.filter(whole)


def adult_hierarchies() -> dict[str, Path]:
    """ARX's hierarchies of Adult's columns."""
    return {path.stem: path for path in sorted((data_folder() / "adult" / "hierarchies").glob("*.csv"))}


def digest_of_data(*data: pa.Table | Mapping[str, Any]) -> str:
    """The digest of what an experiment reads: the cells of tables, and the content of all else."""
    return key_of({"data": [digest_of(one) if isinstance(one, pa.Table) else as_json(one) for one in data]})


@cache
def digest_of_adult(*parts: str, hierarchies: tuple[str, ...] = ()) -> str:
    """The digest of parts of Adult, and of ARX's hierarchies of some columns."""
    known = adult_hierarchies() if hierarchies else {}
    return digest_of_data(*map(adult, parts), {name: known[name] for name in hierarchies})
