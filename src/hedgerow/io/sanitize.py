"""Columns that reveal their values and nothing else.

A column of a dataframe carries more than its cells. It lists categories, perhaps in the order of the rows, and perhaps
some that no row has. Equal objects may look different, and zeros have signs. Above all, it has buffers: text taken from
a table is often a view into the buffers of the whole input. Then ``write_ipc``, ``pickle`` and the like also write the
texts of omitted rows, and the place of each text in the input. A value may even stand under a null.

So every table leaves Hedgerow through :func:`assemble`, which copies each column, cell by cell, into new buffers.
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
    """Combine columns of equal length into a table of the input's backend that contains nothing else.

    ``opened.back`` converts the result to the input's type. With ``same_categories`` the columns keep all categories of
    their types, even unused categories: for rows that are not published and whose types must not change.
    """
    own = {
        name: in_own_buffers(column.alias(name), same_categories=same_categories) for name, column in columns.items()
    }
    if opened.frame.implementation.is_pyarrow():
        return nw.from_native(pa.table({name: nw.to_native(own[name]) for name in own}), eager_only=True)
    first, *rest = map(nw.maybe_reset_index, own.values())
    table = first.to_frame().with_columns(*rest) if rest else first.to_frame()
    native = nw.to_native(table)
    if getattr(native, "attrs", None):  # pandas copies the notes that users attach to a frame
        native.attrs = {}
    return table


def in_own_buffers(column: nw.Series[Any], *, same_categories: bool = False) -> nw.Series[Any]:
    """A copy of a column that shares no memory with it, and whose buffers contain only its cells, in order.

    Its categories are those of :func:`with_plain_categories`, or unchanged. A type that cannot be copied is refused.
    """
    refused = BadInput(f"The column {column.name!r} is of a type that cannot be published. Make it text or numbers.")
    native = nw.to_native(column if same_categories else with_plain_categories(column))
    with translated(pa.ArrowException, into=refused):
        if column.implementation.is_polars():
            copied = _copied_polars(native, column.implementation.to_native_namespace())
        elif isinstance(native, pa.ChunkedArray):
            copied = _copied(native)
        else:
            copied = _copied_pandas(native)
    return _named(copied, column.name)


def with_plain_categories(column: nw.Series[Any]) -> nw.Series[Any]:
    """A column whose categories, if any, are sorted and all occur in it.

    Text is sorted by code point, numbers by value. Ordered categories and those of a polars ``Enum`` keep their
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
    """A column in which equal values look equal: no −0.0 beside 0.0, and no ``1`` beside ``1.0`` among objects."""
    native = nw.to_native(column)
    if getattr(native, "dtype", None) == np.dtype(object):
        return _named(_same_objects(native, column), column.name)
    return _without_signs(column, native) if column.dtype.is_float() else column


def without_signed_zeros(values: pa.ChunkedArray | pa.Array) -> Any:
    """Arrow floats with every −0.0 turned into 0.0."""
    if isinstance(values, pa.ChunkedArray):
        return pa.chunked_array([without_signed_zeros(chunk) for chunk in values.chunks], values.type)
    # Through numpy, which supports floats of all widths; nulls keep their place.
    numbers = values.fill_null(0.0) if values.type != pa.float16() else values.cast(pa.float32()).fill_null(0.0)
    plain = pa.array(numbers.to_numpy(zero_copy_only=False) + 0.0, mask=values.is_null().to_numpy(zero_copy_only=False))
    return plain.cast(values.type)


def _named(native: Any, name: str) -> nw.Series[Any]:
    column: nw.Series[Any] = nw.from_native(native, series_only=True)
    return column.alias(name)


def _arrow_of(native: Any) -> tuple[pa.ChunkedArray, Callable[[pa.ChunkedArray], Any]] | None:
    """The Arrow data of a column that consists of such data, and the function that makes it such a column again."""
    if isinstance(native, pa.ChunkedArray):
        return native, lambda array: array
    if hasattr(getattr(native, "dtype", None), "pyarrow_dtype"):  # a pandas column of Arrow data
        series, storage, index = type(native), type(native.array), native.index
        array = native.array.__arrow_array__()
        chunked = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
        return chunked, lambda changed: series(storage(changed), index=index)
    return None


def _has_dictionary(kind: pa.DataType) -> bool:
    inner = [kind.field(at).type for at in range(kind.num_fields)]
    return pa.types.is_dictionary(kind) or any(map(_has_dictionary, inner))


