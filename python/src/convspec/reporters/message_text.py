"""A message of a session with what was said in it, line by line, safe on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from convspec.history.encoding import dumped
from convspec.reporters.words import number, printable

_THINKING = ("thinking", "reasoning")


def message(value: Mapping[str, Any]) -> Iterator[str]:
    """Yield who speaks, what is said, and what is called. A message may hold anything anywhere."""
    yield f"--- {_head(value)}"
    for name in ("reasoning_summary", "reasoningSummary"):
        if isinstance(value.get(name), str) and value[name]:
            yield "(thinking)"
            yield from _text(value[name])
    content = value.get("content")
    if isinstance(value.get("summary"), str):
        content = value["summary"]
    for part in content if isinstance(content, list) else [content]:
        yield from _part(part)
    for name in ("tool_calls", "toolCalls"):
        calls = value.get(name)
        for call in calls if isinstance(calls, list) else ():
            inner = call.get("function") if isinstance(call, dict) else None
            if isinstance(inner, dict):
                yield _call(call, inner)


def _head(value: Mapping[str, Any]) -> str:
    words = [_word(value.get("role")), _word(value.get("id"))]
    answers = value.get("tool_call_id") or value.get("toolCallId")
    words += [f"answers [{_word(answers)}]"] if answers else []
    return " ".join(filter(None, words))


def _part(part: Any) -> Iterator[str]:
    if not isinstance(part, dict):
        if part is not None:
            yield from _text(part if isinstance(part, str) else dumped(part, ensure_ascii=False))
        return
    kind = part.get("type")
    if kind == "image":
        data = part.get("data")
        mime = part.get("mimeType") or part.get("mime_type") or part.get("media_type")
        size = number(len(data), "character") if isinstance(data, str) else "no data"
        yield f"({_word(kind)}: {_word(mime) or 'of no type'}, {size} of base64)"
    elif kind == "toolCall":
        yield _call(part, part)
    elif kind in _THINKING:
        yield "(thinking)"
        texts = (part.get(name) for name in (*_THINKING, "text"))
        yield from _text(next((text for text in texts if isinstance(text, str)), ""))
    elif isinstance(part.get("text"), str):
        yield from _text(part["text"])
    else:
        yield f"({_word(kind) or 'a part of no type'})"


def _call(call: Mapping[str, Any], inner: Mapping[str, Any]) -> str:
    arguments = inner.get("arguments")
    written = arguments if isinstance(arguments, str) else dumped(arguments, ensure_ascii=False)
    return f"-> {_word(inner.get('name'))} [{_word(call.get('id'))}] {printable(written)}"


def _word(value: Any) -> str:
    if value is None:
        return ""
    return printable(value if isinstance(value, str) else dumped(value, ensure_ascii=False))


def _text(text: str) -> Iterator[str]:
    return map(printable, text.removesuffix("\n").split("\n") if text else ())
