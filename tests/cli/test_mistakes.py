"""What new users type by mistake: each gets one message that says what is wrong, and nothing is written."""

from __future__ import annotations

import io
import random
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from leaks import SECRET

import hedgerow as hr

ROWS = 200
HEADER = ("name", "age", "sex", "zip", "disease", "income")
CODES = ("I21.4", "J45.0", "E11.9", "K29.1")
A = "anonymize"
Q = "--quasi age,sex,zip --target income --others drop -o out.csv"
HELP = "Type hedgerow anonymize --help."


def _people() -> list[list[str]]:
    draw = random.Random(3)
    return [
        [
            f"{SECRET}{number}",
            str(draw.randrange(20, 60)),
            draw.choice(["Female", "Male"]),
            f"{draw.randrange(30):05d}",
            draw.choice(["Asthma", "Influenza", "Gastritis"]),
            draw.choice(["high", "low"]),
        ]
        for number in range(ROWS)
    ]


def _text(rows: list[list[str]], delimiter: str = ",", header: tuple[str, ...] = HEADER) -> bytes:
    return "".join(f"{delimiter.join(row)}\n" for row in (list(header), *rows)).encode()


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    """Every file that a mistake names, by its name."""
    people = _people()
    parquet = io.BytesIO()
    pq.write_table(pa.table(dict(zip(HEADER, map(list, zip(*people, strict=True)), strict=True))), parquet)
    mixed = [[row[0], "forty", *row[2:]] if at in (7, 8, 9, 10) else row for at, row in enumerate(people)]
    quoted = [[f'"{cell}"' for cell in row] for row in people]
    zips = sorted({row[3] for row in people})
    noise = random.Random(0)
    return {
        "p.csv": _text(people),
        "semi.csv": _text(people, ";"),
        "quoted.csv": _text(quoted, ";", tuple(f'"{name}"' for name in HEADER)),
        "dup.csv": _text(people, header=("name", "age", "age", "zip", "disease", "income")),
        "empty.csv": b"",
        "head.csv": _text([]),
        "one.csv": _text(people[:1]),
        "allmiss.csv": _text([[row[1], ""] for row in people], header=("age", "empty")),
        "mixed.csv": _text(mixed),
        "ragged.csv": _text([*people[:48], [*people[48], "x"], *people[49:]]),
        "trunc.csv": _text(people)[:-15],
        "latin.csv": _text([[row[1], "Köln"] for row in people], header=("age", "town")).decode().encode("latin-1"),
        "bin.csv": bytes(noise.randrange(256) for _ in range(20_000)),
        "parquet.csv": parquet.getvalue(),
        "text.xlsx": _text(people),
        "p.parquet": parquet.getvalue(),
        "trunc.parquet": parquet.getvalue()[:-40],
        "p.json": b'[{"age": 1}]',
        "h_bad.csv": b"a;b;*\nc;*\n",
        "zip_missing.csv": b"99999;9*;*\n",
        "comma_h.csv": "".join(f"{one},{one[:2]}***,*\n" for one in zips).encode(),
        "exists.csv": b"mine\n",
        "icd.csv": _text(
            [[row[1], row[2], code] for row, code in zip(people, CODES * 50, strict=True)],
            header=("age", "sex", "icd10"),
        ),
    }


def _database(words: str) -> tuple[str, str]:
    return words, "Databases are not read or written yet. Export the table as CSV or Parquet, and name the file."


