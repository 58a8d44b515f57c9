"""The ledger: what was spent on a group of people, in a file that outlives the process.

Every run on real data whose result is shown, or that is chosen from, adds a line before anything is measured: a run
that fails has spent what it was charged. The costs of all lines add up to one bound for all that was ever published
from these people. So a ledger belongs to *people*, not to a file's bytes: use the same one for a new version of the
table, a copy or an extract. The digest of the file stands in each line, so that you can see which version was used.

The file is private. It is made for its owner alone, since a digest is an exact figure of the data.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Final

from hedgerow.errors import BadInput, InternalError, translated, unwritable
from hedgerow.io.atomic import digest, locked
from hedgerow.privacy.accounting import Budget

__all__ = ["Entry", "Ledger"]

_PRIVATE: Final = 0o600
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True)
class Entry:
    """A line of a ledger.

    Parameters
    ----------
    time : str
    purpose : str
    cost : Budget
    table : str or None
        The digest of the table's file; ``None`` for a table in memory.
    """

    time: str
    purpose: str
    cost: Budget
    table: str | None


class Ledger:
    """The file that lists all costs of a group of people.

    Parameters
    ----------
    path : str or Path
        Made by the first charge.

    Examples
    --------
    >>> import hedgerow as hr
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> ledger = hr.privacy.Ledger(Path(mkdtemp()) / "patients.privacy.jsonl")
    >>> ledger.charge(hr.privacy.Budget.of_advantage("0.05"), "a release")
    Budget(rho=Fraction(1, 200))
    >>> ledger.charge(hr.privacy.Budget.of_advantage("0.05"), "another release").advantage
    0.070711
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @classmethod
    def beside(cls, table: str | Path) -> Ledger:
        """The ledger of a table in a file, beside it."""
        path = Path(table).resolve()
        return cls(path.with_name(path.name + ".privacy.jsonl"))

    @property
    def entries(self) -> list[Entry]:
        """All lines, the oldest first."""
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        return [self._read(number, line) for number, line in enumerate(lines, 1)]

    @property
    def spent(self) -> Budget:
        """The sum of all lines."""
        return Budget(sum((entry.cost.rho for entry in self.entries), Fraction(0)))

    def charge(self, cost: Budget, purpose: str, table: Path | None = None) -> Budget:
        """Add a line, and return the sum of all lines once it is on disk.

        Parameters
        ----------
        cost : Budget
        purpose : str
        table : Path, optional
            A file, whose digest is kept.
        """
        line = {
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "purpose": purpose,
            "rho": str(cost.rho),
            "table": None if table is None else digest(table),
        }
        refused = unwritable(f"The ledger {str(self.path)!r} cannot be written")
        with translated(OSError, into=refused), locked(self.path):
            before = self.spent  # of a file that cannot be read, nothing is charged
            opened = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_LINK, _PRIVATE)
            with os.fdopen(opened, "a", encoding="utf-8") as out:
                out.write(json.dumps(line, ensure_ascii=False) + "\n")
                out.flush()
                os.fsync(out.fileno())
            after = self.spent
        if after != before + cost:
            raise InternalError("a ledger does not add up")
        return after

    def _read(self, number: int, line: str) -> Entry:
        wrong = BadInput(
            f"Line {number} of the ledger {str(self.path)!r} cannot be read. Restore the file: without it, nobody "
            "knows what was spent."
        )
        with translated(ValueError, KeyError, TypeError, ZeroDivisionError, into=wrong):
            read = json.loads(line)
            rho = Fraction(read["rho"])
            if rho < 0:
                raise ValueError("a cost below 0")
            return Entry(read["time"], read["purpose"], Budget(rho), read["table"])
