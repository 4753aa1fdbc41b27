"""The three doors for untrusted input: they refuse what `check` refuses, and let in nothing half-read."""

from __future__ import annotations

import copy
import json
import math
import pickle
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import convspec
from conftest import CASES
from convspec import (
    Attachment,
    History,
    HistoryError,
    Severity,
    Tokens,
    check,
)
from convspec.conformance.cases import Case
from convspec.frozen import FrozenMap
from convspec.history.model import HISTORY_FILE
from convspec.rules import catalogue
from disks import QuickDisk
from histories import deep, extras, histories, message

quickly = settings(max_examples=120, deadline=None, database=None)

PNG = b"\x89PNG\r\n\x1a\n"
CHECKS = tuple(
    case for case in CASES if case.document["format"] == "history" and case.document["kind"] == "check"
)
SECRET = "a secret that was said"


# The doors


@settings(quickly, max_examples=50)
@given(histories())
def test_what_is_written_is_read_again(history: History) -> None:
    text = history.to_json()
    for again in (
        History.parse(text),
        History.parse(text.encode()),
        History.parse(json.dumps(history.to_dict())),
        History.from_dict(history.to_dict()),
        History.from_dict(json.loads(text)),
    ):
        assert again == history
        assert hash(again) == hash(history)
        assert again.to_dict() == history.to_dict()
        assert again.to_json() == text
    report = check(text.encode())
    assert (report.format, report.valid, report.counts.errors) == ("history", True, 0)