REFUSED: list[tuple[str, str]] = [
    # what is typed ({A}: anonymize, {Q}: the usual options), and the whole sentence
    ("{A} p.csv --quasi age,sexx -k 5 --others drop -o out.csv",
     "There is no column 'sexx'. Did you mean 'sex'? It is named as quasi."),
    ("{A} p.csv --quasi Age,sex -k 5 --others drop -o out.csv",
     "There is no column 'Age'. Did you mean 'age'? It is named as quasi."),
    ("{A} p.csv --quasi AGE,sex -k 5 --others drop -o out.csv",
     "There is no column 'AGE'. Did you mean 'age'? It is named as quasi."),
    ("{A} p.csv {Q} -k 0", "The 'k' parameter of KAnonymity must be an int >= 1. Got 0 instead."),
    ("{A} p.csv {Q} -k -3", "The 'k' parameter of KAnonymity must be an int >= 1. Got -3 instead."),
    ("{A} p.csv {Q} -k ten",
     f"The '-k' parameter of hedgerow anonymize must be a whole number. Got 'ten' instead. {HELP}"),
    ("{A} p.csv {Q} -kten",
     f"The '-k' parameter of hedgerow anonymize must be a whole number. Got 'ten' instead. {HELP}"),
    ("{A} p.csv {Q} -k 2.5",
     f"The '-k' parameter of hedgerow anonymize must be a whole number. Got '2.5' instead. {HELP}"),
    ("{A} p.csv {Q} -k 5 --seed abc",
     f"The '--seed' parameter of hedgerow anonymize must be a whole number. Got 'abc' instead. {HELP}"),
    ("{A} p.csv {Q} -k 5 --time-limit=soon",
     f"The '--time-limit' parameter of hedgerow anonymize must be a number. Got 'soon' instead. {HELP}"),
    ("{A} p.csv {Q} -k", f"Option '-k' requires an argument. {HELP}"),
    ("{A} p.csv {Q} -k 5 --missing", f"Option '--missing' requires an argument. {HELP}"),
    ("{A} p.csv {Q}",
     "No requirement is given. Give k=10 (-k 10), or name some with require= (--require)."),
    ("{A} nope.csv {Q} -k 5", "There is no file 'nope.csv'. Check the path."),
    ("{A} nope {Q} -k 5", "There is no file 'nope'. Check the path."),
    ("{A} *.nothing {Q} -k 5", "There is no file that fits the pattern '*.nothing'. Check the path."),
    ("{A} p.json {Q} -k 5",
     "The ending of the file 'p.json' is not that of a table. Known are .csv, .tsv and .txt, each also with .gz or "
     ".zst, .parquet, .zip and .xlsx."),
    ("{A} {Q} -k 5",
     "No input file is named. Type hedgerow anonymize … INPUT, or name it in a job file (--job)."),
    ("{A} p.csv --quasi age,sex -k 5 --others drop",
     "No output file is named. Type hedgerow anonymize … --output out.csv, or name it in a job file (--job)."),
    # How the table is read.
    ("{A} semi.csv {Q} -k 5 --delimiter ,",
     "The file 'semi.csv' has one column, and its name contains ';'. If that separates columns, name it as the "
     "delimiter (--delimiter ';')."),
    ("{A} quoted.csv {Q} -k 5 --delimiter ,",
     "The file 'quoted.csv' cannot be read as CSV: its first line is broken. Mend its quotes, or name the sign between "
     "its columns if that is not ',' (--delimiter)."),
    ("{A} p.csv {Q} -k 5 --delimiter ;;",
     "The 'delimiter' parameter of File must be one character that is no quote or line end. Got ';;' instead."),
    ("{A} p.csv {Q} -k 5 --decimal ;", "The 'decimal' parameter of File must be '.' or ','. Got ';' instead."),
    ("{A} p.csv {Q} -k 5 --encoding utf-9",
     "The 'encoding' parameter of File must be the name of a text encoding. Got 'utf-9' instead."),
    ("{A} p.csv {Q} -k 5 --sheet one", "A sheet is named, but 'p.csv' is not an .xlsx file. Leave it out."),
    ("{A} dup.csv {Q} -k 5", "The file 'dup.csv' has several columns called 'age'. Rename them."),
    ("{A} empty.csv {Q} -k 5", "The file 'empty.csv' is empty. A CSV needs a line of column names."),
    ("{A} head.csv {Q} -k 5", "The table has no rows."),
    ("{A} allmiss.csv --quasi age,empty --others drop -k 5 -o out.csv",
     "The column 'empty' has no value at all: every cell is missing. Drop it."),
    ("{A} latin.csv --quasi age,town --others drop -k 5 -o out.csv",
     "The file 'latin.csv' is not utf-8 text (line 2). Name its encoding (--encoding latin-1)."),
    ("{A} ragged.csv {Q} -k 5",
     "Line 50 of 'ragged.csv' has 7 fields, the header has 6. Mend the line, or name the right delimiter."),
    ("{A} trunc.csv {Q} -k 5",
     "Line 201 of 'trunc.csv' has 5 fields, the header has 6. Mend the line, or name the right delimiter."),
    ("{A} bin.csv {Q} -k 5", "The file 'bin.csv' is no text: it holds binary data. Save the table as CSV."),
    ("audit bin.csv --quasi age", "The file 'bin.csv' is no text: it holds binary data. Save the table as CSV."),
    ("advise bin.csv", "The file 'bin.csv' is no text: it holds binary data. Save the table as CSV."),
    ("{A} parquet.csv {Q} -k 5",
     "The file 'parquet.csv' is no text: it is a Parquet file. Let its name end in .parquet."),
    ("{A} trunc.parquet {Q} -k 5",
     "The file 'trunc.parquet' cannot be read as Parquet. Perhaps it was cut off: copy it again."),
    ("{A} text.xlsx {Q} -k 5",
     "The file 'text.xlsx' cannot be read as an Excel workbook. Save it again as .xlsx."),
    # Databases and addresses: no password is repeated.
    _database("{A} postgresql://u:hunter2@localhost/db {Q} -k 5"),
    _database("{A} sqlite:///clinic.db {Q} -k 5"),
    _database("{A} p.csv --quasi age --others drop -k 5 -o postgresql://u:hunter2@localhost/db"),
    _database("{A} p.csv {Q} -k 5 --report postgresql://u:hunter2@localhost/r.html"),
    _database("audit p.csv --quasi age --population postgresql://u:hunter2@localhost/db"),
    _database("attack postgresql://u:hunter2@localhost/db --members p.csv --non-members semi.csv"),
    _database("attack p.csv --members postgresql://u:hunter2@localhost/db --non-members semi.csv"),
    ("{A} https://example.org/p.csv {Q} -k 5",
     "Addresses such as https://… are not read or written. Copy the file here, and name it."),
    ("{A} s3://bucket/p.parquet {Q} -k 5",
     "Addresses such as s3://… are not read or written. Copy the file here, and name it."),
    ("{A} p.csv {Q} -k 5 --temp postgresql://u:hunter2@localhost/db",
     "There is no folder 'postgresql://…' for temporary files. Make it, or name another one."),
    ("{A} p.csv {Q} -k 5 --temp mssql://localhost/db?password=hunter2",
     "There is no folder 'mssql://…' for temporary files. Make it, or name another one."),
    ("{A} p.csv {Q} -k 5 --job postgresql://u:hunter2@localhost/db",
     "Cannot read the job file 'postgresql:/…': No such file or directory. Check the path."),
    # Lists and words too many.
    ("{A} p.csv --quasi age sex zip --others drop -k 5 -o out.csv",
     f"Lists are separated by commas: --quasi age,sex,zip. {HELP}"),
    ("{A} --quasi age, sex, zip p.csv --others drop -k 5 -o out.csv",
     f"Lists are separated by commas: --quasi age,sex,zip. {HELP}"),
    ("{A} p.csv --quasi age;sex --others drop -k 5 -o out.csv",
     "There is no column 'age;sex'. Did you mean 'age', 'sex'? Separate names with commas. It is named as quasi."),
    ("{A} p.csv --quasi 'age sex' --others drop -k 5 -o out.csv",
     "There is no column 'age sex'. Did you mean 'age', 'sex'? Separate names with commas. It is named as quasi."),
    ("{A} p.csv --quasi age,sex --target disease,income --others drop -k 5 -o out.csv",
     "There is no column 'disease,income'. Did you mean 'disease', 'income'? Name one. It is named as target."),
    ("compare p.csv --quasi age,sex --others drop -k 5 10 20",
     "Lists are separated by commas: -k 5,10,20. Type hedgerow compare --help."),
    ("{A} p.csv {Q} -k 5 --require l=2@income t=0.5@income",
     f"Repeat the option for each value: --require l=2@income --require t=0.5@income. {HELP}"),
    ("{A} p.csv semi.csv {Q} -k 5",
     "'semi.csv' belongs to no option. The name of an option begins with dashes; a value with spaces stands in quotes. "
     + HELP),
    ("{A} p.csv {Q} k=5",
     "'k=5' belongs to no option. The name of an option begins with dashes; a value with spaces stands in quotes. "
     + HELP),
    ("methods mondrian",
     "'mondrian' belongs to no option. The name of an option begins with dashes; a value with spaces stands in quotes. "
     "Type hedgerow methods --help."),
    ("{A} p.csv -quasi age,sex --others drop -k 5 -o out.csv",
     f"There is no option '-quasi'. Did you mean '--quasi', with two dashes? {HELP}"),
    ("{A} p.csv --quazi age -k 5", f"No such option: --quazi (Possible options: --quasi, --quiet, --require). {HELP}"),
    ("{A} p.csv {Q} -k 5 --force=no", f"Option '--force' does not take a value. {HELP}"),
    ("anonymise p.csv", "No such command 'anonymise'. Did you mean 'anonymize'? Type hedgerow --help."),
    ("", "Missing command. Type hedgerow --help."),
    ("audit", "No table is named. Type hedgerow audit TABLE …, or name a job file that wrote it (--job)."),
    ("{A} p.csv --quasi '' --others drop -k 5 -o out.csv",
     "A column name in --quasi '' is empty. Type names like a,b,c."),
    ("{A} p.csv --quasi age, --others drop -k 5 -o out.csv",
     "A column name in --quasi 'age,' is empty. Type names like a,b,c."),
    ("{A} p.csv --quasi age,age --others drop -k 5 -o out.csv",
     "The column 'age' is named twice as quasi. Give each column one role."),
    # Roles.
    ("{A} p.csv --quasi age,sex --drop sex --others drop -k 5 -o out.csv",
     "The column 'sex' is named as quasi and as identifying. Give each column one role."),
    ("{A} p.csv --quasi age,sex --target income -k 5 -o out.csv",
     "No role is given for 'name', 'zip', 'disease'. Name a role for each, or say others='insensitive' or "
     "others='drop' (--others)."),
    ("{A} p.csv {Q} -k 5 --others keep",
     "The 'others' parameter of hedgerow anonymize must be 'error', 'insensitive' or 'drop'. Got 'keep' instead."),
    ("{A} p.csv {Q} -k 5 --accept name",
     "The column 'name' is accepted, but is not published unchanged. Accept insensitive columns, sensitive ones or the "
     "target."),
    ("{A} p.csv {Q} -k 5 --entity nam", "There is no column 'nam'. Did you mean 'name'? It is named as entity."),
    ("{A} p.csv {Q} -k 5 --rows-are-people --entity name",
     "The column 'name' is named as entity, and every row is called a person. Leave one of the two out: entity "
     "(--entity) or rows_are_people (--rows-are-people)."),
    ("{A} p.csv {Q} -k 5 --kind age=numbr",
     "There is no kind 'numbr'. Did you mean 'number'? It is given for 'age'."),
    ("{A} p.csv {Q} -k 5 --weights agee=2",
     "There is no column 'agee'. Did you mean 'age'? A weight is given for it."),
    ("{A} mixed.csv {Q} -k 5 --kind age=number",
     "The column 'age' is to be numbers, and 1 of its distinct values is no number, first at line 9. Name them in "
     "missing= (--missing) if they mean that there is no value, or make the column text."),
    # Hierarchies.
    ("{A} p.csv {Q} -k 5 --hierarchy zip=maskin:2",
     "There is no hierarchy 'maskin:2'. Did you mean 'masking'? It is given for the column 'zip'; the path of a .csv "
     "or .toml file is possible too."),
    ("{A} p.csv {Q} -k 5 --hierarchy zip=masking:9",
     "Each level of the masking of 'zip' masks at least 9 characters, and its longest value has 5: every value would "
     "become *. Mask fewer, or use the hierarchy 'flat'."),
    ("{A} p.csv {Q} -k 5 --hierarchy zip=masking:a",
     "In the hierarchy 'masking:a' of 'zip': 'a' is not a number. Write numbers separated by commas."),
    ("{A} p.csv {Q} -k 5 --hierarchy zip",
     "'zip' has no name or no value. Type --hierarchy name=value."),
    ("{A} p.csv {Q} -k 5 --hierarchy zipp=masking:2",
     "There is no column 'zipp'. Did you mean 'zip'? A hierarchy is given for it."),
    ("{A} p.csv {Q} -k 5 --hierarchy zip=nofile.csv",
     "Cannot read the hierarchy file 'nofile.csv': No such file or directory. Check the path."),
    ("{A} p.csv {Q} -k 5 --hierarchy zip=h_bad.csv",
     "Line 2 of the hierarchy file 'h_bad.csv' has 2 columns where line 1 has 3. Give every line the same number of "
     "levels."),
    ("{A} p.csv {Q} -k 5 --hierarchy zip=zip_missing.csv",
     "The hierarchy zip_missing.csv of the column 'zip' does not cover 30 of its 30 different values (200 records), "
     "first at lines 2, 3 and 4. Add them to it, or name them in missing= (--missing) if they mean that there is no "
     "value."),
    ("{A} p.csv {Q} -k 5 --hierarchy zip=comma_h.csv",
     "The lines of the hierarchy file 'comma_h.csv' have one column. Write ';' instead of ',' between a value and its "
     "labels."),
    ("{A} p.csv {Q} -k 5 --hierarchies comma_h.csv",
     "'comma_h.csv' is a file. For one column, type --hierarchy COLUMN=comma_h.csv."),
    ("{A} p.csv {Q} -k 5 --hierarchies nowhere",
     "There is no folder 'nowhere'. Name the folder of your hierarchies: --hierarchies DIR."),
    ("{A} p.csv {Q} -k 5 --hierarchy sex=intervals:5",
     "The column 'sex' has 2 values that are not numbers (200 records), first at lines 2, 3 and 4. It has no "
     "intervals: use groups, a taxonomy or the hierarchy 'flat', or name these values in missing= (--missing) if they "
     "mean that there is no value."),
    ("{A} p.csv {Q} -k 5 --hierarchy zip=dates:year",
     "The column 'zip' has 30 values that are not dates in the ISO form (2024-03-31) (200 records), first at lines 2, "
     "3 and 4. Correct them, or name the format in which they are written, such as dates:month,year,%d.%m.%Y."),
    ("{A} p.csv {Q} -k 5 --hierarchy zip=dates:year,%d.%m",
     "In the hierarchy 'dates:year,%d.%m' of 'zip': The 'format' parameter of dates must be a format of "
     "datetime.strptime with a year, as '%d.%m.%Y'. Got '%d.%m' instead."),
    ("{A} p.csv {Q} -k 5 --hierarchy zip=dates:year,%d,%m,%Y",
     "In the hierarchy 'dates:year,%d,%m,%Y' of 'zip': The format of dates is given twice, or has a comma in it. Write "
     "one without a comma."),
    ("{A} p.csv {Q} -k 5 --hierarchy age=dates:year",
     "The column 'age' holds numbers, not dates. Use intervals."),
    ("{A} p.csv --quasi age,disease --others drop -k 5 -o out.csv --hierarchy disease=icd10",
     "The column 'disease' has 3 values without the form of an ICD-10 code (200 records), first at lines 2, 3 and 4. "
     "Write one code in each cell, such as I21.4 or S52.501A; name these values in missing= (--missing) if they mean "
     "that there is no value; or take a hierarchy for any code, such as prefix:1,3."),
    ("{A} p.csv --quasi age,disease --others drop -k 5 -o out.csv --hierarchy disease=icd9",
     "There is no hierarchy 'icd9'. Did you mean 'icd10'? It is given for the column 'disease'; the path of a .csv or "
     ".toml file is possible too."),
    ("{A} icd.csv --quasi age,icd10 --others drop -k 5 -o out.csv --hierarchy icd10=icd10:category",
     "In the hierarchy 'icd10:category' of 'icd10': The 'levels' parameter of icd10 must be some of 6, 5, 4, 3, "
     "'chapter', in this order. Got ['category'] instead."),
    ("{A} icd.csv --quasi age,icd10 --others drop -k 5 -o out.csv --hierarchy icd10=icd10:chapter,3",
     "In the hierarchy 'icd10:chapter,3' of 'icd10': The 'levels' parameter of icd10 must be some of 6, 5, 4, 3, "
     "'chapter', in this order. Got ['chapter', 3] instead."),
    ("{A} p.csv {Q} -k 5 --hierarchy age=icd10",
     "The column 'age' holds numbers, not ICD-10 codes. Use another hierarchy."),
    ("{A} p.csv {Q} -k 5 --hierarchy disease=icd10",
     "A hierarchy is given for 'disease', which is not a quasi-identifier or sensitive. Leave it out, or name the "
     "column as such."),
    # Levels.
    ("{A} p.csv {Q} -k 5 --level zip=2",
     "Levels are given for 'zip', which has no hierarchy to count them in. Give it one (hierarchies={'zip': …}, "
     "--hierarchy zip=…), or leave its levels out."),
    ("{A} p.csv {Q} -k 5 --hierarchy zip=masking:2,3 --level zip=2:9",
     "The levels of 'zip' are limited to 2 to 9, and its hierarchy has the levels 0 to 3, where 3 is the top. Give "
     "levels that it has."),
    ("{A} p.csv {Q} -k 5 --hierarchy zip=masking:2,3 --level zip=3:2",
     "The coarsest level of 'zip' is finer than the finest. Type --level zip=2:3."),
    ("{A} p.csv {Q} -k 5 --hierarchy zip=masking:2,3 --level zip=1-2",
     "The levels of 'zip' are not readable. Type the finest and the coarsest: --level zip=2:3, zip=2: or zip=:3, or "
     "one level: zip=2."),
    ("{A} p.csv {Q} -k 5 --hierarchy zip=masking:2,3 --level zpi=1",
     "There is no column 'zpi'. Did you mean 'zip'? A level is given for it."),
    ("{A} p.csv {Q} -k 5 --levels zip=1:2", f"No such option: --levels (Possible options: --level). {HELP}"),
    ("audit p.csv --quasi age --level zip=1",
     "hedgerow audit has no option --level; hedgerow anonymize, hedgerow compare and hedgerow evaluate have it. Type "
     "hedgerow audit --help."),
    # Enough people for every value, and numbers in clear.
    ("{A} p.csv {Q} -k 5 --min-people 0",
     "The 'min-people' parameter of hedgerow anonymize must be a whole number >= 1. Got 0 instead."),
    ("{A} p.csv {Q} -k 5 --min-people 11%",
     f"The '--min-people' parameter of hedgerow anonymize must be a whole number. Got '11%' instead. {HELP}"),
    ("audit p.csv --quasi age --recode age=top:30",
     "hedgerow audit has no option --recode; hedgerow anonymize, hedgerow compare and hedgerow evaluate have it. Type "
     "hedgerow audit --help."),
    ("{A} p.csv {Q} -k 5 --recode zip=top:30",
     "A recode is given for 'zip', which is not published in clear. Quasi-identifiers are generalized by the method: "
     "give them a hierarchy instead."),
    ("{A} p.csv --quasi sex,zip --insensitive age --others drop -k 5 -o out.csv --recode age=top",
     "The recode of 'age' cannot be read. Write round:1000, top:90, bottom:18 or microaggregate:11, also joined, as in "
     "top:90,round:5."),
    ("{A} p.csv --quasi sex,zip --insensitive age --others drop -k 5 -o out.csv --recode age=top:30,bottom:40",
     "The recode of 'age' has a bottom that is not below its top. Correct one of them."),
    ("{A} p.csv --quasi age,zip --insensitive sex --others drop -k 5 -o out.csv --recode sex=round:5",
     "A recode is given for 'sex', which holds text. Recodes are for numbers: give it a hierarchy instead (--hierarchy "
     "sex=…)."),
    # Analyses.
    ("{A} p.csv {Q} -k 5 --analysis 'mean age by sexx'",
     "There is no column 'sexx'. Did you mean 'sex'? An analysis names it."),
    ("{A} p.csv {Q} -k 5 --analysis 'average age by sex'",
     "There is no kind of analysis 'average'. Known: 'crosstab', 'mean', 'linear', 'logistic'. The analysis is "
     "'average age by sex'."),
    ("{A} p.csv {Q} -k 5 --analysis 'mean sex by age'",
     "The analysis 'mean sex by age' cannot be run: the column 'sex' holds text, where numbers are needed."),
    ("{A} p.csv {Q} -k 5 --analysis 'linear age = sex'",
     "In the analysis 'linear age = sex', '~' is expected where '=' stands. Write it as 'linear days ~ age + sex'."),
    ("{A} p.csv {Q} -k 5 --analysis 'logistic age ~ sex'",
     "The analysis 'logistic age ~ sex' cannot be run: the column 'age' has 40 different values; name the one to "
     "explain, as in logistic age=VALUE ~ …."),
    ("{A} p.csv {Q} -k 5 --analyses 'mean age by sex'",
     f"No such option: --analyses (Possible options: --analysis). {HELP}"),
    ("compare p.csv --quasi age,sex --target income --others drop --task estimates",
     "No analysis is given. Name those that recipients plan (analyses=['mean days by ward'], --analysis 'mean days by "
     "ward')."),
    # Explanations, and an earlier release.
    ("{A} p.csv {Q} -k 5 --explain row=3",
     "An explanation is written as JSON. Name a file that ends in .json, not 'row=3' (--explain)."),
    ("{A} p.csv {Q} -k 5 --explain out.csv",
     "--explain names the release, its manifest, its proportions or its drawn rows. The explanation is private: name "
     "another file."),
    ("{A} p.csv {Q} -k 5 --explain nowhere/why.json",
     "The explanation cannot be written to 'nowhere/why.json'. Name a file in a folder that exists."),
    ("audit p.csv --quasi age --explain why.json",
     "hedgerow audit has no option --explain; hedgerow anonymize has it. Type hedgerow audit --help."),
    ("audit p.csv --quasi age --previous nope.csv", "There is no file 'nope.csv'. Check the path."),
    # Methods, requirements and limits.
    ("{A} p.csv {Q} -k 5 --method mondrain", "There is no method 'mondrain'. Did you mean 'mondrian'?"),
    ("{A} p.csv {Q} -k 5 --method Mondrian", "There is no method 'Mondrian'. Did you mean 'mondrian'?"),
    ("{A} p.csv {Q} -k 5 --method kactus,mondrian",
     "There is no method 'kactus,mondrian'. Did you mean 'kactus', 'mondrian'? Name one."),
    ("{A} p.csv {Q} -k 5 --set improove=true",
     "There is no parameter of Mondrian called 'improove'. Did you mean 'improve'?"),
    ("{A} p.csv {Q} -k 5 --set suppression_limit=2%",
     "There is no parameter of Mondrian called 'suppression_limit'. It is an option: --suppression-limit."),
    ("{A} p.csv {Q} -k 5 --set k=5", "There is no parameter of Mondrian called 'k'. It is an option: -k."),
    ("{A} p.csv {Q} -k 5 --set cut=narrow",
     "The 'cut' parameter of Mondrian must be 'loss', 'widest' or 'widest_only'. Got 'narrow' instead."),
    ("{A} p.csv {Q} -k 5 --metric loss",
     "Mondrian has no parameter 'metric'. Leave it out, or take a method that has it: 'greedy', 'incognito', "
     "'optimal'."),
    ("{A} p.csv {Q} -k 5 --require l=3",
     "The requirement 'l=3' is not understood. Write it like l=3@disease, l=3:entropy@disease or "
     "l=3:recursive:c=2@disease."),
    ("{A} p.csv {Q} -k 5 --require l=3@disease",
     "The column 'disease' of 3-diversity of disease is not sensitive. Name it in sensitive (--sensitive); sensitive "
     "now: 'income'."),
    ("{A} p.csv {Q} -k 5 --require k=3",
     "The k of all quasi-identifiers is given twice. Give it once, as k= or as a requirement."),
    ("{A} p.csv {Q} -k 5 --suppression-limit 200%",
     "The 'suppression_limit' parameter of hedgerow anonymize must be a share from 0.0 to 1.0 or a whole number of "
     "records >= 0. Got 2.0 instead."),
    ("{A} p.csv {Q} -k 5 --suppression-limit 0,02",
     "The 'suppression_limit' parameter of hedgerow anonymize must be a share from 0.0 to 1.0 or a whole number of "
     "records >= 0. Got '0,02' instead."),
    ("{A} p.csv {Q} -k 5 --memory-limit 100MB",
     "The 'memory_limit' parameter of File must be at least '1GB', for Python alone takes a third of that. Got '100MB' "
     "instead."),
    ("{A} p.csv {Q} -k 5 --redraw 2",
     "--redraw requires --publish-proportions: rows are drawn from proportions."),
    ("{A} p.csv {Q} -k 5 --min-support 3", "--min-support requires --publish-proportions."),
    ("{A} p.csv {Q} -k 5 --master local[2]", "--master requires --engine spark: it names where Spark runs."),
    # Outputs.
    ("{A} p.csv {Q} -k 5 -o p.csv", "--output 'p.csv' is a file that is read. Name another one."),
    ("{A} p.csv {Q} -k 5 -o exists.csv",
     "The file 'exists.csv' exists already. Name another one, or allow overwriting it (--force, overwrite=True)."),
    ("{A} p.csv {Q} -k 5 -o out.xlsx",
     "The file 'out.xlsx' is neither .csv, .csv.gz nor .parquet. Give it one of these endings, or name a folder: "
     "'out.xlsx/'."),
    ("{A} p.csv {Q} -k 5 -o /", "'/' is the root of the file system. Name a file or folder in it."),
    ("{A} p.csv {Q} -k 5 -o nowhere/out.csv", "There is no folder 'nowhere' to write to."),
    ("{A} p.csv {Q} -k 5 --report r.pdf", "A report is an HTML page. Name a file that ends in .html, not 'r.pdf'."),
    ("{A} p.csv {Q} -k 5 --report p.html --report-edition publc",
     "The 'report-edition' parameter of hedgerow anonymize must be 'internal' or 'public'. Got 'publc' instead."),
    ("{A} p.csv {Q} -k 5 --report-edition public", "--report-edition needs a report. Add --report out.html."),
    ("{A} p.csv {Q} -k 5 --partition-by sex",
     "'out.csv' has the name of a file, but a folder of files is asked for. Leave out the ending: 'out/'."),
    ("{A} --job nojob.toml",
     "Cannot read the job file 'nojob.toml': No such file or directory. Check the path."),
    ("{A} {Q} -k 5 --job p.csv", "The TOML of the job file 'p.csv' is wrong at line 1. Correct it there."),
    # The other commands.
    ("audit p.csv --quasi age -k ten",
     "The '-k' parameter of hedgerow audit must be a whole number. Got 'ten' instead. Type hedgerow audit --help."),
    ("audit p.csv --quasi age,sex -k 3 --population nope.csv", "There is no file 'nope.csv'. Check the path."),
    ("audit p.csv --quasi age --threshold 5",
     "The 'threshold' parameter of audit must be a number from 0 to 1. Got 5.0 instead."),
    ("audit p.csv --quasi age --original p.csv", "--original needs an earlier release. Add --previous FILE."),
    ("audit p.csv",
     "No quasi-identifier is named. Name the columns by which a person could be found: --quasi age,sex."),
    ("reproduce", "No such command 'reproduce'. Type hedgerow --help."),
    ("check p.csv --quasi age",
     "No requirement is given. Give k=10 (-k 10), or name some with require= (--require)."),
    ("check p.csv --quasi age -k 3 -o out.csv", "No such option: -o. Type hedgerow check --help."),
    ("compare p.csv --quasi age,sex --target income --others drop --methods mondrain",
     "There is no method 'mondrain'. Did you mean 'mondrian'?"),
    ("compare p.csv --quasi age,sex --target income --others drop -k ten",
     "'ten' is not a whole number. Type numbers with commas: -k 5,10,50."),
    ("compare p.csv --quasi age,sex --others drop --time-limit soon",
     "'soon' is not a time. Type seconds, minutes or hours: --time-limit 90, 10m or 1h."),
    ("compare p.csv --quasi age,sex --others drop -o out.csv",
     "The page is written as HTML, not to 'out.csv'. Name a file that ends in .html (--output FILE.html)."),
    ("evaluate p.csv --quasi age,sex --target income --others drop --learners xgboost",
     "There is no learner 'xgboost'. Did you mean 'boosting'?"),
    ("evaluate p.csv --quasi age,sex --others drop",
     "No target is named. Name the column that learners are to predict (target=, --target)."),
    ("advise p.csv --target incom", "There is no column 'incom'. Did you mean 'income'? It is named as target."),
    ("advise p.csv -k 0", "The 'k' parameter of advise must be an int >= 2. Got 0 instead."),
    ("advise p.csv -o jobs/", "'jobs/' is the name of a folder. Name a file, such as job.toml (--output)."),
    ("advise p.csv -o exists.csv",
     "The file 'exists.csv' exists already. Name another one, or allow overwriting it (--force, overwrite=True)."),
    ("attack nope.csv --members p.csv --non-members semi.csv", "There is no file 'nope.csv'. Check the path."),
    ("attack p.csv --members p.csv --non-members semi.csv",
     "There is no manifest 'p.csv.manifest.json' beside the table. Only what Release.save wrote can be loaded; "
     "hr.audit takes any table."),
    ("attack p.csv --members p.csv --non-members semi.csv --attack membrship",
     "There is no attack 'membrship'. Did you mean 'membership'?"),
    ("demo --method mondrain", "There is no method 'mondrain'. Did you mean 'mondrian'?"),
]  # fmt: skip