def _plain_arrow(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if not pa.types.is_dictionary(kind):  # a nested type: its dictionaries become the types of their values
        return column.cast(inner_types(kind, lambda part: part.value_type if pa.types.is_dictionary(part) else part))
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
    """Sort categories, by type and text if they cannot be compared."""
    try:
        return categories.sort_values()
    except TypeError:
        return type(categories)(sorted(categories, key=lambda value: (type(value).__name__, str(value))), dtype=object)


def _plain_polars(native: Any, polars: Any) -> Any:
    """Give a polars column its own categories: the shared ones are numbered in order of appearance in the program."""
    if isinstance(native.dtype, polars.Enum):
        held = set(native.cast(polars.String).unique().to_list())
        declared = [category for category in native.dtype.categories.to_list() if category in held]
        return native.cast(polars.String).cast(polars.Enum(declared))
    # Not by ==, which holds for the shared categories of the program but not for named ones.
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
        return native.clone()  # its numbers are already new, and its categories, if they are to change
    if kind == polars.Object:  # in Arrow it would be an array of addresses
        return polars.Series(native.name, native.to_list(), dtype=kind)
    try:
        # The oldest level avoids views, by which polars itself stores text.
        arrow = native.to_arrow(compat_level=polars.CompatLevel.oldest())
    except pa.ArrowException:  # a type that Arrow lacks
        return polars.Series(native.name, native.to_list(), dtype=kind)
    copied = polars.Series(native.name, _copied(arrow))
    return copied if copied.dtype == kind else copied.cast(kind)


def _copied_pandas(native: Any) -> Any:
    if hasattr(native, "cat") and hasattr(native.cat, "rename_categories"):
        held = native.cat.categories
        return native.copy().cat.rename_categories(type(held)(_copied_cells(held.array, held.dtype), dtype=held.dtype))
    return type(native)(_copied_cells(native.array, native.dtype), index=native.index, dtype=native.dtype)


def _copied_cells(cells: Any, kind: Any) -> Any:
    """A copy of the array of a pandas column; of an Arrow array, without the values under its nulls."""
    if hasattr(cells, "__arrow_array__") and hasattr(kind, "__from_arrow__"):
        arrow = cells.__arrow_array__()
        if not isinstance(arrow.type, pa.BaseExtensionType):
            return kind.__from_arrow__(_copied(arrow))
    return cells.copy()


def _copied(array: pa.Array | pa.ChunkedArray) -> Any:
    """Arrow data in new buffers. Nulls are taken out and put back, so that no value stands under them."""
    kind = array.type
    if isinstance(array, pa.ChunkedArray):
        return pa.chunked_array([_copied(chunk) for chunk in array.chunks], kind)
    if array.null_count and not pa.types.is_null(kind):
        valid = np.asarray(array.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
        return _copied(array.filter(pa.array(valid))).take(pa.array(np.cumsum(valid) - 1, mask=~valid))
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, _copied(array.storage))
    if pa.types.is_dictionary(kind):
        return pa.DictionaryArray.from_arrays(_copied(array.indices), _copied(array.dictionary), ordered=kind.ordered)
    if kind.num_fields or pa.types.is_struct(kind):
        return _copied_nested(array)
    return array.take(pa.array(np.arange(len(array))))


def _copied_nested(array: pa.Array) -> pa.Array:
    """A nested Arrow array without nulls, and all arrays inside it, in new buffers."""
    kind = array.type
    if pa.types.is_struct(kind):
        fields = [kind.field(at) for at in range(kind.num_fields)]
        if not fields:
            return pa.array([{}] * len(array), kind)
        return pa.StructArray.from_arrays([_copied(field) for field in array.flatten()], fields=fields)
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
    raise pa.ArrowNotImplementedError("unions, views of lists, and the like")


def _offsets(lists: pa.Array, kind: pa.DataType) -> pa.Array:
    """The offset of each list of an array without nulls, and the end of the last list."""
    lengths = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
    return pa.array(np.append(0, np.cumsum(lengths)), kind)


def _same_objects(native: Any, column: nw.Series[Any]) -> Any:
    """A pandas column of Python objects, each replaced by Arrow's reading of it, and missing values by ``None``."""
    array = as_arrow(column)
    if pa.types.is_nested(array.type):
        return native  # encoding the column refuses it
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
