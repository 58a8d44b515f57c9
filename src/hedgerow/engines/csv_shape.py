"""A look at the bytes of a CSV before DuckDB reads it: how many records it has, and whether DuckDB takes them as meant.

DuckDB is fast and lenient: it drops a last line that is too long for its buffers, and passes over a space before a
quote and an empty field too many. So the bytes are counted here, by rules that have nothing to do with DuckDB's, and
whatever is not plainly regular is read by Python's csv instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Bools, Longs
from hedgerow.engines import csv_text
from hedgerow.errors import BadInput, translated
from hedgerow.intake import Part
from hedgerow.intake.parts import BROKEN_ARCHIVE

__all__ = ["CsvShape", "look_at"]

_QUOTE, _LF, _CR = b'"\n\r'
_BLOCK: Final = 1 << 16  # small enough for the processor's cache
_MARK: Final = b"\xef\xbb\xbf"
# Delimiters that DuckDB is known to treat like any other sign; a file with another one is read by Python's csv.
_PLAIN_DELIMITERS: Final = ",;\t|"

Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class CsvShape:
    """What a CSV looks like from outside.

    Attributes
    ----------
    records : int
        How many there are after the header. A blank line is one only where there is one column.
    plain : bool
        Whether DuckDB reads them as Python's csv does; if not, ``records`` says nothing.
    spans_lines : bool
        Whether a quoted field holds a line end. DuckDB must not start to read in the middle of such a file.
    """

    records: int
    plain: bool
    spans_lines: bool


def look_at(part: Part, columns: int) -> CsvShape:
    """Look at a CSV in UTF-8.

    A file is plain if each quote opens or closes a whole field or is doubled inside one, and all records together
    have as many delimiters as they should.
    """
    if part.delimiter not in _PLAIN_DELIMITERS:
        return CsvShape(0, plain=False, spans_lines=False)
    scan = _Scan(part.name, ord(part.delimiter))
    with translated(*BROKEN_ARCHIVE, into=lambda _: csv_text.damaged(part)):
        for block, following in _blocks(part):
            scan.take(block, following)
            if scan.irregular:
                return CsvShape(0, plain=False, spans_lines=False)
    scan.finish()
    records = scan.records - 1 - (0 if columns == 1 else scan.blank)
    plain = not scan.irregular and scan.delimiters == (columns - 1) * (records + 1)
    return CsvShape(records, plain, scan.spans_lines)


def _blocks(part: Part) -> Iterator[tuple[Bytes, int]]:
    """The bytes without the mark of UTF-8, block by block, each with the byte that follows it (at last a line end)."""
    with part.open_bytes() as raw:
        start = raw.read(len(_MARK))
        held = b"" if start == _MARK else start
        while read := raw.read(_BLOCK):
            if held:
                yield np.frombuffer(held, np.uint8), read[0]
            held = read
        if held:
            yield np.frombuffer(held, np.uint8), _CR


@dataclass
class _Scan:
    """Counts over the bytes seen so far."""

    name: str
    delimiter: int
    irregular: bool = False
    spans_lines: bool = False
    delimiters: int = 0
    inside: bool = False  # between an opening and a closing quote
    before: int = _LF  # the byte before the next block; a file begins as a line does
    seen: int = 0
    ended: int = 0  # where the last record ended
    line: int = 1  # on which the next record begins
    above: int = 0  # line ends before the block, also those inside of quotes
    records: int = 0
    blank: int = 0
    end: bytes = b""  # how lines end: b"\n", b"\r\n" or b"\r"
    hidden: bytes = b""  # how they end inside of quotes, if some do

    def take(self, block: Bytes, following: int) -> None:
        """Count one block."""
        outside = self._outside(block, following)
        if self.irregular:
            return
        self.delimiters += int(np.count_nonzero(_among(block == self.delimiter, outside)))
        self._take_lines(_Lines(block, self.before, following), outside)
        self.before = int(block[-1])
        self.seen += len(block)

    def _outside(self, block: Bytes, following: int) -> Bools | None:
        """Which bytes are outside of quotes (``None`` if all are), after a look at the quotes themselves.

        Every second quote opens and the others close; a doubled one inside a field closes and opens. At the outer
        side of each must stand the end of a field.
        """
        quote = block == _QUOTE
        if not quote.any():
            return np.zeros(len(block), dtype=bool) if self.inside else None
        within = _odd_so_far(quote)
        if self.inside:
            within = ~within
        beside = np.concatenate([np.array([self.before], np.uint8), block, np.array([following], np.uint8)])
        edge = (beside == self.delimiter) | (beside == _LF) | (beside == _CR) | (beside == _QUOTE)
        self.irregular = bool((quote & within & ~edge[:-2]).any() or (quote & ~within & ~edge[2:]).any())
        self.inside = bool(within[-1])
        return ~within

    def _take_lines(self, lines: _Lines, outside: Bools | None) -> None:
        feeds = np.flatnonzero(_among(lines.feed, outside))
        backs = np.flatnonzero(_among(lines.back, outside))
        if outside is not None:
            self._take_hidden(lines, np.flatnonzero(lines.feed & ~outside), np.flatnonzero(lines.back & ~outside))
        if len(feeds) or len(backs):
            self.end = self.end or lines.first_end(feeds, backs)
            odd = lines.odd(self.end, feeds, backs)
            if len(odd):
                raise BadInput(
                    f"Line {self.above + lines.number(odd[0]) + 1} of {self.name!r} ends in another way than the "
                    "first. Let all lines end alike."
                )
        self._take_records(lines, backs if self.end == b"\r" else feeds)
        self.above += lines.number(len(lines.block))

    def _take_hidden(self, lines: _Lines, feeds: Longs, backs: Longs) -> None:
        """Line ends inside of quotes: DuckDB is not sure of records if they differ from those outside."""
        if not len(feeds) and not len(backs):
            return
        self.spans_lines = True
        self.hidden = self.hidden or lines.first_end(feeds, backs)
        self.irregular |= len(lines.odd(self.hidden, feeds, backs)) > 0

    def _take_records(self, lines: _Lines, ends: Longs) -> None:
        past = self.seen + ends + 1
        lengths = np.diff(past, prepend=self.ended)
        long = np.flatnonzero(lengths > csv_text.LONGEST_LINE)
        if len(long):
            first = int(long[0])
            raise csv_text.too_long(
                self.name, self.above + lines.number(ends[first - 1] + 1) + 1 if first else self.line
            )
        self.blank += int((lengths == len(self.end)).sum())
        self.records += len(ends)
        if len(ends):
            self.ended = int(past[-1])
            self.line = self.above + lines.number(ends[-1] + 1) + 1
        if self.seen + len(lines.block) - self.ended > csv_text.LONGEST_LINE:
            raise csv_text.too_long(self.name, self.line)

    def finish(self) -> None:
        """Count the last record if it lacks its line end."""
        self.irregular |= self.inside or self.hidden not in (b"", self.end)
        self.records += self.seen > self.ended


class _Lines:
    """The line ends of a block, seen with the bytes beside it."""

    def __init__(self, block: Bytes, before: int, following: int) -> None:
        self.block = block
        self.feed = block == _LF
        self.back = block == _CR
        self._beside = before, following

    def _ahead(self, places: Longs) -> Bytes:
        return np.append(self.block, np.uint8(self._beside[1]))[places + 1]

    def _behind(self, places: Longs) -> Bytes:
        return np.append(self.block, np.uint8(self._beside[0]))[places - 1]  # at -1 stands the byte before the block

    def number(self, place: int) -> int:
        """How many lines end before a place of the block, inside of quotes or not."""
        alone = np.flatnonzero(self.back[:place])
        if len(alone):
            alone = alone[self._ahead(alone) != _LF]
        return int(np.count_nonzero(self.feed[:place])) + len(alone)

    def first_end(self, feeds: Longs, backs: Longs) -> bytes:
        """How the first of these lines ends."""
        if not len(backs) or (len(feeds) and feeds[0] < backs[0]):
            return b"\n"
        return b"\r\n" if self._ahead(backs[:1])[0] == _LF else b"\r"

    def odd(self, end: bytes, feeds: Longs, backs: Longs) -> Longs:
        """Where lines end in another way than expected: DuckDB would refuse them, or take them for text."""
        if end == b"\n":
            return backs
        if end == b"\r":
            return feeds
        return np.sort(np.append(backs[self._ahead(backs) != _LF], feeds[self._behind(feeds) != _CR]))


def _odd_so_far(found: Bools) -> Bools:
    """At each place, whether an odd number was found up to there: a running parity, 64 places at a time.

    >>> _odd_so_far(np.array([False, True, False, True, True])).tolist()
    [False, True, True, False, True]
    """
    bits = np.packbits(found, bitorder="little")
    words = np.zeros(-(-len(bits) // 8), dtype="<u8")
    words.view(np.uint8)[: len(bits)] = bits
    for shift in (1, 2, 4, 8, 16, 32):
        words ^= words << np.uint64(shift)
    # The highest bit of a word is the parity of the whole word; the words before decide whether to turn it round.
    before = np.bitwise_xor.accumulate(words >> np.uint64(63))
    words[1:] ^= np.uint64(0) - before[:-1]
    return np.unpackbits(words.view(np.uint8), count=len(found), bitorder="little").view(np.bool_)


def _among(found: Bools, some: Bools | None) -> Bools:
    return found if some is None else found & some
