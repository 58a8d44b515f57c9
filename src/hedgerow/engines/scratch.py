"""Temporary folders that go away with the object that needed them."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path

__all__ = ["Scratch"]


class Scratch:
    """A folder that only this user can read, removed when the object is no longer used or the program ends.

    ``tempfile.TemporaryDirectory`` warns if it is not closed by hand; a release has nobody who would close it.

    Parameters
    ----------
    inside : Path, optional
        The folder to make it in, hidden; the system's temporary folder if not given.

    Examples
    --------
    >>> scratch = Scratch()
    >>> path = scratch.path
    >>> del scratch
    >>> path.exists()
    False
    """

    def __init__(self, inside: Path | None = None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="hedgerow-" if inside is None else ".hedgerow-", dir=inside))
        self._removal = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def keep_for(self, user: object) -> None:
        """Keep the folder at least as long as another object lives."""
        weakref.finalize(user, lambda _folder: None, self)
