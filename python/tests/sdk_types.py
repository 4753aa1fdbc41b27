"""The types of the official SDKs, made strict: a key that they do not have is refused.

Two traps are closed here. A TypedDict lets unknown keys pass, and what is declared as Iterable is only
checked while somebody walks through it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import anthropic.types
import openai.types.chat
import openai.types.responses
import pydantic
from typing_extensions import is_typeddict

_TYPES = {
    "openai_chat": openai.types.chat.ChatCompletionMessageParam,
    "openai_responses": openai.types.responses.ResponseInputItemParam,
    "anthropic": anthropic.types.MessageParam,
}


@cache
def _adapter(provider: str) -> pydantic.TypeAdapter[Any]:
    for kind in _typed_dicts():
        before = getattr(kind, "__pydantic_config__", {})
        kind.__pydantic_config__ = {**before, "extra": "forbid"}
    return pydantic.TypeAdapter(list[_TYPES[provider]])  # type: ignore[misc]


def _typed_dicts() -> Iterator[Any]:
    for name, module in list(sys.modules.items()):
        if name.startswith(("openai.types", "anthropic.types")):
            yield from (value for value in list(vars(module).values()) if is_typeddict(value))


def assert_typed(provider: str, messages: list[dict[str, Any]]) -> None:
    """Fail unless the messages are, in every part, what the SDK declares. Raises ValidationError."""
    _walk(_adapter(provider).validate_python(messages, strict=True))


def _walk(value: object) -> None:
    # The SDKs also take their own response models in a message, and those let unknown keys pass.
    assert not isinstance(value, pydantic.BaseModel), f"a plain dict passed only as {type(value).__name__}"
    if isinstance(value, dict):
        for item in value.values():
            _walk(item)
    elif not isinstance(value, str | bytes | int | float | None):
        for item in value:  # type: ignore[attr-defined]
            _walk(item)
