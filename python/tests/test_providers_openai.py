"""The shapes of OpenAI: chat completions and responses."""

from __future__ import annotations

from typing import Any

import openai.types.chat
import openai.types.responses
import pytest

from convspec import Attachment, History, Message, Thinking, Tokens, ToolCall
from convspec.providers import ShapeError, openai_chat, openai_responses
from provider_samples import (
    FILM,
    JPEG,
    NOTE,
    PDF,
    PNG,
    SOUND,
    bare,
    places,
    said,
    told,
    turns,
    unnamed,
    user,
    wire,
)
from sdk_types import assert_typed

COUNTED = Tokens(input=25, output=30, cached=60, cache_creation=15, thinking=20)
"""Of a prompt of 100 tokens and a reply of 30, reasoning included."""


class TestChat:
    def test_what_a_chat_message_has_no_place_for(self) -> None:
        sent = openai_chat.to_messages(turns("openai_chat"))
        assert [str(loss) for loss in sent.lost] == [
            "messages[1].thinking: a chat message has no place for it",
            "messages[2].attachments: a result holds text only: sent in a user message behind it",
        ]

    def test_files_of_results_follow_the_last_result_also_at_the_end(self) -> None:
        results = (told("a", attachments=(PNG,)), told("b", attachments=(JPEG,)))
        sent = openai_chat.to_messages([said("", "a", "b"), *results])
        assert [one["role"] for one in sent.messages] == ["assistant", "tool", "tool", "user", "user"]

    def test_a_text_file_is_sent_as_text(self) -> None:
        note = Attachment("text/markdown; charset=utf-8", 'a"<b>.md', NOTE.bytes)
        sent = openai_chat.to_messages([user(attachments=(note,))])
        assert sent.messages[0]["content"][1]["text"] == '<file name="a&quot;&lt;b&gt;.md">\nhello\n\n</file>'
        assert places(sent.lost) == ["messages[0].attachments[0]"]

    @pytest.mark.parametrize(("mime", "format"), [("audio/x-wav", "wav"), ("audio/mpeg", "mp3")])
    def test_sounds(self, mime: str, format: str) -> None:
        sent = openai_chat.to_messages([user("", attachments=(Attachment(mime, "a", b"x"),))])
        assert sent.messages[0]["content"] == [
            {"type": "input_audio", "input_audio": {"data": "eA==", "format": format}}
        ]

    def test_thinking_goes_where_the_server_has_a_place_for_it(self) -> None:
        history = [said("a", thinking=Thinking("because")), said("b", thinking=Thinking("why", "c2ln"))]
        sent = openai_chat.to_messages(history, thinking_key="reasoning_content")
        assert [one["reasoning_content"] for one in sent.messages] == ["because", "why"]
        assert places(sent.lost) == ["messages[1].thinking.signature"]
        back = openai_chat.from_messages(sent.messages, model="m").messages
        assert [one.thinking for one in back] == [Thinking("because"), Thinking("why")]
        assert [one.model_id for one in back] == ["m", "m"]

    def test_the_bytes_of_a_file_may_stand_there_without_their_type(self) -> None:
        for data, expected in (
            ("JVBERi0xLjc=", PDF),
            ("eA==", Attachment("application/octet-stream", "c.pdf", b"x")),
        ):
            part = {"type": "file", "file": {"file_data": data, "filename": "c.pdf"}}
            received = openai_chat.from_messages([{"role": "user", "content": [part]}])
            assert received.messages[0].attachments == (expected,)

    def test_what_a_history_has_no_place_for_is_named(self) -> None:
        received = openai_chat.from_messages(wire("openai_chat.foreign"))
        assert [(one.role, one.content) for one in received.messages] == [
            ("user", "one"),
            ("user", "two"),
            ("assistant", ""),
            ("assistant", "no"),
        ]
        assert places(received.lost) == [
            "messages[0]",
            "messages[1]",
            "messages[2].content[1].image_url.url",
            "messages[2].content[2].file",
            "messages[2].content[3]",
            "messages[2].name",
            "messages[3].audio",
            "messages[3].tool_calls[0]",
            "messages[4]",
            "messages[5].content[0]",
            "messages[5].annotations",
            "messages[6]",
        ]

    def test_a_response(self) -> None:
        response = wire("openai_chat.response")
        for given in (response, openai.types.chat.ChatCompletion.model_validate(response)):
            received = openai_chat.from_response(given)
            assert received.lost == ()
            assert unnamed(received.messages) == [
                Message(
                    "",
                    "assistant",
                    tool_calls=(ToolCall("c1", "read"),),
                    model_id="gpt-x",
                    thinking=Thinking("because"),
                    tokens=COUNTED,
                )
            ]

    def test_the_message_of_the_sdk_can_stand_in_a_list(self) -> None:
        response = openai.types.chat.ChatCompletion.model_validate(wire("openai_chat.response"))
        [message] = openai_chat.from_messages([response.choices[0].message]).messages
        assert message.tool_calls == (ToolCall("c1", "read"),)

    def test_a_response_of_a_small_server(self) -> None:
        choices = [{"message": {"content": "hi"}}, {"message": {"content": "ho"}}]
        received = openai_chat.from_response({"model": "m", "choices": choices})
        assert unnamed(received.messages) == [Message("", "assistant", "hi", model_id="m")]
        assert places(received.lost) == ["response.choices[1]"]

    def test_a_count_that_is_none_is_left_out(self) -> None:
        usage = {
            "prompt_tokens": True,
            "completion_tokens": 3,
            "prompt_tokens_details": {"cached_tokens": -1},
        }
        received = openai_chat.from_response({"choices": [{"message": {"content": "hi"}}], "usage": usage})
        assert received.messages[0].tokens == Tokens(output=3)
        assert places(received.lost) == [
            "response.usage.prompt_tokens_details.cached_tokens",
            "response.usage.prompt_tokens",
        ]

    def test_refusals_and_spoken_answers_keep_their_text(self) -> None:
        answers = [
            {"role": "assistant", "content": None, "refusal": "no"},
            {"role": "assistant", "content": None, "audio": {"id": "a", "data": "eA==", "transcript": "hi"}},
        ]
        received = openai_chat.from_messages(answers)
        assert [one.content for one in received.messages] == ["no", "hi"]
        assert places(received.lost) == ["messages[0].refusal", "messages[1].audio"]

    @pytest.mark.parametrize("response", [{}, {"choices": []}, {"choices": [{}]}, None, "secret"])
    def test_no_response(self, response: Any) -> None:
        with pytest.raises(ShapeError, match=r"^response"):
            openai_chat.from_response(response)


