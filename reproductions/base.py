"""What the reproductions share: jobs to be run, claims with a verdict, and the page that tells both."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from hedgerow._internal.version import __version__
from hedgerow.anonymizers.trees.inducers.j48 import check_weka
from hedgerow.errors import plural
from hedgerow.evaluation.jobs import Advance, Job, found_in, run
from hedgerow.evaluation.store import Store
from hedgerow.io.atomic import appearing
from reproductions.tables import data_folder

__all__ = ["Claim", "Page", "Reproduction", "Verdict", "reproduce"]

Verdict = Literal["holds", "holds in part", "does not hold", "open", "undecided"]
Result = Mapping[str, Any]

_EMPTY: Final = "–"


@dataclass(frozen=True)
class Claim:
    """What a paper says, and what we found.

    Parameters
    ----------
    says : str
        The claim in our words, with the figures that the paper prints.
    found : str
        Our figures, with repetitions and intervals.
    verdict : Verdict
    why : str
        By how much they differ, and why we think so.
    """

    says: str
    found: str
    verdict: Verdict
    why: str = ""


@dataclass
class Page:
    """A page in Markdown, with its charts beside it.

    Parameters
    ----------
    title : str
    """

    title: str
    parts: list[str] = field(default_factory=list)
    charts: dict[str, Any] = field(default_factory=dict)

    def text(self, *paragraphs: str) -> None:
        """Add paragraphs."""
        self.parts.extend(paragraphs)

    def section(self, title: str, *paragraphs: str) -> None:
        """Begin a section."""
        self.parts.append(f"## {title}")
        self.parts.extend(paragraphs)

    def table(self, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Add a table; ``None`` is shown as a dash."""
        lines = [header, ["---"] * len(header), *rows]
        cells = [[_EMPTY if cell is None else str(cell).replace("|", "\\|") for cell in line] for line in lines]
        self.parts.append("\n".join(f"| {' | '.join(line)} |" for line in cells))

    def claims(self, claims: Sequence[Claim], says: str = "the paper says") -> None:
        """Add a table of claims; ``says`` is whose they are."""
        self.table(
            (says, "we found", "verdict", "why"),
            [(one.says, one.found, f"**{one.verdict}**", one.why) for one in claims],
        )

    def chart(self, name: str, chart: Any, says: str) -> None:
        """Add an Altair chart, which is drawn to ``PAPER-name.svg``; ``says`` is for those who cannot see it."""
        self.charts[name] = chart
        self.parts.append(f"![{says}](@{name}@)")

    def write(self, path: Path) -> None:
        """Write the page and its charts."""
        text = f"# {self.title}\n\n" + "\n\n".join(self.parts) + "\n"
        for name, chart in self.charts.items():
            drawn = path.with_name(f"{path.stem}-{name}.svg")
            with appearing(drawn) as staged:
                chart.save(str(staged))
            text = text.replace(f"(@{name}@)", f"({drawn.name})")
        with appearing(path) as staged:
            staged.write_text(text, encoding="utf-8")


class Reproduction(ABC):
    """The experiments of one paper."""

    name: str
    title: str
    paper: str

    needs_weka: ClassVar[bool] = False

    def check(self) -> None:
        """Say what is missing on this machine: the data sets, or Java."""
        data_folder()
        if self.needs_weka:
            check_weka("Weka, whose learners the paper uses,", "No other learner would do.")

    @abstractmethod
    def jobs(self, *, quick: bool) -> list[Job]:
        """All that is to be run, the most telling first; ``quick`` is a part of it that takes minutes."""

    @abstractmethod
    def write(self, page: Page, results: Sequence[Result]) -> None:
        """Say what was found, from whatever cells are finished."""


def reproduce(
    one: Reproduction,
    folder: Path,
    *,
    quick: bool = False,
    workers: int | None = None,
    seconds: float | None = None,
    advance: Callable[[Advance], None] | None = None,
) -> Path:
    """Run what is not known yet, and write the page ``PAPER.md``; finished cells are kept in ``PAPER.cells.jsonl``.

    A quick run has files of its own: ``PAPER-quick.md`` and ``PAPER-quick.cells.jsonl``.

    Parameters
    ----------
    one : Reproduction
    folder : Path
        Where both files are, or are to be.
    quick : bool
    workers : int, optional
        How many processes; one for each core if not given.
    seconds : float, optional
        After which no further work is begun; the page tells of what is finished.
    advance : callable, optional
        Told how far it is.
    """
    one.check()
    stem = f"{one.name}-quick" if quick else one.name
    jobs = one.jobs(quick=quick)
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(folder / f"{stem}.cells.jsonl")
    run(jobs, store, workers=workers, seconds=seconds, advance=advance)
    results = found_in(store, jobs)
    page = Page(one.title)
    wanted = sum(len(job.keys) for job in jobs)
    command = f"python -m reproductions {one.name}{' --quick' if quick else ''}"
    page.text(
        f"{one.paper}",
        f"Made by `{command}` with Hedgerow {__version__}: {len(results):,} of {wanted:,} cells are finished. Run it "
        "again, and it goes on with the others.",
    )
    if further := len(store) - len(results):
        page.text(f"Earlier versions measured a further {plural(further, 'cells')}, which this page does not show.")
    one.write(page, results)
    path = folder / f"{stem}.md"
    page.write(path)
    return path
