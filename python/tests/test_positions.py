"""Pointers to bytes and bytes to lines and columns, against slow ways that are obviously right."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import convspec
from convspec.findings import Path, Span
from convspec.text.positions import Position, line_columns, locate
from inputs import corpus_files

BOM = b"\xef\xbb\xbf"
SPACES = ("", "", " ", "\n", "\r\n", "\r", "\t", " \n\t ")
NAMES = ("a", "", "0", "a/b", "~", "\u00e4", "\U0001f600", '"\\', "]}", "{[,:", "\u2028", "k" * 300)


class Writer:
    """Writes a value as JSON in a form that nobody would choose. Some keys are written twice."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def document(self, value: Any) -> str:
        return self.space() + self.value(value) + self.space()

    def space(self) -> str:
        return self.rng.choice(SPACES)

    def value(self, value: Any) -> str:
        match value:
            case dict():
                members = [(key, item) for key, item in value.items()]
                members += [
                    (key, self.rng.choice([0, "x", [1, {"a": "]"}], {"a": 2}])) for key in self.some(value)
                ]
                self.rng.shuffle(members)
                return self.listed(
                    "{}", [f"{self.text(k)}{self.space()}:{self.space()}{self.value(v)}" for k, v in members]
                )
            case list():
                return self.listed("[]", [self.value(item) for item in value])
            case str():
                return self.text(value)
        return json.dumps(value)

    def some(self, value: dict[str, Any]) -> list[str]:
        return [key for key in value if self.rng.random() < 0.2]

    def listed(self, brackets: str, items: list[str]) -> str:
        inner = ",".join(f"{self.space()}{item}{self.space()}" for item in items)
        return brackets[0] + (inner or self.space()) + brackets[1]

    def text(self, text: str) -> str:
        return '"' + "".join(self.character(character) for character in text) + '"'

    def character(self, character: str) -> str:
        must = character in '"\\' or character < " " or "\ud800" <= character <= "\udfff"
        if must or self.rng.random() < 0.2:
            return json.dumps(character)[1:-1] if self.rng.random() < 0.5 else self.escaped(character)
        return character

    def escaped(self, character: str) -> str:
        units = character.encode("utf-16-be", "surrogatepass")
        return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))


class Reference:
    """Reads JSON by recursion over its characters and notes where each value begins and ends."""

    def __init__(self, text: str) -> None:
        self.text = text

    def spans(self) -> dict[Path, tuple[int, int]]:
        _, node = self.read(self.space(0))
        return dict(self.flat(node, ()))

    def flat(self, node: Any, path: Path) -> Iterator[tuple[Path, tuple[int, int]]]:
        begin, end, members = node
        yield path, (begin, end)
        for key, member in members.items():
            yield from self.flat(member, (*path, key))

    def space(self, at: int) -> int:
        while at < len(self.text) and self.text[at] in " \t\r\n":
            at += 1
        return at

    def read(self, at: int) -> tuple[int, Any]:
        first = self.text[at]
        if first == '"':
            end = scanstring(self.text, at + 1)[1]
            return end, (at, end, {})
        if first not in "{[":
            end = at
            while end < len(self.text) and self.text[end] not in " \t\r\n,]}":
                end += 1
            return end, (at, end, {})
        members: dict[str | int, Any] = {}
        position = self.space(at + 1)
        while self.text[position] not in "]}":
            key: str | int = len(members)
            if first == "{":
                key, position = scanstring(self.text, position + 1)
                position = self.space(self.space(position) + 1)
            position, members[key] = self.read(position)
            position = self.space(position)
            if self.text[position] == ",":
                position = self.space(position + 1)
        return position + 1, (at, at + 1, members)


def reference_locate(data: bytes, start: int = 0) -> dict[Path, Span]:
    text = data[start:].decode()
    return {
        path: Span(start + len(text[:begin].encode()), start + len(text[:end].encode()))
        for path, (begin, end) in Reference(text).spans().items()
    }


