"""Columns that reveal their values and nothing else.

A column of a dataframe carries more than its cells. It has a list of categories, perhaps in the order in which the rows
had them, and some that no row has. Objects that are equal look different, and zeros have signs. Above all it has
buffers: text that was gathered is often a view into the buffers of the whole input, so that ``write_ipc``, ``pickle``
and the like also hand on the texts of rows that were left out, and where each text lies in the input. What stands under
a null can be a value, too.

So a table leaves Hedgerow through :func:`assemble` alone, which copies every column, cell by cell, into new buffers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.errors import BadInput, translated
from hedgerow.io.frames import OpenFrame, as_arrow, inner_types

__all__ = ["assemble", "in_one_form", "in_own_buffers", "with_plain_categories", "without_signed_zeros"]


def assemble(
    opened: OpenFrame, columns: Mapping[str, nw.Series[Any]], *, same_categories: bool = False
) -> nw.DataFrame[Any]:
    """Put columns of equal length together into a table of the kind that came in, with nothing else in it.

    ``opened.back`` makes of it the very type that came in. With ``same_categories`` columns keep all the categories of
    their types, also those that no row has: for rows that are not published, and whose types must be as they were.
    """
    own = {}
    for name, column in columns.items():
        own[name] = in_own_buffers(column.alias(name), same_categories=same_categories)
    if opened.frame.implementation.is_pyarrow():
        return nw.from_native(pa.table({name: nw.to_native(one) for name, one in own.items()}), eager_only=True)
    first, *rest = (nw.maybe_reset_index(one) for one in own.values())
    together = first.to_frame().with_columns(*rest) if rest else first.to_frame()
    native = nw.to_native(together)
    if getattr(native, "attrs", None):  # pandas hands on what somebody noted about the input
        native.attrs = {}
    return together


def in_own_buffers(column: nw.Series[Any], *, same_categories: bool = False) -> nw.Series[Any]:
    """A copy of a column that shares no memory with it, and in whose buffers nothing stands but its cells in order.

    Categories are those of :func:`with_plain_categories`, or the same ones. A type that cannot be copied is refused.
    """
    refused = BadInput(f"The column {column.name!r} is of a type that cannot be published. Make it text or numbers.")
    native = nw.to_native(column if same_categories else with_plain_categories(column))
    with translated(pa.ArrowException, into=refused):
        if column.implementation.is_polars():
            copied = _copied_polars(native, column.implementation.to_native_namespace())
        elif isinstance(native, pa.ChunkedArray):
            copied = _copied_chunks(native)
        else:
            copied = _copied_pandas(native)
    return _named(copied, column.name)


def with_plain_categories(column: nw.Series[Any]) -> nw.Series[Any]:
    """A column whose categories, if it has any, are those that it holds, in sorted order.

    Text is sorted by code point and numbers by value; ordered categories and those of polars' ``Enum`` keep their
    declared order.
    """
    native = nw.to_native(column)
    if column.implementation.is_polars():
        polars = column.implementation.to_native_namespace()
        if not (isinstance(native.dtype, polars.Categorical | polars.Enum) or column.dtype.is_nested()):
            return column
        return _named(_plain_polars(native, polars), column.name)
    if (wrapped := _arrow_of(native)) is not None:
        array, wrap = wrapped
        return _named(wrap(_plain_arrow(array)), column.name) if _has_dictionary(array.type) else column
    if hasattr(native, "cat") and hasattr(native.cat, "set_categories"):
        return _named(_plain_pandas(native), column.name)
    return column


def in_one_form(column: nw.Series[Any]) -> nw.Series[Any]:
    """A column in which equal values look alike: no −0.0 beside 0.0, no ``1`` beside ``1.0`` in a column of objects."""
    native = nw.to_native(column)
    if getattr(native, "dtype", None) == np.dtype(object):
        return _named(_same_objects(native, column), column.name)
    return _without_signs(column, native) if column.dtype.is_float() else column


def without_signed_zeros(values: pa.ChunkedArray | pa.Array) -> Any:
    """Arrow floats with every −0.0 turned into 0.0."""
    if isinstance(values, pa.ChunkedArray):
        return pa.chunked_array([without_signed_zeros(chunk) for chunk in values.chunks], values.type)
    # Through numpy, which knows floats of all widths; nulls keep their place.
    numbers = values.fill_null(0.0) if values.type != pa.float16() else values.cast(pa.float32()).fill_null(0.0)
    plain = pa.array(numbers.to_numpy(zero_copy_only=False) + 0.0, mask=values.is_null().to_numpy(zero_copy_only=False))
    return plain.cast(values.type)


def _named(native: Any, name: str) -> nw.Series[Any]:
    column: nw.Series[Any] = nw.from_native(native, series_only=True)
    return column.alias(name)


def _arrow_of(native: Any) -> tuple[pa.ChunkedArray, Callable[[pa.ChunkedArray], Any]] | None:
    """The Arrow data of a column that is made of them, and the way back to such a column."""
    if isinstance(native, pa.ChunkedArray):
        return native, lambda array: array
    if hasattr(getattr(native, "dtype", None), "pyarrow_dtype"):  # a pandas column of Arrow data
        series, storage, index = type(native), type(native.array), native.index
        array = native.array.__arrow_array__()
        chunked = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
        return chunked, lambda changed: series(storage(changed), index=index)
    return None


def _has_dictionary(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return True
    return any(_has_dictionary(kind.field(at).type) for at in range(kind.num_fields))


def _without_dictionaries(kind: pa.DataType) -> pa.DataType:
    """A nested type whose dictionaries are replaced by what they hold."""
    return inner_types(kind, lambda one: one.value_type if pa.types.is_dictionary(one) else one)


def _plain_arrow(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if not pa.types.is_dictionary(kind):
        return column.cast(_without_dictionaries(kind))
    if pa.types.is_null(kind.value_type):
        return pa.chunked_array([pa.nulls(len(column)).dictionary_encode()]).cast(kind)
    values = column.cast(kind.value_type)
    if pa.types.is_floating(kind.value_type):
        values = without_signed_zeros(values)
    held = pc.unique(values).drop_null()
    if kind.ordered:
        declared = column.unify_dictionaries().combine_chunks().dictionary
        held = declared.filter(pc.is_in(declared, held))
    else:
        held = held.take(pc.sort_indices(held))
    codes = pc.index_in(values, held).cast(kind.index_type)
    chunks = [pa.DictionaryArray.from_arrays(chunk, held, ordered=kind.ordered) for chunk in codes.chunks]
    return pa.chunked_array(chunks, kind)


def _plain_pandas(native: Any) -> Any:
    trimmed = native.cat.remove_unused_categories()
    held = trimmed.cat.categories
    if held.dtype.kind == "f":
        trimmed = trimmed.cat.rename_categories(held + 0.0)  # adding 0.0 turns -0.0 into 0.0
        held = trimmed.cat.categories
    return trimmed if trimmed.cat.ordered else trimmed.cat.set_categories(_in_order(held))


def _in_order(categories: Any) -> Any:
    """Sort categories; where they cannot be compared, by type and text."""
    try:
        return categories.sort_values()
    except TypeError:
        return type(categories)(sorted(categories, key=lambda one: (type(one).__name__, str(one))), dtype=object)


def _plain_polars(native: Any, polars: Any) -> Any:
    """Give a polars column categories of its own: those of the program are numbered as it met them."""
    if isinstance(native.dtype, polars.Enum):
        held = set(native.cast(polars.String).unique().to_list())
        declared = [one for one in native.dtype.categories.to_list() if one in held]
        return native.cast(polars.String).cast(polars.Enum(declared))
    # Not by ==, which holds only for the categories that all of the program shares, and not for named ones.
    if not isinstance(native.dtype, polars.Categorical):
        return native.cast(_without_categoricals(native.dtype, polars))
    texts = native.cast(polars.String)
    held = texts.unique().drop_nulls().sort()
    if hasattr(polars, "Categories"):
        kind = polars.Categorical(polars.Categories.random(physical=native.dtype.categories.physical()))
    else:
        kind = polars.Categorical
    # The sorted values come first, so that they get the first numbers.
    return polars.concat([held, texts]).cast(kind).slice(len(held))


def _without_categoricals(kind: Any, polars: Any) -> Any:
    if isinstance(kind, polars.Categorical | polars.Enum):
        return polars.String()
    if isinstance(kind, polars.List):
        return polars.List(_without_categoricals(kind.inner, polars))
    if isinstance(kind, polars.Array):
        return polars.Array(_without_categoricals(kind.inner, polars), kind.size)
    if isinstance(kind, polars.Struct):
        return polars.Struct({field.name: _without_categoricals(field.dtype, polars) for field in kind.fields})
    return kind


def _copied_polars(native: Any, polars: Any) -> Any:
    kind = native.dtype
    if isinstance(kind, polars.Categorical | polars.Enum):
        return native.clone()  # its numbers are new, and its categories if they were to be
    if kind == polars.Object:  # to Arrow it is an array of addresses
        return polars.Series(native.name, native.to_list(), dtype=kind)
    try:
        # The oldest level has no views, which is how polars itself holds text.
        arrow = native.to_arrow(compat_level=polars.CompatLevel.oldest())
    except pa.ArrowException:  # of a type that Arrow does not have
        return polars.Series(native.name, native.to_list(), dtype=kind)
    copied = polars.Series(native.name, _copied(arrow))
    return copied if copied.dtype == kind else copied.cast(kind)


def _copied_pandas(native: Any) -> Any:
    if hasattr(native, "cat") and hasattr(native.cat, "rename_categories"):
        held = native.cat.categories
        return native.copy().cat.rename_categories(type(held)(_copied_cells(held.array, held.dtype), dtype=held.dtype))
    return type(native)(_copied_cells(native.array, native.dtype), index=native.index, dtype=native.dtype)


def _copied_cells(cells: Any, kind: Any) -> Any:
    """The array of a pandas column, copied; one that can be Arrow also without what stands under its nulls."""
    if hasattr(cells, "__arrow_array__") and hasattr(kind, "__from_arrow__"):
        arrow = cells.__arrow_array__()
        if not isinstance(arrow.type, pa.BaseExtensionType):
            return kind.__from_arrow__(_copied_chunks(arrow) if isinstance(arrow, pa.ChunkedArray) else _copied(arrow))
    return cells.copy()


def _copied_chunks(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pa.chunked_array([_copied(chunk) for chunk in column.chunks], column.type)


def _copied(array: pa.Array) -> pa.Array:
    """An Arrow array in new buffers. Nulls are left out and put in again: no value stands under them."""
    if not array.null_count or pa.types.is_null(array.type):
        return _copied_values(array)
    valid = np.asarray(array.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
    return _copied_values(array.filter(pa.array(valid))).take(pa.array(np.cumsum(valid) - 1, mask=~valid))


def _copied_values(array: pa.Array) -> pa.Array:
    """An Arrow array without nulls in new buffers, and all arrays inside it."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, _copied(array.storage))
    if pa.types.is_dictionary(kind):
        return pa.DictionaryArray.from_arrays(_copied(array.indices), _copied(array.dictionary), ordered=kind.ordered)
    if pa.types.is_struct(kind):
        fields = [kind.field(at) for at in range(kind.num_fields)]
        if not fields:
            return pa.array([{}] * len(array), kind)
        return pa.StructArray.from_arrays([_copied(one) for one in array.flatten()], fields=fields)
    if pa.types.is_map(kind):
        entries = array.cast(pa.list_(pa.struct([kind.key_field, kind.item_field])))
        keys, items = entries.flatten().flatten()
        return pa.MapArray.from_arrays(_offsets(entries, pa.int32()), _copied(keys), _copied(items), kind)
    if pa.types.is_fixed_size_list(kind):
        return pa.FixedSizeListArray.from_arrays(_copied(array.flatten()), type=kind)
    if pa.types.is_list(kind):
        return pa.ListArray.from_arrays(_offsets(array, pa.int32()), _copied(array.flatten()), kind)
    if pa.types.is_large_list(kind):
        return pa.LargeListArray.from_arrays(_offsets(array, pa.int64()), _copied(array.flatten()), kind)
    if kind.num_fields:
        raise pa.ArrowNotImplementedError("unions, views of lists, and the like")
    return array.take(pa.array(np.arange(len(array))))


