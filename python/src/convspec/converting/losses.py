"""What a conversion could not carry over, said without a word of the conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from convspec.pointers import nameable_to_people

NO_PLACE = "no place for a member"


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that is not in the result, or not as it was.

    `message` is the id of the message it belonged to, None where that is the log as a whole, or has no id.
    `member` names the member of the message, where it was one that the other format has no place for.
    """

    message: str | None
    what: str
    member: str | None = None


@dataclass(slots=True)
class Losses:
    """Collects losses while a conversation is converted."""

    found: list[Loss] = field(default_factory=list)
    at: str | None = None
    """The id of the message that is converted now."""

    def add(self, what: str) -> None:
        """Note a loss of the message that is converted now."""
        self.found.append(Loss(self.at, what))

    def members(self, names: Iterable[str]) -> None:
        """Note members that the other format has no place for."""
        self.found += (Loss(self.at, NO_PLACE, name) for name in sorted(names))


def values(losses: Iterable[Loss]) -> list[dict[str, Any]]:
    """Return losses as JSON values (schema/report/1.0/conversion.schema.json)."""
    found = []
    for loss in losses:
        value: dict[str, Any] = {"message": loss.message, "what": loss.what}
        found.append(value if loss.member is None else {**value, "member": loss.member})
    return found


def grouped(losses: Iterable[Loss]) -> Iterator[tuple[str, list[str | None]]]:
    """Yield each kind of loss once, as people are told of it, with the ids of the messages concerned."""
    groups: dict[str, list[str | None]] = {}
    for loss in losses:
        told = loss.what
        if loss.member is not None:  # a key of an unknown shape may be text
            name = loss.member if nameable_to_people(loss.member) else "a member that is not known"
            told = f"{name}, which has no place"
        groups.setdefault(told, []).append(loss.message)
    yield from groups.items()
