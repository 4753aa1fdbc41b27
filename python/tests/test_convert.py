"""From a session to a history, back, and from version 1 of the log to version 2."""

from __future__ import annotations

import base64
import json
import random
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import logs
from commands import run
from convspec import Attachment, History, Message, SessionStore, Thinking, Tokens, ToolCall, check, engines
from convspec.converting import (
    Converted,
    Loss,
    messages_of,
    new_log,
    to_history,
    to_session_messages,
    upgraded,
)
from convspec.converting.losses import Losses, grouped, values
from convspec.converting.usage import tokens, usage
from convspec.session.opening import read_session
from histories import full, histories
from histories import tokens as counts
from logs import HEADER_1, STAMP, chain, log, record, unnamed

PNG = b"\x89PNG\r\n\x1a\n"
DATA = base64.b64encode(PNG).decode()
CALL = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path":"a.txt"}'}}
ASKS = {"role": "assistant", "content": "", "tool_calls": [CALL]}


def converted(*messages: dict[str, Any]) -> Converted:
    return to_history(read_session(chain(*messages)))


def one(**message: Any) -> Message:
    """Return what becomes of one message."""
    (found,) = converted(message).history.messages
    return found


def lost(*messages: dict[str, Any]) -> list[str]:
    """Return what is lost of these messages, beside what every log holds around them."""
    return [loss.member or loss.what for loss in converted(*messages).losses if loss.message is not None]


class TestEveryLog:
    def test_of_the_corpus_becomes_a_valid_history(self) -> None:
        for id, session in logs.readings().items():
            report = check(to_history(session).history.to_json().encode())
            assert report.valid, (id, report.findings)

    @pytest.mark.parametrize("seed", range(4))
    def test_with_damage_becomes_one_too_and_that_a_log_again(self, seed: int) -> None:
        count = 0
        for session in logs.damaged_readings(150, seed):
            history = to_history(session).history
            assert History.parse(history.to_json()) == history
            report = check(new_log(history)[0], format="session")
            assert report.valid, report.findings
            count += 1
        assert count > 100

    def test_gives_losses_that_fit_their_schema_and_hold_no_text(self) -> None:
        for id, session in logs.readings().items():
            losses = to_history(session).losses
            value = {"conversion_version": 1, "path": "x", "from": "session", "to": "history"}
            value["losses"] = values(losses)
            assert list(engines.violations("report/1.0/conversion.schema.json", value)) == [], id
            assert all(what for what, _ in grouped(losses))


class TestRoles:
    def test_user_assistant_and_result(self) -> None:
        messages = converted(
            {"role": "user", "content": "look"},
            ASKS,
            {"role": "tool", "tool_call_id": "c1", "name": "read_file", "content": "shown"},
            {"role": "assistant", "content": "done", "model": "gpt-x"},
        ).history.messages
        assert messages == (
            Message("m0", "user", "look"),
            Message("m1", "assistant", "", tool_calls=[ToolCall("c1", "read_file", {"path": "a.txt"})]),
            Message("m2", "tool", "shown", tool_call_id="c1"),
            Message("m3", "assistant", "done", model_id="gpt-x"),
        )

    @pytest.mark.parametrize("role", ["compactionSummary", "branchSummary"])
    def test_summaries_are_references(self, role: str) -> None:
        assert one(role=role, content=None, summary="so far") == Message("m0", "user", "so far", "reference")
        assert one(role=role, content="so far") == Message("m0", "user", "so far", "reference")

    def test_an_unknown_role_is_a_reference_and_named(self) -> None:
        assert one(role="bash", content="ls") == Message("m0", "user", "ls", "reference")
        assert lost({"role": "bash", "content": "ls"}) == [
            "the role, which a history does not have; the message is a reference now"
        ]

    def test_a_system_message_is_left_out_and_counted(self) -> None:
        found = converted({"role": "system", "content": "be kind"}, {"content": "look"})
        assert [message.id for message in found.history.messages] == ["m1"]
        assert Loss(None, "1 system message") in found.losses

    def test_null_content_is_none(self) -> None:
        assert one(role="assistant", content=None, tool_calls=[CALL]).content == ""


