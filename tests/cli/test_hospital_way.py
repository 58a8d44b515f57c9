"""A hospital's data steward publishes visits, quarter after quarter, from the first advice to the signature.

The steward has the visits until September, and three months later those until December: 30,000 visits of 18,000
patients, with the difficulties of a real table (see :mod:`stewards_table`). Each release is one job file and one
command. An institute of public health receives it, and plans three analyses.

The fixture ``way`` types the commands, in the order in which the steward types them. The tests then take the files that
lie in the folder, and count every claim of the reports again. They count with nothing but :mod:`csv` and
:class:`collections.Counter`, and know of the releases only what a reader sees, and the steward's own table.
"""

from __future__ import annotations

import csv
import html
import json
import math
import os
import re
import subprocess
import sys
import tomllib
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean

import pytest
from stewards_table import CODES, VISITS, write_quarters

import hedgerow

Row = Mapping[str, str]

JOB = """
input = "visits-september.csv"
output = "release-september.csv"
report = "report-september.html"
decimal = ","

identifying = ["case", "name", "birth_year", "note"]
quasi = ["born", "sex", "postcode", "admitted"]
sensitive = ["icd10"]
insensitive = ["ward", "triage", "days", "cost"]
entity = "pseud"
target = "readmitted"

k = 11
min-people = 11             # as CMS requires
require = ["l=3@icd10"]
method = "mondrian"
suppression-limit = "2%"
seed = 7
analyses = ["crosstab sex, triage", "mean cost by ward", "logistic readmitted ~ sex"]

[hierarchy]
born = "dates:year,decade,%d.%m.%Y"
postcode = "masking:2,3"
admitted = "dates:quarter,year,%d.%m.%Y"
icd10 = "icd10:3,chapter"   # for codes of fewer than 11 people

[levels]
born = "1:"                 # no day of birth
postcode = "1:2"            # three digits or two, and never none
admitted = "1:"             # no day of admission

[recode]
days = "top:10"
cost = "microaggregate:11"

[context]
recipient = "The institute of public health"
release-model = "non-public"
purpose = "To find out why patients come back within thirty days."

[governance]
signatory = "A. Steward"
role = "Data protection officer"
date = 2026-11-18
"""
LEAST = 11
QUASI = ("born", "sex", "postcode", "admitted")
PLAIN = ("sex", "ward", "triage", "readmitted")
COLUMNS = (*QUASI, "ward", "triage", "icd10", "days", "cost", "readmitted")
QUARTERS = ("september", "december")


# --------------------------------------------------------------------------------------------------
# What the steward types.


@dataclass(frozen=True)
class Typed:
    """A command, and how it ended."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Way:
    """The steward's folder at the end, and what the commands said."""

    folder: Path
    often: str
    said: Mapping[str, Typed]

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")


