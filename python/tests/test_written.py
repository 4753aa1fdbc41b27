"""What a writer has written, held against a case: by the runner, over a corpus and adapters in memory."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from convspec.conformance.protocol_tier import ProtocolTier
from convspec.conformance.results import Logs, Outcome, Status, Trouble
from convspec.conformance.runner import run
from convspec.conformance.written import LONGEST_LOG, written_differences
from fakes import FakeLauncher, FakeProcess, MemoryCorpus, Request, Says, case_document, line, script

ID = "session/writing/one"
OLD = b'{"type":"session","id":"s1"}\n{"type":"message","id":"u1"}\n'
MESSAGE = {
    "type": "message",
    "id": "*id1",
    "parentId": "u1",
    "timestamp": "*time",
    "message": {"role": "user", "content": "look", "id": "*id1"},
}
APPEND = {"do": "append_message", "message": {"role": "user", "content": "look"}, "as": "*id1"}
TIME = "2026-02-11T08:15:30.120Z"


def case(*records: dict[str, Any], refused: Iterable[int] = (), **expect: Any) -> dict[str, Any]:
    """Return a case that appends messages and expects these records."""
    operations = [{**APPEND, "as": f"*id{place}"} for place, _ in enumerate(records, 1)] or [APPEND]
    return case_document(
        ID,
        kind="write",
        input="log.jsonl",
        operations=operations,
        expect={"records": list(records), "refused": list(refused), **expect},
    )


def filled(record: Any, id: str = "a1", time: str = TIME) -> Any:
    """Return a record as a writer writes it."""
    return json.loads(json.dumps(record).replace("*id1", id).replace("*time", time))


def spelled(*records: Any) -> bytes:
    return b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)


RIGHT = spelled(filled(MESSAGE))
HEADER = {"type": "session", "version": 2, "id": "*id1", "timestamp": "*time", "cwd": "/x"}


def told(
    added: bytes,
    document: dict[str, Any] | None = None,
    *,
    old: bytes = OLD,
    ids: dict[str, Any] | None = None,
    refused: Iterable[int] = (),
) -> list[str]:
    """Return the differences where a writer has appended bytes."""
    answer = {"ids": {"*id1": "a1"} if ids is None else ids, "refused": list(refused)}
    before, after = {"log.jsonl": old}, {"log.jsonl": old + added}
    return list(written_differences(document or case(MESSAGE), answer, before, after))


class TestBytes:
    def test_what_is_right(self) -> None:
        assert told(RIGHT) == []
        assert told(b"\n" + RIGHT, old=OLD + b'{"type":"mes') == []

    @pytest.mark.parametrize(
        ("added", "old", "text"),
        [
            (b"", OLD, "record 1 is missing: message"),
            (RIGHT[:-1], OLD, "the last line has no line feed"),
            (RIGHT, OLD[:-1], "what is written stands behind a line that was not ended"),
            (b"\n" + RIGHT, OLD, "record 1: the line is no JSON that can be taken: json-truncated"),
            (RIGHT + b"\n", OLD, "there are 2 lines, expected are 1"),
            (RIGHT + RIGHT, OLD, "there are 2 lines, expected are 1"),
            (RIGHT[:-1] + RIGHT, OLD, "record 1: the line is no JSON that can be taken: json-trailing-data"),
            (
                RIGHT.replace(b"look", b"\xff"),
                OLD,
                "record 1: the line is no JSON that can be taken: encoding",
            ),
            (
                RIGHT.replace(b"look", b"\\ud800"),
                OLD,
                "record 1: the line is no JSON that can be taken: text-s",
            ),
            (
                RIGHT.replace(b'"id":', b'"id":1,"id":', 1),
                OLD,
                "record 1: the line is no JSON that can be take",
            ),
            (b"[]\n", OLD, "record 1: it is no object whose first member is type"),
            (b"{}\n", OLD, "record 1: it is no object whose first member is type"),
            (b"x" * LONGEST_LOG, OLD, "the log is longer than"),
        ],
        ids=lambda value: str(value)[:30],
    )
    def test_what_is_wrong(self, added: bytes, old: bytes, text: str) -> None:
        assert any(one.startswith(text) for one in told(added, old=old)), told(added, old=old)

    @pytest.mark.parametrize(
        "new", [RIGHT, OLD[1:] + RIGHT, OLD.replace(b"u1", b"u2") + RIGHT, OLD[:-5], b""]
    )
    def test_what_was_there_has_to_stay(self, new: bytes) -> None:
        answer = {"ids": {"*id1": "a1"}, "refused": []}
        found = list(written_differences(case(MESSAGE), answer, {"log.jsonl": OLD}, {"log.jsonl": new}))
        assert found == ["what was in the log is not there as it was"]

    def test_what_is_refused_leaves_the_log_as_it_is(self) -> None:
        nothing = case(refused=[0])
        assert told(b"", nothing, refused=[0], ids={}) == []
        for added in (RIGHT, b"\n", b" "):
            assert told(added, nothing, refused=[0], ids={}) == ["something was written, expected is nothing"]
        torn = told(b"\n", nothing, old=OLD[:-1], refused=[0], ids={})
        assert torn == ["something was written, expected is nothing"]

    def test_what_was_refused_has_to_be_said(self) -> None:
        assert told(b"", case(refused=[0]), ids={}) == ["refused are [], expected [0]"]
        assert told(RIGHT, refused=[1]) == ["refused are [1], expected []"]
        both = case(refused=[0, 2])
        assert told(b"", both, refused=[2, 0], ids={}) == []
        assert told(b"", both, refused=[0, 2, 2], ids={}) == ["refused are [0, 2, 2], expected [0, 2]"]

    @pytest.mark.parametrize(
        ("before", "after", "text"),
        [
            ({}, {}, "there are 0 logs, expected is one"),
            ({}, {"a.jsonl": RIGHT, "b.jsonl": b""}, "there are 2 logs, expected is one"),
            ({"log.jsonl": OLD}, {}, "there are 0 logs, expected is one"),
            ({"log.jsonl": OLD}, {"a.jsonl": OLD + RIGHT}, "the log has another name"),
        ],
    )
    def test_there_is_one_log(self, before: Logs, after: Logs, text: str) -> None:
        answer = {"ids": {"*id1": "a1"}, "refused": []}
        assert list(written_differences(case(MESSAGE), answer, before, after)) == [text]

    def test_or_none_where_it_is_refused_to_make_one(self) -> None:
        answer: dict[str, Any] = {"ids": {}, "refused": [0]}
        assert list(written_differences(case(refused=[0]), answer, {}, {})) == []
        found = written_differences(case(refused=[0]), answer, {}, {"a.jsonl": b""})
        assert list(found) == ["there is 1 log, expected are none"]


class TestRecords:
    def wrong(self, change: dict[str, Any], text: str, wanted: dict[str, Any] = MESSAGE) -> None:
        found = told(spelled({**filled(wanted), **change}), case(wanted))
        assert len(found) == 1, found
        assert found[0].startswith("record 1: " + text), found

    def test_each_member_is_compared(self) -> None:
        self.wrong({"type": "compaction"}, '/type is "compaction", expected "message"')
        self.wrong({"parentId": "u2"}, '/parentId is "u2", expected "u1"')
        self.wrong({"message": 7}, "/message is 7, expected {")
        self.wrong(
            {"message": {"role": "user", "content": "look", "id": "a1", "x": 1}}, "/message has a member"
        )
        self.wrong({"message": {"role": "user", "id": "a1"}}, "/message has no member content")
        self.wrong(
            {"message": {"role": "user", "content": ["look"], "id": "a1"}}, '/message/content is ["look"]'
        )

    def test_lists_by_item(self) -> None:
        wanted = {"type": "memory_state", "timestamp": "*time", "sessionMemories": [1, "b"]}
        self.wrong({"sessionMemories": [1.0, "c"]}, '/sessionMemories/1 is "c", expected "b"', wanted)
        self.wrong({"sessionMemories": [True, "b"]}, "/sessionMemories/0 is true, expected 1", wanted)
        self.wrong({"sessionMemories": [1]}, "/sessionMemories has 1 items, expected are 2", wanted)
        self.wrong({"sessionMemories": {}}, "/sessionMemories is {}, expected [", wanted)

    def test_null_is_not_absent(self) -> None:
        root = {key: value for key, value in MESSAGE.items() if key != "parentId"}
        self.wrong({"parentId": None}, "it has a member too much: parentId", root)

    def test_a_writer_may_add_keys_that_the_specification_does_not_know(self) -> None:
        assert told(spelled({**filled(MESSAGE), "xTool": {"a": 1}})) == []
        assert told(RIGHT, case({**MESSAGE, "x": 1})) == ["record 1: it has no member x"]

    def test_a_message_may_leave_out_the_id_of_its_entry(self) -> None:
        bare = filled(MESSAGE)
        del bare["message"]["id"]
        assert told(spelled(bare)) == []
        self.wrong({"message": {**bare["message"], "id": None}}, "/message/id is no id: null")

    @pytest.mark.parametrize("type", [None, 7, [], {}, "x", "message\n"])
    def test_a_type_of_any_kind(self, type: Any) -> None:
        record = {**filled(MESSAGE), "type": type}
        assert any("/type is" in text for text in told(spelled(record)))

    def test_the_type_comes_first(self) -> None:
        record = filled(MESSAGE)
        last = {**{key: record[key] for key in record if key != "type"}, "type": "message"}
        assert told(spelled(last))[0] == "record 1: it is no object whose first member is type"


class TestPlaceholders:
    @pytest.mark.parametrize("time", [TIME, "2024-02-29T23:59:59.999Z"])
    def test_times(self, time: str) -> None:
        assert told(spelled(filled(MESSAGE, time=time))) == []

    @pytest.mark.parametrize(
        "time",
        ["2026-02-11T08:15:30Z", "2026-02-11T08:15:30.12Z", "2026-02-11T08:15:30.120+00:00", "*time", "",
         "2026-02-30T08:15:30.120Z", "2026-02-11T08:15:30.120z", "2026-02-11 08:15:30.120Z",
         "2026-02-11T08:15:30.120Z\n", "٢026-02-11T08:15:30.120Z"],
    )  # fmt: skip
    def test_no_times(self, time: str) -> None:
        (text,) = told(spelled({**filled(MESSAGE), "timestamp": time}))
        assert text.startswith("record 1: /timestamp is no instant in UTC")

    @pytest.mark.parametrize("id", [None, "", 7, ["a1"]])
    def test_what_is_no_id(self, id: Any) -> None:
        assert told(spelled({**filled(MESSAGE), "id": id}))[0].startswith("record 1: /id is no id")

    @pytest.mark.parametrize("id", ["u1", "s1"])
    def test_an_id_that_is_there_already(self, id: str) -> None:
        found = told(spelled(filled(MESSAGE, id)), ids={"*id1": id})
        assert f'record 1: /id is an id that is there already: "{id}"' in found

    def test_one_name_is_one_id_and_two_are_two(self) -> None:
        second = {**MESSAGE, "id": "*id2", "parentId": "*id1", "message": {"role": "user", "id": "*id2"}}
        both = case(MESSAGE, second)
        one = filled(MESSAGE)
        ids = {"*id1": "a1", "*id2": "a2"}
        right = {**one, "id": "a2", "parentId": "a1", "message": {"role": "user", "id": "a2"}}
        assert told(spelled(one, right), both, ids=ids) == []
        found = told(spelled(one, {**right, "parentId": "a9"}), both, ids=ids)
        assert found == ['record 2: /parentId is not the id of *id1: "a9"']
        same = {**right, "id": "a1", "message": {"role": "user", "id": "a1"}}
        found = told(spelled(one, same), both, ids=ids)
        assert 'record 2: /id is an id that is there already: "a1"' in found

    def test_the_answer_has_the_ids_of_the_log(self) -> None:
        assert told(RIGHT, ids={"*id1": "a2"}) == ["the answer has another id for *id1 than the log"]
        assert told(RIGHT, ids={}) == ["the answer has no id for *id1"]
        found = told(RIGHT, ids={"*id1": "a1", "*id7": "a7"})
        assert found == ["the answer has an id for *id7, for which none is expected"]


class TestSpelling:
    def compact(self, added: bytes) -> list[str]:
        return told(added, case(MESSAGE, compact=True))

    def test_what_json_asks_for_is_fine(self) -> None:
        text = 'a "b" \\ /é\u2028\x7f\x01\n'
        wanted = {**MESSAGE, "message": {"content": text, "id": "*id1"}}
        plain = json.dumps(filled(wanted), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        assert told(plain, case(wanted, compact=True)) == []
        assert told(plain.replace("é".encode(), b"\\u00e9"), case(wanted)) == []

    def test_white_space(self) -> None:
        for spaced in (
            RIGHT.replace(b":", b": ", 1),
            RIGHT[:-1] + b" \n",
            RIGHT[:-1] + b"\r\n",
            b"\t" + RIGHT,
        ):
            assert told(spaced) == []
            assert self.compact(spaced) == ["record 1: there is white space outside strings"]

    @pytest.mark.parametrize("escape", [b"\\u006cook", b"lo\\u006Fk"])
    def test_escapes(self, escape: bytes) -> None:
        found = self.compact(RIGHT.replace(b"look", escape))
        assert found == ["record 1: a character is escaped that may stand as it is"]

    def test_slashes(self) -> None:
        wanted = {**MESSAGE, "message": {"content": "a/b \\/", "id": "*id1"}}
        added = spelled(filled(wanted))
        assert told(added, case(wanted, compact=True)) == []
        assert len(told(added.replace(b"a/b", b"a\\/b"), case(wanted, compact=True))) == 1


class TestFileName:
    UUID = "3f1c9a52-7d0e-4b61-9a0e-6c2f4d8b17aa"

    @pytest.mark.parametrize(
        ("name", "right"),
        [
            (f"2026-02-11T08-15-30.120Z_{UUID}.jsonl", True),
            (f"2026-02-11T08-15-30.121Z_{UUID}.jsonl", False),
            (f"2026-02-11T08-15-30.120Z_{UUID[::-1]}.jsonl", False),
            ("log.jsonl", False),
        ],
    )
    def test_it_is_the_header_s(self, name: str, right: bool) -> None:
        document = case(HEADER, store_name=True)
        document["operations"] = [{"do": "create", "cwd": "/x"}]
        logs = {name: spelled(filled(HEADER, self.UUID))}
        found = list(written_differences(document, {"ids": {}, "refused": []}, {}, logs))
        assert found == ([] if right else ["the file is not named by its header"])


class TestRunner:
    """The runner asks, and looks at the log itself."""

    def ran(self, added: bytes, document: dict[str, Any], **said: Any) -> tuple[Outcome, list[Request]]:
        files: dict[str, Logs] = {ID: {"log.jsonl": OLD}}

        def judge(request: Request) -> list[Says]:
            files[request["path"]] = {"log.jsonl": OLD + added}
            return [line({"seq": request["seq"], "refused": [], "ids": {"*id1": "a1"}, **said})]

        started = FakeLauncher(lambda: FakeProcess(script(judge)))
        corpus = MemoryCorpus([document], files)
        (outcome,) = run(corpus, ProtocolTier(started, 1.0), [ID]).outcomes
        return outcome, started.started[0].heard

    def test_it_asks_with_the_operations_and_tells_nothing_of_what_is_expected(self) -> None:
        outcome, heard = self.ran(RIGHT, case(MESSAGE))
        assert outcome.status is Status.PASSED
        assert heard[1] == {
            "cmd": "case",
            "seq": 1,
            "kind": "write",
            "format": "session",
            "path": ID,
            "operations": [APPEND],
        }

    def test_what_is_wrong_belongs_to_the_reading(self) -> None:
        outcome, _ = self.ran(RIGHT[:-1], case(MESSAGE))
        assert (outcome.levels, outcome.failed_levels) == (("reading",), ("reading",))
        assert [one.text for one in outcome.differences] == ["the last line has no line feed"]

    @pytest.mark.parametrize(
        "said", [{"refused": [True]}, {"refused": [-1]}, {"refused": None}, {"ids": []}, {"ids": None}]
    )
    def test_a_bad_answer(self, said: dict[str, Any]) -> None:
        outcome, _ = self.ran(RIGHT, case(MESSAGE), **said)
        assert outcome.fault is not None
        assert outcome.fault.trouble is Trouble.BAD_ANSWER

    @pytest.mark.parametrize("id", [None, 7, {}, "\ud800", "a" * 9000])
    def test_ids_of_any_kind(self, id: Any) -> None:
        outcome, _ = self.ran(RIGHT, case(MESSAGE), ids={"*id1": id, "\ud800" * 900: id})
        assert outcome.failed_levels == ("reading",)
        assert all(len(one.text) < 100 for one in outcome.differences)
