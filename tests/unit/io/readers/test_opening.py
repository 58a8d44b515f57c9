"""What is packed is written out, under a name of ours, and never more than the archive can be trusted with."""

from __future__ import annotations

import io
import shutil
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.errors import BadInput, InternalError
from hedgerow.io.readers import Part, find_table, open_parts

CSV = b"age;sex\n1;F\n"


def parquet() -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({"age": [1]}), out)
    return out.getvalue()


def zipped(folder: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(folder / "people.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return folder / "people.zip"


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


def opened(path: Path | str, scratch: Path | None = None, **options: str) -> Part:
    (part,) = open_parts(find_table(path), scratch, **options)
    return part


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.csv", "a,b\n", ("utf-8", ",")),
        ("a.txt", "a;b\n", ("utf-8", ";")),
        ("a.tsv", "a,b\tc,d,e\n", ("utf-8", "\t")),
    ],
)
def test_plain_files_stay_where_they_are(name: str, content: str, expected: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    part = opened(tmp_path / name)
    assert (part.path, part.name, part.format) == (tmp_path / name, name, "csv")
    assert (part.encoding, part.delimiter) == expected
    named = opened(tmp_path / name, encoding="latin-1", delimiter="|")
    assert (named.encoding, named.delimiter) == ("latin-1", "|")


def test_every_file_has_a_shape_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n")
    (tmp_path / "b.csv").write_bytes("a;b\n".encode("utf-16"))
    parts = open_parts(find_table(tmp_path), None)
    assert [(one.name, one.encoding, one.delimiter) for one in parts] == [
        ("a.csv", "utf-8", ","),
        ("b.csv", "utf-16", ";"),
    ]


@pytest.mark.parametrize(
    "member", ["people.csv", "deep/er/PEOPLE.TXT", "../../people.csv", "/etc/people.csv", "C:\\x.csv"]
)
def test_the_member_of_an_archive(member: str, tmp_path: Path, scratch: Path) -> None:
    part = opened(zipped(tmp_path, {member: CSV}), scratch)
    assert part.path.parent == scratch
    assert part.path.read_bytes() == CSV
    assert (part.name, part.format, part.delimiter) == ("people.zip", "csv", ";")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.zip", "scratch"]


def test_parquet_in_an_archive_and_what_macos_adds(tmp_path: Path, scratch: Path) -> None:
    members = {"data/": b"", "data/people.parquet": parquet(), "__MACOSX/data/._people.parquet": b"x"}
    part = opened(zipped(tmp_path, members), scratch)
    assert (part.format, pq.read_table(part.path).num_rows) == ("parquet", 1)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({}, "holds 0 files"),
        ({"a.csv": CSV, "b.csv": CSV}, "holds 2 files"),
        ({"secret.exe": CSV}, "is not a table"),
        ({"inner.zip": b""}, "is not a table"),
    ],
)
def test_other_archives_are_refused(members: dict[str, bytes], message: str, tmp_path: Path, scratch: Path) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        opened(zipped(tmp_path, members), scratch)
    assert "secret" not in str(caught.value)
    assert not list(scratch.iterdir())


def damage(raw: bytes) -> bytes:
    """Other bytes where the packed data begin, behind the member's header and name."""
    return raw[:40] + b"\xff\xff\xff\xff" + raw[44:]


def protect(raw: bytes) -> bytes:
    """The flag of a password, in both places where an archive tells of a member."""
    flags = bytearray(raw)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        flags[raw.index(mark) + offset] |= 1
    return bytes(flags)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (damage, "is damaged"),
        (lambda raw: raw[:-30], "is damaged"),
        (lambda raw: b"", "is damaged"),
        (protect, "protected by a password"),
    ],
)
def test_broken_archives(spoil: Callable[[bytes], bytes], message: str, tmp_path: Path, scratch: Path) -> None:
    path = zipped(tmp_path, {"a.csv": CSV * 50})
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(BadInput, match=message) as caught:
        opened(path, scratch)
    assert caught.value.__context__ is None


def test_a_bomb_is_not_unpacked(tmp_path: Path, scratch: Path) -> None:
    path = zipped(tmp_path, {"a.csv": b"a\n" + bytes(1 << 27)})
    with pytest.raises(BadInput, match=r"'people\.zip' would unpack to more than 200 times its size"):
        opened(path, scratch)
    assert not list(scratch.iterdir())


def test_what_does_not_fit_is_not_unpacked(tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zipped(tmp_path, {"a.csv": CSV})
    monkeypatch.setattr("hedgerow.io.readers.sizes.HARMLESS", 0)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=3))
    with pytest.raises(BadInput, match="unpacks to 12 bytes, more than the temporary folder has room for"):
        opened(path, scratch)


@pytest.mark.parametrize(("content", "kind"), [(CSV, "csv"), (parquet(), "parquet"), (b"", "csv")])
def test_standard_input(content: bytes, kind: str, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    part = opened("-", scratch)
    assert (part.name, part.format, part.path.read_bytes()) == ("standard input", kind, content)


def test_standard_input_that_is_closed(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(BadInput, match="Standard input cannot be read"):
        opened("-", scratch)


def test_a_sheet_is_that_of_a_workbook(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n")
    with pytest.raises(BadInput, match=r"not an \.xlsx"):
        opened(tmp_path / "a.csv", sheet="one")


def test_packed_tables_need_a_folder() -> None:
    with pytest.raises(InternalError, match="a folder to unpack into"):
        opened("-")
