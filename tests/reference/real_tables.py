"""Real tables as text, and as ARFF that nothing of Hedgerow prepares: what Weka is compared on."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from pathlib import Path

# The file has a tab inside one number (line 44, x21). Its true value is not known, so it is missing.
DAMAGED = "0.6\t8"
MISSING = ("?", DAMAGED)


@dataclass(frozen=True)
class RealTable:
    """A file, its class, and how many of its columns are numbers."""

    file: str
    target: str
    n_numeric: int
    ignored: tuple[str, ...] = ()

    def read(self, folder: Path) -> tuple[list[str], list[list[str]]]:
        """Names and rows as text, the class last."""
        path = folder / self.file
        with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
            names, *rows = csv.reader(lines)
        order = [at for at, name in enumerate(names) if name not in (*self.ignored, self.target)]
        order.append(names.index(self.target))
        return [names[at] for at in order], [[row[at] for at in order] for row in rows]


TABLES = {
    "heart-statlog": RealTable("heart-statlog/heart-statlog.csv", "class", 13),
    "sonar": RealTable("sonar/sonar.csv", "class", 60),
    "haberman": RealTable("haberman/haberman.csv", "survival", 3),
    "german": RealTable("german/german.csv", "class", 7),
    "crx": RealTable("crx/crx.csv", "class", 6),
    "tic-tac-toe": RealTable("tic-tac-toe/tic-tac-toe.csv", "class", 0),
    "glass": RealTable("glass/glass.csv", "type", 9, ignored=("id",)),
    "waveform": RealTable("waveform/waveform.csv", "class", 21),
    "adult": RealTable("adult/adult_train.csv.gz", "salary-class", 6),
}


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def declarations(rows: list[list[str]]) -> list[list[str] | None]:
    """What an ARFF file declares for each attribute: its sorted categories, or that it holds numbers."""
    declared: list[list[str] | None] = []
    for cells in zip(*rows, strict=True):
        values = sorted(set(cells) - set(MISSING))
        declared.append(None if all(map(is_number, values)) else values)
    declared[-1] = sorted({row[-1] for row in rows})
    return declared


def write_arff(path: Path, names: list[str], declared: list[list[str] | None], rows: list[list[str]]) -> None:
    """Write what Weka reads; a category that is not declared is a missing value."""
    head = ["@relation real"]
    columns = []
    for name, categories, cells in zip(names, declared, zip(*rows, strict=True), strict=True):
        if categories is None:
            head.append(f"@attribute '{name}' numeric")
            columns.append(["?" if cell in MISSING else cell for cell in cells])
        else:
            head.append(f"@attribute '{name}' {{'" + "','".join(categories) + "'}")
            columns.append([f"'{cell}'" if cell in categories else "?" for cell in cells])
    data = [",".join(row) for row in zip(*columns, strict=True)]
    path.write_text("\n".join([*head, "@data", *data, ""]))
