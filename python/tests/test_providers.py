"""Histories in the shapes of the providers, and back: what holds for all three."""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import sys
import traceback
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import ROOT
from convspec import Attachment, History, Message, Thinking, ToolCall
from convspec.providers import ShapeError, openai_chat, openai_responses
from provider_samples import (
    FILM,
    JPEG,
    NOTE,
    NOTHING,
    PNG,
    PROVIDERS,
    SOUND,
    bare,
    carried,
    objects,
    places,
    said,
    thought,
    told,
    turns,
    user,
    wild,
    wire,
)
from sdk_types import assert_typed

every_provider = pytest.mark.parametrize("provider", PROVIDERS)


class TestTypes:
    """What is made is what the SDKs declare."""

    @every_provider
    def test_a_conversation_as_it_is_written_down(self, provider: str) -> None:
        sent = PROVIDERS[provider].to_messages(History(messages=turns(provider)))
        assert sent.messages == wire(f"{provider}.sent")
        assert_typed(provider, sent.messages)

    @every_provider
    def test_whatever_else_there_may_be(self, provider: str) -> None:
        sent = PROVIDERS[provider].to_messages(
            [user(attachments=(NOTE, SOUND, FILM, NOTHING)), said(attachments=(PNG,)), user(""), said()]
        )
        assert_typed(provider, sent.messages)

    @every_provider
    def test_the_bytes_tell_what_an_image_is(self, provider: str) -> None:
        mimes = ("image/jpeg", "application/octet-stream", "IMAGE/PNG; q=1")
        wrong = [Attachment(mime, "a", PNG.bytes) for mime in mimes]
        sent = PROVIDERS[provider].to_messages([user("", attachments=wrong)])
        assert_typed(provider, sent.messages)
        assert json.dumps(sent.messages).count("image/png") == 3

    @every_provider
    def test_a_wrong_key_at_any_depth_would_be_noticed(self, provider: str) -> None:
        messages = wire(f"{provider}.sent")
        tried = 0
        for target in objects(messages):
            if target == {} or "deep" in target:
                continue  # the arguments of a call, which are free
            target["another"] = 1
            with pytest.raises((pydantic.ValidationError, AssertionError)):
                assert_typed(provider, messages)
            del target["another"]
            tried += 1
        assert tried > 14
        assert_typed(provider, messages)

    @pytest.mark.parametrize(
        ("provider", "key"),
        [("openai_chat", "url"), ("openai_responses", "arguments"), ("anthropic", "media_type")],
    )
    def test_a_missing_key_would_be_noticed(self, provider: str, key: str) -> None:
        messages = wire(f"{provider}.sent")
        next(value for value in objects(messages) if key in value).pop(key)
        with pytest.raises((pydantic.ValidationError, AssertionError)):
            assert_typed(provider, messages)

    def test_nothing_of_the_sdks_is_imported(self) -> None:
        code = (
            "import sys, convspec.providers;"
            "assert not {'openai', 'anthropic', 'pydantic'} & set(sys.modules), 'imported'"
        )
        subprocess.run([sys.executable, "-c", code], check=True)

    @every_provider
    def test_the_caller_owns_what_it_gets(self, provider: str) -> None:
        messages = turns(provider)
        for value in objects(PROVIDERS[provider].to_messages(messages).messages):
            value.clear()
        assert messages[1].tool_calls[0].arguments == {"path": "é", "deep": [1, None, {}]}


class TestRoundTrips:
    """What comes back is what was sent, but for the losses that the guide names."""

    @every_provider
    @given(data=st.data())
    @settings(max_examples=80, deadline=None)
    def test_what_can_be_carried_comes_back(self, provider: str, data: st.DataObject) -> None:
        module = PROVIDERS[provider]
        options = {"thinking_key": "reasoning_content"} if provider == "openai_chat" else {}
        history = data.draw(carried(provider))
        sent = module.to_messages(history, **options)
        assert sent.lost == ()
        assert_typed(
            provider, [{key: one[key] for key in one if key != "reasoning_content"} for one in sent.messages]
        )
        received = module.from_messages(json.loads(json.dumps(sent.messages)))
        assert received.lost == ()
        assert bare(received.messages) == bare(history.messages)
        assert len({one.id for one in received.messages}) == len(received.messages)
        assert module.to_messages(received.messages, **options) == sent

    @every_provider
    @given(history=wild(), keep_thinking=st.booleans())
    @settings(max_examples=60, deadline=None)
    def test_whatever_is_in_a_history_can_be_sent_and_read_again(
        self, provider: str, history: History, keep_thinking: bool
    ) -> None:
        module = PROVIDERS[provider]
        sent = module.to_messages(history, keep_thinking=keep_thinking, model="m")
        assert_typed(provider, sent.messages)
        History(messages=module.from_messages(sent.messages).messages).to_json()
        if provider == "anthropic":
            assert all(one["role"] != other["role"] for one, other in pairwise(sent.messages))


