"""The copy that a repair wrote, held against what a case of the kind `recover` expects.

Only the safe steps are asked for, whose outcome is the same for everybody (session.md#recovering).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from convspec.conformance.results import Logs
from convspec.conformance.written import LONGEST_LOG
from convspec.frozen import same
from convspec.text.strict_json import MISSING, parse

_SPACE = b" \t\r\n"


def output_of(path: str) -> str:
    """Return where the copy of an input is to be written: beside it, under a name that nothing has."""
    return os.path.join(os.path.dirname(path), "repaired-" + os.path.basename(path))


def recovered_differences(
    case: Mapping[str, Any], answer: Mapping[str, Any], wanted: Logs, found: Logs
) -> Iterator[str]:
    """Yield a line for each difference between what was repaired and what the case expects.

    `wanted` are the input and the copy, by their names, as they are to be; `found` as they are.
    """
    expect, name = case["expect"], case["input"]
    copy, old = output_of(name), wanted.get(name, b"")
    if answer["verdict"] != expect["verdict"]:
        yield f"verdict {answer['verdict']}, expected {expect['verdict']}"
    if found.get(name, b"") != old:
        yield "the damaged file was changed"
    said = answer["output"]
    if copy not in wanted:
        if copy in found or said is not None:
            yield "a copy was written, expected is none"
    elif copy not in found:
        yield "no copy was written where it was asked for"
    elif said is None or os.path.basename(said) != copy:
        yield "the answer does not say where the copy was written"
    elif len(found[copy]) > LONGEST_LOG:
        yield f"the copy is longer than {LONGEST_LOG} bytes"
    elif case["format"] == "history":
        if found[copy].rstrip(_SPACE) != wanted[copy].rstrip(_SPACE):
            yield "the copy is not the expected document"
    else:
        yield from _line_differences(old, wanted[copy], found[copy])


def _line_differences(damaged: bytes, wanted: bytes, given: bytes) -> Iterator[str]:
    """Yield how many lines there are, and the first that is another than the one expected."""
    lines, others = wanted.split(b"\n"), given.split(b"\n")
    if len(lines) != len(others):
        yield f"the copy has {len(others) - 1} line feeds, expected are {len(lines) - 1}"
    for number, (line, other) in enumerate(zip(lines, others, strict=False), 1):
        if line != other and (line.strip(_SPACE) in damaged or not _is_same_value(line, other)):
            yield f"line {number} of the copy is not the expected one"
            return


def _is_same_value(line: bytes, other: bytes) -> bool:
    """Compare a record that the damaged file does not hold: how it is spelled is free."""
    one, two = parse(line).value, parse(other).value
    return one is not MISSING and two is not MISSING and same(one, two)
