"""A log of version 1 as one of version 2: the same records, with ids and parents (session.md#version-1)."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any

from convspec.session.records import TREE, text_of
from convspec.text.lines import read_line

_REFERENCES = ("parentId", "targetId", "fromId")


def upgraded(stream: IO[bytes], mint: Callable[[], str] = lambda: secrets.token_hex(16)) -> Iterator[bytes]:
    """Yield the lines of a version 2 log. The log must be one of version 1, mixed or not, without errors.

    Each tree record without an id gets a new one, and the record before it as its parent; what refers to
    it as `message:N` refers to the new id. All else stays.
    """
    names = _Names(mint)
    for line in stream:
        for value in read_line(line).values:
            record = value.value
            if isinstance(record, dict):
                yield (
                    json.dumps(names.renamed(record), ensure_ascii=False, separators=(",", ":")).encode()
                    + b"\n"
                )


@dataclass(slots=True)
class _Names:
    mint: Callable[[], str]
    _number: int = 0
    _before: str | None = None
    _ids: dict[str, str] = field(default_factory=dict)

    def renamed(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a record with the ids of version 2."""
        if record.get("type") == "session":
            return {**record, "version": 2}
        changed = {
            key: self._ids.get(value, value) if key in _REFERENCES and isinstance(value, str) else value
            for key, value in record.items()
        }
        return self._entry(changed) if record.get("type") in TREE else changed

    def _entry(self, record: dict[str, Any]) -> dict[str, Any]:
        own, number = text_of(record.get("id")), self._number
        self._number += 1
        if own is not None:
            self._before = own
            return record
        id = self.mint()
        self._ids[f"message:{number}"] = id
        parent = {} if self._before is None else {"parentId": self._before}
        self._before = id
        rest = {key: value for key, value in record.items() if key not in ("type", "id", "parentId")}
        message = rest.get("message")
        if isinstance(message, dict):
            own_id = message.get("id")
            rest["message"] = {**message, "id": id} if own_id in (None, "") else message
        return {"type": record["type"], "id": id, **parent, **rest}
