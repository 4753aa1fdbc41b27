"""Answer the tool calls that were interrupted, so that a provider takes the conversation again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from convspec.history.minting import mint_id
from convspec.history.model import Message

INTERRUPTED_RESULT = "[Tool execution was interrupted]"
"""The content of an answer that was made up."""


def answered(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages with an answer for every call that has none in its run (history.md#repair).

    Answers go behind the run, in the order of the calls. What is there stays: a late answer is kept.
    """
    taken = {message.id for message in messages}
    return tuple(_with_answers(messages, taken))


def _with_answers(messages: Sequence[Message], taken: set[str]) -> Iterator[Message]:
    asked: list[str] = []
    told: set[str] = set()
    for message in messages:
        if message.role != "tool" or message.tool_calls:  # the run of the calls before ends here
            yield from _answers(asked, told, taken)
            asked, told = [call.id for call in message.tool_calls], set()
        elif message.tool_call_id is not None:
            told.add(message.tool_call_id)
        yield message
    yield from _answers(asked, told, taken)


def _answers(asked: Sequence[str], told: set[str], taken: set[str]) -> Iterator[Message]:
    for call_id in asked:
        if call_id not in told:
            yield Message(_unused(taken), "tool", INTERRUPTED_RESULT, tool_call_id=call_id)


def _unused(taken: set[str]) -> str:
    while (id := mint_id()) in taken:
        pass
    taken.add(id)
    return id