class TestResponses:
    def test_nothing_of_a_usual_conversation_is_lost(self) -> None:
        assert openai_responses.to_messages(turns("openai_responses")).lost == ()

    def test_reasoning_without_seal_or_id_is_left_out(self) -> None:
        unnumbered = Thinking("a", "s", extra={"reasoning_id": 5})
        blocks = [Thinking("a"), Thinking("a", "s"), unnumbered, Thinking()]
        sent = openai_responses.to_messages([said("x", thinking=block) for block in blocks])
        assert {item["type"] for item in sent.messages} == {"message"}
        assert places(sent.lost) == [f"messages[{index}].thinking" for index in range(3)]

    def test_an_empty_message_is_still_sent(self) -> None:
        assert openai_responses.to_messages([said("")]).messages == [
            {"type": "message", "role": "assistant", "content": ""}
        ]

    def test_files_by_kind(self) -> None:
        word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
        good = [word, "application/json", "text/csv", "image/svg+xml"]
        bad = ["application/zip", "text/a,b", "audio/wav", "video/mp4", "text"]
        files = [Attachment(mime, "a", b"x") for mime in good + bad]
        sent = openai_responses.to_messages(
            [user("", attachments=(*files, Attachment("text/plain", "a", b"\xff")))]
        )
        assert [part["type"] for part in sent.messages[0]["content"]] == ["input_file"] * 4
        assert places(sent.lost) == [f"messages[0].attachments[{index}]" for index in range(4, 10)]

    def test_a_response(self) -> None:
        response = wire("openai_responses.response")
        for given in (response, openai.types.responses.Response.model_validate(response)):
            received = openai_responses.from_response(given)
            assert unnamed(received.messages) == [
                Message("", "assistant", "I look.", model_id="gpt-x", thinking=Thinking("a\n\nb", "c2ln")),
                Message(
                    "",
                    "assistant",
                    model_id="gpt-x",
                    thinking=Thinking(None, "czI="),
                    tool_calls=(ToolCall("c1", "read", {"a": 1}), ToolCall("c2", "read")),
                    tokens=COUNTED,
                ),
            ]
            assert [str(loss) for loss in received.lost] == [
                "response.output[2]: a history has no place for web_search_call"
            ]

    def test_what_came_out_goes_in_again(self) -> None:
        received = openai_responses.from_response(wire("openai_responses.response"))
        sent = openai_responses.to_messages(received.messages)
        assert_typed("openai_responses", sent.messages)
        kinds = [item["type"] for item in sent.messages]
        assert kinds == ["reasoning", "message", "reasoning", "function_call", "function_call"]
        assert [item["id"] for item in sent.messages if "id" in item] == ["rs_1", "rs_2"]
        assert sent.messages[1]["phase"] == "commentary"
        assert sent.lost == ()

    def test_what_is_kept_in_extra_members_survives_a_file(self) -> None:
        received = openai_responses.from_response(wire("openai_responses.response"))
        again = History.parse(History(messages=received.messages).to_json())
        assert openai_responses.to_messages(again) == openai_responses.to_messages(received.messages)

    def test_calls_stay_together_or_a_repair_would_answer_them(self) -> None:
        call = {"type": "function_call", "name": "read", "arguments": "{}"}
        text = {"type": "message", "role": "assistant", "content": "on the way"}
        received = openai_responses.from_messages(
            [
                {**call, "call_id": "a"},
                {**text, "content": "first"},
                text,
                {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "s"},
                {**call, "call_id": "b"},
                {"type": "function_call_output", "call_id": "a", "output": "1"},
                {"type": "function_call_output", "call_id": "b", "output": "2"},
            ]
        )
        history = History(messages=received.messages)
        assert history.repair_interrupted_tool_calls() is history
        assert received.messages[0].content == "first\n\non the way"
        assert places(received.lost) == ["items[3]"]

    def test_texts_by_themselves_are_messages_by_themselves(self) -> None:
        text = {"type": "message", "role": "assistant", "content": "a"}
        received = openai_responses.from_messages([text, {**text, "content": "b"}])
        assert bare(received.messages) == bare([said("a"), said("b")])

    def test_a_picture_that_the_model_made(self) -> None:
        item = {"type": "image_generation_call", "id": "ig", "result": "iVBORw0KGgpyZXN0"}
        received = openai_responses.from_response({"output": [item, {**item, "result": None}]})
        assert received.messages[0].attachments == (PNG,)
        assert places(received.lost) == ["response.output[1]"]
        assert places(openai_responses.to_messages(received.messages).lost) == ["messages[0].attachments[0]"]

    def test_nothing_came_out(self) -> None:
        received = openai_responses.from_response({"model": "m", "output": [], "usage": {"input_tokens": 3}})
        assert unnamed(received.messages) == [Message("", "assistant", model_id="m", tokens=Tokens(input=3))]
        with pytest.raises(ShapeError) as caught:
            openai_responses.from_response({"model": "m"})
        assert caught.value.place == "response.output"

    def test_what_a_history_has_no_place_for_is_named(self) -> None:
        received = openai_responses.from_messages(wire("openai_responses.foreign"))
        assert received.messages[0].attachments == (Attachment("audio/mpeg", "attachment.mp3", b"x"),)
        assert places(received.lost) == [
            "items[0]",
            "items[1].content[0]",
            "items[1].content[1]",
            "items[1].content[2]",
            "items[2]",
            "items[3].caller",
            "items[3].namespace",
            "items[4].content",
            "items[4]",
        ]

    def test_open_reasoning_is_read(self) -> None:
        content = [{"type": "reasoning_text", "text": "long"}]
        [message] = openai_responses.from_messages([{"type": "reasoning", "content": content}]).messages
        assert message.thinking == Thinking("long")

    def test_what_is_not_of_the_shape_may_stand_between(self) -> None:
        assert places(openai_responses.to_messages([user(attachments=(FILM, SOUND))]).lost) == [
            "messages[0].attachments[0]",
            "messages[0].attachments[1]",
        ]