def _offsets(lists: pa.Array, kind: pa.DataType) -> pa.Array:
    """Where each list of an array without nulls begins, and where the last one ends."""
    lengths = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
    return pa.array(np.append(0, np.cumsum(lengths)), kind)


def _same_objects(native: Any, column: nw.Series[Any]) -> Any:
    """A pandas column of Python objects, each replaced by what Arrow reads it as; missing ones by ``None``."""
    array = as_arrow(column)
    if pa.types.is_nested(array.type):
        return native  # is refused where columns are encoded
    if pa.types.is_floating(array.type):
        array = without_signed_zeros(array)
    encoded = array.dictionary_encode().unify_dictionaries().combine_chunks()
    objects = np.empty(len(encoded.dictionary) + 1, dtype=object)
    objects[:-1] = encoded.dictionary.to_pylist()
    codes = encoded.indices.fill_null(len(encoded.dictionary)).to_numpy(zero_copy_only=False)
    return type(native)(objects[codes], index=native.index, dtype=object)


def _without_signs(column: nw.Series[Any], native: Any) -> nw.Series[Any]:
    if column.implementation.is_polars():
        plain = without_signed_zeros(pa.chunked_array(column.to_arrow()))
        return nw.new_series(column.name, plain, column.dtype, backend=column.implementation)
    if (wrapped := _arrow_of(native)) is not None:
        array, wrap = wrapped
        return _named(wrap(without_signed_zeros(array)), column.name)
    return _named(native + 0.0, column.name)  # adding 0.0 turns -0.0 into 0.0
