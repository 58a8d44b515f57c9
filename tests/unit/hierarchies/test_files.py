"""Hierarchy files: ARX's CSV and TOML."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hedgerow.errors import BadInput
from hedgerow.hierarchies import read_arx, read_toml
from hedgerow.hierarchies.files import parse_toml
from hedgerow.hierarchies.taxonomies import Taxonomy
from hedgerow.io.domains import Domain

ZIPS = "13053;130**;*\n13068;130**;*\n14850;148**;*\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "zip.csv"


def write(path: Path, content: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(content.encode(encoding))
    return path


@pytest.mark.parametrize(
    "content",
    [
        ZIPS,
        ZIPS.replace("\n", "\r\n"),
        "\ufeff" + ZIPS,
        ZIPS.rstrip(),
        ZIPS + "\n\n",
        ZIPS.replace("130**", '"130**"'),
    ],
    ids=["plain", "crlf", "bom", "no final newline", "empty lines", "quoted"],
)
def test_arx_file(path: Path, content: str) -> None:
    built = read_arx(write(path, content))
    encoded = built.encode(Domain("zip", "text", np.array(["13053", "14850"]), has_missing=True))
    assert encoded.labels == ("*", "130**", "13053", "13068", "148**", "14850", None)
    assert encoded.at_level.tolist() == [[2, 5, 6], [1, 4, 6], [0, 0, 0]]
    assert encoded.description == "hierarchy zip.csv"


def test_arx_file_of_numbers_matches_by_value(path: Path) -> None:
    built = read_arx(write(path, "38;30-39;*\n39;30-39;*\n40;40-49;*\n"))
    encoded = built.encode(Domain("age", "number", np.array(["39", "40"]), np.array([39.0, 40.0])))
    assert [encoded.labels[node] for node in encoded.at_level[1]] == ["30-39", "40-49"]
    assert encoded.leaf_count[encoded.root] == 3


def test_arx_labels_may_repeat_along_a_line(path: Path) -> None:
    built = read_arx(write(path, "White;White;*\nBlack;Other;*\nAsian;Other;*\n"))
    encoded = built.encode(Domain("race", "text", np.array(["Asian", "Black", "White"])))
    assert encoded.labels == ("*", "White", "White", "Other", "Black", "Asian")
    assert encoded.at_level[:2].tolist() == [[5, 4, 2], [3, 3, 1]]


def test_arx_delimiter_encoding_and_root(path: Path) -> None:
    built = read_arx(write(path, "Zürich,Schweiz,alle\n", "latin-1"), delimiter=",", encoding="latin-1")
    assert built.tree.labels == ("alle", "Schweiz", "Zürich")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "There is nothing in"),
        ("\n\n", "There is nothing in"),
        ("secret\nb\n", "one column"),
        ("secret,x,*\n", "Write ';' instead of ','"),
        ("a;x;*\n\nsecret;*\n", "Line 3 .* has 2 columns where line 1 has 3"),
        ("a;x;*\nb;x;*\nsecret;y;*\nsecret;y;*\n", "Line 4 .* same value as line 3"),
        ("value;group;top\nsecret;x;*\n", "Line 2 .* ends in another label than line 1"),
        ("a;secret;p;*\nb;x;q;*\nc;secret;q;*\n", "Line 3 .* another parent than line 1"),
        ("a;secret;*\nb;x;*\nsecret;x;*\n", "Line 3 .* another parent than line 1"),
        ("'a\nb';x;*\n", "Line 2 .* has 3 columns where line 1 has 1"),
        ('"two\nlines";x;*\nsecret;*\n', "Line 3 .* has 2 columns"),
        (f"a;{'secret' * 30000};*\n", "Line 1 .* not proper CSV"),
    ],
)
def test_bad_arx_files_are_refused_by_line(path: Path, content: str, message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        read_arx(write(path, content))
    assert "zip.csv" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_undecodable_file(path: Path) -> None:
    write(path, "Zürich;*\n", "latin-1")
    with pytest.raises(BadInput, match="byte 1 is not utf-8"):
        read_arx(path)
    with pytest.raises(BadInput, match="'encoding' parameter of read_arx"):
        read_arx(path, encoding="no-such-code")


@pytest.mark.parametrize("read", [read_arx, read_toml])
def test_unreadable_paths(tmp_path: Path, read: Callable[[Path | str], Taxonomy]) -> None:
    with pytest.raises(BadInput, match="No such file"):
        read(tmp_path / "absent.csv")
    with pytest.raises(BadInput, match="directory"):
        read(str(tmp_path))


@pytest.mark.parametrize("delimiter", ["", ";;", None])
def test_wrong_delimiter(path: Path, delimiter: str) -> None:
    with pytest.raises(BadInput, match="'delimiter' parameter of read_arx must be one character"):
        read_arx(path, delimiter=delimiter)


def test_toml_file(tmp_path: Path) -> None:
    lines = [
        "\ufeff[Any]",
        'University = ["BSc"]',
        "[Any.School]",
        'Junior = ["9th", "10th"]',
        "Senior = [11, 12]",
    ]
    built = read_toml(write(tmp_path / "education.toml", "\r\n".join(lines)))
    encoded = built.encode(Domain("education", "text", np.array(["11", "9th"])))
    assert encoded.labels == (
        "Any",
        "University",
        "BSc",
        "School",
        "Junior",
        "9th",
        "10th",
        "Senior",
        "11",
        "12",
    )
    assert encoded.description == "hierarchy education.toml"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "There is nothing in"),
        ('[Any]\nx = ["secret"\ny = 3', "wrong at line 3"),
        ('[Any]\nx = ["secret', "wrong at its end|wrong at line 2"),
        ('[Any]\nx = ["secret"]\ny = ["secret"]', "lists 1 value twice"),
        ('x = "secret"', "Found str"),
        ("x = " + "[" * 100_000, "nested more than 200 levels"),
        ("x = " + "{a=" * 100_000, "nested more than 200 levels"),
        (f"[{'a.' * 5_000}a]\nx = ['secret']", "nested more than 200 levels"),
        ("[Any]\nx = " + "9" * 5_000, "wrong at"),
    ],
)
def test_bad_toml_files(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        read_toml(write(tmp_path / "h.toml", content))
    assert "h.toml" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_every_hierarchy_of_the_benchmark_data_loads(data_folder: Path) -> None:
    files = sorted(data_folder.glob("*/hierarchies/*.csv"))
    assert files, "HEDGEROW_DATA has no hierarchies"
    for file in files:
        with file.open(newline="", encoding="utf-8") as lines:
            rows = list(csv.reader(lines, delimiter=";"))
        values = np.array(sorted(row[0] for row in rows))
        encoded = read_arx(file).encode(Domain(file.stem, "text", values, has_missing=True))
        assert encoded.height == len(rows[0]) - 1
        assert encoded.leaf_count[encoded.root] == len(rows) + 1
        code = {value: at for at, value in enumerate(values.tolist())}
        for row in rows:
            assert [encoded.labels[node] for node in encoded.at_level[:, code[row[0]]]] == row


def test_an_arx_file_of_too_many_levels(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="more than 200 columns"):
        read_arx(write(tmp_path / "h.csv", ";".join(["secret"] * 500)))


@pytest.mark.parametrize(
    "bomb",
    [
        ".".join(["a"] * 200_000) + " = 1\n",
        " . ".join(['"a"', "'b'"] * 50_000) + " = 1\n",
        f"[{'.'.join(['a'] * 150_000)}]\nx = ['y']\n",
        f"x = {{ {'.'.join(['a'] * 150_000)} = 1 }}\n",
        "".join(f"a{at}.{'.'.join('b' * 190)} = 1\n" for at in range(5_000)),
        f"[{'.'.join('a' * 190)}]\n" + "".join(f"a{at}.b = 1\n" for at in range(100_000)),
        'x = "text"\n# a comment with "one quote\n' + ".".join(["a"] * 200_000) + " = 1\n",
        'x = """\na\\""b\n"""\n' + ".".join(["a"] * 200_000) + " = 1\n",
    ],
    ids=["dots", "texts", "a table", "inside", "many keys", "below a table", "after a comment", "after a long text"],
)
def test_toml_of_keys_with_very_many_parts(bomb: str, tmp_path: Path) -> None:
    """tomllib keeps every beginning of a key: 400 kilobytes would take 12.7 gigabytes."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, before[1]))
    try:
        with pytest.raises(BadInput, match="more than 200 levels deep"):
            read_toml(write(tmp_path / "work.toml", bomb))
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


@pytest.mark.parametrize(
    "text",
    [
        "...".join(["a"] * 1_000),
        "\\\\".join(["a.b"] * 1_000),
        ".".join(["a"] * 1_000),
    ],
)
def test_dots_in_values_are_no_keys(text: str) -> None:
    for quoted in (f'"{text}"', f"'{text}'", f'"""\n{text}"""', f"'''{text}'''"):
        whole = f"[Any]\na.b = [{quoted}, 'x.y.z'] # {text}\nc = [1.5, 2.5]\n"
        assert parse_toml(whole, "the text", "deep") == tomllib.loads(whole)


@pytest.mark.parametrize(("read", "size"), [(read_toml, 5_000_000), (read_arx, 257_000_000)])
def test_a_file_that_is_far_too_large(read: Callable[[Path], Taxonomy], size: int, tmp_path: Path) -> None:
    with (tmp_path / "work.csv").open("wb") as out:
        out.truncate(size)
    with pytest.raises(BadInput, match=r"There are more than .* bytes in the hierarchy file"):
        read(tmp_path / "work.csv")
