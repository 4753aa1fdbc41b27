"""The reference as an adapter: the protocol tier over standard input and output.

`python -m convspec.conformance.adapter` answers line by line (schema/conformance/1.0).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from convspec import __version__
from convspec.checker import check
from convspec.conformance.operations import carried_out
from convspec.conformance.protocol import PROTOCOL
from convspec.findings import FileReport, Verdict
from convspec.history.canonical import digest
from convspec.history.encoding import dumped, message_value
from convspec.history.history import History
from convspec.repairing import CannotRepair, repair
from convspec.reporters.values import finding_value

SPEC = "1.0"


def introduction() -> dict[str, Any]:
    """Return what the reference says of itself."""
    return {
        "name": "convspec",
        "language": "Python",
        "version": __version__,
        "protocol": PROTOCOL,
        "spec": SPEC,
        "formats": ["history", "session"],
        "kinds": list(_KINDS),
        "levels": ["verdict", "findings", "reading"],
        "abilities": ["folder", "symlinks"],
    }


def answer_value(report: FileReport) -> dict[str, Any]:
    """Return a report as an answer, without its number."""
    tally = None if report.tally is None else dict(report.tally)
    return {
        "verdict": report.verdict.value,
        "findings": [finding_value(finding) for finding in report.findings],
        "reading": {**(report.reading or {}), "tally": tally},
    }


def answers(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the answer to each request, up to `stop` or the end of the lines."""
    for line in lines:
        request = json.loads(line)
        if request["cmd"] == "stop":
            return
        yield introduction() if request["cmd"] == "start" else _judged(request)


def checked(path: str) -> dict[str, Any]:
    """Return verdict, findings and reading of an input, without a number."""
    report = check(path)
    answer = answer_value(report)
    if report.format == "history" and report.valid:
        answer["reading"].update(reading(History.load(path)))
    return answer


def reading(history: History) -> dict[str, Any]:
    """Return what a reader makes of a history, in the form in which cases state it."""
    attachments = [item for message in history.messages for item in message.attachments]
    found: dict[str, Any] = {
        "messages": [{"role": message.role, "id": message.id} for message in history.messages],
        "attachments": [digest(item) for item in attachments],
    }
    with suppress(ValueError):  # a number beyond the doubles has no canonical form
        found["canonical"] = history.canonical().decode()
    return found


def repaired(path: str) -> dict[str, Any]:
    """Return the messages with every interrupted tool call answered, and whether none was."""
    history = History.load(path)
    after = history.repair_interrupted_tool_calls()
    known = {message.id for message in history.messages}
    messages = [message_value(message, digest, extra=False) for message in after.messages]
    return {
        "unchanged": after is history,
        "messages": [value if value["id"] in known else {**value, "id": "*"} for value in messages],
    }


def recovered(path: str, output: str) -> dict[str, Any]:
    """Write a repaired copy; return the verdict on it, or where none is written, on the file."""
    try:
        done = repair(path, output)
    except CannotRepair:
        verdict = check(path).verdict
        if verdict not in (Verdict.UNSUPPORTED, Verdict.UNREADABLE):
            raise
        return {"verdict": verdict.value, "output": None}
    report = done.before if done.output is None else done.after
    return {"verdict": report.verdict.value, "output": done.output}


_KINDS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "check": lambda request: checked(request["path"]),
    "equal": lambda request: {"equal": History.load(request["path"]) == History.load(request["other"])},
    "repair": lambda request: repaired(request["path"]),
    "recover": lambda request: recovered(request["path"], request["output"]),
    "write": lambda request: carried_out(request["path"], request["operations"]),
}


def _judged(request: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {"seq": request["seq"], **_KINDS[request["kind"]](request)}
    except Exception as error:  # what breaks the checker is told as such, and the next case is judged
        return {"seq": request["seq"], "failed": f"{type(error).__name__}: {error}"}


def main() -> None:
    """Answer what comes on standard input."""
    for answer in answers(sys.stdin.buffer):
        sys.stdout.write(dumped(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
