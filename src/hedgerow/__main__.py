"""``python -m hedgerow``: the same as the ``hedgerow`` command."""

import sys

from hedgerow.cli import main

if __name__ == "__main__":
    sys.exit(main())
