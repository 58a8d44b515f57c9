"""Input files: text, Parquet and workbooks, alone, in folders and archives, or from standard input.

:func:`find_table` finds the files behind an argument. :func:`open_parts` unpacks them and recognizes their encoding and
delimiter. The result is plain files: CSV, perhaps compressed, and Parquet. The engines and the verifier may both import
this package, and share nothing else: each reads the records with its own parser.
"""

from hedgerow.io.readers._table_files import NO_VALUE, STANDARD_INPUT, TableFiles, find_table, is_hidden
from hedgerow.io.readers.parts import (
    Part,
    SparkFiles,
    check_delimiter,
    check_encoding,
    open_parts,
    refuse_other_columns,
    with_folder_columns,
    written_here,
)

__all__ = [
    "NO_VALUE",
    "STANDARD_INPUT",
    "Part",
    "SparkFiles",
    "TableFiles",
    "check_delimiter",
    "check_encoding",
    "find_table",
    "is_hidden",
    "open_parts",
    "refuse_other_columns",
    "with_folder_columns",
    "written_here",
]