class TestThinking:
    """What the caller asks for: with it, without it, only that of the model at work."""

    @every_provider
    def test_without_it_nothing_of_it_is_sent_and_nothing_is_lost(self, provider: str) -> None:
        block = thought(provider, "SECRET", "SEAL")
        history = [user(), said("a", "c", thinking=block, model_id="m"), told("c")]
        options = {"thinking_key": "reasoning"} if provider == "openai_chat" else {}
        module = PROVIDERS[provider]
        assert "SECRET" in json.dumps(module.to_messages(history, **options).messages)
        dropped = module.to_messages(history, keep_thinking=False, **options)
        assert not any(word in json.dumps(dropped.messages) for word in ("SECRET", "SEAL"))
        assert dropped.lost == ()
        assert module.to_messages([replace(one, thinking=None) for one in history], **options) == dropped

    @every_provider
    def test_that_of_another_model_is_withheld_and_told(self, provider: str) -> None:
        options = {"thinking_key": "reasoning"} if provider == "openai_chat" else {}
        models = ("m", "n", None)
        history = [said(f"{id}", thinking=thought(provider, f"T-{id}"), model_id=id) for id in models]
        sent = PROVIDERS[provider].to_messages(history, model="m", **options)
        shown = json.dumps(sent.messages)
        assert [f"T-{id}" in shown for id in models] == [True, False, False]
        assert [str(loss) for loss in sent.lost if not loss.place.endswith("signature")] == [
            "messages[1].thinking: written by another model: withheld",
            "messages[2].thinking: written by a model that is not recorded: withheld",
        ]
        assert all(one.thinking for one in history)  # it is withheld, and stays in the history

    @every_provider
    def test_only_the_assistant_thinks_and_calls(self, provider: str) -> None:
        odd = replace(user(), thinking=Thinking("a", "s"), tool_calls=(ToolCall("c", "f"),))
        sent = PROVIDERS[provider].to_messages([odd])
        assert places(sent.lost) == ["messages[0].thinking", "messages[0].tool_calls"]


_KEYS = st.sampled_from(
    [
        "role", "type", "content", "user", "assistant", "tool", "text", "image_url", "url", "message", "name",
        "reasoning", "function_call", "output", "input_image", "tool_result", "tool_use", "document", "id",
        "source", "base64", "data", "file", "arguments", "input", "summary", "thinking", "signature", "audio",
        "call_id", "tool_call_id", "tool_use_id", "tool_calls", "function", "usage", "choices",
    ]
)  # fmt: skip
_SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | _KEYS | st.just("{") | st.binary(max_size=2)
)
JUNK = st.recursive(
    _SCALARS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(_KEYS | st.integers(0, 1), below, max_size=4),
    max_leaves=12,
)


