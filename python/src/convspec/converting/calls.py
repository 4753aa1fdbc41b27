"""Tool calls of a session on their way into a history, where each has an id, a name and an object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from convspec.converting.losses import Losses
from convspec.converting.parts import whole
from convspec.frozen import EMPTY, Foreign, freeze
from convspec.history.decoding import with_long_integers
from convspec.history.model import ToolCall
from convspec.text.strict_json import MISSING, parse

_PLACE = ("messages", 0, "tool_calls", 0, "arguments")
"""Where arguments stand in a document: it has 100 levels in all."""


@dataclass(slots=True)
class Answers:
    """The calls of one message that have one id in the session, and how many answers there were."""

    calls: list[ToolCall] = field(default_factory=list)
    given: int = 0

    def next(self) -> ToolCall:
        """Return the call that the next answer is for; answers beyond the calls are for the last one."""
        self.given += 1
        return self.calls[min(self.given, len(self.calls)) - 1]


@dataclass(slots=True)
class Calls:
    """The calls made so far, by the id that the session has for them (session.md#results)."""

    losses: Losses
    _open: dict[str, Answers] = field(default_factory=dict)
    _minted: set[str] = field(default_factory=set)
    _number: int = 0

    def answered_by(self, id: Any) -> ToolCall | None:
        """Return the call that a result with this id answers, None where there is none."""
        answers = self._open.get(id) if isinstance(id, str) else None
        return None if answers is None else answers.next()

    def made(self, listed: Iterable[Any], further: Iterable[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
        """Return the calls of a message, and those of `further` whose id no other call of it has."""
        known: dict[str, Answers] = {}
        found: list[ToolCall] = []
        values = list(listed)
        ids = {call["id"] for call in values if isinstance(call, dict) and isinstance(call.get("id"), str)}
        for call in further:
            id = call.get("id")
            if isinstance(id, str) and id and id not in ids:
                ids.add(id)
                values.append(call)
        taken: set[str] = set()
        for call in values:
            if not isinstance(call, dict):
                self.losses.add("a call that is no object")
                continue
            made = self._call(call, ids, taken)
            given = call.get("id")
            known.setdefault(given if isinstance(given, str) else "", Answers()).calls.append(made)
            found.append(made)
        self._open |= known
        return tuple(found)

    def _call(self, call: Mapping[str, Any], given: set[str], taken: set[str]) -> ToolCall:
        inner = call if call.get("type") == "toolCall" else call.get("function")
        inner = inner if isinstance(inner, dict) else {}
        id, name = call.get("id"), inner.get("name")
        id = whole(id, self.losses) if isinstance(id, str) else ""
        if id in taken:
            self.losses.add("the id of a call, which another call of its message has; it got one of its own")
        if not id or id in taken or id in self._minted:
            id = self._minted_id(given, taken)
        taken.add(id)
        if not isinstance(name, str) or not name:
            self.losses.add('a call without the name of its tool; it is called "unknown"')
            name = "unknown"
        return ToolCall(id, whole(name, self.losses), self._arguments(inner.get("arguments")))

    def _minted_id(self, *taken: set[str]) -> str:
        self._number += 1
        while any((id := f"call-{self._number}") in ids for ids in taken):
            self._number += 1
        self._minted.add(id)
        return id

    def _arguments(self, value: Any) -> Mapping[str, Any]:
        if value is None or value == "":
            return EMPTY
        if isinstance(value, str):
            value = _read(value)
        try:
            if isinstance(value, dict):
                frozen: Mapping[str, Any] = freeze(value, _PLACE)
                if _is_whole(frozen):
                    return frozen
        except Foreign:
            pass
        self.losses.add("arguments that are no object a history can hold; there are none now")
        return EMPTY


def _read(text: str) -> Any:
    """Return the value that arguments hold as text, MISSING where they hold none (session.md#arguments)."""
    data = text.encode("utf-8", "surrogatepass")
    parsed = parse(data)
    if any(fault.rule == "json-trailing-data" for fault in parsed.faults):
        return MISSING
    return parsed.value if parsed.value is MISSING else with_long_integers(parsed, data)


def _is_whole(value: object) -> bool:
    """Say whether no text in a frozen value holds half a surrogate pair."""
    work = [value]
    while work:
        one = work.pop()
        if isinstance(one, Mapping):
            work += [*one.keys(), *one.values()]
        elif isinstance(one, tuple):
            work += one
        elif isinstance(one, str) and not one.isascii():
            try:
                one.encode()
            except UnicodeEncodeError:
                return False
    return True