class TestIds:
    def test_a_second_message_of_an_id_gets_a_new_one(self) -> None:
        data = log(record("a"), {**record("b", "a"), "message": {"role": "user", "content": "x", "id": "a"}})
        found = to_history(read_session(data))
        first, second = (message.id for message in found.history.messages)
        assert (first, second == "a", len(second)) == ("a", False, 22)

    def test_messages_of_version_1_get_new_ids_without_a_word(self) -> None:
        found = to_history(read_session(log(unnamed(), unnamed(), header=HEADER_1)))
        assert len({message.id for message in found.history.messages}) == 2
        assert all(loss.message is None for loss in found.losses)

    def test_an_id_that_is_a_number_is_that_of_the_entry(self) -> None:
        data = log({**record("a"), "message": {"role": "user", "content": "x", "id": 5}})
        assert [message.id for message in to_history(read_session(data)).history.messages] == ["a"]


class TestContent:
    def test_texts_are_joined_and_the_seam_is_named(self) -> None:
        parts = [{"type": "text", "text": "one"}, "two", {"type": "note", "text": "three"}]
        assert one(content=parts).content == "one\ntwo\nthree"
        assert lost({"content": parts}) == [
            "the kind of a content part; its text is kept",
            "where one part of the text ends and the next begins; they are joined by line feeds",
        ]

    def test_images_of_both_dialects(self) -> None:
        parts = [
            {"type": "image", "media_type": "image/png", "data": DATA, "path": "/srv/pictures/a.png"},
            {"type": "image", "mimeType": "image/png", "data": DATA, "alt": "a cat"},
            {"type": "image", "mime_type": "image/jpg", "data": DATA},
        ]
        assert one(content=parts).attachments == (
            Attachment("image/png", "a.png", PNG),
            Attachment("image/png", "a cat", PNG),
            Attachment("image/jpg", "image-3.jpg", PNG),
        )
        assert lost({"content": parts}) == ["the folder an image came from"]

    @pytest.mark.parametrize(
        ("part", "told"),
        [
            ({"type": "image", "data": DATA}, "an image without its bytes or its media type"),
            (
                {"type": "image", "media_type": 7, "data": DATA},
                "an image without its bytes or its media type",
            ),
            ({"type": "image", "media_type": "image/png"}, "an image without its bytes or its media type"),
            (
                {"type": "image", "media_type": "image/png", "data": "data:image/png;base64," + DATA},
                "an image whose bytes are not base64",
            ),
            ({"type": "video"}, "a content part that holds no text"),
            (7, "a content part that holds no text"),
        ],
    )
    def test_a_part_without_a_place_is_named(self, part: Any, told: str) -> None:
        assert lost({"content": [{"type": "text", "text": "x"}, part]}) == [told]

    def test_half_a_surrogate_pair_is_named(self) -> None:
        record = {"type": "message", "id": "a", "timestamp": STAMP, "message": {"role": "user"}}
        data = (
            log() + json.dumps({**record, "message": {"role": "user", "content": "a\ud800"}}).encode() + b"\n"
        )
        (message,) = to_history(read_session(data)).history.messages
        assert message.content == "a\ufffd"


