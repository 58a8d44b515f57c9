"""The result of a comparison: every choice with its figures, the frontier, and the recommendation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from operator import attrgetter, methodcaller
from pathlib import Path
from typing import Any, Literal

import narwhals as nw
import pyarrow as pa

from hedgerow.comparison._recommendation import Baseline, Recommendation, deciding, pareto, recommend
from hedgerow.comparison.choices import HIGHEST_RISK, Cells, Choice, Measure, find_measure, limit_text
from hedgerow.errors import plural
from hedgerow.evaluation.results import Evaluation
from hedgerow.evaluation.tables import AnyTask

__all__ = ["Comparison", "Measured", "Stop"]

Stop = Literal["", "time", "interrupted"]


@dataclass(frozen=True)
class Measured:
    """The circumstances of a comparison.

    Attributes
    ----------
    rows : int
        The rows of the table.
    counted : {"rows", "people"}
        The unit of class sizes.
    target : str, optional
        The column that learners predict.
    task : str
        ``"classes"`` or ``"numbers"`` of a target, or the task of analyses; empty if nothing was learnt.
    learners : tuple of str
    protocol : str
        How rows were divided into training and test parts.
    parts : int
        The number of training parts.
    train, test : str
        How rows were written for learners.
    requirements : tuple of str
        The requirements on every release besides k.
    proportions : bool
        Whether releases publish proportions.
    seconds : float
        The time of all finished cells, as if one process had run them.
    cells, finished : int
        The number of cells, and of finished cells.
    stopped : {"", "time", "interrupted"}
        Why the run ended early, if it did.
    """

    rows: int
    counted: Literal["rows", "people"] = "rows"
    target: str | None = None
    task: AnyTask | Literal[""] = ""
    learners: tuple[str, ...] = ()
    protocol: str = ""
    parts: int = 0
    train: str = ""
    test: str = ""
    requirements: tuple[str, ...] = ()
    proportions: bool = False
    seconds: float = 0.0
    cells: int = 0
    finished: int = 0
    stopped: Stop = ""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The result of :func:`hedgerow.compare`.

    Attributes
    ----------
    choices : tuple of Choice
        Every method at every k and suppression limit, whether or not it is finished.
    measures : tuple of Measure
        The measures of risk and of utility; the first of each side decides.
    threshold : float
        The highest risk of a person that may be recommended.
    baselines : mapping of str to Baseline
        For each score, its value without anonymizing, and that of the majority or of no information.
    measured : Measured
        How the comparison was made.
    evaluation : Evaluation, optional
        The exact scores of all cells, as private as the table. ``None`` without a target.
    backend : str
        The kind of dataframe of :attr:`frame`.
    """

    choices: tuple[Choice, ...]
    measures: tuple[Measure, ...]
    threshold: float
    measured: Measured
    baselines: Mapping[str, Baseline] = field(default_factory=dict)
    evaluation: Evaluation | None = None
    backend: Literal["pandas", "polars", "pyarrow"] = "pyarrow"

    def measures_of(self, side: Literal["risk", "utility"]) -> tuple[Measure, ...]:
        """The measures of risk, or those of utility."""
        return tuple(measure for measure in self.measures if measure.side == side)

    @property
    def risk(self) -> Measure:
        """The first measure of risk: the highest risk of a person."""
        return HIGHEST_RISK

    @cached_property
    def utility(self) -> Measure:
        """The first measure of utility that distinguishes choices and is known for most of them."""
        released = [choice for choice in self.choices if choice.k_reached is not None]
        return deciding(self.measures_of("utility"), released, self.baselines)[0] or self.measures_of("utility")[0]

    def measure(self, side: Literal["risk", "utility"], name: str | None) -> Measure:
        """The measure of a name, or the first of its side."""
        if name is None:
            return self.risk if side == "risk" else self.utility
        return find_measure(self.measures, name, side)

    def frontier(self, risk: str | None = None, utility: str | None = None) -> tuple[Choice, ...]:
        """The choices that no other choice beats: those of lower risk keep less, those that keep more risk more.

        Parameters
        ----------
        risk : str, optional
            ``"highest_risk"`` if not given, or another measure of :attr:`measures`.
        utility : str, optional
            The first score of the learners if not given, or ``"ncp_kept"`` without a target.

        Returns
        -------
        tuple of Choice
            The choice of lowest risk first. Of choices with equal figures, all are there.
        """
        return pareto(self.choices, self.measure("risk", risk), self.measure("utility", utility))

    @cached_property
    def recommendation(self) -> Recommendation:
        """The choice to take, and why.

        Of the choices within the threshold whose utility is within one standard error of the highest, it is the choice
        with the lowest risk.
        """
        return recommend(
            self.choices,
            self.measures_of("utility"),
            threshold=self.threshold,
            baselines=self.baselines,
            counted=self.measured.counted,
        )

    @cached_property
    def frame(self) -> Any:
        """A row for every choice, a column for every measure."""
        return nw.from_arrow(_tidy(self), backend=self.backend).to_native()

    def plot(self, risk: str | None = None, utility: str | None = None) -> Any:
        """Utility against risk, as an Altair chart; parameters are those of :meth:`frontier`."""
        from hedgerow.comparison._charts import frontier_chart

        return frontier_chart(self, self.measure("risk", risk), self.measure("utility", utility))

    def report(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write a page that opens offline: the recommendation, the frontier for all measures, and the table of choices.

        Parameters
        ----------
        path : str or Path
        overwrite : bool
            Whether an existing file may be replaced.
        """
        from hedgerow.comparison.page import write

        return write(self, path, overwrite=overwrite)

    def to_dict(self) -> dict[str, Any]:
        """The whole comparison as plain values for JSON."""
        advice = self.recommendation
        return {
            "recommendation": {
                "choice": None if advice.choice is None else _named(advice.choice),
                "reason": advice.reason,
                "threshold": advice.threshold,
                "size": advice.size,
            },
            "frontier": [_named(choice) for choice in self.frontier()],
            "risk": self.risk.name,
            "utility": self.utility.name,
            "choices": [asdict(choice) for choice in self.choices],
            "baselines": {name: asdict(baseline) for name, baseline in self.baselines.items()},
            "measures": [asdict(measure) for measure in self.measures],
            "measured": asdict(self.measured),
        }

    def __repr__(self) -> str:
        methods = ", ".join(dict.fromkeys(choice.method for choice in self.choices))
        released = sum(choice.k_reached is not None for choice in self.choices)
        how = f" {self.measured.protocol} with {', '.join(self.measured.learners)};" if self.measured.learners else ""
        return (
            f"Comparison({methods})\n"
            f"  {plural(len(self.choices), 'choices')}, {released:,} released;{how} see .frame, .frontier(), "
            ".report(path)\n"
            f"  {self.recommendation.reason}"
        )

    def _repr_html_(self) -> str:
        from hedgerow.comparison.page import notebook

        return notebook(self)


def _named(choice: Choice) -> dict[str, Any]:
    return {"method": choice.method, "k": choice.k, "suppression_limit": choice.suppression_limit}


def _error_of(measure: str, choice: Choice) -> float | None:
    return choice.errors.get(measure)


def _share_of_cells(name: str, choice: Choice) -> float | None:
    return None if choice.cells is None else float(getattr(choice.cells, name))


def _tidy(comparison: Comparison) -> pa.Table:
    """Choices as a table, whose columns do not depend on the figures."""
    choices, frontier, chosen = comparison.choices, comparison.frontier(), comparison.recommendation.choice
    columns: dict[str, tuple[pa.DataType, Callable[[Choice], Any]]] = {
        "method": (pa.string(), attrgetter("method")),
        "k": (pa.int64(), attrgetter("k")),
        "suppression_limit": (pa.string(), lambda choice: limit_text(choice.suppression_limit)),
        "status": (pa.string(), attrgetter("status")),
        "k_reached": (pa.int64(), attrgetter("k_reached")),
    }
    for measure in comparison.measures:
        columns[measure.name] = (pa.float64(), methodcaller("value", measure))
        if measure.name in comparison.baselines:
            columns[f"{measure.name}_error"] = (pa.float64(), partial(_error_of, measure.name))
    columns |= {
        **{f"cells_{name}": (pa.float64(), partial(_share_of_cells, name)) for name in Cells._fields},
        "rows_lost": (pa.float64(), attrgetter("rows_lost")),
        "parts": (pa.int64(), attrgetter("parts")),
        "seconds": (pa.float64(), attrgetter("seconds")),
        "on_frontier": (pa.bool_(), frontier.__contains__),
        "recommended": (pa.bool_(), lambda choice: choice is chosen),
        "reason": (pa.string(), attrgetter("reason")),
    }
    return pa.table({name: pa.array(map(value, choices), kind) for name, (kind, value) in columns.items()})
