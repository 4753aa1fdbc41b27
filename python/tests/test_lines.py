"""The lines of a log, against a slow reading of the rules: every brace is tried, one after the other."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convspec.text.lines import Line, read_line
from convspec.text.positions import line_columns

SPACE = b" \t\r\n"
STAMP = "2026-02-11T08:00:00Z"
FRAMING = ("line-glued", "line-spliced", "line-torn", "line-nul", "line-blank", "line-unterminated")


# The reference: Python's own parser, asked again at every place.


@dataclass(frozen=True)
class Failed:
    """Why no value could be read."""

    rule: str


class _Halt(Exception):
    def __init__(self, rule: str) -> None:
        self.rule = rule


def _real(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise _Halt("json-non-finite")
    return value


def _constant(name: str) -> Any:
    raise _Halt("json-non-finite")


DECODER = json.JSONDecoder(parse_float=_real, parse_constant=_constant)


def overflow(text: str) -> int | None:
    """Return where a bracket opens level 101."""
    open_brackets, in_string, escaped = 0, False, False
    for at, character in enumerate(text):
        if in_string:
            in_string = escaped or character != '"'
            escaped = not escaped and character == "\\"
        elif character == '"':
            in_string = True
        elif character in "{[":
            open_brackets += 1
            if open_brackets > 100:
                return at
        elif character in "}]":
            open_brackets -= 1
    return None


def one(text: bytes) -> tuple[Any, int] | Failed:
    """Read one value at the beginning of `text`; return it and where it ends.

    A byte that is not UTF-8 is read as U+DC80 and so on, which no sound text holds.
    """
    decoded = text.decode("utf-8", "surrogateescape")
    deep = overflow(decoded)
    if deep is not None and _completes(decoded[:deep], " 0"):
        return Failed("json-depth")
    try:
        value, end = DECODER.raw_decode(decoded)
    except _Halt as halt:
        return Failed(halt.rule)
    except (ValueError, RecursionError):
        return Failed("json-syntax")
    read = decoded[:end]
    if any("\udc80" <= character <= "\udcff" for character in read):
        return Failed("encoding-utf8")
    return value, len(read.encode("utf-8", "surrogateescape"))


def values_from(text: bytes, at: int) -> tuple[list[tuple[int, Any]], tuple[int, Failed] | None]:
    """Read values from `at` to the end, or to the first that fails; with where it begins."""
    values: list[tuple[int, Any]] = []
    while True:
        while text[at : at + 1] and text[at : at + 1] in SPACE:
            at += 1
        if at == len(text):
            return values, None
        read = one(text[at:])
        if isinstance(read, Failed):
            return values, (at, read)
        values.append((at, read[0]))
        at += read[1]


def is_record(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(key), str) for key in ("type", "timestamp"))


def splice(text: bytes, start: int) -> list[tuple[int, Any]]:
    """Try every brace behind the start of the failed value, in order."""
    for at in range(start + 1, len(text)):
        if text[at : at + 1] == b"{":
            first = one(text[at:])
            if not isinstance(first, Failed) and is_record(first[0]):
                values, failed = values_from(text, at)
                if failed is None:
                    return values
    return []


ENDINGS = (
    "",
    *(
        f"{a}{b}"
        for a in (
            '"',
            '0"',
            '00"',
            '000"',
            '0000"',
            'n"',
            '\\"',
            "e",
            "rue",
            "ue",
            "alse",
            "lse",
            "se",
            "ull",
            "ll",
            "l",
            "0",
            "",
        )
        for b in ("", ":0", "0", '"":0')
    ),
)


def is_beginning(text: bytes) -> bool:
    """Say whether the text becomes a value by adding to its end: some ending is tried for every state."""
    for cut in range(4):  # half a character at the end, inside a string
        if cut and len(text) > cut:
            half = text[-cut:]
            try:
                half.decode()
            except UnicodeDecodeError as error:
                if error.start != 0 or error.reason != "unexpected end of data":
                    continue
            else:
                continue
        elif cut:
            continue
        whole = text[: len(text) - cut] if cut else text
        try:
            decoded = whole.decode()
        except UnicodeDecodeError:
            continue
        endings = ('"', '":0') if cut else ENDINGS
        if any(_completes(decoded, ending) for ending in endings):
            return True
    return False


def _completes(text: str, ending: str) -> bool:
    """Say whether `text` and `ending`, and the brackets that are then open, are a value."""
    for middle in ("", '"":0'):
        whole = text + ending + middle
        try:
            _, end = DECODER.raw_decode(whole + _closers(whole))
        except (ValueError, RecursionError, _Halt):
            continue
        return overflow(whole) is None and end >= len(text.rstrip())
    return False


def _closers(text: str) -> str:
    stack: list[str] = []
    in_string = escaped = False
    for character in text:
        if in_string:
            in_string = escaped or character != '"'
            escaped = not escaped and character == "\\"
        elif character == '"':
            in_string = True
        elif character in "{[":
            stack.append("}" if character == "{" else "]")
        elif character in "}]" and stack:
            stack.pop()
    return "".join(reversed(stack))


@dataclass(frozen=True)
class Told:
    """What is compared: the values, the rules of the framing, and whether there is a gap."""

    values: list[Any]
    rules: list[str]
    gap: bool


def read_slowly(line: bytes) -> Told:
    ended = line.endswith(b"\n")
    if b"\0" in line:
        kept: list[Any] = []
        for piece in line.split(b"\0"):
            values, failed = values_from(piece, 0)
            kept += [value for _, value in values]
            kept += [value for _, value in splice(piece, failed[0])] if failed else []
        return Told([value for value in kept if isinstance(value, dict)], ["line-nul"], True)
    if not line.strip(SPACE):
        return Told([], ["line-blank"], False)
    values, failed = values_from(line, 0)
    told = [value for _, value in values]
    found: list[str] = []
    if failed is not None:
        at, why = failed
        behind = splice(line, at)
        if not behind:
            return Told(told, [_reason(line, at, why, ended)], True)
        told += [value for _, value in behind]
        found.append("line-spliced")
    elif len(told) > 1:
        found.append("line-glued")
    if not ended and all(isinstance(value, dict) for value in told):
        found.append("line-unterminated")
    return Told(told, found, failed is not None)


def _reason(line: bytes, at: int, why: Failed, ended: bool) -> str:
    rest = line[at:]
    if not ended and is_beginning(rest):
        return "line-torn"
    try:
        rest.decode()
    except UnicodeDecodeError:
        return "encoding-utf8"
    return why.rule


def read_fast(line: bytes) -> Told:
    read = read_line(line)
    return Told(
        [value.value for value in read.values], [fault.rule for fault in read.faults], bool(read.gaps)
    )


def shape(told: Told) -> tuple[str, list[str], bool]:
    """Return what is compared; integers and reals are different, and the order of members counts."""
    return json.dumps(told.values), sorted(told.rules), told.gap


def record(rng: random.Random) -> dict[str, Any]:
    texts = (
        "look",
        "",
        'a "quoted" word',
        "{",
        '{"type":"x"}',
        "\u00e9\u2028\U0001f600",
        "\\",
        "}\n{",
        "[]",
        "{ ",
    )
    made: dict[str, Any] = {"type": rng.choice(("message", "leaf", "label")), "timestamp": STAMP}
    for key in rng.sample(("id", "content", "n", "message", "parts", "targetId"), rng.randint(0, 4)):
        made[key] = rng.choice(
            (
                *(rng.choice(texts), rng.choice(texts), None, 12, -0.5, True),
                *([], {}, ["a", {}, 1], {"role": "user"}),
                *({"content": rng.choice(texts)}, [{"type": "text", "text": rng.choice(texts)}]),
            )
        )
    if rng.random() < 0.2:
        made = dict(rng.sample(list(made.items()), len(made)))
    return made


def text_of(value: Any, rng: random.Random) -> bytes:
    separators = rng.choice(((",", ":"), (", ", ": "), (" ,\t", " : ")))
    text = json.dumps(value, ensure_ascii=rng.random() < 0.3, separators=separators).encode()
    return b"{ " + text[1:] if rng.random() < 0.1 else text


BITS = (b"\0", b"\0\0\0", b"\xff", b"\xe2\x82", b"\xed\xa0\x80", b"{", b"}", b'"', b"\\", b" ", b"\r", b",")
BITS += (
    b"[",
    b"]",
    b":",
    b"NaN",
    b"1e999",
    b"12",
    b"{}",
    b"[]",
    b'"{"',
    b"null",
    b"\xef\xbb\xbf",
    b"\xc3\xa9",
)
BITS += (b'{"a":[' * 49, b"[" * 99, b"[{}," * 30)


def damaged(rng: random.Random) -> bytes:
    """Return a line of one to three records with up to three wounds."""
    whole = [text_of(record(rng), rng) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
    pieces = [text[: rng.randrange(len(text) + 1)] if rng.random() < 0.4 else text for text in whole]
    line = bytearray(rng.choice((b"", b"", b" ", b"\r")).join(pieces))
    for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
        at = rng.randrange(len(line) + 1)
        match rng.randrange(5):
            case 0:
                line[at : at + 1] = bytes([rng.choice([b for b in range(256) if b != 10])])
            case 1:
                line[at:at] = rng.choice(BITS)
            case 2:
                del line[at : at + rng.randint(1, 5)]
            case 3:
                del line[at:]
            case _:
                line[at:at] = line[rng.randrange(len(line) + 1) :][: rng.randint(1, 60)]
    return bytes(line).replace(b"\n", b" ") + rng.choice((b"\n", b"\n", b"\r\n", b"", b""))


class TestAgainstTheReference:
    @pytest.mark.parametrize("seed", range(10))
    def test_damaged_lines_are_read_as_the_rules_say(self, seed: int) -> None:
        rng = random.Random(seed)
        seen: set[str] = set()
        for _ in range(2_500):
            line = damaged(rng)
            if line:
                expected, read = read_slowly(line), read_fast(line)
                assert shape(read) == shape(expected), line
                seen.update(read.rules)
        assert seen >= {*FRAMING, "encoding-utf8", "json-syntax"}

    @settings(max_examples=600, deadline=None, database=None)
    @given(
        st.lists(
            st.sampled_from(
                (*BITS, b'{"type":"leaf","timestamp":"t"}', b'{"type":"', b'"timestamp":"t"', b"x")
            ),
            max_size=9,
        ),
        st.sampled_from((b"", b"\n")),
    )
    def test_pieces_in_any_order(self, pieces: list[bytes], end: bytes) -> None:
        line = b"".join(pieces) + end
        if line:
            assert shape(read_fast(line)) == shape(read_slowly(line))


TABLE: list[tuple[bytes, list[tuple[str, int, int | None]]]] = [
    (b"\n", [("line-blank", 1, 1)]),
    (b" \t\r\n", [("line-blank", 1, 1)]),
    (b'{"a":1}\n', []),
    (b' {"a":1} \r\n', []),
    (b'{"a":1}', [("line-unterminated", 8, 8)]),
    (b'{"a":1} \r', [("line-unterminated", 9, 9)]),
    ('{"é":1}'.encode(), [("line-unterminated", 8, 8)]),
    (b'{"a":1}{"b":2}\n', [("line-glued", 8, 9)]),
    (b'{"a":1} 12 {"b":2}\n', [("line-glued", 9, 10)]),
    ('{"é":1}{}'.encode(), [("line-glued", 8, 9), ("line-unterminated", 10, 10)]),
    (b"12{}", [("line-glued", 3, 4)]),
    (b'{"a":"x{"type":"t","timestamp":"s"}\n', [("line-spliced", 8, 9)]),
    (
        '{"a":"é {"type":"t","timestamp":"s"}'.encode(),
        [("line-spliced", 9, 10), ("line-unterminated", 37, 37)],
    ),
    (b'{"a":"x{"type":"t"}\n', [("json-syntax", 10, 11)]),
    (b'{"a":\n', [("json-syntax", 6, 6)]),
    (b'{"a": \r\n', [("json-syntax", 7, 7)]),
    (b'{"a":"x\n', [("json-syntax", 8, 8)]),
    (b'{"a":', [("line-torn", 6, 6)]),
    (b'{"a":tru', [("line-torn", 9, 9)]),
    ('{"a":"é'.encode(), [("line-torn", 8, 8)]),
    (b'{"a":"x\xe2\x82', [("line-torn", 8, 8)]),
    (b'{"a":"x\xf0', [("line-torn", 8, 8)]),
    (b'{"a":"x\xe2\x82\n', [("encoding-utf8", 8, 9)]),
    (b'{"a":"x\xed\xa0', [("encoding-utf8", 8, 9)]),
    (b'{"a":\xe2', [("encoding-utf8", 6, 7)]),
    (b'{"a":1}\xe2', [("encoding-utf8", 8, 9)]),
    (b"\xe2\x82", [("encoding-utf8", 1, 2)]),
    (b'{"a":x "\xff"}\n', [("encoding-utf8", 9, 10)]),
    (b'{"a":1}{"b":\xff}\n', [("encoding-utf8", 13, 14)]),
    (b'{"a":1}{"b":', [("line-torn", 13, 13)]),
    (b'{"a":x', [("json-syntax", 6, 7)]),
    (b'{"a":01}\n', [("json-syntax", 7, 8)]),
    (b"\xef\xbb\xbf{}\n", [("json-syntax", 1, 2)]),
    (b'{"a":NaN}\n', [("json-non-finite", 6, 9)]),
    (b'{"a":1e999}\n', [("json-non-finite", 6, 11)]),
    (b"[" * 101 + b"\n", [("json-depth", 101, 102)]),
    (b'{"a":1}\0\0{"b":\n', [("line-nul", 8, 10)]),
    (b"\0" * 7, [("line-nul", 1, 8)]),
    ('{"é":1}'.encode() + b'\0\xff\0{"a":1', [("line-nul", 8, 9)]),
    (b"12\n", []),
    (b"12", []),
]
"""Lines, and rule, column and end column of all that is said of their framing."""


def columns(line: bytes, read: Line) -> list[tuple[str, int, int | None]]:
    told = []
    for fault in read.faults:
        assert fault.span is not None
        found = line_columns(line, (fault.span.start, fault.span.end))
        begin, end = found[fault.span.start], found[fault.span.end]
        told.append((fault.rule, begin.column, end.column if end.line == begin.line else None))
    return told


class TestTable:
    @pytest.mark.parametrize(("line", "expected"), TABLE, ids=[ascii(line)[2:40] for line, _ in TABLE])
    def test_where_each_rule_points(self, line: bytes, expected: list[tuple[str, int, int | None]]) -> None:
        assert columns(line, read_line(line)) == expected

    @pytest.mark.parametrize(("line", "expected"), TABLE, ids=[ascii(line)[2:40] for line, _ in TABLE])
    def test_behind_a_byte_order_mark_the_same_is_said(
        self, line: bytes, expected: list[tuple[str, int, int | None]]
    ) -> None:
        marked = b"\xef\xbb\xbf" + line
        moved = [(rule, begin + 1, end if end is None else end + 1) for rule, begin, end in expected]
        read, plain = read_line(marked, start=3), read_line(line)
        assert columns(marked, read) == moved
        assert [(v.start, v.value) for v in read.values] == [(v.start + 3, v.value) for v in plain.values]
        assert read.gaps == tuple(gap + 3 for gap in plain.gaps)

    @pytest.mark.parametrize(
        "line", [line for line, _ in TABLE], ids=[ascii(line)[2:40] for line, _ in TABLE]
    )
    def test_the_reference_says_the_same(self, line: bytes) -> None:
        assert shape(read_fast(line)) == shape(read_slowly(line))


RECORD = (
    '{"type":"message","id":"e1","timestamp":"2026-02-11T08:00:00Z","n":[-1.5e+3,true,null,{}],'
    '"message":{"role":"user","content":"a \\"b\\" \\u00e9 \u00e9 \U0001f600 {"}}'
).encode()
NEXT = b'{"type":"leaf","timestamp":"2026-02-11T08:00:01Z","targetId":"e1"}'


class TestCuts:
    @pytest.mark.parametrize("length", range(1, len(RECORD) + 1))
    def test_as_the_last_line(self, length: int) -> None:
        read = read_line(RECORD[:length])
        whole = length == len(RECORD)
        assert [fault.rule for fault in read.faults] == ["line-unterminated" if whole else "line-torn"]
        assert [value.value for value in read.values] == ([json.loads(RECORD)] if whole else [])
        assert read.gaps == (() if whole else (0,))

    @pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
    @pytest.mark.parametrize("length", range(1, len(RECORD) + 1))
    def test_with_a_record_behind_it(self, length: int, end: bytes) -> None:
        read = read_line(RECORD[:length] + NEXT + end)
        whole = length == len(RECORD)
        said = ["line-glued" if whole else "line-spliced"] + ([] if end else ["line-unterminated"])
        assert [fault.rule for fault in read.faults] == said
        assert [value.value for value in read.values] == [json.loads(RECORD)] * whole + [json.loads(NEXT)]
        assert read.values[-1].start == length
        assert read.gaps == (() if whole else (0,))

    @pytest.mark.parametrize("length", range(1, len(RECORD)))
    def test_with_a_record_before_it(self, length: int) -> None:
        read = read_line(NEXT + RECORD[:length])
        assert [fault.rule for fault in read.faults] == ["line-torn"]
        assert [value.value for value in read.values] == [json.loads(NEXT)]
        assert read.gaps == (len(NEXT),)


class TestFaultsOfValues:
    LINE = b'{"a":"\\u0000","a":12345678901234567890,"b":"\\ud800"}'
    WITHIN = (
        ("text-nul", 5),
        ("json-duplicate-key", 14),
        ("json-number-precision", 18),
        ("text-surrogate", 43),
    )

    @pytest.mark.parametrize("before", [b"", b'{"x":1}', b'{"cut":"', b"\0\0", b'{"x":1}\0'])
    def test_they_count_from_the_start_of_the_line(self, before: bytes) -> None:
        body = self.LINE[:-1] + b',"type":"t","timestamp":"s"}'
        read = read_line(before + body + b"\n")
        faults = read.values[-1].faults
        assert read.values[-1].start == len(before)
        assert [(f.rule, f.span and f.span.start) for f in faults] == [
            (rule, at + len(before)) for rule, at in self.WITHIN
        ]
        (mention,) = faults[1].related
        assert mention.span is not None
        assert mention.span.start == 1 + len(before)
