"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hedgerow.errors import BadInput

__all__ = ["appearing", "check_place"]


def check_place(path: Path) -> None:
    """Refuse a place that no file can be written to."""
    if path.is_dir():
        raise BadInput(f"{str(path)!r} is a folder. Name a file.")
    if not path.parent.is_dir():
        raise BadInput(f"There is no folder {str(path.parent)!r} to write to.")
    if not os.access(path.parent, os.W_OK):
        raise BadInput(f"The folder {str(path.parent)!r} cannot be written to.")


@contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """A hidden name to write to; the file takes its real name only when it is complete and on disk."""
    staged = path.with_name(f".{secrets.token_hex(4)}.partial.{path.name}")
    try:
        yield staged
        with staged.open("rb") as written:
            os.fsync(written.fileno())
        staged.replace(path)
    except OSError:
        raise BadInput(f"The file {str(path)!r} cannot be written. Is the disk full?") from None
    finally:
        staged.unlink(missing_ok=True)