@settings(quickly, max_examples=40)
@given(history=histories())
def test_a_folder_and_a_text_hold_the_same(
    history: History, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("saved")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("convspec.history.history._DISK", QuickDisk())
        history.save(folder)
    loaded = History.load(folder)
    assert loaded == history == History.parse(history.to_json()) == History.load(folder / HISTORY_FILE)
    assert loaded.to_dict() == history.to_dict()
    report = check(folder)
    assert (report.valid, report.counts.errors) == (True, 0)
    assert "attachment-unreferenced" not in {finding.rule for finding in report.findings}
    document = json.loads((folder / HISTORY_FILE).read_bytes())
    assert document == json.loads(json.dumps(history.to_dict(inline_attachments=False)))
    assert History.from_dict(document, folder) == history
    shutil.rmtree(folder)
    assert loaded.to_json() == history.to_json()


@pytest.fixture(scope="module")
def judged(laid_out: Callable[[Case], Path]) -> Mapping[str, tuple[Path, convspec.FileReport]]:
    """The path of every case, and what `check` says of it when told that it is a history."""
    paths = {case.id: laid_out(case) for case in CHECKS}
    return {id: (path, check(path, format="history")) for id, path in paths.items()}


Judged = Mapping[str, tuple[Path, convspec.FileReport]]


def entered(door: Callable[[], History]) -> History | HistoryError:
    try:
        history = door()
    except HistoryError as error:
        return error
    assert type(history) is History
    return history


def plain(report: convspec.FileReport, *, places: bool = True) -> Counter[tuple[Any, ...]]:
    return Counter(
        (one.rule, one.severity, one.pointer, one.member, one.target, one.line if places else None)
        for one in report.findings
    )


def assert_same_judgement(
    came: History | HistoryError, report: convspec.FileReport, *, places: bool = True
) -> None:
    if isinstance(came, History):
        assert report.valid
        return
    assert not report.valid
    assert came.finding in came.report.findings
    assert came.finding.severity is Severity.ERROR
    assert came.finding.rule in str(came)
    assert came.report.verdict == report.verdict
    assert plain(came.report, places=places) == plain(report, places=places)


def test_load_refuses_exactly_what_check_refuses(judged: Judged) -> None:
    assert len(judged) > 250
    for path, report in judged.values():
        came = entered(lambda path=path: History.load(path))
        assert_same_judgement(came, report)
        if isinstance(came, HistoryError):
            assert came.report.path in str(came)


def test_the_verdict_of_the_case_is_the_one_of_the_door(judged: Judged) -> None:
    differing = [
        case.id
        for case in CHECKS
        if isinstance(entered(lambda case=case: History.load(judged[case.id][0])), History)
        != (case.document["expect"]["verdict"] == "valid")
    ]
    assert differing == []


def test_parse_refuses_exactly_what_check_refuses_without_a_folder(judged: Judged) -> None:
    tried = 0
    for path, _ in judged.values():
        file = path / HISTORY_FILE if path.is_dir() else path
        if not file.is_file():
            continue
        tried += 1
        data = file.read_bytes()
        report = check(data, format="history")
        assert_same_judgement(entered(lambda data=data: History.parse(data)), report)
        try:
            text = data.decode()
        except UnicodeDecodeError:
            continue
        assert_same_judgement(entered(lambda text=text: History.parse(text)), report)
    assert tried > 250


def test_from_dict_refuses_exactly_what_check_refuses(judged: Judged) -> None:
    tried = 0
    for id, (path, report) in judged.items():
        file = path / HISTORY_FILE if path.is_dir() else path
        layers = {catalogue()[finding.rule].layer for finding in report.findings}
        if not file.is_file() or layers & {"bytes", "json"}:
            continue  # what only bytes can be wrong with, a decoder has dealt with
        tried += 1
        folder = file.parent if file.name == HISTORY_FILE else None
        value = json.loads(file.read_bytes())
        before = copy.deepcopy(value)
        came = entered(lambda value=value, folder=folder: History.from_dict(value, folder))
        assert_same_judgement(came, report, places=False)
        assert value == before
        if isinstance(came, HistoryError):
            assert {(one.line, one.column, one.offset) for one in came.report.findings} == {(None,) * 3}, id
            loaded = entered(lambda path=path: History.load(path))
            assert isinstance(loaded, HistoryError)
            assert (came.finding.rule, came.finding.pointer) == (loaded.finding.rule, loaded.finding.pointer)
        else:
            assert came == History.load(path)
    assert tried > 180


def test_an_error_travels_between_processes() -> None:
    error = entered(lambda: History.parse("[1]"))
    assert isinstance(error, HistoryError)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is HistoryError
    assert (str(again), again.report, again.finding) == (str(error), error.report, error.finding)
    assert isinstance(error, ValueError)


def test_an_error_shows_nothing_that_was_said() -> None:
    for document in (
        {"version": 1, "messages": [{"id": "m", "role": SECRET, "content": SECRET}]},
        {"version": SECRET, "messages": [{"id": "m", "role": "user", "content": [SECRET]}]},
        {"version": 1, "messages": [{"id": "m", "role": "user", "content": SECRET + "\ud800"}]},
    ):
        for error in (
            entered(lambda d=document: History.parse(json.dumps(d))),
            entered(lambda d=document: History.from_dict(d)),
        ):
            assert isinstance(error, HistoryError)
            assert SECRET not in f"{error} {error!r}"


# Which error comes first


def bad(id: str, **members: Any) -> dict[str, Any]:
    return {"id": id, "role": "user", "content": "look", **members}


def doc(*messages: Any, **members: Any) -> dict[str, Any]:
    return {"version": 1, "messages": list(messages), **members}


BAD_ATTACHMENT = {"mime": "text/plain", "filename": "a", "data": "!"}
NEEDS_FOLDER = {"mime": "text/plain", "filename": "a", "file": "attachments/a", "sha256": "0" * 64}
RESULT = {"id": "r", "role": "tool", "content": "", "tool_call_id": "nobody's"}

FIRST: Mapping[str, tuple[Any, str, str | None]] = {
    "the text before all": ('{"version": 2, "version": 2, "messages": 5}', "json-duplicate-key", "/version"),
    "the first fault of the text": (
        '{"messages": [{"id": "a", "id": "b"}], "x": "\\ud800", "version": 1, "version": 1}',
        "json-duplicate-key",
        "/messages/0/id",
    ),
    "trailing data before the version": ('{"messages": 5} x', "json-trailing-data", None),
    "the mark before all": ("\ufeff[]", "encoding-bom", None),
    "the root": ("[]", "schema-type", ""),
    "a missing version before missing messages": ("{}", "version-missing", ""),
    "a null version before missing messages": ('{"version": null}', "version-missing", "/version"),
    "a bad version before missing messages": ('{"version": "1"}', "version-invalid", "/version"),
    "a bad version behind bad messages": ('{"messages": 5, "version": true}', "version-invalid", "/version"),
    "a bad version behind a bad message": (
        '{"messages": [5], "version": 0}',
        "version-invalid",
        "/version",
    ),
    "a newer version alone": ('{"messages": 5, "version": 7}', "version-newer", "/version"),
    "messages before what stands in them": ({"version": 1, "messages": {"0": 1}}, "schema-type", "/messages"),
    "message by message": (
        doc(bad("a"), bad("b", role="system"), bad("c", content=None)),
        "schema-enum",
        "/messages/1/role",
    ),
    "an attachment before a later message": (
        doc(bad("a", attachments=[BAD_ATTACHMENT]), 5),
        "attachment-base64",
        "/messages/0/attachments/0/data",
    ),
    "an attachment before a duplicate id": (
        doc(bad("a"), bad("a", attachments=[NEEDS_FOLDER])),
        "attachment-needs-folder",
        "/messages/1/attachments/0/file",
    ),
    "an attachment of the last message before a duplicate id of the second": (
        doc(bad("a"), bad("a"), bad("b", attachments=[BAD_ATTACHMENT])),
        "attachment-base64",
        "/messages/2/attachments/0/data",
    ),
    "a bad call id before a duplicate message id": (
        doc(
            bad("a"),
            bad("a"),
            bad(
                "b",
                role="assistant",
                tool_calls=[{"id": "c", "name": "n", "arguments": {}}] * 2,
            ),
        ),
        "tool-call-id-duplicate",
        "/messages/2/tool_calls/1/id",
    ),
    "a duplicate id before a result without call": (
        doc(RESULT, bad("a"), bad("a")),
        "message-id-duplicate",
        "/messages/2/id",
    ),
    "the first of two duplicate ids": (
        doc(bad("a"), bad("b"), bad("b"), bad("a")),
        "message-id-duplicate",
        "/messages/2/id",
    ),
    "a result without call": (
        doc(RESULT, {**RESULT, "id": "s"}),
        "tool-result-unmatched",
        "/messages/0/tool_call_id",
    ),
    "the tenth message is behind the ninth": (
        doc(*(bad(str(n)) for n in range(9)), 1, 1),
        "schema-type",
        "/messages/9",
    ),
    "no warning comes first": (
        doc(bad("a", content=" "), bad("a")),
        "message-id-duplicate",
        "/messages/1/id",
    ),
}


@pytest.mark.parametrize(("document", "rule", "pointer"), FIRST.values(), ids=FIRST)
def test_the_first_error(document: Any, rule: str, pointer: str | None) -> None:
    text = document if isinstance(document, str) else json.dumps(document)
    doors = [lambda: History.parse(text)]
    if not isinstance(document, str):
        doors.append(lambda: History.from_dict(document))
    for door in doors:
        error = entered(door)
        assert isinstance(error, HistoryError)
        assert (error.finding.rule, error.finding.pointer) == (rule, pointer)


def test_the_message_of_an_error_names_file_place_and_rule(tmp_path: Path) -> None:
    (tmp_path / "history.json").write_text('{"version": 1,\n "messages": [5]}')
    error = entered(lambda: History.load(tmp_path))
    assert re.fullmatch(r".*/history\.json:2:15: .* at /messages/0 \[schema-type\]", str(error))
    error = entered(lambda: History.from_dict({"version": 1, "messages": [5]}))
    assert re.fullmatch(r"<object>: .* at /messages/0 \[schema-type\]", str(error))


# Load


def test_bytes_are_held(tmp_path: Path) -> None:
    history = History(messages=[message("m", attachments=(Attachment("image/png", "a.png", PNG * 9),))])
    history.save(tmp_path / "chat")
    loaded = History.load(tmp_path / "chat")
    shutil.rmtree(tmp_path / "chat")
    assert loaded == history
    assert loaded.messages[0].attachments[0].bytes == PNG * 9
    assert History.parse(loaded.to_json()) == history
    loaded.save(tmp_path / "again")
    assert History.load(tmp_path / "again") == history


def test_bytes_are_held_whole(tmp_path: Path) -> None:
    data = bytes(range(256)) * 12_345
    History(messages=[message("m", attachments=[Attachment("a", "b", data)])]).save(tmp_path)
    assert History.load(tmp_path).messages[0].attachments[0].bytes == data


def test_a_path_that_holds_no_history(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "folder" / "history.json").mkdir(parents=True)
    for path in (
        tmp_path / "empty",
        tmp_path / "nowhere",
        tmp_path / "folder",
        "a\0b",
        str(tmp_path) + "\ud800",
    ):
        error = entered(lambda path=path: History.load(path))
        assert isinstance(error, HistoryError)
        assert (error.finding.rule, error.report.verdict) == ("file-unreadable", "unreadable")
        assert error.__cause__ is not None


def test_a_document_of_another_name_has_no_folder(tmp_path: Path) -> None:
    History(messages=[message("m", attachments=(Attachment("a", "b", b"c"),))]).save(tmp_path)
    (tmp_path / "history.json").rename(tmp_path / "other.json")
    error = entered(lambda: History.load(tmp_path / "other.json"))
    assert isinstance(error, HistoryError)
    assert error.finding.rule == "attachment-needs-folder"


def test_a_log_is_no_history() -> None:
    error = entered(lambda: History.parse('{"type": "session", "version": 1}\n{"type": "message"}\n'))
    assert isinstance(error, HistoryError)


# What a document may say in several ways


@pytest.mark.parametrize(
    "member", ["kind", "attachments", "tool_calls", "tool_call_id", "model_id", "thinking", "tokens"]
)
def test_absent_null_and_default_are_the_same(member: str) -> None:
    default = {"kind": "user", "attachments": [], "tool_calls": []}.get(member)
    ways = [
        History.from_dict(doc(bad("a"), bad("b", **given_member)))
        for given_member in ({}, {member: None}, {member: default})
    ]
    assert ways[0] == ways[1] == ways[2]
    assert len({way.to_json() for way in ways}) == 1
    assert member not in ways[0].to_dict()["messages"][1]


def test_numbers_that_equal_integers_are_integers() -> None:
    history = History.parse(
        '{"version": 1e0, "messages": [{"id": "m", "role": "assistant", "content": "",'
        ' "tokens": {"input": 3.0, "output": 3e2, "cached": -0.0}}]}'
    )
    tokens = history.messages[0].tokens
    assert tokens == Tokens(3, 300, 0)
    assert [type(count) for count in tokens.counts()] == [int, int, int, type(None), type(None)]
    assert history.version == 1
    assert type(history.version) is int


def test_unknown_members_are_kept_at_every_level() -> None:
    extra = {"extra": 1, "x": {"deep": [None, 1.5]}, "": "empty", "messages ": []}
    document = doc(
        bad("a", role="assistant", thinking={"text": "t", **extra}, tokens={"input": 1, **extra},
            attachments=[{"mime": "a", "filename": "b", "data": "", **extra}],
            tool_calls=[{"id": "c", "name": "n", "arguments": extra, **extra}], **extra),
        **extra,
    )  # fmt: skip
    assert History.from_dict(document).to_dict() == document
    assert History.parse(json.dumps(document)).to_dict() == document
    assert History.from_dict(History.from_dict(document).to_dict()).to_dict() == document


@given(extras)
@settings(quickly, max_examples=40)
def test_unknown_members_do_not_change_the_value(extra: dict[str, Any]) -> None:
    plain_one = History(messages=[message("m")])
    assert History.from_dict({**plain_one.to_dict(), **extra}) == plain_one
    assert History(messages=[message("m", extra=extra)], extra=extra).canonical() == plain_one.canonical()


def test_integers_of_any_length_come_through() -> None:
    digits = "9" * 5_000
    arguments = f'{{"{"k" * 300}": [1, {digits}, -{digits}], "z": 9007199254740993}}'
    text = (
        '{"version": 1, "messages": [{"id": "m", "role": "assistant", "content": "",'
        f' "tokens": {{"input": {digits}}},'
        f' "tool_calls": [{{"id": "c", "name": "n", "arguments": {arguments}}}]}}],'
        f' "x": -{digits}}}'
    )
    history = History.parse(text)
    again = History.parse(history.to_json())
    assert again == history == History.from_dict(history.to_dict()) == pickle.loads(pickle.dumps(history))
    assert hash(again) == hash(history)
    for number in (
        f'"input": {digits}',
        f" {digits},",
        f" -{digits}",
        '"z": 9007199254740993',
        f'"x": -{digits}',
    ):
        assert number in history.to_json()
    assert history.messages[0].tool_calls[0].arguments["z"] == 9007199254740993
    other = History.parse(text.replace(f"-{digits}]", f"-{digits[:-1]}8]"))
    assert other != history
    with pytest.raises(ValueError):
        history.canonical()


def test_a_low_limit_on_digits_changes_nothing() -> None:
    script = (
        "import sys; sys.set_int_max_str_digits(640)\n"
        "from convspec import History, Message, ToolCall\n"
        "d = '7' * 3000\n"
        'h = History.parse(\'{"version": 1, "messages": [], "x": %s}\' % d)\n'
        "assert d in h.to_json()\n"
        "call = ToolCall('c', 'n', {'a': 10 ** 3000})\n"
        "h = History(messages=[Message('m', 'assistant', tool_calls=[call])])\n"
        "assert History.parse(h.to_json()) == h\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


# Hostile objects


def cycle() -> Any:
    value: dict[str, Any] = doc()
    value["again"] = value
    return value


def bomb() -> Any:
    value: Any = "x"
    for _ in range(50):
        value = [value, value]
    return value


HOSTILE: Mapping[str, tuple[Callable[[], Any], str, str | None]] = {
    "cycle": (cycle, "json-depth", None),
    "depth 101": (lambda: doc(x=deep(100)), "json-depth", None),
    "depth of the stack": (lambda: doc(x=deep(100_000)), "json-depth", None),
    "NaN": (lambda: doc(x=[math.nan]), "schema-type", "/x/0"),
    "infinity": (lambda: doc(bad("a", content=math.inf)), "schema-type", "/messages/0/content"),
    "set": (lambda: doc(x={"a": {1}}), "schema-type", "/x/a"),
    "bytes": (lambda: doc(bad("a", content=b"look")), "schema-type", "/messages/0/content"),
    "object": (lambda: doc(object()), "schema-type", "/messages/0"),
    "a key that is a number": (lambda: doc(x={"a": {1: 2}}), "schema-type", "/x/a"),
    "a key that is nothing": (lambda: {**doc(), None: 1}, "schema-type", ""),
    "half a surrogate": (lambda: doc(bad("a", content="\ud800")), "text-surrogate", "/messages/0/content"),
    "half a surrogate in a key": (lambda: doc(x={"\udfff": 1}), "text-surrogate", "/x"),
    "two keys of one text": (lambda: doc(x={"\ud83d\ude00": 1, "\U0001f600": 1}), "schema-type", "/x"),
    "shared without end": (lambda: doc(x=bomb()), "schema-type", None),
    "a list": (list, "schema-type", ""),
    "nothing": (lambda: None, "schema-type", ""),
    "a text": (lambda: '{"version": 1, "messages": []}', "schema-type", ""),
    "bytes at the top": (lambda: b"{}", "schema-type", ""),
    "a history": (History, "schema-type", ""),
    "true for 1": (lambda: {"version": True, "messages": []}, "version-invalid", "/version"),
    "a huge version": (lambda: {"version": 1 << 100_000, "messages": []}, "version-newer", "/version"),
}


@pytest.mark.parametrize(("make", "rule", "pointer"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_objects_are_refused(make: Callable[[], Any], rule: str, pointer: str | None) -> None:
    value = make()
    error = entered(lambda: History.from_dict(value))
    assert isinstance(error, HistoryError)
    assert error.finding.rule == rule
    if pointer is not None or rule == "json-depth":
        assert error.finding.pointer == pointer
    while isinstance(value, dict) and "x" in value:
        value = value.pop("x")
    while isinstance(value, list) and value:  # taken apart from the outside, level by level
        value = value[0]


class Text(str):
    def __str__(self) -> str:
        return "another"


class Whole(int):
    def __repr__(self) -> str:
        return "another"


def test_objects_of_derived_types_are_what_they_derive_from() -> None:
    value = doc(bad("a", content=Text("look"), **{Text("x"): Whole(3)}), version=Whole(1))
    history = History.from_dict(value)
    assert history == History.from_dict(doc(bad("a")))
    assert type(history.messages[0].content) is str
    assert type(history.messages[0].extra["x"]) is int


def test_tuples_and_other_mappings_will_do() -> None:
    value = FrozenMap(doc(bad("a", tool_calls=())))
    assert History.from_dict(value) == History.from_dict(doc(bad("a")))


def test_parts_that_are_shared_will_do() -> None:
    arguments = {"path": ["a"]}
    call = {"name": "read", "arguments": arguments}
    value = doc(*(bad(f"m{n}", role="assistant", tool_calls=[{**call, "id": "c"}]) for n in range(500)))
    history = History.from_dict(value)
    arguments["path"].append("b")
    assert {call.arguments["path"] for message in history.messages for call in message.tool_calls} == {("a",)}


def test_huge_integers_in_objects_take_no_square_of_time() -> None:
    began = time.monotonic()
    history = History.from_dict(doc(x=1 << 2_000_000))
    assert History.parse(history.to_json()).extra["x"] == history.extra["x"]
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("wrong", [None, 5, 10**12, ["{}"], {}, object()])
def test_what_is_neither_text_nor_bytes_is_no_document(wrong: Any) -> None:
    with pytest.raises(TypeError):
        History.parse(wrong)


def test_any_bytes_will_do() -> None:
    data = b'{"version": 1, "messages": []}'
    assert History.parse(bytearray(data)) == History.parse(memoryview(data)) == History()


def test_half_a_surrogate_in_a_text_is_refused() -> None:
    error = entered(lambda: History.parse('{"version": 1, "messages": [], "x": "\ud800"}'))
    assert isinstance(error, HistoryError)
    assert error.finding.rule == "encoding-utf8"
