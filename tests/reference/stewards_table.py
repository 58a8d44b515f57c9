"""A hospital's table as its data steward has it: the synthetic visits of the package, made as hard as real ones.

Patients are named by hashes, and one patient has 300 visits. The full table also has 672 ICD-10 codes, half of them
rare, some postcodes missing, costs with a decimal comma, dates as 31.12.2024, and semicolons between its columns.
"""

from __future__ import annotations

import csv
import hashlib
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

import hedgerow as hr

__all__ = ["CODES", "VISITS", "hashed_visits", "write_quarters"]

VISITS: Final = 30_000
CODES: Final = 672
_OFTEN: Final = 300
_MOST_VISITS: Final = 3
_ELSEWHERE: Final = 2_000
_RARE: Final = 0.3
"""The share of visits with a rare diagnosis."""
_UNKNOWN: Final = 0.01
"""The share of visits without a postcode."""


def hashed_visits(visits: int, random_state: int = 7) -> tuple[pa.Table, str]:
    """So many visits with hashed ids, and 300 more of one patient; and the hash of that patient."""
    table = hr.datasets.make_hospital(visits, random_state=random_state)
    often = table.slice(0, _OFTEN)
    for name in ("patient_id", "name", "born", "birth_year", "sex", "postcode"):
        at = often.schema.get_field_index(name)
        often = often.set_column(at, name, pa.array([often[name][0].as_py()] * _OFTEN, often.schema.field(at).type))
    numbers = pa.array([f"2024-9{at:05}" for at in range(_OFTEN)])
    table = pa.concat_tables([table, often.set_column(0, "case", numbers)])
    hashes = [hashlib.sha256(old.encode()).hexdigest() for old in table["patient_id"].to_pylist()]
    return table.set_column(1, "pseud", pa.array(hashes)), hashes[-1]


def write_quarters(september: Path, december: Path, elsewhere: Path) -> str:
    """Write the visits until September 2024, those until December, and visits of other people to another hospital.

    Returns the hash of the patient with 300 visits.
    """
    table, often = hashed_visits(33_000)
    draw = random.Random(7)
    usual = sorted(set(table["icd10"].to_pylist()))
    others = [f"{letter}{number:02}.{digit}" for letter in "AEGIJKLMNRS" for number in range(90) for digit in range(10)]
    rare = draw.sample(sorted(set(others) - set(usual)), CODES - len(usual))
    rows = list(_rows(table.to_pylist(), often, rare, draw))
    rows = rows[: VISITS - _OFTEN] + rows[-_OFTEN:]
    draw.shuffle(rows)
    _write(december, rows)
    _write(september, [row for row in rows if row["admitted"][3:] not in ("10.2024", "11.2024", "12.2024")])
    known = {row["pseud"] for row in rows}
    neighbours, _ = hashed_visits(_ELSEWHERE, random_state=8)
    strangers = [visit for visit in neighbours.to_pylist()[:_ELSEWHERE] if visit["pseud"] not in known]
    _write(elsewhere, list(_rows(strangers, often, rare, draw)))
    return often


def _rows(visits: list[dict[str, Any]], often: str, rare: list[str], draw: random.Random) -> Iterator[dict[str, str]]:
    """The visits as the steward has them: at most three of each patient, but 300 of one."""
    each_once = iter(rare)
    weights = [1 / (60 + at) for at in range(len(rare))]
    seen: dict[str, int] = {}
    for visit in visits:
        patient = visit["pseud"]
        seen[patient] = seen.get(patient, 0) + 1
        if seen[patient] > _MOST_VISITS and patient != often:
            continue
        code = visit["icd10"]
        if draw.random() < _RARE:
            code = next(each_once, None) or draw.choices(rare, weights)[0]
        cost = 380 + 412.5 * visit["days"] + draw.gammavariate(2, 150)
        yield {
            **{name: str(visit[name]) for name in ("case", "pseud", "name", "birth_year", "sex", "ward", "triage")},
            "born": f"{visit['born']:%d.%m.%Y}",
            "postcode": "" if draw.random() < _UNKNOWN else visit["postcode"],
            "admitted": f"{visit['admitted']:%d.%m.%Y}",
            "icd10": code,
            "days": str(visit["days"]),
            "cost": f"{cost:.2f}".replace(".", ","),
            "note": visit["note"],
            "readmitted": visit["readmitted"],
        }


def _write(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
