"""What a message of a log says: its calls, its result, whether it is blank (session.md, sections 4, 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from convspec.blank import is_blank, is_filled
from convspec.findings import Path
from convspec.session.records import NOTHING_SAID, Call, Kept, Said, key_of

MESSAGE: Path = ("message",)
_RESULTS = ("tool", "toolResult")
_ASIDE = frozenset(
    ("content", "id", "role", "kind", "name", "provider", "model", "model_id", "usage", "tokens", "timestamp")
)


class Payload:
    """The `message` of a record, with the places in the record that the schema objected to."""

    def __init__(self, message: dict[str, Any], bad: frozenset[Path]) -> None:
        self.message = message
        self._bad = bad

    def sound(self, key: str) -> Any:
        """Return a member that the schema passed, None where it is absent or was objected to."""
        return None if self._bad and (*MESSAGE, key) in self._bad else self.message.get(key)

    def role(self) -> str | None:
        """Return the role."""
        role = self.sound("role")
        return role if isinstance(role, str) else None

    def spelled(self, *aliases: str) -> str | None:
        """Return the first of the aliases that is present and neither null nor empty."""
        return next((key for key in aliases if self.message.get(key) not in (None, "", [])), None)

    def said(self) -> Said:
        """Return what the message is to calls and results."""
        calls, unread = self._calls()
        result, result_unread = None, self.role() is None
        if self.role() in _RESULTS:
            result, result_unread = self._result()
        made = {call.id for call in calls}
        also = tuple(id for id in self._item_ids() if id not in made)
        if calls or also:  # who asks does not answer
            result, result_unread = None, self.role() is None
        if not (calls or also or result or unread or result_unread):
            return NOTHING_SAID  # most messages: one value for all of them
        return Said(calls, also, result, unread, result_unread)

    def call_values(self) -> Iterator[tuple[Path, Any]]:
        """Yield path and value of every call, as spelled."""
        for key in ("tool_calls", "toolCalls"):
            listed = self.sound(key)
            if (*MESSAGE, key) in self._bad or (isinstance(listed, list) and listed):
                for index, call in enumerate(listed or ()):
                    yield (*MESSAGE, key, index), call
                return
        for path, part in self.parts():
            if part.get("type") == "toolCall":
                yield path, part

    def listed_calls(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Yield path and value of every call that is an object, in both lists."""
        for key in ("tool_calls", "toolCalls"):
            listed = self.message.get(key)
            for index, call in enumerate(listed if isinstance(listed, list) else ()):
                if isinstance(call, dict):
                    yield (*MESSAGE, key, index), call

    def parts(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Yield path and value of every part of the content that is an object."""
        content = self.sound("content")
        if isinstance(content, list):
            for index, part in enumerate(content):
                if isinstance(part, dict):
                    yield (*MESSAGE, "content", index), part

    def _calls(self) -> tuple[tuple[Call, ...], bool]:
        unread = any((*MESSAGE, key) in self._bad for key in ("tool_calls", "toolCalls"))
        found = []
        for path, call in self.call_values():
            if not isinstance(call, dict) or (*path, "id") in self._bad:
                unread = True
            elif call.get("id") is None or isinstance(call["id"], str):
                id_path = (*path, "id") if "id" in call else path
                found.append(Call(key_of(call.get("id")) or "", path, id_path))
            else:
                unread = True
        return tuple(found), unread

    def _result(self) -> tuple[Call | None, bool]:
        key = self.spelled("tool_call_id", "toolCallId")
        for alias in ("tool_call_id", "toolCallId"):
            if (*MESSAGE, alias) in self._bad:
                return None, True
        if key is None:
            spelled = next((a for a in ("tool_call_id", "toolCallId") if a in self.message), None)
            return Call("", MESSAGE if spelled is None else (*MESSAGE, spelled)), False
        return Call(key_of(self.message[key]) or "", (*MESSAGE, key)), False

    def _item_ids(self) -> Iterator[str]:
        key = self.spelled("response_items", "responseItems")
        items = self.sound(key) if key else None
        for item in items if isinstance(items, list) else ():
            id = item.get("call_id") if isinstance(item, dict) else None
            if isinstance(id, str) and id:
                yield key_of(id) or ""

    def kept(self) -> Kept:
        """Return what a compaction keeps."""
        aliases = ("first_kept_entry_id", "firstKeptEntryId")
        if any((*MESSAGE, key) in self._bad for key in aliases):
            return Kept(None, MESSAGE, readable=False)
        key = self.spelled(*aliases)
        if key is None:
            return Kept(None, MESSAGE)
        return Kept(key_of(self.message[key]), (*MESSAGE, key))

    def is_blank(self) -> bool:
        """Say whether the message is blank (session.md#blank)."""
        if self.role() not in ("user", "assistant") or (*MESSAGE, "content") in self._bad:
            return False
        if not _says_nothing(self.message.get("content")):
            return False
        return not any(is_filled(value) for key, value in self.message.items() if key not in _ASIDE)

    def summary_path(self) -> Path | None:
        """Return where a compaction's empty summary stands, None where it has one."""
        summary, content = self.message.get("summary"), self.message.get("content")
        for key in ("summary", "content"):
            if (*MESSAGE, key) in self._bad:
                return None
        if isinstance(summary, str):
            return (*MESSAGE, "summary") if is_blank(summary) else None
        if content is None:
            present = next((key for key in ("summary", "content") if key in self.message), None)
            return MESSAGE if present is None else (*MESSAGE, present)
        return (*MESSAGE, "content") if _says_nothing(content) else None


def _says_nothing(content: Any) -> bool:
    if content is None:
        return True
    if isinstance(content, str):
        return is_blank(content)
    if not isinstance(content, list):
        return False
    return all(_is_blank_part(part) for part in content)


def _is_blank_part(part: Any) -> bool:
    if isinstance(part, str):
        return is_blank(part)
    if not isinstance(part, dict) or part.get("type") != "text":
        return False
    text = part.get("text")
    return text is None or (isinstance(text, str) and is_blank(text))
