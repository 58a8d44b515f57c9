"""Diagrams as they are rendered: what stands where, and that nothing covers a label."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.stats import norm

from hedgerow.errors import BadInput
from hedgerow.evaluation import BonferroniDunn, Friedman, bonferroni_dunn, critical_difference_diagram, friedman

WIDTH = 420
BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#595959"
NAMES = (
    "raw",
    "Mondrian with information gain",
    "kACTUS",
    "kADET",
    "top-down specialization",
    "HeuristicMin",
    "Datafly",
    "a random forest on a redrawn release",
)
PLACE = re.compile(r"translate\((.+),(.+)\)")
PART = re.compile(r"layer_\d|role-legend-label")


@dataclass(frozen=True)
class Drawn:
    """An element of a picture, where it begins and ends; ``part`` is the layer or the legend that it belongs to."""

    x: float
    y: float
    right: float
    bottom: float
    part: str
    element: ElementTree.Element

    @property
    def text(self) -> str:
        return self.element.text or ""

    @property
    def colour(self) -> str:
        return self.element.get("stroke") or self.element.get("fill") or ""

    @property
    def size(self) -> float:
        return float(self.element.get("font-size", "").removesuffix("px"))


@dataclass(frozen=True)
class Method:
    """What is drawn of one method: a line down from its rank, one to its label, its point and its label."""

    stem: Drawn
    arm: Drawn
    point: Drawn
    label: Drawn

    @property
    def name(self) -> str:
        return self.label.text.rsplit(" (", 1)[0]


@dataclass(frozen=True)
class Picture:
    """A diagram that was saved and read back."""

    dunn: BonferroniDunn
    friedman: Friedman
    drawn: list[Drawn]

    @classmethod
    def of(cls, dunn: BonferroniDunn, friedman: Friedman, folder: Path) -> Picture:
        critical_difference_diagram(dunn, friedman).save(folder / "ranks.svg")
        return cls(dunn, friedman, list(walked(ElementTree.parse(folder / "ranks.svg").getroot())))

    def part(self, layer: int) -> list[Drawn]:
        return [one for one in self.drawn if one.part == f"layer_{layer}" and len(one.element) == 0]

    @property
    def interval(self) -> Drawn:
        (bar,) = self.part(0)
        return bar

    @property
    def methods(self) -> list[Method]:
        return [Method(*parts) for parts in zip(*map(self.part, (2, 3, 4, 5)), strict=True)]

    @property
    def texts(self) -> list[Drawn]:
        return [one for one in self.drawn if one.element.tag.endswith("text")]

    def written(self, text: str) -> Drawn:
        (one,) = (one for one in self.texts if one.text == text)
        return one

    def place(self, rank: float) -> float:
        """Where a rank is on the axis, whose labels stand half a pixel aside so that its lines are sharp."""
        worst = len(self.friedman.ranks)
        best, last = self.written("1").x, self.written(str(worst)).x
        assert last - best == WIDTH
        return best - 0.5 + (last - best) * (rank - 1) / (worst - 1)


def walked(element: ElementTree.Element, x: float = 0, y: float = 0, part: str = "") -> Iterator[Drawn]:
    """All elements; the place of each is relative to that of the one around it."""
    if moved := PLACE.fullmatch(element.get("transform", "")):
        x, y = x + float(moved[1]), y + float(moved[2])
    if found := PART.search(element.get("class", "")):
        part = found[0]
    yield Drawn(x, y, x + float(element.get("x2", 0)), y + float(element.get("y2", 0)), part, element)
    for inner in element:
        yield from walked(inner, x, y, part)


def compared(count: int, control: int, cases: int = 30) -> tuple[BonferroniDunn, Friedman]:
    """Methods of which each is worse than the one before; ``control`` is the place of the control among them."""
    random = np.random.default_rng(count)
    names = random.permutation(NAMES[:count]).tolist()
    test = friedman({name: random.normal(size=cases) - 0.3 * at for at, name in enumerate(names)})
    return bonferroni_dunn(test, names[control]), test


def tied(count: int) -> tuple[BonferroniDunn, Friedman]:
    """Methods with the same rank."""
    test = friedman({name: [1, 2] for name in NAMES[:count]})
    return bonferroni_dunn(test, NAMES[0]), test


EXAMPLES = {f"{count} methods": compared(count, at) for count, at in enumerate([0, 1, -1, 0, 2, -1, 3], 2)}
TIED = {f"{count} tied methods": tied(count) for count in range(2, 9)}


@pytest.fixture(scope="module", params=EXAMPLES)
def picture(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Picture:
    """Two to eight methods."""
    return Picture.of(*EXAMPLES[request.param], tmp_path_factory.mktemp("diagram"))


@pytest.fixture(scope="module", params=TIED)
def tied_picture(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Picture:
    """Two to eight methods that share one rank."""
    return Picture.of(*TIED[request.param], tmp_path_factory.mktemp("diagram"))


def test_the_examples_differ_in_either_direction() -> None:
    comparisons = [dunn for dunn, _ in EXAMPLES.values()]
    assert any(dunn.better_than for dunn in comparisons)
    assert any(dunn.worse_than for dunn in comparisons)
    assert any(len(dunn.better_than) + len(dunn.worse_than) < len(dunn.differences) for dunn in comparisons)


def test_every_method_stands_at_its_rank(picture: Picture) -> None:
    ranks = picture.friedman.ranks
    assert sorted(method.name for method in picture.methods) == sorted(ranks)
    axis = picture.written("1").y + 10 - 0.5
    for method in picture.methods:
        assert method.label.text == f"{method.name} ({ranks[method.name]:.2f})"
        x = picture.place(ranks[method.name])
        assert (method.stem.x, method.arm.x, method.point.x) == pytest.approx((x, x, x))
        # From the axis down to the height of the label, and there to its side.
        assert method.stem.bottom == axis
        assert method.stem.y == method.arm.y == pytest.approx(method.label.y, abs=6)
        beyond = {"end": -6, "start": 6}[method.label.element.get("text-anchor", "")]
        assert method.label.x == pytest.approx(method.arm.right + beyond)


def test_the_best_are_at_the_left(picture: Picture) -> None:
    ranks = picture.friedman.ranks
    from_left = sorted(picture.methods, key=lambda method: method.point.x)
    assert [ranks[method.name] for method in from_left] == sorted(ranks.values())


def test_numbers_stand_above_their_ranks(picture: Picture) -> None:
    for rank in range(1, len(picture.friedman.ranks) + 1):
        number = picture.written(str(rank))
        assert number.x == pytest.approx(picture.place(rank), abs=1)
        assert number.element.get("text-anchor") == "middle"


def test_who_is_outside_of_the_interval_differs(picture: Picture) -> None:
    dunn, bar = picture.dunn, picture.interval
    for method in picture.methods:
        different = method.name in {*dunn.better_than, *dunn.worse_than}
        expected = BLUE if method.name == dunn.control else ORANGE if different else GREY
        assert {method.stem.colour, method.arm.colour, method.point.colour, method.label.colour} == {expected}
        assert different == (not bar.x <= method.point.x <= bar.right)


def test_the_control_is_bold(picture: Picture) -> None:
    bold = [method.name for method in picture.methods if method.label.element.get("font-weight") == "bold"]
    assert bold == [picture.dunn.control]


def test_lines_of_different_ranks_do_not_cross(picture: Picture) -> None:
    for one, other in permutations(picture.methods, 2):
        low, high = sorted((other.arm.x, other.arm.right))
        assert not (low < one.stem.x < high and one.stem.bottom < other.arm.y < one.stem.y)


def check_that_no_text_covers_another(picture: Picture) -> None:
    """Letters are taken to be two thirds as broad as they are high, which few are."""
    _, _, _, height = map(float, picture.drawn[0].element.get("viewBox", "").split())
    # The legend is laid out by Vega, which knows how broad it is; it stands below all else.
    legend = [one for one in picture.texts if one.part == "role-legend-label"]
    others = [one for one in picture.texts if one not in legend]
    assert min(one.y - one.size for one in legend) > max(one.y for one in others)
    assert all(0 < one.y < height and one.size >= 12 for one in picture.texts)
    boxes = []
    for one in others:
        broad = one.size * len(one.text) * 2 / 3
        left = one.x - broad * {"start": 0.0, "middle": 0.5, "end": 1.0}[one.element.get("text-anchor", "start")]
        boxes.append((left, one.y - one.size, left + broad, one.y + one.size / 4))
    for first, second in combinations(boxes, 2):
        assert first[2] <= second[0] or second[2] <= first[0] or first[3] <= second[1] or second[3] <= first[1]


def test_no_text_covers_another(picture: Picture) -> None:
    check_that_no_text_covers_another(picture)


def test_no_text_covers_another_where_ranks_are_tied(tied_picture: Picture) -> None:
    check_that_no_text_covers_another(tied_picture)


def test_a_control_is_seen_where_ranks_are_tied(tied_picture: Picture) -> None:
    """What is drawn last is above the rest."""
    assert [method.point.colour for method in tied_picture.methods][-1] == BLUE


def test_long_names_are_not_cut_off(tmp_path: Path) -> None:
    names = ["a method with a name of " + "many " * count + "words" for count in (1, 9)]
    test = friedman({name: [1, 2] for name in names})
    picture = Picture.of(bonferroni_dunn(test, names[0]), test, tmp_path)
    _, _, width, _ = map(float, picture.drawn[0].element.get("viewBox", "").split())
    for method in picture.methods:
        label = method.label
        assert method.name in names
        room = label.x if label.element.get("text-anchor") == "end" else width - label.x
        assert room > label.size * len(label.text) / 3


@pytest.mark.parametrize(
    ("control", "critical", "ends"),
    [("b", 0.6, (1.4, 2.6)), ("b", 1.5, (1.0, 3.0)), ("a", 0.6, (1.0, 1.6)), ("c", 0.6, (2.4, 3.0))],
)
def test_the_interval_ends_where_the_ranks_do(
    control: str, critical: float, ends: tuple[float, float], tmp_path: Path
) -> None:
    test = Friedman({"a": 1.0, "b": 2.0, "c": 3.0}, 10, 20.0, math.inf, 0.0)
    # The level at which the critical difference is as wanted.
    dunn = bonferroni_dunn(test, control, alpha=4 * float(norm.sf(critical / math.sqrt(3 * 4 / 60))))
    assert dunn.critical_difference == pytest.approx(critical)
    picture = Picture.of(dunn, test, tmp_path)
    assert (picture.interval.x, picture.interval.right) == pytest.approx(tuple(map(picture.place, ends)))
    marks = [one for one in picture.part(1) if one.colour == BLUE]
    assert len(marks) == sum(1 < end < 3 for end in ends)


def test_the_title_tells_what_was_compared(tmp_path: Path) -> None:
    _, test = compared(4, 0, cases=14)
    picture = Picture.of(bonferroni_dunn(test, "kACTUS", alpha=0.1), test, tmp_path)
    assert picture.written("kACTUS ± the critical difference 1.04 (Bonferroni-Dunn, α = 0.1, 14 cases)")
    assert picture.written("average rank (1 is the best)")
    legend = [one.text for one in picture.texts if one.part == "role-legend-label"]
    assert legend == ["control", "significantly different from it", "not significantly different"]


def test_screen_readers_are_told_the_ranks(picture: Picture) -> None:
    for method in picture.methods:
        (told,) = re.findall(r"rank: ([\d.]+);", method.point.element.get("aria-label", ""))
        assert float(told) == pytest.approx(picture.friedman.ranks[method.name])


def test_a_comparison_of_other_ranks() -> None:
    dunn, test = compared(4, 0)
    assert critical_difference_diagram(dunn, test).to_dict()["width"] == WIDTH
    with pytest.raises(BadInput, match="not the compared ranks"):
        critical_difference_diagram(dunn, compared(4, 0, cases=29)[1])
    with pytest.raises(BadInput, match="There is no method"):
        critical_difference_diagram(dunn, friedman({"one": [1, 2], "other": [2, 1]}))


def test_altair_is_not_imported_before_it_is_needed() -> None:
    code = "import sys, hedgerow.evaluation; print({'altair', 'vl_convert'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
