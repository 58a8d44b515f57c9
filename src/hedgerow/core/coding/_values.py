"""The coding of one column: what each of its values is published as, from counts of the people who hold it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Bools, Floats, Ints
from hedgerow.core.coding._holders import Holders
from hedgerow.core.coding._pools import Pooling, pooled
from hedgerow.core.coding._recodes import Recode
from hedgerow.core.counts import Asked, BadValues, EncodedColumn, encode_column, is_text
from hedgerow.errors import BadInput, Infeasible, plural, translated
from hedgerow.hierarchies import EncodedHierarchy, resolve
from hedgerow.io.domains import Domain
from hedgerow.io.values import COUNTED

__all__ = ["Coding", "ColumnToCode", "ValueMap", "code_column"]


@dataclass(frozen=True)
class ColumnToCode:
    """A column that is published in clear, and what is demanded of its values.

    Attributes
    ----------
    name : str
    kind : str
        How its values are read, as :func:`encode_column` has it.
    missing : tuple of str
        Texts that mean "no value".
    decimal : str
        What stands before the decimals of numbers in text.
    hierarchy : object, optional
        How rare values generalize, as in a schema.
    recode : Recode, optional
    least : int, optional
        The fewest people who may hold a value.
    bound : int, optional
        Values that fewer people hold are pooled; more than ``least`` if some records will be suppressed.
    """

    name: str
    kind: Asked
    missing: tuple[str, ...]
    decimal: str = "."
    hierarchy: Any = None
    recode: Recode | None = None
    least: int | None = None
    bound: int | None = None

    @property
    def ways_out(self) -> str:
        """What helps a column of numbers or dates with rare values."""
        name = self.name
        if self.recode is not None:
            return (
                f"Recode {name!r} more coarsely, add top:… or bottom:…, take microaggregate:{self.least}, or drop it."
            )
        return (
            f"Recode it (recode={{{name!r}: 'round:…'}}, --recode {name}=round:…; also top, bottom, microaggregate), "
            f"give it a hierarchy (--hierarchy {name}=…), say that it holds codes (--kind {name}=text), or drop it."
        )


@dataclass(frozen=True, eq=False)
class ValueMap:
    """What each value of a column is published as.

    Attributes
    ----------
    values : Arrow array
        The distinct values as they are, null among them if it occurs.
    published : Arrow array
        What each becomes: text, numbers, or the value itself.
    taken : int array, optional
        Which of the values each becomes, where all become values of the column, so that it keeps its type.
    """

    values: pa.Array
    published: pa.Array
    taken: Ints | None = None


@dataclass(frozen=True, eq=False)
class Coding:
    """The coding of a column, with what is told about it.

    Attributes
    ----------
    map : ValueMap, optional
        Absent if nothing changes.
    changed : float
        The share of rows whose value is replaced by a pool, a label or nothing, or whose number differs.
    change : float, optional
        Of recoded numbers: the mean absolute change, divided by the standard deviation.
    correlation : float, optional
        Of recoded numbers: the correlation with the original.
    tree : mapping, optional
        The hierarchy as a nested dict in which all published values are leaves, if one was given.
    pools : bool
        Whether a higher bound makes larger pools.
    """

    map: ValueMap | None = None
    changed: float = 0.0
    change: float | None = None
    correlation: float | None = None
    tree: Mapping[str, Any] | None = None
    pools: bool = False


def code_column(column: ColumnToCode, holders: Holders) -> Coding:
    """Code a column so that at least ``column.least`` people hold each of its values."""
    kind = column.kind if isinstance(column.kind, str) else "text"
    with translated(BadValues, into=lambda bad: bad.anywhere()):
        encoded = encode_column(
            column.name,
            holders.values,
            missing=column.missing,
            weights=holders.rows,
            kind=kind,
            decimal_point=column.decimal,
        )
    domain = encoded.domain
    of_codes = holders.merged(encoded.codes, domain.size)
    if column.recode is not None:
        return _recoded(column, column.recode, encoded, holders, of_codes)
    if column.least is None:
        return Coding()
    if domain.kind == "text" or column.hierarchy is not None:
        return _pooled(column, encoded, holders, of_codes)
    _refuse_rare(column, domain, of_codes)
    pooling = _required(column, pooled(of_codes, domain, column.bound or column.least, only_missing=True))
    return _spelled(column, encoded, holders, of_codes, pooling)


def _required(column: ColumnToCode, pooling: Pooling | None) -> Pooling:
    if pooling is None:
        raise Infeasible(
            f"All values of {column.name!r} together are held by fewer than {plural(column.bound or 1, 'people')}. "
            "Lower min_people (--min-people), or drop the column."
        )
    return pooling


def _refuse_rare(column: ColumnToCode, domain: Domain, holders: Holders) -> None:
    """Refuse numbers and dates that too few people hold."""
    least = column.least or 1
    few = int((holders.people[: len(domain.labels)] < least).sum())
    if few:
        what = "values" if column.recode is None else "recoded values"
        raise Infeasible(
            f"The column {column.name!r} holds {domain.kind}s, and {few:,} of its {len(domain.labels):,} {what} are "
            f"held by fewer than {plural(least, 'people')}. {column.ways_out}"
        )


# --------------------------------------------------------------------------------------------------
# Text and codes: pooled, and written as text.


def _pooled(column: ColumnToCode, encoded: EncodedColumn, holders: Holders, of_codes: Holders) -> Coding:
    domain, hierarchy = encoded.domain, None
    if column.hierarchy is not None:
        hierarchy = resolve(column.hierarchy, domain, column.name)
    pooling = _required(
        column,
        pooled(of_codes, domain, column.bound or column.least or 1, hierarchy=hierarchy, avoid=column.missing),
    )
    coding = _spelled(column, encoded, holders, of_codes, pooling)
    tree = None if coding.map is None or hierarchy is None else _with_leaves(hierarchy, pooling)
    return replace(coding, tree=tree, pools=True)


def _spelled(
    column: ColumnToCode, encoded: EncodedColumn, holders: Holders, of_codes: Holders, pooling: Pooling
) -> Coding:
    """The map of the values: pools under their labels, and every value in one spelling."""
    domain = encoded.domain
    several = len(np.unique(encoded.codes)) < len(encoded.codes)
    if not (pooling.changes.any() or several):
        return Coding()
    changed = float(of_codes.rows[pooling.changes].sum() / of_codes.rows.sum())
    gone = np.zeros(domain.size, dtype=bool)
    if domain.has_missing:
        gone[domain.missing_code] = True
    pools = np.array([label is None for label in pooling.labels], dtype=bool)
    gone[pooling.changes] = pools[pooling.pool[pooling.changes]] if len(pools) else False
    if not any(pooling.labels):
        becomes = np.where(gone, domain.missing_code, np.arange(domain.size))
        taken = np.unique(encoded.codes, return_index=True)[1][becomes][encoded.codes].astype(np.int32)
        return Coding(ValueMap(holders.values, holders.values.take(pa.array(taken)), taken), changed)
    labels = [_with_decimal(label, domain, column.decimal) for label in domain.labels.tolist()]
    texts = [
        pooling.labels[pool] if pool >= 0 else None if missing else labels[code]
        for code, (pool, missing) in enumerate(zip(pooling.pool.tolist(), gone.tolist(), strict=True))
    ]
    return Coding(ValueMap(holders.values, pa.array(texts, pa.string()).take(pa.array(encoded.codes))), changed)


def _with_decimal(label: str, domain: Domain, decimal: str) -> str:
    return label.replace(".", decimal) if domain.kind == "number" else label


def _with_leaves(hierarchy: EncodedHierarchy, pooling: Pooling) -> dict[str, Any]:
    """A hierarchy as a nested dict in which what pools publish are leaves, each below the node that it stands for."""
    added: dict[int, list[str]] = {}
    for node, label in pooling.placed:
        added.setdefault(node, []).append(label)
    inside: list[dict[str, Any]] = [{} for _ in hierarchy.labels]
    for node, text in enumerate(hierarchy.labels):
        if node != hierarchy.root and text is not None:
            inside[hierarchy.parent[node]][text] = inside[node]
    for node, labels in added.items():
        for label in labels:
            inside[node].setdefault(label, {})
    return {str(hierarchy.labels[hierarchy.root]): inside[hierarchy.root]}


# --------------------------------------------------------------------------------------------------
# Numbers: recoded, and written as numbers, or as text where ends are open.


def _recoded(
    column: ColumnToCode, recode: Recode, encoded: EncodedColumn, holders: Holders, of_codes: Holders
) -> Coding:
    domain = encoded.domain
    if domain.kind != "number":
        raise BadInput(
            f"A recode is given for {column.name!r}, which holds {'dates' if domain.kind == 'date' else 'text'}. "
            f"Recodes are for numbers: give it a hierarchy instead (--hierarchy {column.name}=…)."
        )
    values = domain.values
    known = _first_codes(of_codes, len(values))
    numbers = recode.apply(values, known, column.bound or 1, column.name)
    low, high = recode.ends(values)
    key = np.unique(np.stack([numbers, low, high], axis=1), axis=0, return_inverse=True)[1].reshape(-1)
    group = np.append(key, key.max(initial=-1) + 1)[: domain.size].astype(np.int32)
    merged = of_codes.merged(group, int(group.max()) + 1)
    gone = np.zeros(len(merged.rows), dtype=bool)
    if column.least is not None:
        gone = _too_few(column, domain, merged)
    loss = _losses(values, numbers, known.rows.astype(np.float64))
    mask = np.append(gone[group][: len(values)], np.ones(domain.size - len(values), dtype=bool))[encoded.codes]
    if recode.writes_text or is_text(holders.values.type):
        texts = [
            _with_decimal(recode.text_of(number, low=below, high=above), domain, column.decimal)
            for number, below, above in zip(numbers.tolist(), low.tolist(), high.tolist(), strict=True)
        ]
        published = pa.array(texts, pa.string())
    else:
        published = _as_numbers(numbers, holders.values.type)
    return Coding(
        ValueMap(holders.values, published.take(pa.array(encoded.codes, mask=mask))),
        *loss,
        pools=recode.groups is not None,
    )


def _first_codes(holders: Holders, number: int) -> Holders:
    """The holders of the first codes, without that of missing values."""
    pairs = holders.pairs
    return Holders(holders.values, holders.rows[:number], None if pairs is None else pairs[pairs[:, 0] < number])


def _too_few(column: ColumnToCode, domain: Domain, merged: Holders) -> Bools:
    """The recoded values that become missing beside missing values of too few people; refused if numbers are rare."""
    number = len(merged.rows) - domain.has_missing
    groups = Domain(
        domain.name, "number", np.array([str(at).zfill(20) for at in range(number)]), None, domain.has_missing
    )
    _refuse_rare(column, groups, merged)
    pooling = _required(column, pooled(merged, groups, column.bound or column.least or 1, only_missing=True))
    return pooling.changes


def _as_numbers(numbers: Floats, kind: pa.DataType) -> pa.Array:
    """Recoded numbers: whole ones stay whole if the column holds whole numbers."""
    whole = pa.types.is_integer(kind) and bool(((numbers == np.round(numbers)) & (np.abs(numbers) < COUNTED)).all())
    return pa.array(numbers.astype(np.int64) if whole else numbers)


def _losses(numbers: Floats, coded: Floats, rows: Floats) -> tuple[float, float | None, float | None]:
    """The share of rows that change, the mean absolute change in standard deviations, and the correlation."""
    changed = float(rows[numbers != coded].sum() / rows.sum()) if len(rows) else 0.0
    if len(rows) < 2:
        return changed, None, None
    spread = [
        np.sqrt(np.average((part - np.average(part, weights=rows)) ** 2, weights=rows)) for part in (numbers, coded)
    ]
    change = float(np.average(np.abs(coded - numbers), weights=rows) / spread[0])
    if not spread[1] > 0:
        return changed, change, 0.0
    centered = [part - np.average(part, weights=rows) for part in (numbers, coded)]
    return changed, change, float(np.average(centered[0] * centered[1], weights=rows) / (spread[0] * spread[1]))