class TestDamage:
    """Whatever comes in, ShapeError is all that is raised, and it shows nothing."""

    @every_provider
    @given(junk=JUNK)
    @settings(max_examples=150, deadline=None)
    def test_junk(self, provider: str, junk: Any) -> None:
        for read in (PROVIDERS[provider].from_messages, PROVIDERS[provider].from_response):
            with contextlib.suppress(ShapeError):
                read(junk)

    @every_provider
    @given(data=st.data())
    @settings(max_examples=150, deadline=None)
    def test_what_is_sound_but_for_one_member(self, provider: str, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(["sent", "foreign", "response"]))
        value = wire(f"{provider}.{name}")
        target = data.draw(st.sampled_from([one for one in objects(value) if one]))
        target[data.draw(st.sampled_from(sorted(target)))] = data.draw(JUNK)
        module = PROVIDERS[provider]
        with contextlib.suppress(ShapeError):
            module.from_response(value) if name == "response" else module.from_messages(value)

    @pytest.mark.parametrize(
        "arguments",
        [
            "{", "[]", "1", '"secret"', "null", '{"secret": NaN}', '{"secret": 1e999}', "[" * 100_000,
            '{"secret": ' + "[" * 200 + "]" * 200 + "}", '{"secret": ' + "9" * 5000 + "}",
        ],
        ids=lambda text: text[:20],
    )  # fmt: skip
    def test_bad_arguments_are_named_by_their_place_and_not_shown(self, arguments: str) -> None:
        call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
        item = {"type": "function_call", "call_id": "c", "name": "f", "arguments": arguments}
        with pytest.raises(ShapeError) as chat:
            openai_chat.from_messages(
                [{"role": "user", "content": "a"}, {"role": "assistant", "tool_calls": [call]}]
            )
        assert chat.value.place == "messages[1].tool_calls[0].function.arguments"
        with pytest.raises(ShapeError) as responses:
            openai_responses.from_messages([item])
        assert responses.value.place == "items[0].arguments"
        for error in (chat.value, responses.value):
            assert "secret" not in str(error)
            assert len(str(error)) < 150
            assert "secret" not in "".join(traceback.format_exception(error))

    @pytest.mark.parametrize("nothing", ["", " ", None])
    def test_no_arguments_are_an_empty_object(self, nothing: str | None) -> None:
        item = {"type": "function_call", "call_id": "c", "name": "f", "arguments": nothing}
        [message] = openai_responses.from_messages([item]).messages
        assert message.tool_calls == (ToolCall("c", "f"),)

    @pytest.mark.parametrize(
        ("provider", "value", "place"),
        [
            ("openai_chat", "secret", "messages"),
            ("openai_chat", ["secret"], "messages[0]"),
            ("openai_chat", [{"content": "secret"}], "messages[0].role"),
            ("openai_chat", [{"role": "user", "content": 5}], "messages[0].content"),
            ("openai_chat", [{"role": "tool", "content": "secret"}], "messages[0].tool_call_id"),
            ("openai_responses", [{"content": "secret"}], "items[0]"),
            ("openai_responses", [{"type": "function_call", "name": "secret"}], "items[0].call_id"),
            ("openai_responses", [{"type": "function_call_output", "output": "secret"}], "items[0].call_id"),
            ("anthropic", [{"content": "secret"}], "messages[0].role"),
        ],
    )
    def test_the_error_names_the_place_alone(self, provider: str, value: Any, place: str) -> None:
        with pytest.raises(ShapeError) as caught:
            PROVIDERS[provider].from_messages(value)
        assert caught.value.place == place
        assert "secret" not in str(caught.value)

    @pytest.mark.parametrize(
        ("provider", "part", "place"),
        [
            ("openai_chat", {"type": "image_url", "image_url": {"url": "data:;base64,s!"}}, "image_url.url"),
            ("anthropic", {"type": "image", "source": {"type": "base64", "data": "s!"}}, "source.data"),
            ("anthropic", {"type": "document", "source": {"type": "text", "data": "!\ud83d"}}, "source.data"),
        ],
    )  # fmt: skip
    def test_bad_files_are_named_by_their_place_and_not_shown(
        self, provider: str, part: Any, place: str
    ) -> None:
        with pytest.raises(ShapeError) as caught:
            PROVIDERS[provider].from_messages([{"role": "user", "content": [part]}])
        assert caught.value.place == f"messages[0].content[0].{place}"
        assert "!" not in str(caught.value)

    @every_provider
    def test_what_is_of_no_known_kind_is_named(self, provider: str) -> None:
        parts = [{"type": "hologram"}, {"type": "SECRET words"}, {}]
        strange = [{"role": "user", "content": parts}, {"role": "conductor"}, {"role": "user"}]
        received = PROVIDERS[provider].from_messages(strange)
        assert [(one.role, one.content) for one in received.messages] == [("user", "")]
        assert [loss.why for loss in received.lost] == [
            "a history has no place for hologram",
            "it is of no known kind",
            "it is of no known kind",
            "a history has no place for conductor",
        ]

    @every_provider
    @pytest.mark.parametrize("wrong", [Message("a", "system", "secret"), Message("a", "tool", "secret")])
    def test_a_message_that_no_history_may_hold_is_refused(self, provider: str, wrong: Message) -> None:
        with pytest.raises(ShapeError) as caught:
            PROVIDERS[provider].to_messages([user(), wrong])
        assert caught.value.place == "messages[1]"
        assert "secret" not in str(caught.value)

    def test_long_input_takes_no_long_time(self) -> None:
        part = {"type": "image_url", "image_url": {"url": "data:" + "a" * 1_000_000}}
        received = openai_chat.from_messages([{"role": "user", "content": [part] * 20}])
        assert len(received.lost) == 20
        strange = Attachment("a/" * 500_000, "a", b"a")
        sent = openai_chat.to_messages([user(attachments=(strange,))])
        assert places(sent.lost) == ["messages[0].attachments[0]"]

    @every_provider
    def test_neither_losses_nor_repr_show_what_was_said(self, provider: str) -> None:
        module = PROVIDERS[provider]
        sent = module.to_messages(
            [user("SECRET", attachments=(FILM, JPEG)), said(" ", thinking=Thinking("SECRET"))]
        )
        assert sent.lost
        assert "SECRET" not in repr(sent)
        received = module.from_messages([{"role": "user", "content": "SECRET", "SECRET words": 1}])
        assert "SECRET" not in repr(received)
        assert len(received.lost) == 1


@pytest.mark.parametrize("page", ["docs/guide/providers.md"])
def test_the_examples_print_what_the_page_says(page: str) -> None:
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n((?s:.*?))```", (ROOT / page).read_text(encoding="utf-8"))
    assert len(blocks) > 3
    for block in blocks:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(block, page, "exec"), names)
        assert out.getvalue().splitlines() == re.findall(r"^# (.*)$", block, re.MULTILINE)
