"""``python -m reproductions.prepare DIR``: make the layout that HEDGEROW_DATA names from UCI's files.

``DIR`` holds the originals, in any folders below it, under UCI's names: ``adult.data``, ``adult.test``, ``heart.dat``,
``sonar.all-data``, ``haberman.data``, ``german.data``, ``crx.data``, ``tic-tac-toe.data``, ``glass.data``,
``waveform.data``; and ARX's ``adult_hierarchy_*.csv``. What is not there is left out, and named. Their formats:

===================  ==================================================================================================
original             format
===================  ==================================================================================================
``adult.data``       comma and blank between values, no header, an empty last line; ``?`` is missing
``adult.test``       the same below a line that begins with ``|``; a dot ends every class
``heart.dat``        blanks between values, all numbers with a point (``70.0``); the class is 1 (absent) or 2 (present)
``german.data``      blanks between values, no header; the class is 1 or 2
all others           commas between values, no header; ``?`` is missing in ``crx.data``
===================  ==================================================================================================

The layout is plain CSV with a header; Adult is compressed. Digests say whether a file is the one that the committed
cells were measured with.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from hedgerow.errors import BadInput, HedgerowError
from hedgerow.io.atomic import appearing

__all__ = ["DIGESTS", "ORIGINALS", "Original", "main", "prepare"]

Rows = Iterator[Sequence[str]]

_ADULT: Final = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"),
    *("race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "salary-class"),
)
_HEART: Final = (
    *("age", "sex", "chest-pain-type", "resting-blood-pressure", "serum-cholesterol", "fasting-blood-sugar"),
    *("resting-ecg", "max-heart-rate", "exercise-angina", "oldpeak", "slope", "major-vessels", "thal", "class"),
)
_GERMAN: Final = (
    *("checking-status", "duration-months", "credit-history", "purpose", "credit-amount", "savings"),
    *("employment-since", "installment-rate", "personal-status-sex", "other-debtors", "residence-since", "property"),
    *("age", "other-installment-plans", "housing", "existing-credits", "job", "dependents", "telephone"),
    *("foreign-worker", "class"),
)
_SQUARES: Final = tuple(
    f"{row}-{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")
)
_CLASSES: Final = {"1": "absent", "2": "present"}
_HIERARCHY: Final = "adult_hierarchy_"
_RELATIONSHIPS: Final = ("Wife", "Own-child", "Husband", "Not-in-family", "Other-relative", "Unmarried")
"""ARX has no hierarchy of this column: each value goes to ``*``."""


def _by_commas(text: str) -> Rows:
    for row in csv.reader(io.StringIO(text), skipinitialspace=True):
        if row and not row[0].startswith("|"):
            yield [cell.strip() for cell in row]


def _by_blanks(text: str) -> Rows:
    return (line.split() for line in text.splitlines() if line.strip())


def _adult_test(text: str) -> Rows:
    return ([*cells, target.removesuffix(".")] for *cells, target in _by_commas(text))


def _heart(text: str) -> Rows:
    for *cells, target in _by_blanks(text):
        yield [*(cell.removesuffix(".0") for cell in cells), _CLASSES[target.removesuffix(".0")]]


@dataclass(frozen=True)
class Original:
    """A file as UCI gives it out.

    Parameters
    ----------
    name : str
    columns : sequence of str
        Those of the layout, in the order of the original.
    made : str
        The path in the layout.
    read : callable
        From its text to its rows.
    """

    name: str
    columns: Sequence[str]
    made: str
    read: Callable[[str], Rows] = _by_commas


ORIGINALS: Final = (
    Original("adult.data", _ADULT, "adult/adult_train.csv.gz"),
    Original("adult.test", _ADULT, "adult/adult_test.csv.gz", _adult_test),
    Original("heart.dat", _HEART, "heart-statlog/heart-statlog.csv", _heart),
    Original("sonar.all-data", (*(f"band{at}" for at in range(1, 61)), "class"), "sonar/sonar.csv"),
    Original("haberman.data", ("age", "operation-year", "positive-nodes", "survival"), "haberman/haberman.csv"),
    Original("german.data", _GERMAN, "german/german.csv", _by_blanks),
    Original("crx.data", (*(f"A{at}" for at in range(1, 16)), "class"), "crx/crx.csv"),
    Original("tic-tac-toe.data", (*_SQUARES, "class"), "tic-tac-toe/tic-tac-toe.csv"),
    Original("glass.data", ("id", "RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe", "type"), "glass/glass.csv"),
    Original("waveform.data", (*(f"x{at}" for at in range(1, 22)), "class"), "waveform/waveform.csv"),
)

DIGESTS: Final[Mapping[str, str]] = {
    "adult/adult_train.csv.gz": "8fb550d41c43de9dba884c297067639ef94ae5aced00c30275ea52b97eb87efc",
    "adult/adult_test.csv.gz": "bf12783929c4da32ae2ac55190fcbe1b389ebf589fe0d32def2b05d9bfd79fc6",
    "adult/hierarchies/age.csv": "463f35372e8b1ad31fc624eb73c5da9297878a044ae5d61038eaf7b431ac55ca",
    "adult/hierarchies/education.csv": "f22e5ee519c28b05538d4e5ddea0fbee5f0017fefb3abab3fa02272325bf9ce5",
    "adult/hierarchies/marital-status.csv": "3e7ba2c4a5cd4fec059b4e3a2c57fce6e7c34a20daee1e624990ddd7beba85e5",
    "adult/hierarchies/native-country.csv": "1a09af0a6ca6d463cba5e193ecdc3f0719e334350f39e91af47dff357a0c3076",
    "adult/hierarchies/occupation.csv": "16dc420d5d7f8ab4d1e6144eb1d19ab8314ef42523fe8c4ee202372db1c98126",
    "adult/hierarchies/race.csv": "df11abf41fa0669455adc9c9f9fa88663afa0cee8327684ecca861cd32dc4209",
    "adult/hierarchies/relationship.csv": "4571240929a556fa552b43c986fa958a41dc9e7d3982b0429b6fe3a486526734",
    "adult/hierarchies/salary-class.csv": "404895b3fcfb615813efab7ae0d2c50c8b127cec651f9b37d44a648646f86345",
    "adult/hierarchies/sex.csv": "537d23f7b6969b916b5a5490eb1b32c273fefdc62ca050a7a813e23bbf3b78b2",
    "adult/hierarchies/workclass.csv": "106f420349bf0071dbb25371795a78799edf24a64c3424619d563c3990ee8d02",
    "crx/crx.csv": "30d19d99a17741347d5c638212de19a7c7d5d9fb0750e18837441a2a61cd47e7",
    "german/german.csv": "61e123a161d2c57e441008e68b33d0b03c1c370ced8b96f903f88d23d9f68471",
    "glass/glass.csv": "65d0ee9847b1d74cf4a5eb57e9267055b1006d45fef8ac9732659ef51f310d49",
    "haberman/haberman.csv": "55b3d0f5950dcb1d810c74ecfb4542fc7bf017384e1bac2a65b4aecb3690ac95",
    "heart-statlog/heart-statlog.csv": "d9e5e11b68adec5a431689bfcbd2c838c17630ef2268d99d4ddb66b41dae78af",
    "sonar/sonar.csv": "25b89c699f2676d4282d498b6a2e8a744f0ee60aa6ba0be26f04e35218c72a3d",
    "tic-tac-toe/tic-tac-toe.csv": "494b1a1725ed738f0e58bba56377a445e791e22db6696263093d42796bbbd6db",
    "waveform/waveform.csv": "5d44f50c4fe57bd1c80a22bb988a9aca291a4fd5e899a3dd50cf50979606006e",
}
"""SHA-256 of the files that the committed cells were measured with; of compressed ones that of their text."""


def prepare(originals: Path, folder: Path) -> Iterator[str]:
    """Write the layout, and yield a line for each file: its digest, and whether the committed cells are of it.

    Parameters
    ----------
    originals : Path
        Holds the files as UCI and ARX give them out, in any folders below.
    folder : Path
        Where the layout is written; files that are there are replaced.
    """
    for original in ORIGINALS:
        path = _below(originals, original.name)
        if path is None:
            yield f"{original.made}: left out, since {original.name} is not there"
        else:
            yield _written(folder, original.made, _converted(original, path))
    for path in sorted(originals.rglob(f"{_HIERARCHY}*.csv")):
        name = path.stem.removeprefix(_HIERARCHY)
        text = path.read_text(encoding="utf-8").rstrip("\n") + "\n"
        yield _written(folder, f"adult/hierarchies/{name}.csv", text)
    flat = "".join(f"{value};*\n" for value in _RELATIONSHIPS)
    yield _written(folder, "adult/hierarchies/relationship.csv", flat)


def _below(folder: Path, name: str) -> Path | None:
    return next(iter(sorted(path for path in folder.rglob(name) if path.is_file())), None)


def _converted(original: Original, path: Path) -> str:
    """The text of the layout; a row of another length is refused, not guessed."""
    lines = [",".join(original.columns)]
    for number, row in enumerate(original.read(path.read_text(encoding="utf-8")), 1):
        if len(row) != len(original.columns):
            raise BadInput(
                f"Row {number} of {path.name!r} has {len(row)} values instead of {len(original.columns)}. Is it the "
                "file as UCI gives it out?"
            )
        lines.append(",".join(row))
    return "\n".join(lines) + "\n"


def _written(folder: Path, made: str, text: str) -> str:
    path = folder / made
    path.parent.mkdir(parents=True, exist_ok=True)
    content = text.encode()
    digest = hashlib.sha256(content).hexdigest()
    with appearing(path) as staged:
        staged.write_bytes(gzip.compress(content, mtime=0) if made.endswith(".gz") else content)
    same = digest == DIGESTS.get(made)
    told = "the one of the committed cells" if same else "differs from the one of the committed cells"
    return f"{made}: {digest} ({told})"


def run(
    originals: Annotated[Path, typer.Argument(metavar="DIR", help="Where the files of UCI and ARX are.")],
    *,
    folder: Annotated[Path, typer.Option("--to", metavar="DIR", help="Where the layout is written.")] = Path("data"),
) -> None:
    """Make the layout that HEDGEROW_DATA names from the files as UCI gives them out."""
    if not originals.is_dir():
        raise BadInput(f"There is no folder {str(originals)!r}. Name the one that holds the files of UCI.")
    for line in prepare(originals, folder):
        print(line)
    print(f"Now set HEDGEROW_DATA: export HEDGEROW_DATA={folder.resolve()}")


def main() -> None:
    """Run it; what goes wrong is one sentence, as with ``hedgerow``."""
    try:
        typer.run(run)
    except HedgerowError as error:
        print(f"reproductions.prepare: {error}", file=sys.stderr)
        raise SystemExit(error.exit_status) from None


if __name__ == "__main__":
    main()
