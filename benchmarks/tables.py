"""The tables that benchmarks run on: Adult without missing values, and the 1.36 million rows grown from it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal

import polars as pl

import hedgerow as hr

QUASI = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
TARGET = "salary-class"
FACTOR = 30
SEED = 20


def data_folder() -> Path:
    """Where the real data sets are; the Makefile knows."""
    folder = os.environ.get("HEDGEROW_DATA")
    if not folder:
        sys.exit("Name the folder of the data sets first: export HEDGEROW_DATA=<folder with adult/>")
    return Path(folder)


def adult(*parts: str) -> pl.DataFrame:
    """The complete rows of Adult's train or test file, all columns as text but age."""
    frames = [pl.read_csv(data_folder() / f"adult/adult_{part}.csv.gz", infer_schema=False) for part in parts]
    table = pl.concat(frames).filter(~pl.any_horizontal(pl.all() == "?"))
    return table.with_columns(pl.col("age").cast(pl.Int64))


def scaled(draw: Literal["marginal", "domain"]) -> pl.DataFrame:
    """45,222 complete rows × 30, three attributes of each copy kept (Kisilevich et al., section 5.8)."""
    grown: pl.DataFrame = hr.datasets.scale_up(adult("train", "test"), FACTOR, keep=3, draw=draw, random_state=SEED)
    return grown


def schema(table: pl.DataFrame) -> hr.Schema:
    """The eight quasi-identifiers; what else the table has is insensitive."""
    others = len(table.columns) > len(QUASI) + 1
    return hr.Schema(quasi=QUASI, target=TARGET, others="insensitive" if others else "error")
