"""What a conversion could not carry over, said without a word of the conversation."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that is not in the result, or not as it was: the message's id, and what."""

    message: str | None
    what: str


@dataclass(slots=True)
class Losses:
    """Collects losses while a conversation is converted."""

    found: list[Loss] = field(default_factory=list)
    at: str | None = None
    """The id of the message that is converted now."""

    def add(self, what: str) -> None:
        """Note a loss of the message that is converted now."""
        self.found.append(Loss(self.at, what))

    def members(self, names: list[str]) -> None:
        """Note members that the other format has no place for."""
        if names:
            self.add(f"no place for {', '.join(sorted(names))}")