INFEASIBLE: list[tuple[str, str]] = [
    ("{A} p.csv {Q} -k 5 --min-people 500",
     "All values of 'income' together are held by fewer than 500 people. Lower min_people (--min-people), or drop the "
     "column."),
    ("{A} p.csv --quasi sex,zip --insensitive age --others drop -k 5 -o out.csv --min-people 11",
     "The column 'age' holds numbers, and 40 of its 40 values are held by fewer than 11 people. Recode it "
     "(recode={'age': 'round:…'}, --recode age=round:…; also top, bottom, microaggregate), give it a hierarchy "
     "(--hierarchy age=…), say that it holds codes (--kind age=text), or drop it."),
    ("{A} p.csv {Q} -k 5 --hierarchy zip=masking:2,3 --hierarchy age=intervals:5 --level age=0:0 --level zip=0:0",
     "5-anonymity cannot be met with 'age' at most at level 0: that keeps 40 parts of the records apart, and 17 of "
     "them with 52 records are too small. 0 records may be lost. Allow a coarser level (levels={'age': (0, 1)}, "
     "--level age=0:1), let more records be lost (suppression_limit=, --suppression-limit), or lower the "
     "requirement."),
    ("{A} p.csv {Q} -k 5000",
     "5000-anonymity needs at least 5,000 rows, and the table has 200. Lower the requirement or give more rows."),
    ("{A} one.csv {Q} -k 5",
     "5-anonymity needs at least 5 rows, and the table has 1. Lower the requirement or give more rows."),
    ("{A} p.csv --quasi age,sex --sensitive disease --others drop -k 5 --require l=30@disease -o out.csv",
     "The table cannot meet 30-diversity of disease: even with every quasi-identifier suppressed, all 200 records as "
     "one class reach only 3 distinct values. Lower the requirement."),
    ("{A} p.csv --quasi age,sex --insensitive name --others drop -k 5 -o out.csv",
     "Columns that would be published unchanged disclose too much: 'name' holds a value that nobody else has for 100% "
     "of the people. Make it a quasi-identifier (--quasi), drop it (--drop), or accept it (accept=[…], --accept "
     "name)."),
]  # fmt: skip


