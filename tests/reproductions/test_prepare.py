"""From the files as UCI gives them out to our layout: tiny files in each format, and the digests of the real ones."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Sequence
from pathlib import Path

import pyarrow.csv as pa_csv
import pytest
from reproductions.prepare import DIGESTS, ORIGINALS, prepare

from hedgerow.errors import BadInput

README = Path(__file__).parents[2] / "reproductions" / "data" / "README.md"
PERSON = "39, State-gov, 77516, Bachelors, 13, Never-married, ?, Not-in-family, White, Male, 2174, 0, 40, Cuba, <=50K"


def made(tmp_path: Path, name: str, text: str) -> dict[str, str]:
    """The files that are made from one original, as text, without the hierarchy that is always made."""
    given = tmp_path / "given" / "somewhere"
    given.mkdir(parents=True)
    (given / name).write_text(text, encoding="utf-8")
    list(prepare(tmp_path / "given", tmp_path / "to"))
    files = [path for path in (tmp_path / "to").rglob("*") if path.is_file() and path.stem != "relationship"]
    read = {path: gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes() for path in files}
    return {str(path.relative_to(tmp_path / "to")): content.decode() for path, content in read.items()}


def rows(text: str) -> list[str]:
    return text.splitlines()[1:]


def test_adult(tmp_path: Path) -> None:
    (train,) = made(tmp_path / "train", "adult.data", f"{PERSON}\n{PERSON}\n\n").values()
    (test,) = made(tmp_path / "test", "adult.test", f"|1x3 Cross validator\n{PERSON}.\n\n").values()
    assert train.startswith("age,workclass,fnlwgt,")
    assert rows(train) == [PERSON.replace(", ", ",")] * 2
    assert rows(test) == [PERSON.replace(", ", ",")]


def test_heart(tmp_path: Path) -> None:
    text = "70.0 1.0 4.0 130.0 322.0 0.0 2.0 109.0 0.0 2.4 2.0 3.0 3.0 2\n"
    text += "67.0 0.0 3.0 115.0 564.0 0.0 2.0 160.0 0.0 1.6 2.0 0.0 7.0 1 \n"
    files = made(tmp_path, "heart.dat", text)
    assert rows(files["heart-statlog/heart-statlog.csv"]) == [
        "70,1,4,130,322,0,2,109,0,2.4,2,3,3,present",
        "67,0,3,115,564,0,2,160,0,1.6,2,0,7,absent",
    ]


def test_german(tmp_path: Path) -> None:
    row = "A11 6 A34 A43 1169 A65 A75 4 A93 A101 4 A121 67 A143 A152 2 A173 1 A192 A201 1"
    files = made(tmp_path, "german.data", f"{row} \n")
    assert rows(files["german/german.csv"]) == [row.replace(" ", ",")]


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("crx.data", "b,?,0,u,g,w,v,1.25,t,t,01,f,g,00202,0,+"),
        ("tic-tac-toe.data", "x,x,x,x,o,o,x,o,o,positive"),
        ("haberman.data", "30,64,1,1"),
        ("glass.data", "1,1.52101,13.64,4.49,1.10,71.78,0.06,8.75,0.00,0.00,1"),
        ("sonar.all-data", ",".join(["0.0200"] * 60) + ",R"),
        ("waveform.data", ",".join(["-1.23"] * 21) + ",2"),
    ],
)
def test_values_stay_as_they_are(name: str, row: str, tmp_path: Path) -> None:
    ((path, text),) = made(tmp_path, name, f"{row}\n").items()
    assert rows(text) == [row]
    assert path in DIGESTS
    assert pa_csv.read_csv(tmp_path / "to" / path).num_rows == 1


def test_hierarchies_end_with_a_line_end(tmp_path: Path) -> None:
    files = made(tmp_path, "adult_hierarchy_sex.csv", "Male;*\nFemale;*")
    assert files == {"adult/hierarchies/sex.csv": "Male;*\nFemale;*\n"}


def test_what_differs_and_what_is_left_out_is_said(tmp_path: Path) -> None:
    (tmp_path / "haberman.data").write_text("30,64,1,1\n", encoding="utf-8")
    told = list(prepare(tmp_path, tmp_path / "to"))
    assert "glass/glass.csv: left out, since glass.data is not there" in told
    (of_haberman,) = (line for line in told if line.startswith("haberman/"))
    assert of_haberman.endswith("(differs from the one of the committed cells)")
    assert told[-1].startswith("adult/hierarchies/relationship.csv: 4571240929")
    assert told[-1].endswith("(the one of the committed cells)")


def test_rows_of_another_length_are_refused(tmp_path: Path) -> None:
    (tmp_path / "haberman.data").write_text("30,64,1,1\n30;64;1;1\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"Row 2 of 'haberman.data' has 1 values instead of 4"):
        list(prepare(tmp_path, tmp_path / "to"))


def test_every_original_has_a_digest_and_a_line_in_the_readme() -> None:
    text = README.read_text(encoding="utf-8")
    for original in ORIGINALS:
        assert original.name in text
        assert ", ".join(original.columns) in text or original.columns[0] + " to " in text
    for path, digest in DIGESTS.items():
        assert Path(path).name in text
        assert digest in text


def columns_of(text: str) -> Sequence[str]:
    return text.split("\n", 1)[0].split(",")


def test_the_digests_are_those_of_our_files(data_folder: Path) -> None:
    for path, digest in DIGESTS.items():
        content = (data_folder / path).read_bytes()
        plain = gzip.decompress(content) if path.endswith(".gz") else content
        assert hashlib.sha256(plain).hexdigest() == digest
    for original in ORIGINALS:
        content = (data_folder / original.made).read_bytes()
        plain = gzip.decompress(content) if original.made.endswith(".gz") else content
        assert columns_of(plain.decode()) == list(original.columns)
