"""Find the first byte that is not UTF-8, in bounded memory."""

from __future__ import annotations

import codecs

from convspec.findings import Span

_CHUNK = 1 << 20


def first_bad_byte(data: bytes, start: int = 0) -> tuple[Span, bool] | None:
    """Return where `data` stops being UTF-8, or None where all of it is.

    The span covers the byte or the broken sequence. The flag is true where the data merely ends
    inside a character.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(data)
    for begin in range(start, max(len(data), start + 1), _CHUNK):
        chunk = view[begin : begin + _CHUNK]
        pending = len(decoder.getstate()[0])
        last = begin + _CHUNK >= len(data)
        try:
            decoder.decode(chunk, last)
        except UnicodeDecodeError as error:
            offset = begin - pending
            cut = last and error.reason == "unexpected end of data"
            return Span(offset + error.start, offset + error.end), cut
    return None
