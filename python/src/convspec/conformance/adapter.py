"""The reference as an adapter: the protocol tier over standard input and output.

`python -m convspec.conformance.adapter` answers line by line (schema/conformance/1.0).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from convspec import __version__
from convspec.checker import check
from convspec.conformance.protocol import PROTOCOL
from convspec.findings import FileReport
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
        "kinds": ["check"],
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


def _judged(request: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {"seq": request["seq"], **answer_value(check(request["path"]))}
    except Exception as error:  # what breaks the checker is told as such, and the next case is judged
        return {"seq": request["seq"], "failed": f"{type(error).__name__}: {error}"}


def main() -> None:
    """Answer what comes on standard input."""
    for answer in answers(sys.stdin.buffer):
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
