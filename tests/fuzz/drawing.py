"""Drawing cases: every method with options from the registry's descriptions, odd tables, roles and requirements.

A case is drawn so that it can be met as a rule; bad input should stay rare.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any, Final

from hypothesis import strategies as st

from cases import Case, Cell, Column
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.registry import METHODS
from pools import IDENTIFIERS, PARTS, POOLS, UNIQUE, hierarchies_of, taxonomies
from recount import violations
from sources import FILES, SOURCES

__all__ = ["cases"]

_QUASI_NAMES: Final = (
    "age",
    "zip",
    "sex",
    "Größe",
    'x"y',
    "a b",
    "it's",
    "c0",
    "n",
    "cell",
    "published",
    "a;b|c",
    " x",
)
_SIZES: Final = st.one_of(st.integers(2, 10), st.integers(6, 25), st.integers(15, 40), st.integers(1, 60))
_MISSING: Final = (("",), ("",), ("", "?"), ("?", ""), ("?",), ("NA", "?"), ())

_MARKS: Final = {text for texts in _MISSING for text in texts}


@st.composite
def cases(draw: st.DrawFn, method: str | None = None) -> Case:
    """Draw a case of a method, or of any."""
    entry = METHODS[draw(st.sampled_from(list(METHODS))) if method is None else method]
    small = entry.name == "mingen"
    rows = draw(st.integers(1, 14) if small else _SIZES)
    missing = draw(st.sampled_from(_MISSING))
    source = draw(st.sampled_from([*SOURCES, *FILES]))
    quasi = [*draw(_quasi(rows, 2 if small else 4, missing)), *draw(_born(1 if small else rows))]
    others = [*draw(_others(rows, missing, guided=entry.uses_target)), *draw(_parts(quasi, missing))]
    columns = tuple(draw(st.permutations([*quasi, *others])))
    unnamed = any(column.role == "unnamed" for column in columns)
    k, require = draw(_requirements(rows, columns, entry))
    case = Case(
        method=entry.name,
        options=draw(_options(entry, any(column.role == "target" for column in columns))),
        columns=columns,
        k=k,
        require=require,
        source=source,
        saved=draw(st.sampled_from(FILES)),
        missing=missing,
        null_text=draw(st.sampled_from(missing or ("",))),
        others=draw(st.sampled_from(("insensitive", "drop"))) if unnamed else "error",
        weights=draw(_weights([column.name for column in quasi])),
        seed=draw(st.one_of(st.none(), st.integers(0, 3))),
        proportions=draw(st.sampled_from((False, False, True))),
        destination=draw(st.booleans()),
        accept_parts=draw(st.sampled_from((False, False, False, True))),
    )
    limit = draw(st.sampled_from((0, 0, 0.1, 0.3, 1, 4, 1.0)))
    # What is to be lost whatever it is needs a budget for it.
    limit = 1.0 if case.options.get("remainder") == "lose" else limit
    options = {**case.options, "suppression_limit": limit}
    if draw(st.booleans()) and entry.uses_target and _number_of_classes(columns):
        options["target_bins"] = draw(st.sampled_from((2, 3)))
    people = [column.name for column in columns if column.role in ("identifying", "pseudonymize")]
    entity = draw(st.sampled_from((None, *people)))
    renamed = () if entity is None else draw(_renamed(case.column(entity)))
    kinds = draw(_kinds(quasi, missing))
    case = replace(case, columns=(*columns, *renamed), options=options, entity=entity, kinds=kinds)
    return _with_people_per_value(case, draw(st.sampled_from((None, None, None, None, 2, 3))))


def _with_people_per_value(case: Case, least: int | None) -> Case:
    """The case with at least so many people for every value; then no column may have a value for each row."""
    if least is None:
        return case
    columns = tuple(column for column in case.columns if column.name not in ("row", "mark"))
    # Pools and nodes of a hierarchy are values that trees of requirements do not have.
    require = tuple(one for one in case.require if one.get("distance") in (None, "equal") and one.get("value") is None)
    k = least if case.k is None and not require else case.k
    return replace(case, columns=columns, require=require, k=k, min_people=least)


def _number_of_classes(columns: tuple[Column, ...]) -> int:
    """How many numbers a target has that is one of numbers."""
    return sum(
        len(set(column.cells) - {None}) for column in columns if column.role == "target" and column.kind == "int"
    )


@st.composite
def _kinds(draw: st.DrawFn, quasi: list[Column], missing: tuple[str, ...]) -> dict[str, Any]:
    """What some columns of text and numbers are said to hold: text, or values in an order."""
    kinds: dict[str, Any] = {}
    for column in quasi:
        if column.hierarchy is None and column.kind in ("text", "int") and draw(st.sampled_from((False, False, True))):
            words = sorted({cell for cell in column.cells if isinstance(cell, str)} - set(missing))
            ordered = column.kind == "text" and len(words) > 1 and "" not in column.cells and draw(st.booleans())
            kinds[column.name] = draw(st.permutations(words)) if ordered else "text"
    return kinds


@st.composite
def _weights(draw: st.DrawFn, names: list[str]) -> dict[str, float]:
    """Weights of some quasi-identifiers, none that is 0 if no other column matters."""
    if not draw(st.booleans()):
        return {}
    numbers = st.one_of(st.sampled_from((0, 1, 2, 2.5, 1e-9, 1e300)), st.floats(0.01, 100))
    weights = draw(st.dictionaries(st.sampled_from(names), numbers, max_size=len(names)))
    return weights if any(weights.get(name, 1) for name in names) else {}


@st.composite
def _options(draw: st.DrawFn, entry: type[Anonymizer], with_target: bool) -> dict[str, Any]:
    """Some of the parameters that the registry describes; none that gives up the guarantee."""
    given: dict[str, Any] = {}
    for name, parameter in entry.parameters().items():
        if not parameter.weak and draw(st.sampled_from((False, True))):
            tried: tuple[object, ...] = parameter.options or (parameter.default, *parameter.trials)
            given[name] = draw(st.sampled_from(tried))
    if not with_target:
        # By whatever name: measuring classes needs the column of the class.
        given = {name: value for name, value in given.items() if value != "classification"}
    if given.get("cells") == "region":
        # Groups that are not cut out of a space have no regions, which is refused.
        given = {
            name: value for name, value in given.items() if value is not True and (name, value) != ("shape", "axis")
        }
    return given


@st.composite
def _cells(draw: st.DrawFn, kind: str, rows: int, most: int = 8, unique: bool = True) -> list[Cell]:
    """The cells of a column: from a few values, all the same, or each its own."""
    shape = draw(st.sampled_from(("few", "few", "few", "few", "constant", "unique")))
    if shape == "unique" and unique and kind in UNIQUE:
        return [UNIQUE[kind](row) for row in draw(st.permutations(range(rows)))]
    values = draw(st.lists(draw(st.sampled_from(POOLS[kind])), min_size=1, max_size=1 if shape == "constant" else most))
    return draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))


@st.composite
def _with_gaps(draw: st.DrawFn, cells: list[Cell], kind: str, missing: tuple[str, ...]) -> list[Cell]:
    """The same with some cells missing: null or, in text, a marker or an empty text."""
    if not draw(st.sampled_from((False, False, True))) or len(cells) < 2:
        return cells
    nothing = st.sampled_from([None, *(("", *missing) if kind == "text" else ())])
    gaps = draw(st.lists(st.tuples(st.integers(1, len(cells) - 1), nothing), max_size=6))
    return [dict(gaps).get(row, cell) for row, cell in enumerate(cells)]


@st.composite
def _quasi(draw: st.DrawFn, rows: int, most: int, missing: tuple[str, ...]) -> list[Column]:
    names = draw(st.lists(st.sampled_from(_QUASI_NAMES), min_size=1, max_size=most, unique=True))
    columns = []
    for name in names:
        kind = draw(st.sampled_from(list(POOLS)))
        cells = draw(_with_gaps(draw(_cells(kind, rows)), kind, missing))
        hierarchy = draw(st.one_of(st.none(), hierarchies_of(kind, cells, missing)))
        categorical = kind == "text" and draw(st.sampled_from((False, False, True)))
        columns.append(Column(name, kind, "quasi", tuple(cells), categorical, hierarchy))
    return columns


@st.composite
def _others(draw: st.DrawFn, rows: int, missing: tuple[str, ...], guided: bool) -> list[Column]:
    """A class, sensitive columns, a number for each row, names, and columns that nobody cares for."""
    columns = []
    if guided or draw(st.booleans()):
        kind = draw(st.sampled_from(("text", "bool", "int")))
        cells = draw(_cells(kind, rows, most=3, unique=False))
        columns.append(
            Column("class", kind, "target", (*cells[1:2], *cells[1:]) if guided and rows > 1 else tuple(cells))
        )
    for name in draw(st.sampled_from(((), ("illness",), ("illness",), ("illness", "wage")))):
        kind = draw(st.sampled_from(("text", "text", "text", "int", "float", "bool", "date")))
        cells = draw(_with_gaps(draw(_cells(kind, rows, most=6)), kind, missing))
        categorical = kind == "text" and draw(st.sampled_from((False, False, True)))
        words = sorted({cell for cell in cells if isinstance(cell, str)} - set(missing))
        placed = kind == "text" and bool(words) and draw(st.sampled_from((False, False, True)))
        hierarchy = draw(taxonomies(words)) if placed else None
        columns.append(Column(name, kind, "sensitive", tuple(cells), categorical, hierarchy))
    if draw(st.sampled_from((True, True, False))):
        columns.append(Column("row", "text", "insensitive", tuple(f"row-{row}" for row in range(rows))))
    if draw(st.sampled_from((False, True))):
        # Longer than what polars keeps beside a text's length, so that it stands in a buffer.
        columns.append(
            Column("mark", "text", "insensitive", tuple(f"canary of the row {row:05d}" for row in range(rows)))
        )
    for role in draw(st.lists(st.sampled_from(("insensitive", "unnamed")), max_size=2, unique=True)):
        kind = draw(st.sampled_from(list(POOLS)))
        cells = draw(_with_gaps(draw(_cells(kind, rows)), kind, ("", "?")))
        columns.append(Column(f"note {role}", kind, role, tuple(cells), kind == "text" and draw(st.booleans())))
    for role in draw(st.lists(st.sampled_from(("identifying", "pseudonymize")), max_size=2, unique=True)):
        people = [f"{IDENTIFIERS}{role[:3]}{row // draw(st.sampled_from((1, 2)))}" for row in range(rows)]
        cells = draw(_with_gaps(list(people), "int", ()))
        columns.append(Column(f"person {role}", "text", role, tuple(cells)))
    return columns


@st.composite
def _born(draw: st.DrawFn, rows: int) -> list[Column]:
    """Sometimes days of birth, each of several people, in a few years."""
    if rows < 12 or draw(st.sampled_from((False, False, True))):
        return []
    number = draw(st.integers(4, rows // 3))
    days = draw(st.lists(st.dates(dt.date(1961, 1, 1), dt.date(1964, 12, 31)), min_size=4, max_size=number))
    cells = draw(st.permutations([days[row % len(days)].isoformat() for row in range(rows)]))
    return [Column("born", "date", "quasi", tuple(cells))]


@st.composite
def _parts(draw: st.DrawFn, quasi: list[Column], missing: tuple[str, ...]) -> list[Column]:
    """Sometimes columns in clear that are parts of a quasi-identifier, each known to whoever knows that one."""
    if draw(st.sampled_from((False, False, True))):
        return []
    columns = []
    for column in quasi:
        ways = PARTS.get(column.kind, {})
        for name in draw(st.lists(st.sampled_from(sorted(ways)), max_size=2, unique=True)) if ways else ():
            cells = tuple(None if cell in (None, "", *missing) else ways[name](cell) for cell in column.cells)
            kind = "text" if any(isinstance(cell, str) for cell in cells) else "int"
            columns.append(Column(f"{name} of {column.name}", kind, "insensitive", cells, part_of=column.name))
    return columns


@st.composite
def _renamed(draw: st.DrawFn, entity: Column) -> list[Column]:
    """Sometimes other columns that tell the same people apart: one, or two together."""
    people = sorted({cell for cell in entity.cells if cell is not None}, key=str)
    number = dict(zip(people, draw(st.permutations(range(len(people)))), strict=True))
    numbers = [None if cell is None else number[cell] for cell in entity.cells]
    way = draw(st.sampled_from(("none", "pseudonyms", "pseudonyms", "names", "pair", "pair")))
    if way == "pair":
        base = draw(st.integers(2, 4))
        digits = {
            "alias low": [None if one is None else one % base for one in numbers],
            "alias high": [None if one is None else one // base for one in numbers],
        }
        return [Column(name, "int", "insensitive", tuple(cells), renames=True) for name, cells in digits.items()]
    if way == "none":
        return []
    role, prefix = ("pseudonymize", f"{IDENTIFIERS}alias") if way == "pseudonyms" else ("insensitive", "alias ")
    cells = tuple(None if one is None else f"{prefix}{one:03d}" for one in numbers)
    return [Column("alias", "text", role, cells, renames=True)]


@st.composite
def _requirements(
    draw: st.DrawFn, rows: int, columns: tuple[Column, ...], entry: type[Anonymizer]
) -> tuple[int | None, tuple[dict[str, Any], ...]]:
    """A k, further requirements, or both: always at least one."""
    protected = [column for column in columns if column.role in ("target", "sensitive")]
    k = draw(st.one_of(st.none(), *[st.integers(1, min(rows, 4)), st.integers(1, min(rows, 7))] * 2))
    kinds = ["shield", "shield", "l", "l", "l", "t", "t", "t", "p", "alpha"] if protected else ["shield"]
    require = []
    for _ in range(draw(st.sampled_from((0, 1, 1, 2, 3) if protected else (0, 0, 1, 2)))):
        kind = draw(st.sampled_from(kinds))
        one: dict[str, Any] = {"name": "k", "k": draw(st.integers(1, min(rows, 6)))}
        if kind != "shield":
            one = draw(_protecting(kind, rows, draw(st.sampled_from(protected)), entry))
        if kind == "shield" or draw(st.sampled_from((False, False, True))):
            one["shield"] = draw(_shield(columns))
        # What no release could meet is worth a try now and then.
        if _reachable(columns, one) or not draw(st.integers(0, 5)):
            require.append(one)
    return (draw(st.integers(1, min(rows, 5))) if k is None and not require else k), tuple(require)


def _reachable(columns: tuple[Column, ...], one: dict[str, Any]) -> bool:
    """Whether all rows as one class would meet a requirement."""
    if one["name"] in ("k", "t"):
        return True
    cells = next(column.cells for column in columns if column.name == one["column"])
    whole = {"class": [""] * len(cells), one["column"]: cells}
    return not violations(whole, ["class"], [{**one, "shield": None}])


def _shield(columns: tuple[Column, ...]) -> st.SearchStrategy[list[str]]:
    names = [column.name for column in columns if column.role == "quasi"]
    return st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True)


@st.composite
def _protecting(draw: st.DrawFn, kind: str, rows: int, column: Column, entry: type[Anonymizer]) -> dict[str, Any]:
    """A requirement of a sensitive column that the method knows."""
    linear = "t-closeness" not in entry.guarantees
    least = draw(st.integers(1, min(rows, 3)))
    if kind == "p":
        return {"name": "p", "p": least, "k": draw(st.integers(least, min(rows, 6))), "column": column.name}
    if kind == "alpha":
        alpha = draw(st.sampled_from((1 / 3, 0.5, 0.7, 0.9, 1.0)))
        one = {"name": "alpha", "alpha": alpha, "k": draw(st.integers(1, min(rows, 4))), "column": column.name}
        words = [cell for cell in column.cells if isinstance(cell, str) and cell.isalpha() and cell not in _MARKS]
        if rows < 3:
            return {**one, "alpha": 1.0}
        simple = bool(words) and draw(st.booleans())
        return {**one, "value": draw(st.sampled_from(words))} if simple else one
    if kind == "t" and not linear:
        return draw(_closeness(column))
    shape = "distinct" if linear else draw(st.sampled_from(("distinct", "entropy", "recursive")))
    if shape == "entropy":
        return {
            "name": "l",
            "l": draw(st.sampled_from((1, min(1.5, rows), min(2, rows)))),
            "column": column.name,
            "kind": shape,
        }
    if shape == "recursive":
        c = draw(st.sampled_from((1, 1.5, 3))) if rows > least else 3
        return {"name": "l", "l": min(least, 2), "column": column.name, "kind": shape, "c": c if rows > 2 else 3}
    return {"name": "l", "l": least, "column": column.name}


@st.composite
def _closeness(draw: st.DrawFn, column: Column) -> dict[str, Any]:
    one = {"name": "t", "t": draw(st.sampled_from((0, 0.1, 0.25, 0.4, 0.6, 0.9, 1))), "column": column.name}
    distance = draw(st.sampled_from(("equal", "ordered", "hierarchical")))
    words = sorted({cell for cell in column.cells if isinstance(cell, str)})
    if distance == "ordered":
        ordered = column.kind == "text" and words and draw(st.booleans())
        return {**one, "distance": distance, **({"order": draw(st.permutations(words))} if ordered else {})}
    if distance == "hierarchical" and column.hierarchy is not None and draw(st.booleans()):
        return {**one, "distance": distance}
    if distance == "hierarchical" and column.kind == "text" and words:
        cut = draw(st.integers(0, len(words)))
        left, right = words[:cut], words[cut:]
        tree = {"any": {"A.": left, "B.": {"C.": right}} if left and right else {"A.": left or right}}
        return {**one, "distance": distance, "tree": tree}
    return {**one, "distance": "equal"}
