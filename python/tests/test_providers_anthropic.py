"""The shape of Anthropic: blocks, and roles that take turns."""

from __future__ import annotations

from typing import Any

import anthropic.types
import pytest

from convspec import Message, Thinking, Tokens, ToolCall
from convspec.providers import ShapeError
from convspec.providers import anthropic as claude
from provider_samples import NOTE, PNG, places, said, told, turns, unnamed, user, wire
from sdk_types import assert_typed


class TestSent:
    def test_nothing_of_a_usual_conversation_is_lost(self) -> None:
        assert claude.to_messages(turns("anthropic")).lost == ()

    def test_a_text_file_is_a_document(self) -> None:
        sent = claude.to_messages([user("", attachments=(NOTE,))])
        source = {"type": "text", "media_type": "text/plain", "data": "hello\n"}
        assert sent.messages[0]["content"] == [{"type": "document", "source": source, "title": "d.txt"}]

    def test_results_come_first_in_their_message(self) -> None:
        note = user("wait", kind="reference")
        sent = claude.to_messages([said("", "a", "b"), told("a"), note, told("b"), user("so")])
        kinds = [block["type"] for block in sent.messages[1]["content"]]
        assert kinds == ["tool_result", "tool_result", "text", "text"]

    def test_blank_text_is_left_out_and_so_is_a_message_without_anything(self) -> None:
        sent = claude.to_messages(
            [
                user(" \n"),
                user("a"),
                said(""),
                user("", attachments=(PNG,)),
                said("\t", "c"),
                told("c", "  "),
                said("", thinking=Thinking("unsealed")),
            ]
        )
        assert [[block["type"] for block in one["content"]] for one in sent.messages] == [
            ["text", "image"],
            ["tool_use"],
            ["tool_result"],
        ]
        assert "content" not in sent.messages[2]["content"][0]
        assert places(sent.lost) == [
            "messages[0].content",
            "messages[0]",
            "messages[2]",
            "messages[4].content",
            "messages[5].content",
            "messages[6].thinking",
            "messages[6]",
        ]

    @pytest.mark.parametrize(
        ("block", "expected"),
        [
            (Thinking("", "s"), {"type": "thinking", "thinking": "", "signature": "s"}),
            (Thinking(None, "s"), {"type": "thinking", "thinking": "", "signature": "s"}),
            (Thinking(None, "s", extra={"redacted": True}), {"type": "redacted_thinking", "data": "s"}),
            (Thinking("unsealed"), None),
            (Thinking("unsealed", ""), None),
            (Thinking("of OpenAI", "s", extra={"reasoning_id": "rs_1"}), None),
        ],
    )
    def test_thinking(self, block: Thinking, expected: dict[str, str] | None) -> None:
        sent = claude.to_messages([said("x", thinking=block)])
        assert_typed("anthropic", sent.messages)
        assert sent.messages[0]["content"][:-1] == ([expected] if expected else [])
        assert places(sent.lost) == ([] if expected else ["messages[0].thinking"])

    def test_a_failure_is_told_by_text_alone(self) -> None:
        failed = {"is_error": True}
        blocks = [{"type": "tool_result", "tool_use_id": "c", "content": "no", **failed}]
        received = claude.from_messages([{"role": "user", "content": blocks}])
        assert received.messages[0].extra == failed
        assert claude.to_messages(received.messages).messages[0]["content"] == blocks
        for result in (told("c", "", extra=failed), told("c", "a", attachments=(PNG,), extra=failed)):
            sent = claude.to_messages([result])
            assert "is_error" not in sent.messages[0]["content"][0]
            assert places(sent.lost) == ["messages[0].is_error"]


class TestReceived:
    def test_a_response(self) -> None:
        response = wire("anthropic.response")
        for given in (response, anthropic.types.Message.model_validate(response)):
            received = claude.from_response(given)
            assert received.lost == ()
            assert unnamed(received.messages) == [
                Message("", "assistant", model_id="claude-x", thinking=Thinking(None, "ZGF0YQ==")),
                Message(
                    "",
                    "assistant",
                    "I look.",
                    model_id="claude-x",
                    thinking=Thinking("because", "c2ln"),
                    tool_calls=(ToolCall("c1", "read", {"a": 1}),),
                    tokens=Tokens(input=25, output=30, cached=60, cache_creation=15, thinking=20),
                ),
            ]

    def test_what_came_out_goes_in_again(self) -> None:
        received = claude.from_response(wire("anthropic.response"))
        [sent] = claude.to_messages(received.messages).messages
        kinds = [block["type"] for block in sent["content"]]
        assert kinds == ["redacted_thinking", "thinking", "text", "tool_use"]

    def test_objects_of_the_sdk_can_stand_in_a_list(self) -> None:
        response = anthropic.types.Message.model_validate(wire("anthropic.response"))
        for item in ({"role": "assistant", "content": response.content}, response, response.to_param()):
            received = claude.from_messages([item], model="m")
            assert [one.model_id for one in received.messages] == ["m", "m"]
            assert received.messages[1].content == "I look."
            assert received.lost == ()

    def test_strings_and_blocks_mean_the_same(self) -> None:
        for content in ("hi", [{"type": "text", "text": "hi"}]):
            blocks = [{"type": "tool_result", "tool_use_id": "c", "content": content}]
            received = claude.from_messages(
                [
                    {"role": "user", "content": content},
                    {"role": "assistant", "content": content},
                    {"role": "user", "content": blocks},
                ]
            )
            assert [(one.role, one.content) for one in received.messages] == [
                ("user", "hi"),
                ("assistant", "hi"),
                ("tool", "hi"),
            ]

    def test_texts_of_one_result_are_joined_and_those_of_a_user_stay_apart(self) -> None:
        texts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
        result = {"type": "tool_result", "tool_use_id": "c", "content": texts}
        received = claude.from_messages([{"role": "user", "content": [result, *texts]}])
        assert [one.content for one in received.messages] == ["a\nb", "a", "b"]

    def test_what_a_history_has_no_place_for_is_named(self) -> None:
        received = claude.from_messages(wire("anthropic.foreign"))
        assert [(one.role, one.content) for one in received.messages] == [("user", "a"), ("assistant", "b")]
        assert places(received.lost) == [
            "messages[0]",
            "messages[1].content[1].source",
            "messages[1].content[2].source",
            "messages[1].content[2].context",
            "messages[1].content[3]",
            "messages[2].content[0]",
            "messages[2].content[1].citations",
            "messages[2].content[2].caller",
            "messages[2].content[3]",
        ]

    @pytest.mark.parametrize("response", [{}, {"content": None}, None, [], "secret"])
    def test_no_response(self, response: Any) -> None:
        with pytest.raises(ShapeError, match=r"^response"):
            claude.from_response(response)