def _typed(command: str) -> list[str]:
    return shlex.split(command.replace("{A}", A).replace("{Q}", Q).replace("age;sex", "'age;sex'"))


@pytest.fixture
def folder(tmp_path: Path, files: dict[str, bytes]) -> Callable[[list[str]], None]:
    """Write the files that a command names."""

    def write(words: list[str]) -> None:
        for name, content in files.items():
            if any(word == name or word.endswith(f"={name}") for word in words):
                (tmp_path / name).write_bytes(content)

    return write


@pytest.mark.parametrize(("command", "sentence"), REFUSED)
def test_refused(command: str, sentence: str, folder: Any, refused: Any) -> None:
    words = _typed(command)
    folder(words)

    assert refused(*words, words=()) == f"hedgerow: {sentence}\n"
    assert "hunter2" not in sentence


@pytest.mark.parametrize(("command", "sentence"), INFEASIBLE)
def test_cannot_be_met(command: str, sentence: str, folder: Any, refused: Any) -> None:
    words = _typed(command)
    folder(words)

    assert refused(*words, words=(), status=3) == f"hedgerow: {sentence}\n"


def test_there_are_a_hundred() -> None:
    assert len({command for command, _ in (*REFUSED, *INFEASIBLE)}) >= 130


def test_a_check_that_no_table_of_that_size_passes(folder: Any, called: Any, tmp_path: Path) -> None:
    folder(["p.csv"])

    outcome = called("check", "p.csv", "--quasi", "age", "-k", "5000")

    assert outcome.status == 3
    assert outcome.out.endswith("The requirements do NOT hold.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["p.csv"]


def test_numbers_with_words_among_them_are_said_to_be_text_first(folder: Any, called: Any, tmp_path: Path) -> None:
    folder(["mixed.csv"])

    outcome = called(*_typed("{A} mixed.csv {Q} -k 5"))

    assert outcome.status == 0
    assert outcome.out.startswith(
        "The column 'age' is read as text: 4 of its records are no numbers. If the others mean 'no value', name them "
        "as missing; to find them, say that it holds numbers (--kind age=number).\nReleased "
    )
    assert outcome.out.count("read as text") == 1
    # The exact number would tell whoever knows all records but one whether that one is a number.
    assert "at least 90% of its records are numbers" in (tmp_path / "out.csv.manifest.json").read_text()
    assert "4 of its records" not in (tmp_path / "out.csv.manifest.json").read_text()


@pytest.mark.parametrize(
    ("limit", "note"),
    [
        ("2", "At most 2 rows may be lost (--suppression-limit 2). For a share, type it as 2%.\n"),
        ("1", "At most 1 row may be lost (--suppression-limit 1). For a share, type it as 1%.\n"),
        ("150", "At most 150 rows may be lost (--suppression-limit 150).\n"),
        ("2%", None),
    ],
)
def test_a_number_of_rows_to_lose_is_repeated(limit: str, note: str | None, folder: Any, called: Any) -> None:
    folder(["p.csv"])

    outcome = called(*_typed("{A} p.csv {Q} -k 5"), "--suppression-limit", limit)

    assert outcome.status == 0
    assert ("may be lost" in outcome.out) == (note is not None)
    assert note is None or outcome.out.endswith(note)


def test_the_same_people_on_both_sides_of_an_attack(folder: Any, called: Any, refused: Any) -> None:
    folder(["p.csv"])
    assert called(*_typed("{A} p.csv {Q} -k 5")).status == 0

    sentence = refused("attack", "out.csv", "--members", "p.csv", "--non-members", "p.csv", words=())

    assert sentence == (
        "hedgerow: Members and non-members are the same table, so there is no control. Give other people of the same "
        "population as non-members: hold a random part of the rows back, and anonymize the others.\n"
    )


PEOPLE = pa.table(dict(zip(HEADER, map(list, zip(*_people(), strict=True)), strict=True)))
SCHEMA = hr.Schema(quasi=["age", "sex"], others="drop")

PYTHON: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: hr.anonymize(PEOPLE, SCHEMA, k=5, supression_limit=0.02), hr.BadInput,
     "There is no parameter of Mondrian called 'supression_limit'. Did you mean 'suppression_limit'?"),
    (lambda: hr.anonymize(PEOPLE, SCHEMA, k=5, methd="kactus"), hr.BadInput,
     "There is no parameter of Mondrian called 'methd'. Did you mean 'method'?"),
    (lambda: hr.anonymize(PEOPLE, SCHEMA, K=5), hr.BadInput,
     "There is no parameter of Mondrian called 'K'. Did you mean 'k'?"),
    (lambda: hr.anonymize(PEOPLE, SCHEMA, k=5, seed=1), hr.BadInput,
     "There is no parameter of Mondrian called 'seed'. Known: 'cut', 'relaxed', 'publish', 'order', 'improve', "
     "'cells', 'method', 'preset', 'k', 'require' and 11 more."),
    (lambda: hr.anonymize(PEOPLE, ["age"], k=5), hr.BadInput,  # type: ignore[arg-type]
     "The 'schema' parameter of anonymize must be a hedgerow.Schema. Got 'list' instead."),
    (lambda: hr.anonymize(PEOPLE, SCHEMA, k="ten"), hr.BadInput,  # type: ignore[arg-type]
     "The 'k' parameter of KAnonymity must be an int >= 1. Got 'ten' instead."),
    (lambda: hr.anonymize(PEOPLE.to_pylist(), SCHEMA, k=5), hr.BadInput,
     "A table must be a pandas, polars or pyarrow dataframe, a DuckDB relation or the path of a CSV or Parquet file. "
     "Got list instead."),
    (lambda: hr.anonymize("postgresql://u:hunter2@localhost/db", SCHEMA, k=5), hr.BadInput,
     "Databases are not read or written yet. Export the table as CSV or Parquet, and name the file."),
    (lambda: hr.Schema(quasi="age"), hr.BadInput,
     "The 'quasi' parameter of Schema must be a list of column names. Got 'str' instead."),
    (lambda: hr.Schema(quazi=["age"]), TypeError,  # type: ignore[call-arg]
     "Schema.__init__() got an unexpected keyword argument 'quazi'. Did you mean 'quasi'?"),
    (lambda: hr.Mondrian(supression_limit=2), TypeError,  # type: ignore[call-arg]
     "Mondrian.__init__() got an unexpected keyword argument 'supression_limit'. Did you mean 'suppression_limit'?"),
    (lambda: hr.audit(PEOPLE, quazi=["age"]), TypeError,  # type: ignore[call-arg]
     "audit() got an unexpected keyword argument 'quazi'. Did you mean 'quasi'?"),
    (lambda: hr.check(PEOPLE, quasi=["age"], K=5), TypeError,  # type: ignore[call-arg]
     "check() got an unexpected keyword argument 'K'. Did you mean 'k'?"),
    (lambda: hr.compare(PEOPLE, SCHEMA, method="kactus"), TypeError,  # type: ignore[call-arg]
     "compare() got an unexpected keyword argument 'method'. Did you mean 'methods'?"),
    (lambda: hr.evaluate(PEOPLE, SCHEMA, learner="c45"), TypeError,  # type: ignore[call-arg]
     "evaluate() got an unexpected keyword argument 'learner'. Did you mean 'learners'?"),
    (lambda: hr.advise(PEOPLE, targte="income"), TypeError,  # type: ignore[call-arg]
     "advise() got an unexpected keyword argument 'targte'. Did you mean 'target'?"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "sentence"), PYTHON, ids=[sentence for _, _, sentence in PYTHON])
def test_python(call: Callable[[], Any], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as caught:
        call()

    assert str(caught.value) == sentence
