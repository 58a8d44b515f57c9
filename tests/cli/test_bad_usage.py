"""Options, job files and hierarchies that must be refused: exit status 2, one sentence, nothing written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

BAD_OPTIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    # name: options after `anonymize people.csv`, words of the sentence. {roles} stands for the roles of all columns.
    "no command's option": (("{roles}", "--quazi", "age"), ("--quazi", "--help")),
    "an argument too many": (("more.csv", "{roles}", "-k", "2"), ("more.csv",)),
    "option without its value": (("{roles}", "-k"), ("-k",)),
    "no output": (("{roles}", "-k", "2"), ("output", "--output")),
    "no quasi-identifier": (("--others", "drop", "-k", "2", "-o", "out.csv"), ("quasi-identifier", "--quasi")),
    "no requirement": (("{roles}", "-o", "out.csv"), ("No requirement", "-k 10", "--require")),
    "k of 0": (("{roles}", "-k", "0", "-o", "out.csv"), ("'k'", "int >= 1", "Got 0")),
    "k below 0": (("{roles}", "-k", "-3", "-o", "out.csv"), ("'k'", "int >= 1", "Got -3")),
    "k is no number": (("{roles}", "-k", "ten", "-o", "out.csv"), ("'-k'", "must be a whole number. Got 'ten'")),
    "k is a fraction": (("{roles}", "-k", "2.5", "-o", "out.csv"), ("'-k'", "must be a whole number. Got '2.5'")),
    "k twice": (("{roles}", "-k", "2", "--require", "k=3", "-o", "out.csv"), ("given twice",)),
    "rule without a number": (("{roles}", "--require", "k=", "-o", "out.csv"), ("'k='", "k=4@education,sex")),
    "rule of no kind": (("{roles}", "--require", "q=3@ill", "-o", "out.csv"), ("'q=3@ill'", "not understood")),
    "rule without a column": (("{roles}", "--require", "l=3", "-o", "out.csv"), ("'l=3'", "l=3@disease")),
    "rule with a wrong word": (
        ("{roles}", "--require", "l=3:often@ill", "-o", "out.csv"),
        ("'l=3:often@ill'", "l=3:entropy@disease"),
    ),
    "t above 1": (("{roles}", "--require", "t=2@ill", "-o", "out.csv"), ("'t'", "from 0 to 1", "Got 2")),
    "p without k": (("{roles}", "--require", "p=2@ill", "-o", "out.csv"), ("'p=2@ill'", "p=2:k=5@disease")),
    "shield is not quasi": (
        ("{roles}", "--require", "k=2@zip", "-o", "out.csv"),
        ("'zip'", "shield", "not a quasi-identifier"),
    ),
    "shield is unknown": (("{roles}", "--require", "k=2@sexx", "-o", "out.csv"), ("'sexx'", "Did you mean 'sex'?")),
    "rule's column is not sensitive": (
        ("{roles}", "--require", "l=2@zip", "-o", "out.csv"),
        ("'zip'", "not sensitive", "--sensitive"),
    ),
    "rule's column is unknown": (("{roles}", "--require", "l=2@ils", "-o", "out.csv"), ("no column 'ils'",)),
    "hierarchical distance without hierarchy": (
        ("{roles}", "--require", "t=0.5:hierarchical@ill", "-o", "out.csv"),
        ("'ill'", "tree"),
    ),
    "weight is no number": (
        ("{roles}", "-k", "2", "--weights", "age=much", "-o", "out.csv"),
        ("'age'", "not a number", "--weights age=2"),
    ),
    "weight below 0": (("{roles}", "-k", "2", "--weights", "age=-1", "-o", "out.csv"), ("'age'", "finite number >= 0")),
    "weight without end": (
        ("{roles}", "-k", "2", "--weights", "sex=2,age=inf", "-o", "out.csv"),
        ("'age'", "finite number >= 0"),
    ),
    "weight of no quasi-identifier": (
        ("{roles}", "-k", "2", "--weights", "ill=2", "-o", "out.csv"),
        ("'ill'", "not a quasi-identifier"),
    ),
    "weights of nothing": (
        ("{roles}", "-k", "2", "--weights", "age=0,sex=0", "-o", "out.csv"),
        ("All quasi-identifiers", "weight 0"),
    ),
    "unknown quasi-identifier": (
        ("--quasi", "agee", "--others", "drop", "-k", "2", "-o", "out.csv"),
        ("no column 'agee'", "Did you mean 'age'?"),
    ),
    "unknown target": (
        ("--quasi", "age", "--target", "incom", "--others", "drop", "-k", "2", "-o", "out.csv"),
        ("no column 'incom'", "Did you mean 'income'?"),
    ),
    "unknown sensitive column": (
        ("--quasi", "age", "--sensitive", "disease", "--others", "drop", "-k", "2", "-o", "out.csv"),
        ("no column 'disease'", "sensitive"),
    ),
    "unknown identifying column": (
        ("--quasi", "age", "--drop", "nam", "--others", "drop", "-k", "2", "-o", "out.csv"),
        ("no column 'nam'", "'name'"),
    ),
    "unknown column to pseudonymize": (
        ("--quasi", "age", "--pseudonymize", "nam", "--others", "drop", "-k", "2", "-o", "out.csv"),
        ("no column 'nam'", "'name'"),
    ),
    "two roles": (("{roles}", "--insensitive", "sex", "-k", "2", "-o", "out.csv"), ("'sex'", "quasi", "insensitive")),
    "target is quasi": (
        ("--quasi", "age,sex", "--target", "sex", "--others", "drop", "-k", "2", "-o", "out.csv"),
        ("'sex'", "quasi", "target"),
    ),
    "a column twice": (("--quasi", "age,age", "--others", "drop", "-k", "2", "-o", "out.csv"), ("'age'", "twice")),
    "no role": (
        ("--quasi", "age,sex", "--target", "income", "-k", "2", "-o", "out.csv"),
        ("'name'", "'zip'", "'ill'", "--others"),
    ),
    "others is no fate": (("{roles}", "--others", "keep", "-k", "2", "-o", "out.csv"), ("'others'", "'keep'", "drop")),
    "empty name in a list": (("--quasi", "age,,sex", "-k", "2", "-o", "out.csv"), ("--quasi", "empty")),
    "open quote in a list": (("--quasi", '"age,sex', "-k", "2", "-o", "out.csv"), ("--quasi", "quotes")),
    "unknown method": (
        ("{roles}", "--method", "mondrain", "-k", "2", "-o", "out.csv"),
        ("no method 'mondrain'", "Did you mean 'mondrian'?"),
    ),
    "unknown parameter": (("{roles}", "--set", "cuts=loss", "-k", "2", "-o", "out.csv"), ("'cuts'", "'cut'")),
    "wrong value of a choice": (
        ("{roles}", "--set", "cut=narrow", "-k", "2", "-o", "out.csv"),
        ("'cut'", "'loss'", "'widest'", "'narrow'"),
    ),
    "wrong value of a flag": (("{roles}", "--set", "relaxed=maybe", "-k", "2", "-o", "out.csv"), ("'relaxed'", "True")),
    "parameter without a value": (("{roles}", "--set", "cut", "-k", "2", "-o", "out.csv"), ("'cut'", "name=value")),
    "parameter twice": (
        ("{roles}", "--set", "cut=loss", "--set", "cut=widest", "-k", "2", "-o", "out.csv"),
        ("'cut'", "twice"),
    ),
    "seed is no number": (
        ("{roles}", "--seed", "x", "-k", "2", "-o", "out.csv"),
        ("'--seed'", "must be a whole number. Got 'x'"),
    ),
    "seed below 0": (("{roles}", "--seed", "-1", "-k", "2", "-o", "out.csv"), ("'seed'", ">= 0", "-1")),
    "delimiter of two signs": (("{roles}", "--delimiter", ";;", "-k", "2", "-o", "out.csv"), ("'delimiter'", "';;'")),
    "delimiter is a quote": (("{roles}", "--delimiter", '"', "-k", "2", "-o", "out.csv"), ("'delimiter'",)),
    "unknown encoding": (("{roles}", "--encoding", "utf-9", "-k", "2", "-o", "out.csv"), ("'encoding'", "'utf-9'")),
    "memory limit is no size": (
        ("{roles}", "--memory-limit", "much", "-k", "2", "-o", "out.csv"),
        ("'memory_limit'", "'2GB'", "'much'"),
    ),
    "output is the input": (("{roles}", "-k", "2", "-o", "people.csv"), ("--output", "'people.csv'", "read")),
    "output is the input by another way": (("{roles}", "-k", "2", "-o", "folder/../people.csv"), ("--output", "read")),
    "output folder is missing": (("{roles}", "-k", "2", "-o", "nowhere/out.csv"), ("no folder", "'nowhere'")),
    "output is a folder": (("{roles}", "-k", "2", "-o", "folder.csv"), ("'folder.csv'", "folder")),
    "output has another ending": (("{roles}", "-k", "2", "-o", "out.xlsx"), ("'out.xlsx'", ".csv", ".parquet")),
    "recoding is the output": (("{roles}", "-k", "2", "-o", "out.csv", "--recoding", "out.csv"), ("--recoding",)),
    "recoding is the manifest": (
        ("{roles}", "-k", "2", "-o", "out.csv", "--recoding", "out.csv.manifest.json"),
        ("--recoding", "manifest"),
    ),
    "recoding is the input": (
        ("{roles}", "-k", "2", "-o", "out.csv", "--recoding", "people.csv"),
        ("--recoding", "read"),
    ),
    "recoding is the input by a link": (
        ("{roles}", "-k", "2", "-o", "out.csv", "--recoding", "hard.json"),
        ("--recoding", "read"),
    ),
    "the output is the input by a link": (("{roles}", "-k", "2", "-o", "soft.csv"), ("--output", "read")),
    "the manifest is the input": (("{roles}", "-k", "2", "-o", "linked.csv"), ("--output", "manifest", "read")),
    "recoding's folder is missing": (
        ("{roles}", "-k", "2", "-o", "out.csv", "--recoding", "nowhere/r.json"),
        ("recoding", "'nowhere/r.json'"),
    ),
    "hierarchies are missing": (
        ("{roles}", "-k", "2", "-o", "out.csv", "--hierarchies", "nowhere"),
        ("no folder", "'nowhere'", "--hierarchies"),
    ),
    "hierarchies of no column": (
        ("{roles}", "-k", "2", "-o", "out.csv", "--hierarchies", "folder"),
        ("'folder'", "no hierarchy", "age.csv"),
    ),
    "a tree without a target": (
        ("--quasi", "age,sex", "--others", "drop", "--method", "kactus", "-k", "2", "-o", "out.csv"),
        ("KActus", "needs a target"),
    ),
    "an inducer of no name": (
        ("{roles}", "--method", "kactus", "--set", "inducer=c50", "-k", "2", "-o", "out.csv"),
        ("'inducer'", "'c45'", "'cart'", "'j48'"),
    ),
    "no objects at all": (
        ("{roles}", "--method", "kactus", "--set", "min_objects=0", "-k", "2", "-o", "out.csv"),
        ("'min_objects'", "'k' or an int >= 1", "Got 0"),
    ),
    "a crossover above 1": (
        ("{roles}", "--method", "hybrid-kactus", "--set", "crossover=2", "-k", "2", "-o", "out.csv"),
        ("'crossover'", "from 0 to 1", "Got 2"),
    ),
    "a weak release": (
        ("{roles}", "--method", "hybrid-kactus", "--set", "as_published=yes", "-k", "2", "-o", "out.csv"),
        ("as_published", "--allow-weak"),
    ),
    "a weak preset": (
        ("{roles}", "--method", "hybrid-kactus", "--preset", "paper", "-k", "2", "-o", "out.csv"),
        ("With --preset paper,", "HybridKActus", "--allow-weak"),
    ),
    "a preset of no name": (
        ("{roles}", "--method", "kactus", "--preset", "papre", "-k", "2", "-o", "out.csv"),
        ("The 'preset' parameter of KActus must be 'paper' or None. Got 'papre' instead.",),
    ),
    "a release that only combinations protect": (
        ("{roles}", "--method", "mu-argus", "--set", "as_published=yes", "-k", "2", "-o", "out.csv"),
        ("as_published", "--allow-weak"),
    ),
    "a metric for a method that has none": (
        ("{roles}", "--method", "kactus", "--metric", "loss", "-k", "2", "-o", "out.csv"),
        ("KActus", "'metric'"),
    ),
    "a time limit for a method that has none": (
        ("{roles}", "--time-limit", "3", "-k", "2", "-o", "out.csv"),
        (
            "Mondrian has no parameter 'time_limit'.",
            "take a method that has it: 'heuristicmin', 'k-optimize', 'mingen', 'optimal'.",
        ),
    ),
    "a limit that is none": (
        ("{roles}", "--suppression-limit", "a few", "-k", "2", "-o", "out.csv"),
        ("'suppression_limit'", "a share from 0.0 to 1.0 or a whole number", "'a few'"),
    ),
    "a limit of more than all": (
        ("{roles}", "--suppression-limit", "120%", "-k", "2", "-o", "out.csv"),
        ("'suppression_limit'", "a share from 0.0 to 1.0", "1.2"),
    ),
    "a limit as a parameter of one method": (
        ("{roles}", "--set", "suppression_limit=0.1", "-k", "2", "-o", "out.csv"),
        ("no parameter of Mondrian", "'suppression_limit'"),
    ),
    "a time limit twice": (
        ("{roles}", "--time-limit", "3", "--set", "time_limit=4", "-k", "2", "-o", "out.csv"),
        ("'time_limit'", "given twice"),
    ),
    "job file is missing": (
        ("{roles}", "-k", "2", "-o", "out.csv", "--job", "job.toml"),
        ("'job.toml'", "No such file"),
    ),
}


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_refused(case: str, refused: Any, people: Path, roles: tuple[str, ...]) -> None:
    options, words = BAD_OPTIONS[case]
    (people.parent / "folder").mkdir()
    (people.parent / "folder.csv").mkdir()
    (people.parent / "folder" / "zip.csv").write_text("10000;*\n")
    (people.parent / "hard.json").hardlink_to(people)
    (people.parent / "soft.csv").symlink_to(people)
    (people.parent / "linked.csv.manifest.json").hardlink_to(people)

    typed = [part for option in options for part in (roles if option == "{roles}" else (option,))]
    refused("anonymize", people.name, *typed, words=words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ("Missing command", "--help")),
        (("anonymise",), ("'anonymise'", "'anonymize'")),
        (("anonymize",), ("input", "INPUT")),
        (("anonymize", "nowhere.csv", "{roles}", "-k", "2", "-o", "out.csv"), ("no file", "'nowhere.csv'")),
        (("anonymize", ".", "{roles}", "-k", "2", "-o", "out.csv"), ("'.'", "folders in it")),
        (("anonymize", "folder.csv", "{roles}", "-k", "2", "-o", "out.csv"), ("'folder.csv'", "is empty")),
        (("audit",), ("TABLE",)),
        (("audit", "nowhere.csv", "--quasi", "age"), ("no file", "'nowhere.csv'")),
        (("audit", "people.csv"), ("quasi-identifier", "--quasi")),
        (("audit", "people.csv", "--quasi", "agee"), ("no column 'agee'", "'age'")),
        (("audit", "people.csv", "--quasi", "age", "--sensitive", "ils"), ("no column 'ils'",)),
        (("audit", "people.csv", "--quasi", "age", "--entity", "person"), ("no column 'person'",)),
        (("audit", "people.csv", "--quasi", "age", "-k", "0"), ("'k'", "int >= 1")),
        (("audit", "people.csv", "--quasi", "age", "-k", "2", "--require", "k=3"), ("given twice",)),
        (("audit", "people.csv", "--quasi", "age", "--require", "k=3@sex"), ("'sex'", "shield")),
        (("audit", "people.csv", "--quasi", "age", "--require", "l=3"), ("'l=3'", "l=3@disease")),
        (("audit", "people.csv", "--quasi", "age", "--require", "l=2@ils"), ("no column 'ils'",)),
        (("audit", "people.csv", "--quasi", "age", "--threshold", "2"), ("'threshold'", "from 0 to 1")),
        (("audit", "people.csv", "--quasi", "age", "--encoding", "utf-9"), ("'encoding'", "'utf-9'")),
        (("audit", "people.csv", "--quasi", "age", "--population", "nowhere.csv"), ("no file", "'nowhere.csv'")),
        (("audit", "people.csv", "--quasi", "age", "--hierarchies", "folder.csv"), ("--hierarchies", "hierarchical")),
        (
            ("audit", "people.csv", "--quasi", "age", "--require", "t=0.2:hierarchical@ill"),
            ("tree",),
        ),
        (("demo", "--rows", "0"), ("'n'", "int >= 1")),
        (("demo", "-k", "0"), ("'k'", "int >= 1")),
        (("demo", "--method", "mondrain"), ("no method 'mondrain'", "'mondrian'")),
        (("demo", "--seed", "-1"), ("'seed'", ">= 0")),
        (("demo", "--folder", "people.csv"), ("'people.csv'", "not a folder")),
        (("methods", "mondrian"), ("mondrian",)),
    ],
)
def test_other_commands_refuse(
    arguments: tuple[str, ...], words: tuple[str, ...], refused: Any, people: Path, roles: tuple[str, ...]
) -> None:
    (people.parent / "folder.csv").mkdir()

    refused(*[part for one in arguments for part in (roles if one == "{roles}" else (one,))], words=words)


def test_a_demonstration_of_too_few_rows(refused: Any) -> None:
    refused("demo", "--rows", "5", words=("10-anonymity", "at least 10 rows"), status=3)


BAD_JOBS = {
    "syntax": ('quasi = ["age"\nk = 2\n', ("'job.toml'", "TOML", "line 2")),
    "unknown field": ('quazi = ["age"]\n', ("no field 'quazi'", "Did you mean 'quasi'?", "'job.toml'")),
    "text for a number": ('k = "ten"\n', ("'k'", "'job.toml'", "whole number", "'ten'")),
    "fraction for a number": ("k = 2.5\n", ("'k'", "'job.toml'", "whole number", "2.5")),
    "number for a list": ("quasi = 3\n", ("'quasi'", "'job.toml'", "list of column names", "3")),
    "numbers in a list": ("quasi = [1, 2]\n", ("'quasi'", "'job.toml'", "list of column names")),
    "text for a flag": ('quiet = "yes"\n', ("'quiet'", "'job.toml'", "true or false")),
    "seed below 0": ("seed = -1\n", ("'seed'", "'job.toml'", ">= 0")),
    "no fate": ('others = "keep"\n', ("'others'", "'job.toml'", "'insensitive'")),
    "text for a table": ('set = "cut=loss"\n', ("'set'", "'job.toml'", "table of parameters")),
    "text for a weight": ('[weights]\nage = "much"\n', ("'weights'", "'job.toml'", "columns and numbers")),
    "unknown parameter": ('[set]\ncuts = "loss"\n', ("'cuts'", "'cut'")),
    "the same field twice": ('memory-limit = "1GB"\nmemory_limit = "2GB"\n', ("memory_limit", "twice", "'job.toml'")),
    "open quote in a list": ("quasi = '\"age,sex'\n", ("quasi", "'job.toml'", "quotes")),
    "nested too deeply": (f"quasi = {'[' * 100_000}", ("'job.toml'", "nested too deeply")),
    "tables nested too deeply": (f"[set.{'a.' * 5_000}a]\n", ("'job.toml'", "nested too deeply")),
    "input is missing": ('input = "nowhere.csv"\n', ("no file", "nowhere.csv")),
}


@pytest.mark.parametrize("case", BAD_JOBS)
def test_bad_job(case: str, refused: Any, people: Path) -> None:
    job, words = BAD_JOBS[case]
    (people.parent / "job.toml").write_text(job)

    file = () if "input" in job else (people.name,)
    quasi = () if "quasi" in job else ("--quasi", "age,sex")
    others = () if "others" in job else ("--others", "drop")
    k = () if job.startswith("k") else ("-k", "2")
    refused("anonymize", *file, *quasi, *others, *k, "-o", "out.csv", "--job", "job.toml", words=words)


def test_job_that_is_no_text(refused: Any, people: Path) -> None:
    (people.parent / "job.toml").write_bytes(b"k = 2 # \xff\n")

    refused("anonymize", people.name, "-o", "out.csv", "--job", "job.toml", words=("'job.toml'", "UTF-8"))


def test_job_that_is_nested_too_deeply(refused: Any, people: Path) -> None:
    (people.parent / "job.toml").write_text("quasi = " + "[" * 100_000)

    refused("anonymize", people.name, "-o", "out.csv", "--job", "job.toml", words=("'job.toml'", "nested"))


def test_recoding_over_the_job_file(refused: Any, people: Path, roles: tuple[str, ...]) -> None:
    (people.parent / "job.toml").write_text("k = 2\n")

    options = ("-o", "out.csv", "--job", "job.toml", "--recoding", "job.toml")
    refused("anonymize", people.name, *roles, *options, words=("--recoding", "'job.toml'", "read"))


def test_job_that_is_a_folder(refused: Any, people: Path) -> None:
    (people.parent / "job.toml").mkdir()

    refused("anonymize", people.name, "-o", "out.csv", "--job", "job.toml", words=("'job.toml'", "directory"))


BAD_HIERARCHIES: dict[str, tuple[str, bytes, tuple[str, ...]]] = {
    "value not covered": (
        "sex.csv",
        b"M;*\n",
        ("sex.csv", "'sex'", "does not cover 1 of its 2 different values (4 records), first at lines 3, 5 and 7. Add"),
    ),
    "ragged": ("sex.csv", b"M;person;*\nF;*\n", ("Line 2", "sex.csv", "2 columns")),
    "value listed twice": ("sex.csv", b"M;*\nF;*\nM;*\n", ("Line 3", "sex.csv", "same value as line 1")),
    "label with two parents": (
        "age.csv",
        b"20;young;a;*\n21;young;b;*\n22;old;a;*\n23;old;a;*\n",
        ("Line 2", "age.csv", "another parent", "line 1"),
    ),
    "two roots": ("sex.csv", b"M;all\nF;*\n", ("Line 2", "sex.csv", "root")),
    "one column": ("sex.csv", b"M\nF\n", ("sex.csv", "one column", "';'")),
    "empty": ("sex.csv", b"", ("sex.csv", "nothing")),
    "undecodable": ("sex.csv", b"M;\xff\nF;\xff\n", ("sex.csv", "utf-8")),
    "open quote": ("sex.csv", b'"M;*\nF;*\n', ("sex.csv",)),
    "TOML syntax": ("sex.toml", b"[Any\nx = 1\n", ("sex.toml", "TOML", "line 1")),
    "deep TOML": ("sex.toml", b"x = " + b"[" * 100_000, ("sex.toml", "nested")),
    "deep TOML of tables": ("sex.toml", b"[" + b"a." * 5_000 + b"a]\nb = 1\n", ("sex.toml", "nested")),
    "empty TOML": ("sex.toml", b"", ("sex.toml", "nothing")),
    "TOML with a value twice": ("sex.toml", b'[Any]\na = ["M"]\nb = ["M", "F"]\n', ("sex.toml",)),
    "TOML with a value not covered": ("sex.toml", b'[Any]\na = ["M"]\n', ("sex.toml", "does not cover 1 of its 2")),
}


@pytest.mark.parametrize("case", BAD_HIERARCHIES)
def test_bad_hierarchy(case: str, refused: Any, people: Path, roles: tuple[str, ...]) -> None:
    file, content, words = BAD_HIERARCHIES[case]
    folder = people.parent / "hierarchies"
    folder.mkdir()
    (folder / file).write_bytes(content)

    options = ("-k", "2", "--hierarchies", "hierarchies", "-o", "out.csv")
    refused("anonymize", people.name, *roles, *options, words=words)


def test_two_hierarchies_of_one_column(refused: Any, people: Path, roles: tuple[str, ...]) -> None:
    (people.parent / "sex.csv").write_text("M;*\nF;*\n")
    (people.parent / "sex.toml").write_text('[Any]\na = ["M", "F"]\n')

    options = ("-k", "2", "--hierarchies", ".", "-o", "out.csv")
    refused("anonymize", people.name, *roles, *options, words=("'sex.csv'", "'sex.toml'", "Keep one"))


def test_output_over_a_hierarchy(refused: Any, people: Path, roles: tuple[str, ...]) -> None:
    (people.parent / "sex.csv").write_text("M;*\nF;*\n")

    options = ("-k", "2", "--hierarchies", ".", "-o", "sex.csv")
    refused("anonymize", people.name, *roles, *options, words=("--output", "'sex.csv'", "read"))


def test_long_values_that_a_hierarchy_does_not_cover(refused: Any, people: Path) -> None:
    """The values of the other columns are so short that a message could hold them by chance; these would be found."""
    (people.parent / "zip.csv").write_text("10000;*\n")

    options = ("--quasi", "zip", "--others", "drop", "-k", "2", "--hierarchy", "zip=zip.csv", "-o", "out.csv")
    refused("anonymize", people.name, *options, words=("'zip'", "does not cover 2 of its 3 different values"))
