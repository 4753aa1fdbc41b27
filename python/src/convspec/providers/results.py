"""What a conversion gives back: the messages, and what could not be carried."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from convspec.history.model import Message


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that did not arrive, or not as it was.

    `place` is where it stood in what was passed in, such as `messages[3].attachments[0]`; `why` says what
    became of it. Neither holds text of the conversation.
    """

    place: str
    why: str

    def __str__(self) -> str:
        return f"{self.place}: {self.why}"


@dataclass(frozen=True, slots=True)
class Sent:
    """A history in the shape of a provider: `messages` are dicts that belong to the caller."""

    messages: list[dict[str, Any]] = field(repr=False)
    lost: tuple[Loss, ...] = ()


@dataclass(frozen=True, slots=True)
class Received:
    """Messages for a history."""

    messages: tuple[Message, ...]
    lost: tuple[Loss, ...] = ()
