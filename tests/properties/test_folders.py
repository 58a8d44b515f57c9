"""Random tables in random folders: other programs read the rows that were published, and so does the verifier."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.engines import FileSource, open_source
from hedgerow.errors import BadInput
from hedgerow.io.parquet_folder import files_in
from hedgerow.verifier import count_classes

# Text with NUL is no cell that can be published.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6)


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    rows = draw(st.integers(4, 40))

    def column(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=rows, max_size=rows))

    towns = draw(st.lists(TEXTS, min_size=1, max_size=3, unique=True))
    return pa.table(
        {
            "age": column(st.integers(0, 3)),
            "a town": pa.array(column(st.sampled_from([*towns, None])), pa.string()),
            "ill": pa.array(column(st.sampled_from(["x", None])), pa.string()),
            "sure": column(st.booleans()),
        }
    )


def multiset(table: pa.Table, columns: list[str]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row[name] for name in columns) for row in table.to_pylist())


@settings(max_examples=80, deadline=None)
@given(
    tables(),
    st.integers(1, 4),
    st.one_of(st.none(), st.integers(1, 15)),
    st.lists(st.sampled_from(["age", "a town", "ill", "sure"]), unique=True, max_size=3),
)
def test_what_is_written_is_what_was_published(table: pa.Table, k: int, rows: int | None, columns: list[str]) -> None:
    schema = hr.Schema(quasi=["age", "a town"], sensitive=["ill"], insensitive=["sure"], accept=["sure"], missing=())
    assume(all(table[name].null_count < len(table) for name in ("a town", "ill")))
    _write_and_read(hr.anonymize(table, schema, k=k), rows, columns)


def _write_and_read(release: hr.Release, rows: int | None, columns: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        out, refused = Path(folder) / "out", None
        try:
            release.save(f"{out}/", rows_per_file=rows, partition_by=columns)
        except BadInput as error:
            refused = error
        fewest = min(Counter(tuple(row[name] for name in columns) for row in release.table.to_pylist()).values())
        assert (refused is None) == (not columns or fewest >= release.guarantee.requirements[0].minimal_size)
        if refused is not None:
            assert "rows, and their names would reveal few people" in str(refused)
            assert list(Path(folder).iterdir()) == []
            return
        names = list(release.guarantee.columns)
        types = [release.table.schema.field(name) for name in columns]
        partitioning = ds.HivePartitioning(pa.schema(types))
        read = ds.dataset(out, partitioning=partitioning if columns else None).to_table()
        assert multiset(read, names) == multiset(release.table, names)
        assert multiset(hr.Release.load(out).table.to_arrow_table(), names) == multiset(release.table, names)
        source = open_source(out)
        assert isinstance(source, FileSource)
        assert source.rows().num_rows == release.table.num_rows
        classes = count_classes(out, ["age", "a town"])
        assert sorted(classes.sizes) == sorted(release.classes.sizes)
        written = [pq.read_metadata(out / name).num_rows for name in files_in(out)]
        assert max(written) <= (rows or release.table.num_rows)
