"""What the reproductions share: jobs to be run, claims with a verdict, and the page that tells both."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from hedgerow._internal.version import __version__
from hedgerow.anonymizers.trees.inducers.j48 import check_weka
from hedgerow.errors import BadInput, plural
from hedgerow.evaluation.cells import library_versions
from hedgerow.evaluation.jobs import Advance, Job, found_in, run
from hedgerow.evaluation.store import Store
from hedgerow.io.atomic import appearing
from reproductions.earlier import earlier_results
from reproductions.effort import Effort
from reproductions.tables import data_folder, has

__all__ = ["Claim", "Page", "Reproduction", "Scope", "Verdict", "reproduce"]

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
    """The experiments of one paper.

    Attributes
    ----------
    data : tuple of str
        The data sets that its jobs read.
    needs_weka : bool
        Whether nothing can be run without Weka.
    parts : tuple of str
        The parts that can be run alone.
    """

    name: str
    title: str
    paper: str

    data: ClassVar[tuple[str, ...]] = ()
    needs_weka: ClassVar[bool] = False
    parts: ClassVar[tuple[str, ...]] = ()

    @property
    def absent(self) -> tuple[str, ...]:
        """The data sets that are not on this machine."""
        return tuple(name for name in self.data if not has(name))

    def check(self) -> None:
        """Say what is missing on this machine, if nothing can be run without it: all data sets, or Java."""
        if self.data and set(self.absent) == set(self.data) and not self.jobs(quick=True):
            data_folder()
            raise BadInput(
                f"None of the data sets that {self.name!r} needs is in the folder that HEDGEROW_DATA names: "
                f"{', '.join(self.data)}. reproductions/data/README.md says where they come from."
            )
        if self.needs_weka:
            check_weka("Weka, whose learners the paper uses,", "No other learner would do.")

    @abstractmethod
    def jobs(self, *, quick: bool) -> list[Job]:
        """All that can be run with the data that are here, the most telling first; ``quick`` is a part of minutes."""

    def part_of(self, job: Job) -> str | None:  # noqa: ARG002 - a paper without parts does not look at it
        """The part to which a job belongs, one of ``parts``."""
        return None

    @abstractmethod
    def write(self, page: Page, results: Sequence[Result]) -> None:
        """Say what was found, from whatever cells are finished."""


@dataclass(frozen=True)
class Scope:
    """What is run, and what the page shows.

    Parameters
    ----------
    quick : bool
        A part that takes minutes, with files of its own: ``PAPER-quick.md`` and ``PAPER-quick.cells.jsonl``.
    only : str, optional
        One of the paper's parts is run; the page is about all of it.
    earlier : bool
        The page also shows cells that earlier versions measured, where nothing newer is finished.
    """

    quick: bool = False
    only: str | None = None
    earlier: bool = False

    @property
    def words(self) -> str:
        """The options of the command that writes the same page."""
        return f"{' --quick' if self.quick else ''}{' --earlier' if self.earlier else ''}"


def reproduce(
    one: Reproduction,
    folder: Path,
    scope: Scope = Scope(),
    *,
    workers: int | None = None,
    seconds: float | None = None,
    advance: Callable[[Advance], None] | None = None,
) -> Path:
    """Run what is not known yet, and write the page ``PAPER.md``; finished cells are kept in ``PAPER.cells.jsonl``.

    Where data sets are absent, their cells are left out, and the page is ``PAPER-partial.md``. What stands in
    ``PAPER.notes.md`` is shown below the first lines of the page.

    Parameters
    ----------
    one : Reproduction
    folder : Path
        Where the files are, or are to be.
    scope : Scope
    workers : int, optional
        How many processes; one for each core if not given.
    seconds : float, optional
        After which no further work is begun; the page tells of what is finished.
    advance : callable, optional
        Told how far it is.
    """
    if scope.only is not None and scope.only not in one.parts:
        raise BadInput.unknown("part", scope.only, one.parts, f"These are the parts of {one.name!r}.")
    one.check()
    stem = f"{one.name}-quick" if scope.quick else one.name
    jobs = one.jobs(quick=scope.quick)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}.cells.jsonl"
    store = Store(path)
    chosen = [job for job in jobs if scope.only is None or one.part_of(job) == scope.only]
    run(chosen, store, workers=workers, seconds=seconds, advance=advance)
    results = found_in(store, jobs)
    older = earlier_results(store, _lines(path), jobs) if scope.earlier else []
    page = Page(one.title)
    page.text(one.paper, *_head(one, scope, jobs, store))
    page.text(*_told_of_earlier(len(older), len(store) - len(results)))
    notes = folder / f"{stem}.notes.md"
    if notes.is_file():
        page.text(notes.read_text(encoding="utf-8").strip())
    one.write(page, [*results, *older])
    page.section("How verdicts are reached", *(f"- {rule}" for rule in rules()))
    path = folder / f"{stem}{'-partial' if one.absent else ''}.md"
    page.write(path)
    return path


def rules() -> Sequence[str]:
    """The rules of all pages."""
    from reproductions.judging import RULES  # which needs claims

    return RULES


def _head(one: Reproduction, scope: Scope, jobs: Sequence[Job], store: Store) -> Iterator[str]:
    """How much is done, how long it takes, and what it was measured with."""
    wanted = sum(len(job.keys) for job in jobs)
    finished = len(found_in(store, jobs))
    versions = ", ".join(f"{name} {number}" for name, number in library_versions(weka=one.needs_weka).items())
    yield (
        f"{finished:,} of {wanted:,} cells are finished. {Effort.of(jobs, store)} Measured with {versions} "
        "(`reproductions/constraints.txt`)."
    )
    if one.absent:
        yield f"Without the data sets {', '.join(one.absent)}, which are not on this machine: their cells are left out."
    yield (
        f"Made by `python -m reproductions {one.name}{scope.words}` with Hedgerow {__version__}. Run it again, and it "
        "goes on with the others."
    )


def _told_of_earlier(shown: int, further: int) -> Iterator[str]:
    if shown:
        yield (
            f"Earlier versions measured a further {plural(further, 'cells')}, of which this page shows {shown:,} "
            "beside the others, until they are measured again. Verdicts on what they are about are provisional."
        )
    elif further:
        yield f"Earlier versions measured a further {plural(further, 'cells')}, which this page does not show."


def _lines(path: Path) -> list[Result]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []
