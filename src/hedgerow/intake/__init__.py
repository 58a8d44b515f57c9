"""What tables come as: files of several kinds, alone, in folders and archives, or from standard input.

Neutral ground between the engine and the verifier, which share nothing else. It finds the files behind what was typed,
unpacks what is packed, and looks at the first bytes for encoding and delimiter. What comes out are plain files: CSV,
perhaps gzipped, and Parquet. Their records are read by the engine and by the verifier, each with parsers of its own.
"""

from hedgerow.intake.columns import refuse_other_columns
from hedgerow.intake.finding import STANDARD_INPUT, Found, find_table
from hedgerow.intake.opening import open_parts
from hedgerow.intake.parts import Part, check_delimiter, check_encoding, written_here

__all__ = [
    "STANDARD_INPUT",
    "Found",
    "Part",
    "check_delimiter",
    "check_encoding",
    "find_table",
    "open_parts",
    "refuse_other_columns",
    "written_here",
]