def all_paths(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in pairs:
        yield from all_paths(item, (*path, key))


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(NAMES)
)
values = st.recursive(
    scalars,
    lambda below: (
        st.lists(below, max_size=4)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=4), below, max_size=4)
    ),
    max_leaves=12,
)
documents = st.builds(
    lambda value, rng: Writer(rng).document(value), values, st.randoms(use_true_random=False)
)
quickly = settings(max_examples=250, deadline=None, database=None)


class TestLocate:
    @quickly
    @given(documents)
    def test_every_value_is_found_where_the_reference_finds_it_and_reads_back(self, text: str) -> None:
        data, paths = text.encode(), dict(all_paths(json.loads(text)))
        found = locate(data, paths)
        assert found == reference_locate(data)
        assert found.keys() == paths.keys()
        for path, value in paths.items():
            there = data[found[path].start : found[path].end]
            if isinstance(value, dict | list):
                assert there == (b"{" if isinstance(value, dict) else b"[")
            else:
                assert repr(json.loads(there)) == repr(value)

    @settings(quickly, max_examples=150)
    @given(documents, st.randoms(use_true_random=False))
    def test_a_few_behind_a_mark_are_found_like_all(self, text: str, rng: random.Random) -> None:
        data = BOM + text.encode()
        reference = reference_locate(data, len(BOM))
        asked = rng.sample(list(reference), min(len(reference), 3))
        assert locate(data, asked, len(BOM)) == {path: reference[path] for path in asked}

    def test_every_value_of_every_sound_file_of_the_corpus_is_found(self) -> None:
        count = 0
        for name, data in corpus_files().items():
            if len(data) > 20_000 or not convspec.check(data, format="history").valid:
                continue
            try:
                paths = dict(all_paths(json.loads(data)))
            except ValueError:  # an integer that Python does not read
                continue
            assert locate(data, paths) == reference_locate(data), name
            count += len(paths)
        assert count > 4_000

    def test_the_last_of_equal_keys_counts_and_what_only_the_first_held_is_not_there(self) -> None:
        data = rb'{"a":{"b":1,"c":2},"\u0061":{"b":3}}'
        asked: list[Path] = [("a",), ("a", "b"), ("a", "c")]
        assert locate(data, asked) == {("a",): Span(28, 29), ("a", "b"): Span(33, 34)}

    def test_a_last_one_of_another_type_holds_nothing(self) -> None:
        assert locate(b'{"a":[1],"a":2}', [("a", 0), ("a",)]) == {("a",): Span(13, 14)}

    def test_a_path_that_names_nothing_is_left_out(self) -> None:
        data = b'{"a":[1,"b"],"0":{}}'
        asked: list[Path] = [("b",), ("a", 2), ("a", "0"), (0,), ("a", 0, "x"), ("a", 1, 0), ("0", "x")]
        assert locate(data, asked) == {}

    def test_an_index_and_a_key_of_the_same_digits_are_two(self) -> None:
        assert locate(b'[{"0":1},2]', [(0, "0"), (0, 0), ("0",), (1,)]) == {
            (0, "0"): Span(6, 7),
            (1,): Span(9, 10),
        }

    def test_what_stands_behind_the_document_is_not_looked_at(self) -> None:
        assert locate(b'{"a":1} {"a":2}', [("a",)]) == {("a",): Span(5, 6)}

    def test_brackets_and_quotes_in_strings_do_not_count(self) -> None:
        data = rb'{"s":{"k]}\"":"[{\\\"","t":["\\"]},"a":1}'
        assert locate(data, [("a",)]) == {("a",): Span(data.index(b'"a"') + 4, len(data) - 1)}

    def test_nothing_asked_is_nothing_found(self) -> None:
        assert locate(b"[1]", []) == {}


def reference_position(data: bytes, offset: int) -> Position:
    """Go through the bytes one by one."""
    line, column, at = 1, 1, 0
    while at < offset:
        width = character_width(data, at)
        line, column = (line + 1, 1) if data[at : at + 1] == b"\n" else (line, column + 1)
        at += width
    return Position(line, column)


def character_width(data: bytes, at: int) -> int:
    """Return the bytes of the character at an offset; 1 where there is none."""
    for width in (1, 2, 3, 4):
        try:
            if len(data[at : at + width].decode()) == 1:
                return width
        except UnicodeDecodeError:
            continue
    return 1


