"""Formats told by names."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.engines.source_file import copy_options, file_format
from hedgerow.errors import BadInput


@pytest.mark.parametrize(
    ("name", "kind", "options"),
    [
        ("a.csv", "csv", "FORMAT csv, HEADER, DELIMITER ',', COMPRESSION none"),
        ("A.CSV.GZ", "csv", "FORMAT csv, HEADER, DELIMITER ',', COMPRESSION gzip"),
        ("a.b.parquet", "parquet", "FORMAT parquet"),
    ],
)
def test_the_format_and_how_it_is_written(name: str, kind: str, options: str) -> None:
    assert file_format(Path(name)) == kind
    assert copy_options(Path(name)) == options


@pytest.mark.parametrize("name", ["csv", "a.txt", "a.gz"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(BadInput, match=r"neither \.csv"):
        file_format(Path(name))