def typist(folder: Path) -> Callable[[str], Typed]:
    """Type commands in a folder."""

    def typed(words: str) -> Typed:
        done = subprocess.run(
            [sys.executable, "-m", *words.split()],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(Path(hedgerow.__file__).parents[1]), "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Typed(done.returncode, done.stdout, done.stderr)

    return typed


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> Way:
    """All commands, in the steward's order."""
    folder = tmp_path_factory.mktemp("hospital")
    often = write_quarters(*(folder / f"visits-{name}.csv" for name in (*QUARTERS, "elsewhere")))
    type_ = typist(folder)
    said = {}

    # October. The steward asks for advice, and reads it. Then the steward writes a job file of their own.
    said["advice"] = type_("hedgerow advise visits-september.csv -o advised.toml")
    (folder / "job.toml").write_text(JOB, encoding="utf-8")
    said["check"] = type_("hedgerow check --job job.toml")
    said["september"] = type_("hedgerow anonymize --job job.toml --recoding recoding-september.json")
    said["audit"] = type_("hedgerow audit release-september.csv")

    # January. The same job, the longer table, and what the institute has already.
    said["december"] = type_(
        "hedgerow anonymize visits-december.csv --job job.toml -o release-december.csv --report report-december.html "
        "--explain why-december.json --previous release-september.csv --previous-original visits-september.csv "
        "--previous-recoding recoding-september.json"
    )

    # An attacker with a register. The control are patients of another hospital, who are not in the table.
    said["attack"] = type_(
        "hedgerow attack release-december.csv --job job.toml --members visits-december.csv --non-members "
        "visits-elsewhere.csv --attack membership --json"
    )
    (folder / "attacks.json").write_text(said["attack"].out, encoding="utf-8")

    # The document that is signed, and what the institute gets.
    document = (
        "hedgerow report release-december.csv --job job.toml --original visits-december.csv --previous "
        "release-september.csv"
    )
    said["document"] = type_(f"{document} --attack attacks.json --explanation why-december.json -o document.html")
    said["public"] = type_(f"{document} --edition public -o for-recipients.html")
    return Way(folder, often, said)


# --------------------------------------------------------------------------------------------------
# How a reader reads the tables.


def rows_of(path: Path, delimiter: str = ",") -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def number(text: str) -> float:
    return float(text.replace(",", "."))


def shows_born(cell: str, born: str) -> bool:
    year = born[-4:]
    return cell in ("*", year, f"{year[:3]}0s")


def shows_postcode(cell: str, postcode: str) -> bool:
    return cell in (f"{postcode[:3]}**", f"{postcode[:2]}***") if postcode else not cell


def shows_admitted(cell: str, admitted: str) -> bool:
    month, year = int(admitted[3:5]), admitted[-4:]
    return cell in ("*", year, f"{year}-Q{(month + 2) // 3}")


def shows_code(cell: str, code: str) -> bool:
    first, _, last = cell.partition("..")
    return cell in (code, f"{code[:3]}*", "other") or bool(last and first <= code[:3] <= last)


def shows_days(cell: str, days: str) -> bool:
    return cell == (days if int(days) < 10 else "≥10")


SHOWS = {"born": shows_born, "postcode": shows_postcode, "admitted": shows_admitted, "icd10": shows_code}
"""Whether a published cell may stand for a value; cells of the other columns are the values."""


def fits(cells: tuple[str, ...], visit: Row) -> bool:
    """Whether a visit may be in a class with these cells."""
    return all(
        SHOWS[name](cell, visit[name]) if name in SHOWS else cell == visit[name]
        for name, cell in zip(QUASI, cells, strict=True)
    )


@dataclass(frozen=True)
class Quarter:
    """A published table beside the visits it was made from."""

    visits: list[Row]
    release: list[Row]
    page: str
    manifest: Mapping[str, object]

    @cached_property
    def behind(self) -> list[list[Row]]:
        """The visits that each published row may be.

        Rows that are equal in every column, and as many as the visits that fit, are these visits, in whatever order.
        """
        equal = defaultdict(list)
        for at, row in enumerate(self.release):
            equal[tuple(row.values())].append(at)
        behind: list[list[Row]] = [[] for _ in self.release]
        for rows in equal.values():
            visits = self.fitting(self.release[rows[0]])
            for place, at in enumerate(rows):
                behind[at] = [visits[place]] if len(visits) == len(rows) else visits
        return behind

    def fitting(self, row: Row) -> list[Row]:
        """The visits that fit a published row."""
        alike = self.alike[number(row["cost"]), *(row[name] for name in PLAIN)]
        return [
            visit
            for visit in alike
            if shows_days(row["days"], visit["days"])
            and all(shows(row[name], visit[name]) for name, shows in SHOWS.items())
        ]

    @cached_property
    def alike(self) -> dict[tuple[float | str, ...], list[Row]]:
        """The visits by what a published row shows of them as it is, and by their cost.

        That is published as the mean of a group of neighbours: one of the two means around the visit's own cost.
        """
        means = sorted({number(row["cost"]) for row in self.release})
        alike: dict[tuple[float | str, ...], list[Row]] = defaultdict(list)
        for visit in self.visits:
            at = bisect_left(means, number(visit["cost"]))
            for mean in means[max(at - 1, 0) : at + 1]:
                alike[mean, *(visit[name] for name in PLAIN)].append(visit)
        return alike

    @cached_property
    def patients(self) -> list[set[str]]:
        """The patients whose visit each published row may be."""
        return [{visit["pseud"] for visit in visits} for visits in self.behind]

    @cached_property
    def class_of(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """The class of each visit of which it is certain which row it is, by its case and patient."""
        return {
            (visits[0]["case"], visits[0]["pseud"]): tuple(row[name] for name in QUASI)
            for row, visits in zip(self.release, self.behind, strict=True)
            if len(visits) == 1
        }

    @cached_property
    def uncertain(self) -> set[tuple[str, str]]:
        """The visits of which it is not certain which row they are."""
        return {(visit["case"], visit["pseud"]) for visits in self.behind if len(visits) > 1 for visit in visits}

    def people(self, rows: Iterable[int]) -> int:
        """At least so many patients are behind some rows.

        Where several fit a row, it counts only if none of them is counted already.
        """
        counted: set[str] = set()
        people = 0
        for patients in sorted((self.patients[at] for at in rows), key=len):
            if counted.isdisjoint(patients):
                counted |= patients
                people += 1
        return people

    def fewest(self, *columns: str) -> int:
        """The fewest patients behind the rows that agree in some columns."""
        groups = defaultdict(list)
        for at, row in enumerate(self.release):
            groups[tuple(row[name] for name in columns)].append(at)
        return min(map(self.people, groups.values()))

    def says(self, label: str) -> str:
        """The figure below a label on the page of the report."""
        found = re.search(rf"^{re.escape(label)}\n(.+)$", self.page, flags=re.MULTILINE)
        assert found is not None, label
        return found[1]


def text_of(page: str) -> str:
    """What stands on a page, a line for each paragraph and cell."""
    page = re.sub(r"<(style|script|svg)\b.*?</\1>", "", page, flags=re.DOTALL)
    page = re.sub(r"<(p|h\d|tr|td|th|li|div|section|dt|dd)\b[^>]*>", "\n", page)
    lines = (" ".join(line.split()) for line in html.unescape(re.sub(r"<[^>]+>", "", page)).splitlines())
    return "\n".join(line for line in lines if line)


@pytest.fixture(scope="module")
def quarters(way: Way) -> dict[str, Quarter]:
    return {
        name: Quarter(
            rows_of(way.folder / f"visits-{name}.csv", ";"),
            rows_of(way.folder / f"release-{name}.csv"),
            text_of(way.read(f"report-{name}.html")),
            json.loads(way.read(f"release-{name}.csv.manifest.json")),
        )
        for name in QUARTERS
    }


@pytest.fixture(params=QUARTERS)
def quarter(quarters: dict[str, Quarter], request: pytest.FixtureRequest) -> Quarter:
    """Each of the two releases."""
    return quarters[request.param]


# --------------------------------------------------------------------------------------------------
# The table.


def test_it_is_the_table_of_a_real_hospital(quarters: dict[str, Quarter], way: Way) -> None:
    visits = quarters["december"].visits
    of_patient = Counter(visit["pseud"] for visit in visits)
    of_code = defaultdict(set)
    for visit in visits:
        of_code[visit["icd10"]].add(visit["pseud"])

    assert len(visits) == VISITS == 30_000
    assert round(len(of_patient), -3) == 18_000
    assert of_patient.most_common(1) == [(way.often, 302)]
    assert len(of_code) == CODES == 672
    assert sum(len(patients) < LEAST for patients in of_code.values()) > 300
    assert len(quarters["september"].visits) < 27_000


# --------------------------------------------------------------------------------------------------
# October: advice, and a job.


def test_the_advice_finds_the_patients_the_dates_and_the_diagnoses(way: Way) -> None:
    assert way.said["advice"].status == 0
    job = tomllib.loads(way.read("advised.toml"))

    assert (job["entity"], job["target"], job["sensitive"], job["k"]) == ("pseud", "readmitted", ["icd10"], LEAST)
    assert set(job["identifying"]) == {"case", "name", "birth_year", "note"}
    assert set(QUASI) <= set(job["quasi"])
    assert job["decimal"] == ","
    assert job["hierarchy"]["born"] == "dates:year,decade,%d.%m.%Y"
    assert job["hierarchy"]["admitted"] == "dates:month,quarter,year,%d.%m.%Y"
    assert '# icd10 = "icd10:3,chapter"' in way.read("advised.toml")


def test_the_table_itself_cannot_be_published(way: Way) -> None:
    assert way.said["check"].status == 3
    assert "The requirements do NOT hold." in way.said["check"].out


def test_both_tables_are_released(way: Way) -> None:
    for name in QUARTERS:
        assert (way.said[name].status, way.said[name].err) == (0, "")
        assert "11-anonymity: verified" in way.said[name].out
        assert "at least 11 people for every value of every column: verified" in way.said[name].out


# --------------------------------------------------------------------------------------------------
# Every claim on the reports, counted again.


def test_every_published_row_is_the_visit_of_a_patient(quarter: Quarter) -> None:
    assert tuple(sorted(quarter.release[0])) == tuple(sorted(COLUMNS))
    assert all(quarter.behind)


def test_whoever_has_the_original_can_put_rows_and_patients_side_by_side(quarter: Quarter) -> None:
    """No secret: the report warns that somebody is unique over all columns. It is what the tests below count by."""
    known = sum(len(patients) == 1 for patients in quarter.patients)
    assert known > 0.99 * len(quarter.release)
    assert "Over all columns together, somebody is unique" in quarter.page
    assert quarter.says("k over all columns") == "1"


def test_k_counts_patients(quarter: Quarter) -> None:
    k = int(quarter.says("k"))
    assert k >= LEAST
    assert quarter.fewest(*QUASI) == k
    assert f"Everybody shares their quasi-identifiers with at least {k - 1} others" in quarter.page
    assert quarter.says("Highest risk") == f"{100 / k:.3g} %"


def test_a_patient_with_many_visits_is_one_patient(quarter: Quarter, way: Way) -> None:
    own = [at for at, patients in enumerate(quarter.patients) if patients == {way.often}]
    assert len(own) > 200
    assert quarter.people(own) == 1


def test_classes_and_their_sizes(quarter: Quarter) -> None:
    sizes = Counter(tuple(row[name] for name in QUASI) for row in quarter.release)
    assert quarter.says("Classes") == f"{len(sizes):,}"
    assert quarter.says("Smallest") == str(min(sizes.values()))
    assert quarter.says("Largest") == str(max(sizes.values()))


def test_every_class_has_three_diagnoses(quarter: Quarter) -> None:
    diagnoses = defaultdict(set)
    for row in quarter.release:
        diagnoses[tuple(row[name] for name in QUASI)].add(row["icd10"])
    fewest = min(map(len, diagnoses.values()))
    assert fewest >= 3
    assert quarter.says("Distinct l") == str(fewest)


def test_every_value_of_every_column_is_held_by_eleven_people(quarter: Quarter) -> None:
    assert "at least 11 people for every value of every column" in quarter.page
    fewest = {column: quarter.fewest(column) for column in COLUMNS}
    assert min(fewest.values()) >= LEAST, fewest


def test_cells_keep_their_levels(quarter: Quarter) -> None:
    forms = {
        "born": r"\d{4}|\d{3}0s|\*",
        "postcode": r"\d{3}\*\*|\d{2}\*\*\*|",
        "admitted": r"\d{4}-Q[1-4]|\d{4}|\*",
        "icd10": r"[A-Z]\d\d\.\d|[A-Z]\d\d\*|[A-Z]\d\d\.\.[A-Z]\d\d|other",
        "days": r"[1-9]|≥10",
    }
    for column, form in forms.items():
        assert {row[column] for row in quarter.release if not re.fullmatch(form, row[column])} == set()
    assert len({row["icd10"] for row in quarter.release}) > 300, "common diagnoses stay as they are"


def test_hardly_any_row_is_lost(quarter: Quarter) -> None:
    lost = len(quarter.visits) - len(quarter.release)
    assert 0 <= lost <= 0.02 * len(quarter.visits)
    assert quarter.says("Rows left out") == str(lost)
    assert quarter.says("Rows") == f"{len(quarter.release):,}"
    assert quarter.says("Original rows") == f"{len(quarter.visits):,}"
    patients = len({visit["pseud"] for visit in quarter.visits})
    assert quarter.says("People") == f"about {round(patients, -2):,}"


def test_a_crosstab_of_the_release(quarter: Quarter) -> None:
    cells = Counter((row["sex"], row["triage"]) for row in quarter.release)
    for (sex, triage), rows in cells.items():
        assert quarter.says(f"{sex}, {triage}").startswith(f"{rows / len(quarter.release):.4g}")


def test_means_of_the_release(way: Way, quarters: dict[str, Quarter]) -> None:
    page = text_of(way.read("for-recipients.html"))
    costs = defaultdict(list)
    for row in quarters["december"].release:
        costs[row["ward"]].append(number(row["cost"]))
    for ward, paid in costs.items():
        assert f"\n{ward}\n{fmean(paid):.4g}\n" in page


def test_a_regression_of_the_release(way: Way, quarters: dict[str, Quarter]) -> None:
    """Of two columns with two values each: the coefficient is the logarithm of the odds ratio."""
    page = text_of(way.read("for-recipients.html"))
    rows = Counter((row["sex"], row["readmitted"]) for row in quarters["december"].release)
    odds = {sex: rows[sex, "yes"] / rows[sex, "no"] for sex in ("Female", "Male")}
    assert f"\n(intercept)\n{math.log(odds['Male']):.4g}\n" in page
    assert f"\nsex = Female\n{math.log(odds['Female'] / odds['Male']):.4g}\n" in page


def test_a_second_count_by_the_auditor(way: Way, quarters: dict[str, Quarter]) -> None:
    """`hedgerow audit` has nothing but the file and its manifest."""
    assert way.said["audit"].status == 0
    assert "All requirements hold." in way.said["audit"].out
    sizes = Counter(tuple(row[name] for name in QUASI) for row in quarters["september"].release)
    assert re.search(rf"holds +11-anonymity +k +{min(sizes.values())} ", way.said["audit"].out)
    assert re.search(r"holds +at least 11 people for every value of every column", way.said["audit"].out)


def test_whether_people_of_another_hospital_could_be_in_the_table(way: Way, quarters: dict[str, Quarter]) -> None:
    """The attack says of how many a visit fits a class: of all patients, and of nearly all others."""
    (attack,) = json.loads(way.said["attack"].out)["attacks"]
    visits = quarters["december"].visits
    assert attack["members_people"] == len({visit["pseud"] for visit in visits})

    others = rows_of(way.folder / "visits-elsewhere.csv", ";")
    assert attack["control_people"] == len({visit["pseud"] for visit in others})
    assert {visit["pseud"] for visit in others}.isdisjoint(visit["pseud"] for visit in visits)

    classes = {tuple(row[name] for name in QUASI) for row in quarters["december"].release}
    fitting = sum(any(fits(cells, visit) for cells in classes) for visit in others)
    said = re.search(r"fit a class: 100% of members, (\d+)% of others", " ".join(attack["remarks"]))
    assert said is not None
    assert 100 * fitting / len(others) == pytest.approx(int(said[1]), abs=1)


# --------------------------------------------------------------------------------------------------
# What nobody may see.


SHAPES = re.compile(r"[0-9a-f]{64}|\d{4}-\d{6}|\d\d\.\d\d\.\d{4}|[A-Z][a-z]+ [A-Z][a-z]+n\b|Came with [^.]*")
"""What hashes, numbers of cases, dates, names and notes of the table look like."""


def test_nobody_is_named_in_what_leaves_the_hospital_or_stands_on_a_screen(
    way: Way, quarters: dict[str, Quarter]
) -> None:
    visits = quarters["december"].visits
    names = ("pseud", "name", "case", "note", "born", "admitted")
    hidden = {found for visit in visits for name in names for found in SHAPES.findall(visit[name])}
    assert len(hidden) > 50_000
    files = (
        f"{kind}-{name}.{ending}" for name in QUARTERS for kind, ending in (("release", "csv"), ("report", "html"))
    )
    manifests = (f"release-{name}.csv.manifest.json" for name in QUARTERS)
    said = [text for typed in way.said.values() for text in (typed.out, typed.err)]
    for text in (*said, *map(way.read, [*files, *manifests, "document.html", "for-recipients.html"])):
        assert hidden & set(SHAPES.findall(text)) == set()


def test_rare_diagnoses_are_named_nowhere(way: Way, quarter: Quarter) -> None:
    of_code = defaultdict(set)
    for visit in quarter.visits:
        of_code[visit["icd10"]].add(visit["pseud"])
    rare = {code for code, patients in of_code.items() if len(patients) < LEAST}
    assert len(rare) > 300
    assert {row["icd10"] for row in quarter.release} & rare == set()
    assert set(re.findall(r"\b[A-Z]\d\d\.\d\b", quarter.page)) & rare == set()


def test_the_public_edition_has_no_figure_of_the_original(way: Way, quarters: dict[str, Quarter]) -> None:
    page = text_of(way.read("for-recipients.html"))
    paid = defaultdict(list)
    for visit in quarters["december"].visits:
        paid[visit["ward"]].append(number(visit["cost"]))
    published = set(re.findall(r"\d+(?:\.\d+)?", page))
    own = quarters["december"].release
    for ward, costs in paid.items():
        mean = f"{fmean(costs):.5g}"
        assert (
            mean not in published or mean == f"{fmean(number(row['cost']) for row in own if row['ward'] == ward):.5g}"
        )


# --------------------------------------------------------------------------------------------------
# January: both releases together, and the signature.


def test_joining_or_subtracting_the_releases_isolates_nobody(way: Way, quarters: dict[str, Quarter]) -> None:
    """Everybody who went from one class to another, left a class, or is new in a class, is one of eleven at least."""
    before, now = (quarters[name].class_of for name in QUARTERS)
    uncertain = set.union(*(quarters[name].uncertain for name in QUARTERS))
    groups = defaultdict(set)
    for visit in (before.keys() | now.keys()) - uncertain:
        groups[before.get(visit), now.get(visit)].add(visit[1])
    small = {classes: len(patients) for classes, patients in groups.items() if len(patients) < LEAST}
    assert small == {}
    assert any(old is None for old, _ in groups), "some visits are new"
    assert "all requirements hold for both together" in way.said["december"].out


def test_the_document_says_what_was_asked_of_it(way: Way, quarters: dict[str, Quarter]) -> None:
    page = text_of(way.read("document.html"))
    visits = quarters["december"].visits
    of_patient = Counter(visit["pseud"] for visit in visits)
    often = max(of_patient.values())
    assert f"1 person has very many rows (up to {often})." in page
    assert f"\nPeople\n{len(of_patient):,}\n" in page
    for name, there in (("Rows", "release"), ("Original rows", "visits")):
        before, after = (len(getattr(quarters[quarter], there)) for quarter in QUARTERS)
        assert f"\n{name}\n{before:,}\n{after:,}\n" in page
    assert "The attacks were made on this very table: its digest is the same." in page


def test_the_report_is_signed(way: Way) -> None:
    for name in ("report-september.html", "report-december.html", "document.html", "for-recipients.html"):
        page = text_of(way.read(name))
        assert "\nSignatory\nA. Steward" in page
        assert "\nDate\n2026-11-18\n" in page
        assert "The institute of public health" in page