class TestCalls:
    def test_of_content_parts(self) -> None:
        part = {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a"}}
        assert one(role="assistant", content=[part]).tool_calls == (ToolCall("c1", "read", {"path": "a"}),)

    def test_listed_ones_go_before_those_in_the_content(self) -> None:
        part = {"type": "toolCall", "id": "c2", "name": "write", "arguments": {}}
        message = {**ASKS, "content": [part]}
        assert [call.id for call in one(**message).tool_calls] == ["c1"]
        assert lost(message) == ["calls in the content beside those that are listed"]

    def test_of_response_items_are_added(self) -> None:
        items = [
            {"type": "function_call", "call_id": "c1", "name": "read_file", "arguments": "{}"},
            {"type": "custom_tool_call", "call_id": "c2", "name": "shell", "input": "ls"},
        ]
        calls = one(**{**ASKS, "response_items": items}).tool_calls
        assert [(call.id, dict(call.arguments)) for call in calls] == [
            ("c1", {"path": "a.txt"}),
            ("c2", {"input": "ls"}),
        ]

    @pytest.mark.parametrize("arguments", ["", None, "{}", {}])
    def test_no_arguments_are_an_empty_object(self, arguments: Any) -> None:
        call = {"id": "c1", "function": {"name": "f", "arguments": arguments}}
        assert one(role="assistant", tool_calls=[call]).tool_calls == (ToolCall("c1", "f"),)

    @pytest.mark.parametrize("arguments", ["{", "[]", "7", '{"a":NaN}', "{} {}", 7, ["a"], '{"a":"\\ud800"}'])
    def test_arguments_that_are_no_object_are_named(self, arguments: Any) -> None:
        call = {"id": "c1", "function": {"name": "f", "arguments": arguments}}
        assert one(role="assistant", tool_calls=[call]).tool_calls == (ToolCall("c1", "f"),)
        assert lost({"role": "assistant", "tool_calls": [call]}) == [
            "arguments that are no object a history can hold; there are none now"
        ]

    def test_arguments_deeper_than_a_history_may_be_are_named(self) -> None:
        for levels, kept in ((95, True), (96, False)):
            nested = json.dumps({"a": 1})
            for _ in range(levels - 1):
                nested = f'{{"a":{nested}}}'
            call = {"id": "c1", "function": {"name": "f", "arguments": nested}}
            found = converted({"role": "assistant", "tool_calls": [call]})
            assert bool(found.history.messages[0].tool_calls[0].arguments) == kept
            assert check(found.history.to_json().encode()).valid

    def test_integers_of_any_length_are_kept(self) -> None:
        digits = "9" * 6000
        call = {"id": "c1", "function": {"name": "f", "arguments": f'{{"n":{digits}}}'}}
        assert digits in converted({"role": "assistant", "tool_calls": [call]}).history.to_json()

    def test_two_of_one_id_are_told_apart_and_answered_in_turn(self) -> None:
        found = converted(
            {"role": "assistant", "tool_calls": [CALL, CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": "one"},
            {"role": "tool", "tool_call_id": "c1", "content": "two"},
        )
        asked, first, second = found.history.messages
        ids = [call.id for call in asked.tool_calls]
        assert len(set(ids)) == 2
        assert [first.tool_call_id, second.tool_call_id] == ids

    def test_without_an_id_get_one_that_no_other_has(self) -> None:
        nameless = {"function": {"name": "f"}}
        found = converted(
            {"role": "assistant", "tool_calls": [nameless, {"id": "call-1", **nameless}]},
            {"role": "tool", "content": "one"},
        )
        asked, answer = found.history.messages
        first, second = (call.id for call in asked.tool_calls)
        assert (first != second, second, answer.tool_call_id) == (True, "call-1", first)

    def test_a_result_answers_the_nearest_call_of_its_id(self) -> None:
        found = converted(
            ASKS,
            {"role": "toolResult", "toolCallId": "c1", "toolName": "read_file", "content": "one"},
            ASKS,
            {"role": "tool", "tool_call_id": "c1", "content": "two", "isError": True},
        )
        assert [message.tool_call_id for message in found.history.messages] == [None, "c1", None, "c1"]
        assert found.history.messages[3].extra == {"is_error": True}
        assert check(found.history.to_json().encode()).counts.warnings == 0

    def test_a_result_without_its_call_has_no_place(self) -> None:
        messages = ({"role": "tool", "tool_call_id": "zz", "content": "x"}, {"content": "look"})
        assert [message.id for message in converted(*messages).history.messages] == ["m1"]
        assert lost(*messages) == ["a tool result whose call is not in the conversation"]

    def test_a_result_that_names_another_tool_is_named(self) -> None:
        result = {"role": "tool", "tool_call_id": "c1", "name": "write_file", "content": "x"}
        assert lost(ASKS, result) == ["the name of the tool of a result, which is not that of its call"]

    def test_what_is_wrong_with_a_call_is_named(self) -> None:
        assert lost({"role": "assistant", "tool_calls": [7, {"id": "c1"}]}) == [
            "a call that is no object",
            'a call without the name of its tool; it is called "unknown"',
        ]
        assert lost({"role": "user", "content": [{"type": "toolCall", "id": "c1", "name": "f"}]}) == [
            "calls of a message that is not the assistant's"
        ]


class TestThinking:
    def test_of_parts_and_of_the_summary(self) -> None:
        part = {"type": "thinking", "thinking": "hm", "signature": "QUJD"}
        assert one(role="assistant", content=[part]).thinking == Thinking("hm", "QUJD")
        assert one(role="assistant", content="x", reasoning_summary="hm").thinking == Thinking("hm")
        assert one(role="assistant", content="x", reasoningSummary="hm").thinking == Thinking("hm")
        assert lost({"role": "assistant", "content": [part], "reasoning_summary": "so"}) == [
            "a second text of the reasoning"
        ]

    def test_sealed_reasoning_comes_with_the_id_of_its_item(self) -> None:
        item = {"type": "reasoning", "id": "rs_1", "summary": [{"text": "hm"}], "encrypted_content": "QUJD"}
        found = one(role="assistant", content="x", response_items=[item]).thinking
        assert found == Thinking("hm", "QUJD")
        assert found is not None
        assert found.extra == {"reasoning_id": "rs_1"}
        assert lost({"role": "assistant", "content": "x", "response_items": [item, item]}) == [
            "encrypted reasoning"
        ]

    def test_sealed_reasoning_goes_there_and_back(self) -> None:
        block = Thinking("hm", "QUJD", extra={"reasoning_id": "rs_1"})
        calls = [ToolCall("c1", "f", {"a": 1})]
        history = History(messages=[Message("m", "assistant", "so", tool_calls=calls, thinking=block)])
        data, losses = new_log(history)
        back = to_history(read_session(data)).history
        assert (back, losses) == (history, ())
        assert back.messages[0].thinking is not None
        assert back.messages[0].thinking.extra == block.extra

    def test_what_was_said_in_items_alone_is_kept_with_its_phase(self) -> None:
        said = {
            "type": "message",
            "phase": "commentary",
            "content": [{"type": "output_text", "text": "I look"}],
        }
        found = one(role="assistant", content="", response_items=[said])
        assert (found.content, found.extra) == ("I look", {"phase": "commentary"})
        assert lost({"role": "assistant", "content": "done", "response_items": [said]}) == [
            "what response items say beside the content"
        ]


class TestTokens:
    @pytest.mark.parametrize(
        ("given", "wanted"),
        [
            ({"input_tokens": 9, "output_tokens": 2, "total_tokens": 11}, Tokens(9, 2)),
            (
                {"input_tokens": 1, "cache_read_tokens": 8, "output_tokens": 2, "total_tokens": 11},
                Tokens(1, 2, 8),
            ),
            (
                {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
                | {"prompt_tokens_details": {"cached_tokens": 8}},
                Tokens(1, 2, 8),
            ),
            ({"input_tokens": 1, "cache_read_input_tokens": 8, "output_tokens": 2}, Tokens(1, 2, 8)),
            ({"output_tokens_details": {"reasoning_tokens": 5}}, Tokens(thinking=5)),
            ({"input_tokens": 3.0, "output_tokens": None}, Tokens(3)),
            ({"input_tokens": -1, "output_tokens": True, "estimated": False}, None),
            ({"input_tokens": 9, "estimated": True}, None),
            ({}, None),
            ("9", None),
        ],
    )
    def test_are_slices_of_one_prompt(self, given: Any, wanted: Tokens | None) -> None:
        assert one(role="assistant", content="x", usage=given).tokens == wanted

    @given(counts)
    def test_come_back(self, given: Tokens) -> None:
        if any(count is not None for count in given.counts()):
            assert tokens(usage(given), Losses()) == given


class TestAround:
    def test_what_the_log_holds_beside_the_conversation_is_named(self) -> None:
        data = log(
            {"type": "session_info", "timestamp": STAMP, "name": "Look", "provider": "Codex"},
            record("a"),
            record("b", "a"),
            {"type": "leaf", "timestamp": STAMP, "targetId": "a"},
            record("c", "a", display_content="shown"),
            {
                "type": "compaction",
                "id": "d",
                "parentId": "c",
                "timestamp": STAMP,
                "message": {"role": "compactionSummary", "summary": "so far"},
            },
            {"type": "label", "id": "l", "timestamp": STAMP, "targetId": "a", "label": "here"},
            {"type": "memory_state", "timestamp": STAMP, "sessionMemories": [{}], "lastRetrieval": None},
        )
        found = to_history(read_session(data + b'{"type":"mess'))
        assert [message.content for message in found.history.messages] == ["so far"]
        assert [loss.what for loss in found.losses] == [
            "which session it is, and when and where it was made",
            "the name of the session",
            "the provider, the model and the effort of the session",
            "1 place of the log that could not be read",
            "1 entry that the conversation does not go through",
            "2 messages that a compaction sums up",
            "the times of the messages",
            "1 label",
            "what the program remembers",
        ]

    def test_members_that_say_nothing_are_no_loss(self) -> None:
        assert (
            lost({"role": "assistant", "content": "x", "isError": False, "details": {}, "note": None}) == []
        )
        assert lost({"role": "assistant", "content": "x", "provider": "Codex", "display_content": "y"}) == [
            "display_content",
            "provider",
        ]

    def test_are_grouped_for_people(self) -> None:
        losses = [Loss("a", "x"), Loss("b", "y", "provider"), Loss("c", "y", "my key"), Loss("d", "x")]
        assert list(grouped(losses)) == [
            ("x", ["a", "d"]),
            ("provider, which has no place", ["b"]),
            ("a member that is not known, which has no place", ["c"]),
        ]


def without_nothing(message: Message) -> Message:
    """Return a message in which what is empty is not there: nothing is lost with it."""
    block = message.thinking
    if block is not None:
        block = Thinking(block.text or None, block.signature or None)
        block = block if block.text or block.signature else None
    return replace(message, model_id=message.model_id or None, thinking=block)


def back_again(message: Message) -> Message:
    """Return a message of a history as it comes back from a log."""
    images = [item for item in message.attachments if item.mime.lower() in messages_of._IMAGES]
    if message.thinking is not None:
        message = replace(message, thinking=replace(message.thinking, signature=None))
    attachments = images if message.role == "user" else ()
    return without_nothing(replace(message, kind="user", attachments=attachments))


class TestToSession:
    @settings(max_examples=60, deadline=None)
    @given(histories())
    def test_a_log_of_any_history_is_valid_and_gives_it_back(self, history: History) -> None:
        data, losses = new_log(history)
        report = check(data, format="session")
        assert report.valid, report.findings
        back = to_history(read_session(data)).history
        assert back.messages == tuple(map(back_again, history.messages))
        if back.messages != tuple(map(without_nothing, history.messages)):
            assert losses

    def test_a_plain_conversation_gives_no_warning_and_no_info(self) -> None:
        history = History(
            messages=[
                Message("m1", "user", "look", attachments=[Attachment("image/png", "a.png", PNG)]),
                Message(
                    "m2",
                    "assistant",
                    "",
                    tool_calls=[ToolCall("c1", "read_file", {"path": "a"})],
                    model_id="gpt-x",
                    thinking=Thinking("hm"),
                    tokens=Tokens(3, 1, 2, 0, 1),
                ),
                Message("m3", "tool", "no", tool_call_id="c1", extra={"is_error": True}),
                Message("m4", "assistant", "done"),
            ]
        )
        messages, losses = to_session_messages(history)
        assert losses == ()
        data = log(
            *(
                {**record(one["id"], before), "message": one}
                for before, one in zip([None, "m1", "m2", "m3"], messages, strict=True)
            )
        )
        report = check(data, format="session")
        assert report.findings == ()
        assert to_history(read_session(data)).history == history
        assert messages[1]["usage"] == {
            "input_tokens": 3,
            "output_tokens": 1,
            "cache_read_tokens": 2,
            "cache_write_tokens": 0,
            "reasoning_tokens": 1,
            "total_tokens": 6,
            "estimated": False,
        }

    @settings(max_examples=15, deadline=None)
    @given(histories())
    def test_a_store_takes_the_messages(self, history: History) -> None:
        messages, _ = to_session_messages(history)
        with tempfile.TemporaryDirectory() as folder:
            session = SessionStore(config_dir=folder, cwd=folder).create_from_messages(messages)
            assert check(session.path).valid
            assert (
                to_history(session.reading).history == to_history(read_session(new_log(history)[0])).history
            )

    def test_what_has_no_place_is_named(self) -> None:
        _, losses = to_session_messages(full())
        told = [(loss.message, loss.member or loss.what) for loss in losses]
        assert told == [
            ("m1", "x_attachment"),
            ("m1", "that the program put the message in, not the user"),
            ("m2", "x_call"),
            ("m2", "x_thinking"),
            ("m2", "the signature of a thinking block"),
            ("m2", "x_tokens"),
            ("m2", "x_message"),
            ("m3", "an attachment of a message that is not the user's"),
            ("m3", "an attachment of a message that is not the user's"),
            (None, "x_history"),
        ]

    def test_an_id_too_long_for_a_log_is_new(self) -> None:
        data, losses = new_log(History(messages=[Message("k" * 1025, "user", "look")]))
        assert [loss.what for loss in losses] == ["the id, which is too long for a log; it is new"]
        assert len(next(iter(read_session(data).messages()))["id"]) == 32


def reading_of(data: bytes, name: str | None = None) -> dict[str, Any]:
    """Return what a reader makes of a log, ids left out."""
    session = read_session(data, name=name)
    said = [{key: value for key, value in message.items() if key != "id"} for message in session.messages()]
    facts = {key: value for key, value in (session.header or {}).items() if key != "recovered"}
    return {
        "messages": said,
        "name": session.name,
        "runtime": session.runtime(),
        "labels": sorted(session.labels.values()),
        "memory": (session.session_memories, session.last_retrieval),
        "branch": len(session.branch()),
        "header": {**facts, "cwd": facts.get("cwd") or None},
    }


def compaction(kept: str | None = None, **more: Any) -> dict[str, Any]:
    message = {"role": "compactionSummary", "summary": "so far", "first_kept_entry_id": kept}
    return {"type": "compaction", "timestamp": STAMP, "message": message, **more}


class TestUpgrade:
    def test_every_valid_log_of_version_1_in_the_corpus_reads_the_same(self) -> None:
        seen = 0
        for id, session in logs.readings().items():
            twice = len(session.entries) < sum(1 for _ in session.log.entries())
            if session.version != 1 or not session.report.valid or twice:
                continue  # an id that is the name of another record is an error in version 2
            data, name = logs.corpus_logs()[id]
            made, _ = upgraded(session)
            report = check(made, format="session")
            assert report.valid, (id, report.findings)
            assert (report.format_version, read_session(made).version) == (2, 2)
            assert reading_of(made) == reading_of(data, name), id
            seen += 1
        assert seen > 40

    @pytest.mark.parametrize("seed", range(3))
    def test_random_logs_read_the_same(self, seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(60):
            data = log(*self._records(rng), header=HEADER_1)
            session = read_session(data)
            if session.report.valid:
                made, _ = upgraded(session)
                assert check(made, format="session").valid
                assert reading_of(made) == reading_of(data)
                if session.log.mixed:
                    assert read_session(made).report.reading == session.report.reading

    def _records(self, rng: random.Random) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        mixed = rng.random() < 0.5
        ids: list[str] = []
        for number in range(rng.randrange(1, 14)):
            kept = rng.choice([None, f"message:{rng.randrange(0, number + 1)}", "own-1"])
            one: dict[str, Any] = rng.choice(
                [
                    unnamed(content=f"text {number}"),
                    unnamed(content=f"text {number}", id=f"own-{rng.randrange(3)}"),
                    compaction(kept),
                    {"type": "branch_summary", "timestamp": STAMP, "summary": f"left {number}"},
                    {"type": "leaf", "timestamp": STAMP, "targetId": f"message:{number}"},
                    {"type": "label", "id": "l", "timestamp": STAMP, "targetId": "message:0", "label": "x"},
                ]
            )
            if mixed and number > 5 and one["type"] not in ("leaf", "label"):
                one = {**one, "id": f"e{number}", "parentId": rng.choice([None, "message:2", *ids])}
                ids.append(f"e{number}")
            found.append(one)
        return found

    def test_a_kept_message_is_found_by_its_number(self) -> None:
        data = log(unnamed(content="0"), unnamed(content="1"), compaction("message:1"), header=HEADER_1)
        made, _ = upgraded(read_session(data))
        session = read_session(made)
        assert [message.get("content") for message in session.messages()] == [None, "1"]
        assert session.report.findings == ()

    def test_the_id_of_a_message_becomes_that_of_its_entry(self) -> None:
        data = log(unnamed(id="a"), unnamed(), unnamed(id="a"), header=HEADER_1)
        made, _ = upgraded(read_session(data), mint=iter("xyz").__next__)
        assert [entry.id for entry in read_session(made).entries] == ["a", "x", "y"]

    def test_a_leaf_record_means_nothing_and_is_named(self) -> None:
        data = log(unnamed(), {"type": "leaf", "timestamp": STAMP, "targetId": None}, header=HEADER_1)
        made, losses = upgraded(read_session(data))
        assert losses == (Loss(None, "a leaf record, which means nothing in version 1"),)
        assert len(read_session(made).branch()) == 1

    def test_a_header_that_is_only_in_the_name_is_written(self) -> None:
        name = "2026-02-11T08-15-30.120Z_3f1c9a52-7d0e-4b61-9a0e-6c2f4d8b17aa.jsonl"
        made, _ = upgraded(read_session(log(unnamed(), header=None), name=name))
        assert json.loads(made.splitlines()[0])["id"] == "3f1c9a52-7d0e-4b61-9a0e-6c2f4d8b17aa"
        assert check(made, format="session").findings == ()

    def test_all_else_of_a_record_stays_byte_for_byte(self) -> None:
        digits = "9" * 5000
        told = f'"message":{{"role":"user","content":"\\u00e9","n":{digits}}}'
        line = f'{{ "type":"message","timestamp":"{STAMP}",{told}}}'
        data = log(header=HEADER_1) + line.encode() + b"\r\n"
        made, _ = upgraded(read_session(data), mint=lambda: "x")
        assert made.splitlines()[1] == line[:-1].encode() + b',"id":"x"}'


class TestCommand:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "log.jsonl").write_bytes(
            chain({"content": "look"}, {"role": "assistant", "content": "so"})
        )
        (tmp_path / "old.jsonl").write_bytes(log(unnamed(), unnamed(), header=HEADER_1))
        (tmp_path / "broken.jsonl").write_bytes(log(unnamed(), header=HEADER_1) + b'{"type":"mes')
        (tmp_path / "newer.jsonl").write_bytes(log(header={**HEADER_1, "version": 3}))
        (tmp_path / "empty.jsonl").write_bytes(b"")
        (tmp_path / "history.json").write_text(History(messages=[Message("m1", "user", "look")]).to_json())
        (tmp_path / "notes.txt").write_text("hello")
        return tmp_path

    def test_writes_to_standard_output_or_to_a_new_private_file(self, folder: Path) -> None:
        shown = run("convert", "log.jsonl", within=folder)
        written = run("convert", "log.jsonl", "-o", "out.json", within=folder)
        assert (shown.code, written.code, written.out) == (0, 0, b"")
        assert shown.out == (folder / "out.json").read_bytes()
        assert (folder / "out.json").stat().st_mode & 0o777 == 0o600
        assert History.parse(shown.out).messages[1].content == "so"

    def test_takes_standard_input(self, folder: Path) -> None:
        data = (folder / "log.jsonl").read_bytes()
        assert run("convert", "-", input=data).out == run("convert", folder / "log.jsonl").out

    def test_lists_what_is_lost_and_writes_a_report(self, folder: Path) -> None:
        done = run("convert", "log.jsonl", "--report", "r.json", within=folder)
        told = done.err.splitlines()
        assert told == [
            "not carried over: which session it is, and when and where it was made",
            "not carried over: the times of the messages",
        ]
        report = json.loads((folder / "r.json").read_bytes())
        assert [loss["what"] for loss in report["losses"]] == [
            line.removeprefix("not carried over: ") for line in told
        ]
        assert (report["path"], report["from"], report["to"]) == ("log.jsonl", "session", "history")

    def test_many_kinds_of_loss_are_cut_for_people(self, folder: Path) -> None:
        message = {"content": "x", **{f"x_{number}": 1 for number in range(30)}}
        done = run("convert", "-", input=chain(message))
        assert done.err.splitlines()[-1] == "and 12 kinds of losses more; --report FILE lists all"
        assert len(done.err.splitlines()) == 21

    def test_a_damaged_log_is_converted_as_far_as_it_goes(self, folder: Path) -> None:
        done = run("convert", "broken.jsonl", within=folder)
        assert done.code == 0
        assert "1 place of the log that could not be read" in done.err

    @pytest.mark.parametrize(
        ("arguments", "code", "told"),
        [
            (["empty.jsonl"], 1, "convspec: empty.jsonl: the file holds nothing [file-empty]\n"),
            (["absent.jsonl"], 2, "convspec: absent.jsonl: there is no such file [file-unreadable]\n"),
            (["notes.txt"], 2, "format-unrecognised"),
            (["newer.jsonl"], 3, "version-newer"),
            (["history.json"], 2, "it is a history already"),
            (["log.jsonl", "--to", "session"], 2, "of version 2 already"),
            (["broken.jsonl", "--to", "session"], 1, "convspec repair mends a log"),
            (["log.jsonl", "-o", "old.jsonl"], 2, "is there already"),
            (["log.jsonl", "-o", "log.jsonl"], 2, "is there already"),
            (["log.jsonl", "--report", "old.jsonl"], 2, "is there already"),
            (["log.jsonl", "-o", "x", "--report", "./x"], 2, "cannot be the same file"),
            (["log.jsonl", "-o", "no/such/folder"], 2, "No such file or directory"),
        ],
    )
    def test_what_cannot_be_done_is_one_line(
        self, folder: Path, arguments: list[str], code: int, told: str
    ) -> None:
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        done = run("convert", *arguments, within=folder)
        assert (done.code, done.out, done.err.count("\n")) == (code, b"", 1)
        assert told in done.err
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before

    def test_makes_version_2_of_version_1(self, folder: Path) -> None:
        done = run("convert", "old.jsonl", "--to", "session", "-o", "new.jsonl", within=folder)
        assert (done.code, done.err) == (0, "")
        assert run("check", "--info", "new.jsonl", within=folder).out == b""
        assert run("convert", "new.jsonl", "--to", "session", within=folder).code == 2

    def test_makes_a_log_of_a_history(self, folder: Path) -> None:
        done = run("convert", "history.json", "--to", "session", "-o", "new.jsonl", within=folder)
        assert (done.code, done.err) == (0, "")
        assert run("check", "--info", "new.jsonl", within=folder).out == b""
        assert History.parse(run("convert", "new.jsonl", within=folder).out) == History.load(
            folder / "history.json"
        )

    def test_an_upgrade_that_would_be_invalid_is_not_written(self, folder: Path) -> None:
        mixed = log(unnamed(), unnamed(), header=HEADER_1)
        mixed += log({**record("message:3"), "parentId": "message:1"}, unnamed(), header=None)
        (folder / "odd.jsonl").write_bytes(mixed)
        assert run("check", "odd.jsonl", within=folder).code == 0
        done = run("convert", "odd.jsonl", "--to", "session", "-o", "new.jsonl", within=folder)
        assert (done.code, (folder / "new.jsonl").exists()) == (2, False)
        assert "entry-id-duplicate" in done.err
