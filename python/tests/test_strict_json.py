"""Strict JSON: what is refused, where exactly, and that the fast way and the slow way agree."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import convspec
from convspec.findings import Span
from convspec.text import strict_json
from convspec.text.strict_json import MISSING, accept, explain, parse
from convspec.text.utf8 import first_bad_byte
from inputs import FATAL, JSON_RULES, corpus_files

MIB = 1 << 20
BOM = b"\xef\xbb\xbf"

Place = tuple[str, int | None, int | None, int | None, str | None]


def places(data: bytes) -> list[Place]:
    """Return rule, offset, line, column and pointer of each finding of the json layer."""
    report = convspec.check(data, format="history")
    found = [(f.rule, f.offset, f.line, f.column, f.pointer) for f in report.findings]
    if any(place[0] in FATAL for place in found):
        assert len(found) == 1 + (found[0][0] == "encoding-bom")
    return [place for place in found if place[0] in JSON_RULES]


IMPOSSIBLE = {
    "a key without quotes": (b"{a: 1}", 1),
    "a key in single quotes": (b"{'a': 1}", 1),
    "a value in single quotes": (b"{\"a\": 'b'}", 6),
    "a number as key": (b"{1: 2}", 1),
    "a literal as key": (b"{null: 1}", 1),
    "a missing colon": (b'{"a" 1}', 5),
    "an equals sign for a colon": (b'{"a"=1}', 4),
    "two colons": (b'{"a"::1}', 5),
    "a missing value": (b'{"a":}', 5),
    "a key alone": (b'{"a":1,"b"}', 10),
    "a trailing comma in an object": (b'{"a":1,}', 7),
    "a trailing comma in an array": (b"[1,]", 3),
    "a leading comma": (b"[,1]", 1),
    "a comma alone in an object": (b"{,}", 1),
    "two commas": (b"[1,,2]", 3),
    "a missing comma in an array": (b"[1 2]", 3),
    "a missing comma in an object": (b'{"a":1 "b":2}', 7),
    "a missing comma between objects": (b"[{}{}]", 3),
    "an array closed by a brace": (b"[1}", 2),
    "an empty array closed by a brace": (b"[}", 1),
    "an object closed by a bracket": (b'{"a":1]', 6),
    "an empty object closed by a bracket": (b"{]", 1),
    "a closing bracket alone": (b"]", 0),
    "a comment before": (b"/* c */[]", 0),
    "a comment to the end of the line": (b"[1, // c\n2]", 4),
    "a comment inside": (b"[/* c */]", 1),
    "a hash": (b"# c\n[]", 0),
    "a raw NUL in a string": (b'["a\0b"]', 3),
    "a raw tab in a string": (b'["a\tb"]', 3),
    "a raw line feed in a string": (b'["a\nb"]', 3),
    "a raw carriage return in a string": (b'["a\rb"]', 3),
    "the last raw control character": (b'["\x1f"]', 2),
    "a raw control character in a key": (b'{"\x01":1}', 2),
    "a raw control character behind an escape": (b'["\\n\x01"]', 4),
    "an unknown escape": (b'["\\x41"]', 3),
    "an escaped apostrophe": (b'["\\\'"]', 3),
    "an escaped line feed": (b'["\\\n"]', 3),
    "an upper-case unicode escape": (b'["\\U0041"]', 3),
    "no digit behind \\u": (b'["\\u"]', 4),
    "one digit behind \\u": (b'["\\u1"]', 5),
    "three digits behind \\u": (b'["\\u123"]', 7),
    "a letter among the digits of \\u": (b'["\\u12g4"]', 6),
    "a sign behind \\u": (b'["\\u+041"]', 4),
    "a leading zero": (b"[01]", 2),
    "two zeros": (b"[00]", 2),
    "a leading zero behind a minus": (b"[-01]", 3),
    "a leading plus": (b"[+1]", 1),
    "a leading point": (b"[.5]", 1),
    "a point behind a minus": (b"[-.5]", 2),
    "a minus alone": (b"[-]", 2),
    "two minuses": (b"[--1]", 2),
    "no digit behind the point": (b"[1.]", 3),
    "an exponent behind the point": (b"[1.e3]", 3),
    "no digit in the exponent": (b"[1e]", 3),
    "no digit behind the exponent's sign": (b"[1e+]", 4),
    "a letter in the exponent": (b"[1Ex]", 3),
    "two signs in the exponent": (b"[1e+-1]", 4),
    "a point in the exponent": (b"[1e1.5]", 4),
    "two points": (b"[1.2.3]", 4),
    "a hexadecimal number": (b"[0x1F]", 2),
    "an underscore in a number": (b"[1_000]", 2),
    "a digit of another script": ("[\u0661]".encode(), 1),
    "a digit of another script inside": ("[1\u0661]".encode(), 2),
    "a capital literal": (b"[True]", 1),
    "a capital inside a literal": (b"[tRue]", 2),
    "a literal cut short": (b"[nul]", 4),
    "a literal gone on": (b"[truex]", 5),
    "another word": (b"[none]", 2),
    "undefined": (b"[undefined]", 1),
    "nan": (b"[nan]", 2),
    "NAN": (b"[NAN]", 1),
    "Infinit": (b"[Infinit]", 1),
    "inf": (b"[inf]", 1),
    "minus inf": (b"[-inf]", 2),
    "minus Inf": (b"[-Inf]", 2),
    "minus NaN": (b"[-NaN]", 2),
    "plus Infinity": (b"[+Infinity]", 1),
    "a word": (b"hello", 0),
    "a form feed between tokens": (b"[\f1]", 1),
    "a vertical tab between tokens": (b"[1\v]", 2),
    "a NUL between tokens": (b"[\0]", 1),
    "a no-break space between tokens": (b"[\xc2\xa01]", 1),
    "a line separator between tokens": (b"[1,\xe2\x80\xa82]", 3),
    "a mark inside": (b"[" + BOM + b"1]", 1),
}


class TestSyntax:
    @pytest.mark.parametrize(("data", "offset"), IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
    def test_the_first_impossible_byte_is_named(self, data: bytes, offset: int) -> None:
        assert places(data) == [("json-syntax", offset, 1, offset + 1, None)]

    @pytest.mark.parametrize(("data", "offset"), IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
    def test_its_line_and_column_are_counted_from_what_stands_before(self, data: bytes, offset: int) -> None:
        lead = '[\r\n"\u00e4\U0001f600\u2028",\r'.encode()
        assert places(lead + data) == [("json-syntax", len(lead) + offset, 2, 8 + offset, None)]

    @pytest.mark.parametrize(("data", "offset"), IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
    def test_neither_fast_parser_takes_it(self, data: bytes, offset: int) -> None:
        assert [accepted(way, data) for way in WAYS] == [MISSING] * len(WAYS)

    def test_the_first_of_several_is_the_one(self) -> None:
        assert places(b'{"a":1,}\n{"a" 1}') == [("json-syntax", 7, 1, 8, None)]

    def test_a_second_mark_is_no_white_space(self) -> None:
        report = convspec.check(BOM + BOM + b"[]", format="history")
        assert [(f.rule, f.offset, f.line, f.column) for f in report.findings] == [
            ("encoding-bom", 0, 1, 1),
            ("json-syntax", 3, 1, 2),
        ]


SAMPLE = (
    ' \r\n{"version": 1, "messages": [\n\t{"id": "m\\u0041\\ud83d\\ude00\\"\\\\\\/\\b\\f\\n\\r\\t", '
    '"\\u0072ole": "user",\n "content": "\u00e4 \u20ac \U0001f600 \x7f\u2028", "tokens": {}, "x": []},\n'
    ' null, true ,false,[-0,0.5e-10 , 1E+2,12e3, -3.25,[ ] ],{"a\u00e4\u20ac\U0001f600": [[1]]}\r\n]\n}'
).encode()


def reference_cut(prefix: bytes) -> int:
    """Return where a text that was cut ends: in a string behind its last whole character."""
    inside, escaped = False, False
    for byte in prefix:
        if inside and (escaped or byte == ord("\\")):
            escaped = not escaped
        elif byte == ord('"'):
            inside = not inside
    if inside:
        return len(prefix.decode("utf-8", "ignore").encode())
    return len(prefix.rstrip(b" \t\r\n"))


class TestTruncation:
    def test_the_sample_itself_is_sound(self) -> None:
        assert places(SAMPLE) == []
        assert parse(SAMPLE).faults == ()

    def test_a_cut_at_any_byte_is_a_truncation_and_stands_at_the_end(self) -> None:
        cuts = range(SAMPLE.index(b"{") + 1, len(SAMPLE))
        found = {cut: [place[:2] for place in places(SAMPLE[:cut])] for cut in cuts}
        assert found == {cut: [("json-truncated", reference_cut(SAMPLE[:cut]))] for cut in cuts}

    def test_a_cut_inside_the_leading_white_space_leaves_an_empty_file(self) -> None:
        for cut in range(SAMPLE.index(b"{") + 1):
            report = convspec.check(SAMPLE[:cut], format="history")
            assert [f.rule for f in report.findings] == ["file-empty"]

    @pytest.mark.parametrize(
        ("data", "place"),
        [
            (b'{"a":\n  1  \n ', ("json-truncated", 9, 2, 4, None)),
            (b'{"a":\n"b ', ("json-truncated", 9, 2, 4, None)),
            ('{"a":\n"\u20ac'.encode(), ("json-truncated", 10, 2, 3, None)),
            ('{"a":\n"\u20ac'.encode()[:-1], ("json-truncated", 7, 2, 2, None)),
            (b"-", ("json-truncated", 1, 1, 2, None)),
            (b"1.", ("json-truncated", 2, 1, 3, None)),
            (b"1e+", ("json-truncated", 3, 1, 4, None)),
            (b"tru", ("json-truncated", 3, 1, 4, None)),
            (b'["\\', ("json-truncated", 3, 1, 4, None)),
            (b'["\\u00e', ("json-truncated", 7, 1, 8, None)),
        ],
    )
    def test_the_place_of_a_cut_is_exact(self, data: bytes, place: Place) -> None:
        assert places(data) == [place]

    def test_a_mark_before_the_text_does_not_move_the_fault(self) -> None:
        assert places(BOM + b'{"a":') == [("json-truncated", 8, 1, 7, None)]


BROKEN = {
    "a continuation byte alone": (b"\x80", 1),
    "a byte that never occurs": (b"\xff", 1),
    "two bytes, overlong": (b"\xc0\x80", 2),
    "three bytes, overlong": (b"\xe0\x80\x80", 3),
    "four bytes, overlong": (b"\xf0\x80\x80\x80", 4),
    "a surrogate": (b"\xed\xa0\x80", 3),
    "the last surrogate": (b"\xed\xbf\xbf", 3),
    "above U+10FFFF": (b"\xf4\x90\x80\x80", 4),
    "a lead byte that never occurs": (b"\xf5\x80\x80\x80", 4),
    "a character of two bytes cut": (b"\xc3", 1),
    "a character of three bytes cut": (b"\xe2\x82", 2),
    "a character of four bytes cut": (b"\xf0\x9f\x98", 3),
}

AROUND = {
    "in a value": (b'{"version":1,\n"messages":["\xc3\xa4', b'"]}', 2, 15),
    "in a key": (b'{"a', b'":1}', 1, 4),
    "between tokens": (b'{"a":\n', b"1}", 2, 1),
    "at the start": (b"", b'{"a":1}', 1, 1),
    "behind the document": (b'{"a":1}\n', b"\n", 2, 1),
    "in trailing data": (b'{"a":1} x', b" y", 1, 10),
    "behind a syntax fault": (b"{'a':\n", b"}", 2, 1),
    "behind a truncated literal": (b'{"a":tru', b"}", 1, 9),
    "behind a non-finite number": (b'{"a":NaN,"b":"', b'"}', 1, 15),
    "behind too deep a bracket": (b"[" * 101 + b'"', b'"', 1, 103),
}


class TestUtf8:
    @pytest.mark.parametrize("broken", [b for b, _ in BROKEN.values()], ids=BROKEN.keys())
    @pytest.mark.parametrize(("before", "after", "line", "column"), AROUND.values(), ids=AROUND.keys())
    def test_bad_bytes_are_the_one_finding_wherever_they_stand(
        self, broken: bytes, before: bytes, after: bytes, line: int, column: int
    ) -> None:
        assert places(before + broken + after) == [("encoding-utf8", len(before), line, column, None)]

    def test_the_first_bad_byte_counts(self) -> None:
        assert places(b'["\xff\n\xff"]') == [("encoding-utf8", 2, 1, 3, None)]

    @pytest.mark.parametrize("cut", [b"\xc3", b"\xe2", b"\xe2\x82", b"\xf0", b"\xf0\x9f", b"\xf0\x9f\x98"])
    @pytest.mark.parametrize(
        ("before", "rule"),
        [
            (b'{"a":"b', "json-truncated"),
            (b'{"a', "json-truncated"),
            (b'{"a":1,"b":["c\\n', "json-truncated"),
            (b'{"a":1}', "encoding-utf8"),
            (b'{"a":', "encoding-utf8"),
            (b"[tru", "encoding-utf8"),
            (b"['b", "encoding-utf8"),
            (b'[1,]"b', "encoding-utf8"),
            (b'[] "b', "encoding-utf8"),
            (b'["\n', "encoding-utf8"),
            (b"", "encoding-utf8"),
        ],
    )
    def test_half_a_character_at_the_end_is_a_cut_only_inside_a_sound_string(
        self, before: bytes, rule: str, cut: bytes
    ) -> None:
        assert [place[:2] for place in places(before + cut)] == [(rule, len(before))]

    def test_utf_16_is_named_in_words(self) -> None:
        report = convspec.check("{}".encode("utf-16"), format="history")
        assert [(f.rule, f.offset) for f in report.findings] == [("encoding-utf8", 0)]
        assert "UTF-16" in report.findings[0].message

    def test_no_fast_parser_takes_bad_bytes(self) -> None:
        for broken, _ in BROKEN.values():
            for before, after, *_ in AROUND.values():
                assert [accepted(way, before + broken + after) for way in WAYS] == [MISSING] * len(WAYS)


def reference_bad_byte(data: bytes, start: int = 0) -> tuple[Span, bool] | None:
    """Decode everything at once."""
    try:
        data[start:].decode()
    except UnicodeDecodeError as error:
        cut = error.reason == "unexpected end of data"
        return Span(start + error.start, start + error.end), cut
    return None


class TestChunkBorders:
    @pytest.mark.parametrize("char", ["\u00e4", "\u20ac", "\U0001f600"])
    @pytest.mark.parametrize("border", [MIB, 2 * MIB])
    def test_a_character_across_a_border_is_whole(self, char: str, border: int) -> None:
        for before in range(1, len(char.encode())):
            data = b"x" * (border - before) + char.encode() + b"yz"
            assert first_bad_byte(data) is None

    @pytest.mark.parametrize("broken", [b for b, _ in BROKEN.values()], ids=BROKEN.keys())
    def test_bad_bytes_at_a_border_are_found_where_they_are(self, broken: bytes) -> None:
        for before in range(-1, len(broken) + 2):
            data = b"x" * (MIB - before) + broken + b"yz"
            assert first_bad_byte(data) == reference_bad_byte(data)
            assert first_bad_byte(data)[0].start == MIB - before  # type: ignore[index]

    @pytest.mark.parametrize("cut", [b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98"])
    def test_half_a_character_at_the_end_and_at_a_border_is_a_cut(self, cut: bytes) -> None:
        for before in range(len(cut) + 1):
            data = b"x" * (MIB - before) + cut
            assert first_bad_byte(data) == (Span(MIB - before, MIB - before + len(cut)), True)

    @pytest.mark.parametrize("start", [1, 3, MIB - 1, MIB, MIB + 1])
    def test_borders_are_counted_from_the_start_that_is_given(self, start: int) -> None:
        data = b"\xff" * start + b"x" * (MIB - 1) + "\u20ac".encode() + b"\xff"
        assert first_bad_byte(data, start) == (Span(start + MIB + 2, start + MIB + 3), False)

    def test_nothing_is_sound(self) -> None:
        assert first_bad_byte(b"") is None
        assert first_bad_byte(b"\xff", 1) is None

    def test_a_document_across_a_border_is_judged_like_a_short_one(self) -> None:
        lead = b'["' + b"x" * (MIB - 3)
        assert places(lead + b"\xf0\x9f\x98\x80\xff" + b'"]') == [
            ("encoding-utf8", MIB + 3, 1, MIB + 1, None)
        ]
        assert places(lead + b"\xf0\x9f") == [("json-truncated", MIB - 1, 1, MIB, None)]


class TestOtherRules:
    @pytest.mark.parametrize(
        ("data", "found"),
        [
            (b"[] x", [("json-trailing-data", 3, 1, 4, None)]),
            (b"[]\n\n {}", [("json-trailing-data", 5, 3, 2, None)]),
            (b"[]]", [("json-trailing-data", 2, 1, 3, None)]),
            (b"[]\0", [("json-trailing-data", 2, 1, 3, None)]),
            (b"[]," + b"[" * 200 + b'NaN 1e999 "', [("json-trailing-data", 2, 1, 3, None)]),
            ('{"\u20ac":\n1}x'.encode(), [("json-trailing-data", 10, 2, 3, None)]),
            (b'{"a":NaN}', [("json-non-finite", 5, 1, 6, None)]),
            (b"[\nInfinity]", [("json-non-finite", 2, 2, 1, None)]),
            (b"[-Infinity]", [("json-non-finite", 1, 1, 2, None)]),
            (b"[1,1e400]", [("json-non-finite", 3, 1, 4, None)]),
            (b"[-1.5E+999]", [("json-non-finite", 1, 1, 2, None)]),
            (b"[1.8e308]", [("json-non-finite", 1, 1, 2, None)]),
            (b"[" + b"9" * 310 + b".0]", [("json-non-finite", 1, 1, 2, None)]),
            (b"[1.7976931348623157e308,1e-400,-0.0]", []),
            (b"[NaN,]", [("json-non-finite", 1, 1, 2, None)]),
            (b"[,NaN]", [("json-syntax", 1, 1, 2, None)]),
            (
                b'{"a": 9007199254740992,\n"b":[-9007199254740992]}',
                [
                    ("json-number-precision", 6, 1, 7, "/a"),
                    ("json-number-precision", 29, 2, 6, "/b/0"),
                ],
            ),
            (b"[9007199254740991,-9007199254740991,1e20,-0]", []),
            (
                b'{"a/b":{"m~n":[0,1e2,9007199254740993]}}',
                [("json-number-precision", 21, 1, 22, "/a~1b/m~0n/2")],
            ),
        ],
    )
    def test_rule_and_place_are_exact(self, data: bytes, found: list[Place]) -> None:
        assert places(data) == found

    @pytest.mark.parametrize(
        ("data", "found"),
        [
            (b'["\\u0000", {"\\u0000": 1}]', [("text-nul", 1, "/0"), ("text-nul", 12, "/1")]),
            (b'["\\ud800"]', [("text-surrogate", 1, "/0")]),
            (b'["\\ud800\\u0000\\udc00\\u0000"]', [("text-nul", 1, "/0"), ("text-surrogate", 1, "/0")]),
            (
                b'{"a":{"\\udc00":{"b":"\\ud800"}}}',
                [("text-surrogate", 6, "/a"), ("text-surrogate", 20, "/a")],
            ),
            (b'["\\ud83d\\ude00","\\\\ud800","\\\\u0000"]', []),
            (b'["\\ude00\\ud83d"]', [("text-surrogate", 1, "/0")]),
            (
                b'{"' + b"k" * 257 + b'":["\\u0000","\\u0000"]}',
                [("text-nul", 262, ""), ("text-nul", 271, "")],
            ),
            (b'{"' + b"k" * 256 + b'":["\\u0000"]}', [("text-nul", 261, "/" + "k" * 256 + "/0")]),
        ],
    )
    def test_faults_of_strings_stand_at_the_value_or_at_the_object_of_the_key(
        self, data: bytes, found: list[tuple[str, int, str]]
    ) -> None:
        report = convspec.check(data, format="history")
        told = [(f.rule, f.offset, f.pointer) for f in report.findings if f.rule.startswith("text-")]
        assert told == found


class TestDuplicateKeys:
    def told(self, data: bytes) -> list[tuple[Any, ...]]:
        report = convspec.check(data, format="history")
        return [
            (f.pointer, f.offset, f.line, f.column, [(r.line, r.pointer) for r in f.related])
            for f in report.findings
            if f.rule == "json-duplicate-key"
        ]

    def test_a_key_is_told_once_however_often_it_is_repeated(self) -> None:
        data = b'{"a":1,\n"a":2,\n"a":3,"a":4}'
        assert self.told(data) == [("/a", 8, 2, 1, [(1, "/a")])]
        assert parse(data).value == {"a": 4}

    def test_each_key_is_told_once_at_its_second_place(self) -> None:
        data = b'{"a":1,"b":1,"b":2,"a":2,"b":3}'
        assert self.told(data) == [("/b", 13, 1, 14, [(1, "/b")]), ("/a", 19, 1, 20, [(1, "/a")])]

    def test_each_object_is_judged_by_itself(self) -> None:
        data = b'[{"a":1,"a":1},\n{"a":1},\n{"a":{"a":1,\n"a":1}}]'
        assert self.told(data) == [("/0/a", 8, 1, 9, [(1, "/0/a")]), ("/2/a/a", 38, 4, 1, [(3, "/2/a/a")])]

    def test_keys_are_compared_with_escapes_decoded(self) -> None:
        data = '{"\u00e4\U0001f600/~":1,"\\u00e4\\ud83d\\ude00\\/~":2}'.encode()
        pointer = "/\u00e4\U0001f600~1~0"
        assert self.told(data) == [(pointer, 14, 1, 11, [(1, pointer)])]

    def test_keys_that_differ_in_case_or_normalisation_are_two(self) -> None:
        assert self.told('{"a":1,"A":1,"\u00e9":1,"e\u0301":1,"":1," ":1}'.encode()) == []

    def test_the_empty_key_is_a_key(self) -> None:
        assert self.told(b'{"":1,"":2}') == [("/", 6, 1, 7, [(1, "/")])]

    def test_a_key_too_long_for_a_pointer_is_told_at_its_object(self) -> None:
        key = b'"' + b"k" * 257 + b'"'
        assert self.told(b'{"a":{' + key + b":1," + key + b":2}}") == [("/a", 268, 1, 269, [(1, "/a")])]

    def test_the_last_one_counts_also_where_it_has_another_type(self) -> None:
        assert parse(b'{"a":{"b":1},"c":0,"a":[2]}').value == {"a": [2], "c": 0}

    def test_faults_inside_a_value_that_is_replaced_are_told_and_break_nothing(self) -> None:
        old = b'{"version":1,"messages":[{"id":"old","role":"user","content":"\\u0000"}],'
        for new in (b"[]", b"5", b"{}", b'[{"id":"new","role":"user","content":"x"}]', b"null"):
            report = convspec.check(old + b'"messages":' + new + b"}")
            told = [
                (f.rule, f.pointer) for f in report.findings if f.rule in ("text-nul", "json-duplicate-key")
            ]
            assert told == [("text-nul", "/messages/0/content"), ("json-duplicate-key", "/messages")]


class TestDepth:
    @pytest.mark.parametrize(
        ("opener", "closer", "times"), [(b"[", b"]", 100), (b'{"a":', b"}", 100), (b'[{"a":', b"}]", 50)]
    )
    def test_a_hundred_levels_are_read_and_one_more_is_refused(
        self, opener: bytes, closer: bytes, times: int
    ) -> None:
        sound = opener * times + b"1" + closer * times
        assert parse(sound).faults == ()
        assert [accepted(way, sound) for way in WAYS] == [parse(sound).value] * len(WAYS)
        deep = opener * times + b"[1]" + closer * times
        at = len(opener) * times
        assert places(deep) == [("json-depth", at, 1, at + 1, None)]
        assert [accepted(way, deep) for way in WAYS] == [MISSING] * len(WAYS)

    def test_the_last_level_may_be_empty(self) -> None:
        assert parse(b"[" * 100 + b"]" * 100).faults == ()
        assert places(b"[" * 101 + b"]" * 101) == [("json-depth", 100, 1, 101, None)]

    @pytest.mark.parametrize("levels", [102, 200, 1_000, 5_000, 200_000])
    def test_depth_is_told_at_the_bracket_that_opens_level_101(self, levels: int) -> None:
        assert places(b"[" * levels) == [("json-depth", 100, 1, 101, None)]
        assert places(b"[" * levels + b"]" * levels) == [("json-depth", 100, 1, 101, None)]

    def test_brackets_in_strings_and_side_by_side_are_no_depth(self) -> None:
        assert parse(b'["' + b"[{" * 200 + b'"' + b",[[]]" * 200 + b"]").faults == ()


class TestLongIntegers:
    @pytest.mark.parametrize("digits", [16, 17, 640, 641, 4_299, 4_300, 4_301, 5_000, 100_000])
    @pytest.mark.parametrize("sign", [b"", b"-"])
    def test_an_integer_is_accepted_however_long_and_told_once(self, digits: int, sign: bytes) -> None:
        number = sign + b"9" * digits
        assert places(b"[0,\n" + number + b"]") == [("json-number-precision", 4, 2, 1, "/1")]
        assert [accepted(way, b"[" + number + b"]") for way in WAYS] == [MISSING] * len(WAYS)

    def test_up_to_4300_digits_the_value_is_exact(self) -> None:
        assert parse(b"7" * 4_300).value == int("7" * 4_300)

    def test_a_lower_limit_of_the_program_raises_nothing(self) -> None:
        limit = sys.get_int_max_str_digits()
        sys.set_int_max_str_digits(640)
        try:
            assert places(b"[" + b"9" * 1_000 + b"]") == [("json-number-precision", 1, 1, 2, "/0")]
        finally:
            sys.set_int_max_str_digits(limit)

    def test_no_limit_of_the_program_makes_it_slow(self) -> None:
        limit = sys.get_int_max_str_digits()
        sys.set_int_max_str_digits(0)
        try:
            assert places(b"[" + b"9" * 1_000_000 + b"]") == [("json-number-precision", 1, 1, 2, "/0")]
        finally:
            sys.set_int_max_str_digits(limit)


# The accepting ways against the scanner

Way = Callable[[bytes], Any]
WAYS: dict[str, Way] = {"json": strict_json._accept_with_json}
if strict_json.jiter is not None:
    WAYS["jiter"] = strict_json._accept_with_jiter


def accepted(way: str, data: bytes) -> Any:
    with patch.object(strict_json, "_parse", WAYS[way]):
        return accept(data)


def same(left: Any, right: Any) -> bool:
    """Compare values with their types, the order of members and the sign of zero."""
    return repr(left) == repr(right)


def judged(way: str, data: bytes) -> str:
    """Hold one accepting way against the scanner, and say how it came out."""
    value, slow = accepted(way, data), explain(data)
    if value is MISSING:
        return "too careful" if not slow.faults else "refused by both"
    assert slow.faults == (), (way, data)
    assert same(value, slow.value), (way, data)
    return "accepted by both"


SMALL = sorted({data for data in corpus_files().values() if 0 < len(data) <= 1_500})
SIGNIFICANT = [
    *(bytes([byte]) for byte in b"{}[]\",:\\0123456789-+.eEtrufalsn \t\n\r\f\0\x1f\x7f/#'_xN"),
    *(b"\\u0000", b"\\ud83d", b"\\ude00", b"\\n", b"\\u00", b"NaN", b"Infinity", b"1e999", b"-0", b"01"),
    *(b"9007199254740992", b"9" * 25, b"9" * 400, b'"a":1,', b'"a":', b"true", b"null", b"[" * 101),
    *(b"\xc3\xa4", b"\xe2\x80\xa8", b"\xf0\x9f\x98\x80", b"\xed\xa0\x80", b"\xc0\x80", b"\xff", b"\xe2", BOM),
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Take a file of the corpus and cut, flip, insert, repeat or swap bytes of it."""
    data = bytearray(draw(st.sampled_from(SMALL)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        to = min(len(data), at + draw(st.integers(1, 40)))
        match draw(st.sampled_from(["cut", "delete", "flip", "insert", "replace", "duplicate", "swap"])):
            case "cut":
                del data[at:]
            case "delete":
                del data[at:to]
            case "flip" if data:
                data[at] ^= 1 << draw(st.integers(0, 7))
            case "insert":
                data[at:at] = draw(st.sampled_from(SIGNIFICANT))
            case "replace":
                data[at : at + 1] = draw(st.sampled_from(SIGNIFICANT))
            case "duplicate":
                data[to:to] = data[at:to]
            case "swap":
                middle = (at + to) // 2
                data[at:to] = data[middle:to] + data[at:middle]
    return bytes(data)


class TestTheFastWay:
    def test_over_mutated_files_it_never_takes_what_the_scanner_refuses(self) -> None:
        outcomes: dict[str, Counter[str]] = {way: Counter() for way in WAYS}

        @settings(max_examples=3_050, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(damaged())
        def compare(data: bytes) -> None:
            for way in WAYS:
                outcomes[way][judged(way, data)] += 1

        compare()
        for way, counted in outcomes.items():
            assert counted.total() >= 3_000
            assert counted["accepted by both"] > 100, way
            assert counted["refused by both"] > 1_000, way

    def test_whether_a_value_comes_out_does_not_depend_on_the_way(self) -> None:
        for name, data in corpus_files().items():
            slow = explain(data)
            for way in WAYS.values():
                with patch.object(strict_json, "_parse", way):
                    fast = parse(data)
                assert fast.faults == slow.faults, name
                assert same(fast.value, slow.value), name

    @pytest.mark.parametrize("way", WAYS)
    def test_files_of_the_corpus_that_are_faultless_go_the_fast_way(self, way: str) -> None:
        careful = b"\\u0000" if way == "jiter" else b"\\u"
        slow = [
            name
            for name, data in corpus_files().items()
            if careful not in data and judged(way, data) == "too careful"
        ]
        assert slow == []

    @pytest.mark.parametrize("way", WAYS)
    def test_numbers_come_out_alike_to_the_last_bit(self, way: str) -> None:
        for text in number_texts():
            assert same(accepted(way, b"[" + text + b"]"), [json.loads(text)]), text


def number_texts() -> Iterator[bytes]:
    """Yield numbers that are hard to round."""
    for mantissa in ("0", "-0", "1", "-9007199254740991", "123456789012", "4503599627370497"):
        yield mantissa.encode()
        for fraction in (".0", ".5", ".1", ".000001", ".3333333333333333333333", "." + "9" * 60):
            for exponent in ("", "e0", "E5", "e-7", "e+22", "e-324", "e-400", "e200"):
                yield f"{mantissa}{fraction}{exponent}".encode()
    for text in ("2.2250738585072011e-308", "4.9e-324", "2.4703282292062327e-324", "1.7976931348623157e308"):
        yield text.encode()
