"""What tables come as: files of several kinds, alone, in folders and archives, or from standard input.

Neutral ground between the engine and the verifier, which share nothing else. It finds the files behind what was typed,
unpacks what is packed, and looks at the first bytes for encoding and delimiter. What comes out are plain files: CSV,
perhaps compressed, and Parquet. Their records are read by the engine and by the verifier, each with parsers of its own.
"""

from hedgerow.io.readers._finding import NO_VALUE, STANDARD_INPUT, Found, find_table, is_hidden
from hedgerow.io.readers._spark_files import SparkFiles
from hedgerow.io.readers.opening import open_parts, refuse_other_columns, with_folder_columns
from hedgerow.io.readers.parts import Part, check_delimiter, check_encoding, written_here

__all__ = [
    "NO_VALUE",
    "STANDARD_INPUT",
    "Found",
    "Part",
    "SparkFiles",
    "check_delimiter",
    "check_encoding",
    "find_table",
    "is_hidden",
    "open_parts",
    "refuse_other_columns",
    "with_folder_columns",
    "written_here",
]
