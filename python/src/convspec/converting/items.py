"""What a provider's response items hold beside the message that they belong to (session.md#payload)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from convspec.converting.losses import Losses
from convspec.converting.parts import whole

_TEXTS = ("output_text", "text")
_PHASES = ("commentary", "final_answer")


@dataclass(slots=True)
class Items:
    """Texts, sealed reasoning and calls, as the items have them."""

    texts: list[str] = field(default_factory=list)
    phases: list[str] = field(default_factory=list)
    reasoning: list[Mapping[str, Any]] = field(default_factory=list)
    calls: list[Mapping[str, Any]] = field(default_factory=list)

    def phase(self) -> str | None:
        """Return the phase of what was said, where it was said at once."""
        return self.phases[0] if len(self.texts) == len(self.phases) == 1 else None

    def thinking(self, losses: Losses) -> str:
        """Return the reasoning in words."""
        found = [text for item in self.reasoning for text in _summaries(item)]
        return "\n\n".join(whole(text, losses) for text in found)

    def seal(self, losses: Losses) -> tuple[str, str] | None:
        """Return the encrypted reasoning and the id of its item, None where there is not exactly one."""
        sealed = [item for item in self.reasoning if isinstance(item.get("encrypted_content"), str)]
        if not sealed:
            return None
        id = sealed[0].get("id")
        if len(sealed) > 1 or not isinstance(id, str) or not id or whole(id, Losses()) != id:
            losses.add("encrypted reasoning")
            return None
        return whole(sealed[0]["encrypted_content"], losses), id


def items(value: Any, losses: Losses) -> Items:
    """Take response items apart."""
    found = Items()
    if value is not None and not isinstance(value, list):
        losses.add("response items that are no list")
    for item in value if isinstance(value, list) else ():
        kind = item.get("type") if isinstance(item, dict) else None
        if kind == "message":
            found.texts.append("".join(_said(item, losses)))
            if item.get("phase") in _PHASES:
                found.phases.append(item["phase"])
        elif kind == "reasoning":
            found.reasoning.append(item)
        elif kind in ("function_call", "custom_tool_call"):
            found.calls.append(_call(item))
        else:
            losses.add("a response item of another kind")
    return found


def _call(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a call in the form in which messages list them."""
    arguments = {"input": item.get("input")} if item["type"] == "custom_tool_call" else item.get("arguments")
    return {"id": item.get("call_id"), "function": {"name": item.get("name"), "arguments": arguments}}


def _said(item: Mapping[str, Any], losses: Losses) -> list[str]:
    content = item.get("content")
    if isinstance(content, str):
        return [whole(content, losses)]
    texts = []
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, dict) else None
        text = part.get("refusal" if kind == "refusal" else "text") if isinstance(part, dict) else None
        if isinstance(text, str) and (kind in _TEXTS or kind == "refusal"):
            texts.append(whole(text, losses))
        else:
            losses.add("a part of a response item")
    return texts


def _summaries(item: Mapping[str, Any]) -> list[str]:
    for name in ("summary", "content"):
        listed = item.get(name)
        found = [
            part["text"]
            for part in (listed if isinstance(listed, list) else ())
            if isinstance(part, dict) and isinstance(part.get("text"), str)
        ]
        if found:
            return found
    return []