def boundaries(data: bytes) -> list[int]:
    """Return every offset at which a character, or a byte that is none, begins, and the end."""
    found, at = [], 0
    while at < len(data):
        found.append(at)
        at += character_width(data, at)
    return [*found, len(data)]


PIECES = [
    *(b"a", b"\n", b"\r\n", b"\r", b"\t", b"\0", BOM, b"\xc3\xa4", b"\xe2\x80\xa8", b"\xf0\x9f\x98\x80"),
    *(
        b"\xff",
        b"\x80",
        b"\xe2\x82",
        b"\xf0\x9f\x98",
        b"\xed\xa0\x80",
        b"\xc0\x80",
        b"e\xcc\x81",
        b"\xc2\x85",
        b"\f\v",
    ),
]
texts = st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join)


class TestLineColumns:
    @quickly
    @given(texts)
    def test_every_offset_is_where_the_reference_counts_it(self, data: bytes) -> None:
        offsets = boundaries(data)
        assert line_columns(data, offsets) == {o: reference_position(data, o) for o in offsets}

    @quickly
    @given(texts, st.randoms(use_true_random=False))
    def test_a_position_does_not_depend_on_what_else_is_asked(self, data: bytes, rng: random.Random) -> None:
        asked = rng.choices(boundaries(data), k=3)
        assert line_columns(data, asked) == {o: reference_position(data, o) for o in asked}

    @pytest.mark.parametrize(
        ("data", "offset", "line", "column"),
        [
            (b"", 0, 1, 1),
            (b"abc", 3, 1, 4),
            (b"a\nb", 1, 1, 2),
            (b"a\nb", 2, 2, 1),
            (b"a\r\nb", 2, 1, 3),
            (b"a\r\nb", 3, 2, 1),
            (b"a\rb", 2, 1, 3),
            (b"\n\n\n", 3, 4, 1),
            ("\u2028\u0085\x0b\x0cx".encode(), 7, 1, 5),
            ("\U0001f600x".encode(), 4, 1, 2),
            ("e\u0301x".encode(), 3, 1, 3),
            ("\u00e4\n\u20ac\U0001f600x".encode(), 10, 2, 3),
            (BOM + b"x", 3, 1, 2),
            (b"\xff\xfex", 2, 1, 3),
            (b"\xe2\x82x", 2, 1, 3),
            (b"\xed\xa0\x80x", 3, 1, 4),
            (b"\n\xf0\x9f\x98x", 4, 2, 4),
        ],
    )
    def test_lines_end_at_line_feeds_and_columns_are_code_points(
        self, data: bytes, offset: int, line: int, column: int
    ) -> None:
        assert line_columns(data, [offset]) == {offset: Position(line, column)}

    def test_many_offsets_on_one_long_line_take_one_pass(self) -> None:
        data = "\u00e4".encode() * 200_000
        offsets = range(0, len(data) + 1, 2)
        assert line_columns(data, offsets) == {o: Position(1, o // 2 + 1) for o in offsets}


class TestFindings:
    @pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
    @pytest.mark.parametrize("mark", [b"", BOM])
    def test_a_finding_ends_where_its_value_ends(self, newline: str, mark: bytes) -> None:
        text = f'{{"version":1,{newline}"\U0001f600\u00e4": 9007199254740992, "messages":[]}}'
        finding = convspec.check(mark + text.encode()).findings[-1]
        line = 1 if newline == "\r" else 2
        before = 6 if line == 2 else 13 + len(newline) + 6 + bool(mark)
        assert (finding.rule, finding.pointer) == ("unknown-key", "/\U0001f600\u00e4")
        assert (finding.line, finding.column, finding.end_column) == (line, before + 1, before + 17)

    def test_of_an_object_the_opening_bracket_is_the_place(self) -> None:
        finding = convspec.check(b'{"version":1,"messages":\n {\n}}').findings[0]
        place = (finding.rule, finding.offset, finding.line, finding.column, finding.end_column)
        assert place == ("schema-type", 26, 2, 2, 3)
