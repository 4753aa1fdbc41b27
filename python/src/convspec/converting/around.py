"""What stands in a log around the conversation, and has no place in a history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from convspec.converting.losses import Loss
from convspec.reporters.words import number
from convspec.session.view import SessionReading


def around(session: SessionReading) -> Iterator[Loss]:
    """Yield each kind of thing that a history of the session does not hold."""
    for what in (*_facts(session), *_entries(session), *_records(session)):
        yield Loss(None, what)


def _facts(session: SessionReading) -> Iterator[str]:
    if session.header is not None:
        yield "which session it is, and when and where it was made"
    if session.name is not None:
        yield "the name of the session"
    if any(session.runtime().values()):
        yield "the provider, the model and the effort of the session"


def _entries(session: SessionReading) -> Iterator[str]:
    tally, branch = session.tally, session.branch()
    if tally["skipped"]:
        yield f"{number(tally['skipped'], 'place', 'places')} of the log that could not be read"
    if tally["entries"] > tally["branch"]:
        off = tally["entries"] - tally["branch"]
        yield f"{number(off, 'entry', 'entries')} that the conversation does not go through"
    summed = sum(entry.role not in (None, "system") for entry in branch) - tally["messages"]
    if summed > 0:
        yield f"{number(summed, 'message', 'messages')} that a compaction sums up"
    system = sum(entry.role == "system" for entry in branch)
    if system:
        yield number(system, "system message", "system messages")
    if branch:
        yield "the times of the messages"


def _records(session: SessionReading) -> Iterator[str]:
    log, retrieval = session.log, session.last_retrieval
    if session.labels:
        yield number(len(session.labels), "label", "labels")
    if log.prompts:
        yield number(len(log.prompts), "system prompt", "system prompts")
    if log.outputs:
        yield number(len(log.outputs), "record of a tool's execution", "records of tools' executions")
    if session.session_memories or (isinstance(retrieval, Mapping) and any(retrieval.values())):
        yield "what the program remembers"
