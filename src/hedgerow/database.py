"""DuckDB connections of our own: they see only what is handed to them.

DuckDB finds tables that a query names also among the Python variables around it, and downloads what it misses. Here
it does neither: a name in our queries means a view that we made, or nothing.
"""

from __future__ import annotations

from typing import Any, Final

import duckdb

__all__ = ["open_database"]

_CLOSED: Final[dict[str, Any]] = {
    "python_enable_replacements": False,
    "python_scan_all_frames": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


def open_database(**settings: Any) -> duckdb.DuckDBPyConnection:
    """Open a private database in memory.

    Parameters
    ----------
    **settings
        DuckDB's settings, such as ``memory_limit``.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [39]})
    >>> with open_database() as database:
    ...     database.from_arrow(people).fetchall()
    [(39,)]
    """
    return duckdb.connect(config={**_CLOSED, **settings})
