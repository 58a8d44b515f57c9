"""Columns that tell their values and nothing else.

A column of a dataframe carries more than its cells: a list of categories in the order in which the rows had them, codes
of that list, categories that no row has, objects that are equal and look different, zeros with a sign. Whatever is
published as it stands passes through here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.frames import as_arrow

__all__ = ["in_one_form", "with_plain_categories", "without_signed_zeros"]


def with_plain_categories(column: nw.Series[Any]) -> nw.Series[Any]:
    """A column whose categories, if it has any, are those that it holds, in sorted order.

    Text is sorted by code point and numbers by value; ordered categories keep their declared order. polars' ``Enum``
    stays as it is: there the categories belong to the type, not to the column.
    """
    native = nw.to_native(column)
    if column.implementation.is_polars():
        polars = column.implementation.to_native_namespace()
        if not (isinstance(native.dtype, polars.Categorical) or column.dtype.is_nested()):
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
    if pa.types.is_dictionary(kind):
        return _without_dictionaries(kind.value_type)
    if pa.types.is_struct(kind):
        return pa.struct([_plain_field(kind.field(at)) for at in range(kind.num_fields)])
    if pa.types.is_map(kind):
        return pa.map_(_plain_field(kind.key_field), _plain_field(kind.item_field))
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_plain_field(kind.value_field), kind.list_size)
    if pa.types.is_list(kind):
        return pa.list_(_plain_field(kind.value_field))
    return pa.large_list(_plain_field(kind.value_field)) if pa.types.is_large_list(kind) else kind


def _plain_field(field: pa.Field) -> pa.Field:
    return pa.field(field.name, _without_dictionaries(field.type), field.nullable)


def _plain_arrow(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if not pa.types.is_dictionary(kind):
        return column.cast(_without_dictionaries(kind))
    if pa.types.is_null(kind.value_type):
        return column
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
    if isinstance(kind, polars.Categorical):
        return polars.String()
    if isinstance(kind, polars.List):
        return polars.List(_without_categoricals(kind.inner, polars))
    if isinstance(kind, polars.Array):
        return polars.Array(_without_categoricals(kind.inner, polars), kind.size)
    if isinstance(kind, polars.Struct):
        return polars.Struct({field.name: _without_categoricals(field.dtype, polars) for field in kind.fields})
    return kind


def _same_objects(native: Any, column: nw.Series[Any]) -> Any:
    """A pandas column of Python objects, each replaced by what Arrow reads it as; missing ones by ``None``."""
    array = as_arrow(column)
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
