"""The canonical form of a history: equal values, and only those, have the same bytes (RFC 8785)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import rfc8785

from convspec.frozen import number
from convspec.history.encoding import message_value
from convspec.history.model import Attachment, Message
from convspec.text.scanner import EXACT


def canonical(version: int, messages: Iterable[Message]) -> bytes:
    """Return the canonical form, in UTF-8. Raises ValueError for a number beyond the doubles.

    Members that have their default and members that are not known are left out; `sha256` and `size` stand
    for the bytes of an attachment.
    """
    listed = [message_value(message, digest, extra=False) for message in messages]
    return rfc8785.dumps(_doubles({"version": version, "messages": listed}))


def digest(attachment: Attachment) -> dict[str, Any]:
    """Return the members that stand for the bytes."""
    return {"sha256": attachment.sha256, "size": len(attachment.bytes)}


def _doubles(value: Any) -> Any:
    """Give integers beyond the exact ones as the doubles that most languages make of them."""
    if isinstance(value, dict):
        return {key: _doubles(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_doubles(item) for item in value]
    if isinstance(value, int) and not -EXACT <= value <= EXACT:
        return number(value)
    return value
