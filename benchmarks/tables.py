"""The tables that benchmarks run on: Adult, the 1.36 million rows grown from it, and other real sets."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

import hedgerow as hr

QUASI = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
TARGET = "salary-class"
# The seven of the scalability test of Kisilevich et al., section 5.8.
SEVEN = [name for name in QUASI if name != "race"]
NUMBERS = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
FACTOR = 30
SEED = 20


@dataclass(frozen=True)
class RealSet:
    """A file with a class, and the columns that are no attributes."""

    file: str
    target: str
    ignored: tuple[str, ...] = ()


REAL_SETS = {
    "heart-statlog": RealSet("heart-statlog/heart-statlog.csv", "class"),
    "sonar": RealSet("sonar/sonar.csv", "class"),
    "haberman": RealSet("haberman/haberman.csv", "survival"),
    "german": RealSet("german/german.csv", "class"),
    "crx": RealSet("crx/crx.csv", "class"),
    "tic-tac-toe": RealSet("tic-tac-toe/tic-tac-toe.csv", "class"),
    "glass": RealSet("glass/glass.csv", "type", ignored=("id",)),
    "waveform": RealSet("waveform/waveform.csv", "class"),
    "adult": RealSet("adult/adult_train.csv.gz", TARGET),
}


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


def with_numbers(table: pl.DataFrame) -> pl.DataFrame:
    """Adult with all six of its numbers as numbers."""
    return table.with_columns(pl.col(NUMBERS).cast(pl.Int64))


def real(name: str) -> pl.DataFrame:
    """All rows of a real set, the class last: numbers where all values are some, text elsewhere, missing is null."""
    one = REAL_SETS[name]
    table = pl.read_csv(data_folder() / one.file, infer_schema=False, null_values="?")
    table = table.select(pl.exclude(*one.ignored, one.target), one.target)
    # waveform has a tab inside one number, whose true value is not known.
    table = table.with_columns(pl.when(~pl.all().str.contains("\t")).then(pl.all()))
    for column in table.columns[:-1]:
        numbers = table[column].cast(pl.Float64, strict=False)
        if numbers.null_count() == table[column].null_count():
            table = table.with_columns(numbers)
    return table


def scaled(draw: Literal["marginal", "domain"], factor: int = FACTOR) -> pl.DataFrame:
    """45,222 complete rows × 30, three attributes of each copy kept (Kisilevich et al., section 5.8)."""
    grown: pl.DataFrame = hr.datasets.scale_up(adult("train", "test"), factor, keep=3, draw=draw, random_state=SEED)
    return grown


def scaled_with_class(factor: int = FACTOR) -> pl.DataFrame:
    """The seven columns grown in the same way, three of them kept in each copy; a copy has the class of its record."""
    rows = adult("train", "test")
    grown: pl.DataFrame = hr.datasets.scale_up(rows.select(SEVEN), factor, keep=3, draw="marginal", random_state=SEED)
    return grown.with_columns(pl.concat([rows[TARGET]] * factor))


def schema(table: pl.DataFrame) -> hr.Schema:
    """The eight quasi-identifiers; what else the table has is published as it is, for the time that it takes."""
    others = [name for name in table.columns if name not in (*QUASI, TARGET)]
    return hr.Schema(quasi=QUASI, target=TARGET, insensitive=others, accept=others)
