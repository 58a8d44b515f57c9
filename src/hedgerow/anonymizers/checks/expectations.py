"""What a check says when the contract is broken."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from hedgerow.errors import HedgerowError

__all__ = ["expect", "refused"]


def expect(holds: bool, sentence: str) -> None:
    """Fail with the name of the check that asks; unlike ``assert`` also under ``python -O``."""
    if not holds:
        raise AssertionError(f"{inspect.stack()[1].function}: {sentence}")


@contextmanager
def refused(kind: type[HedgerowError], table: pa.Table, why: str) -> Iterator[None]:
    """Expect an error, and that neither it nor what it came from quotes a cell of the table."""
    try:
        yield
    except kind as error:
        shown = "".join(_chain(error))
        cells = {cell for name in table.column_names for cell in table[name].to_pylist() if isinstance(cell, str)}
        told = sum(cell in shown for cell in cells if len(cell) > 3)
        if told:
            raise AssertionError(f"The error for {why} quotes {told} cells of the table.") from None
        return
    except Exception as error:
        raise AssertionError(f"{why} should raise {kind.__name__}, not {type(error).__name__}.") from error
    raise AssertionError(f"{why} should raise {kind.__name__}.")


def _chain(error: BaseException) -> Iterator[str]:
    """What a traceback would print of the errors, without the lines of source."""
    link: traceback.TracebackException | None = traceback.TracebackException.from_exception(error)
    while link is not None:
        yield from link.format_exception_only()
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
