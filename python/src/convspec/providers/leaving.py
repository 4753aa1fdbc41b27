"""What the ways to the three providers share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from convspec.frozen import thaw
from convspec.history.encoding import dumped
from convspec.history.history import History
from convspec.history.model import ROLES, Attachment, Message, Thinking, ToolCall
from convspec.providers.results import Loss
from convspec.providers.shapes import ShapeError

REASONING_ID = "reasoning_id"
"""An extra member of a thinking block: the id of a reasoning item, without which OpenAI cannot take it."""


@dataclass(slots=True)
class Leaving:
    """One conversion: what the caller asked for, and what was lost so far."""

    keep_thinking: bool
    model: str | None
    lost: list[Loss] = field(default_factory=list)

    def messages(self, history: History | Iterable[Message]) -> Iterator[tuple[str, Message]]:
        """Yield place and message. Raises ShapeError for a message that no history may hold."""
        for index, message in enumerate(history.messages if isinstance(history, History) else history):
            place = f"messages[{index}]"
            if message.role not in ROLES:
                raise ShapeError(place, "its role is none of user, assistant, tool")
            if message.role == "tool" and not message.tool_call_id:
                raise ShapeError(place, "a result without the id of its call")
            if message.role != "assistant":
                for name in ("thinking", "tool_calls"):
                    if getattr(message, name):
                        self.lose(f"{place}.{name}", "only a message of the assistant can have it")
            yield place, message

    def lose(self, place: str, why: str) -> None:
        """Note something as lost."""
        self.lost.append(Loss(place, why))

    def thinking(self, place: str, message: Message) -> Thinking | None:
        """Return the thinking block, if it is there and may be played back.

        A block of another model is withheld: its provider refuses it, or it means nothing there.
        """
        block = message.thinking
        if block is None or not self.keep_thinking or not (block.text or block.signature):
            return None
        if self.model is not None and message.model_id != self.model:
            whose = "by another model" if message.model_id else "by a model that is not recorded"
            self.lose(f"{place}.thinking", f"written {whose}: withheld")
            return None
        return block

    def signed(self, place: str, message: Message) -> Thinking | None:
        """The same, for providers that take back only what they have sealed."""
        block = self.thinking(place, message)
        if block is not None and not block.signature:
            self.lose(f"{place}.thinking", "without a signature it cannot be played back")
            return None
        return block

    def attachments(self, place: str, message: Message) -> Iterator[tuple[str, Attachment]]:
        """Yield place and attachment of those that have bytes."""
        for index, attachment in enumerate(message.attachments):
            below = f"{place}.attachments[{index}]"
            if attachment.bytes:
                yield below, attachment
            else:
                self.lose(below, "it has no bytes")

    def unattached(self, place: str, message: Message) -> None:
        """Note the attachments of the assistant as lost: no provider takes them back."""
        for index in range(len(message.attachments)):
            self.lose(f"{place}.attachments[{index}]", "a message of the assistant holds text only")


def arguments_text(call: ToolCall) -> str:
    """Return the arguments as the string of JSON that OpenAI has in their place."""
    return dumped(thaw(call.arguments), ensure_ascii=False, separators=(",", ":"))
