"""The doors for untrusted input: bytes, a folder, or a decoded document become messages, or nothing does.

What `check` calls an error is refused here. The error raised is the first in the order of the reading:
the text, the version, then each message with its attachments, then what holds between messages.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from convspec.findings import Fault, FileReport, Finding, Severity
from convspec.frozen import Foreign, TooDeep, freeze, thaw
from convspec.history import decoding, encoding, layers
from convspec.history.judged import Judged, judge
from convspec.history.model import Message
from convspec.history.sound import MESSAGES
from convspec.rules import catalogue
from convspec.sources import read_source, reason
from convspec.weigh import report, weighed

Contents = tuple[tuple[Message, ...], Mapping[str, Any]]
"""The messages of a document, and its extra members."""

_BETWEEN_MESSAGES = {"message-id-duplicate": 1, "tool-result-unmatched": 2}


class HistoryError(ValueError):
    """A history was refused.

    `finding` is the first error in the order of the reading, `report` holds all findings, as `check` gives
    them.
    """

    def __init__(self, report: FileReport) -> None:
        self.report = report
        errors = [finding for finding in report.findings if finding.severity is Severity.ERROR]
        self.finding = min(errors, key=_order)
        place = "" if self.finding.line is None else f":{self.finding.line}:{self.finding.column}"
        at = f" at {self.finding.pointer}" if self.finding.pointer else ""
        super().__init__(f"{report.path}{place}: {self.finding.message}{at} [{self.finding.rule}]")

    def __reduce__(self) -> tuple[type[HistoryError], tuple[FileReport]]:
        return type(self), (self.report,)


def _order(finding: Finding) -> tuple[int, int, int]:
    """Rank an error: the text, root and version, messages one by one, then what holds between them."""
    layer = catalogue()[finding.rule].layer
    tokens = (finding.pointer or "").split("/")
    if layer in ("bytes", "json"):
        return 0, 0, finding.offset or 0
    if len(tokens) < 3 or tokens[1] != MESSAGES:
        return 1, int(layer != "version"), 0
    return 2 + _BETWEEN_MESSAGES.get(finding.rule, 0), int(tokens[2]), finding.offset or 0


def opened(data: bytes, folder: str | None, label: str) -> Contents:
    """Read a document. Raises HistoryError."""
    judged = judge(data, folder, keep=True)
    _refuse_errors(judged, label)
    document = decoding.with_long_integers(judged.parsed, data)
    messages = decoding.messages(document, judged.outcome.stored)
    return messages, decoding.extra(document, ("version", MESSAGES))


def loaded(folder: str | os.PathLike[str]) -> Contents:
    """Read a folder, or a file with the folder that it is in. Raises HistoryError."""
    path = os.fsdecode(folder)
    try:
        source = read_source(path, layers.FORMAT)
    except (OSError, ValueError) as error:
        raise refused(Fault("file-unreadable", reason(error)), path) from error
    return opened(source.data or b"", source.folder, source.label)


def decoded(value: object, folder: str | None) -> Contents:
    """Read a decoded document. Raises HistoryError; its places are pointers alone."""
    label = "<object>"
    try:
        data = encoding.dumped(thaw(freeze(value))).encode()
    except TooDeep as error:
        raise refused(Fault("json-depth", str(error)), label) from error
    except Foreign as error:
        raise refused(Fault("schema-type", str(error), error.path), label) from error
    try:
        return opened(data, folder, label)
    except HistoryError as error:
        raise HistoryError(_without_places(error)) from None


def writable(
    version: int, messages: Iterable[Message], as_bytes: encoding.Bytes, extra: Mapping[str, Any]
) -> str:
    """Return the text of a document that readers will accept. Raises HistoryError.

    So nothing is written that could not be read again. Stored attachments are taken on trust: the caller
    writes them.
    """
    label = "<history>"
    document = encoding.document(version, messages, as_bytes, extra)
    text = encoding.text(document)
    data = text.encode() if _is_whole(text) else encoding.dumped(document).encode()
    judged = judge(data, None)
    trusted = replace(
        judged,
        outcome=replace(
            judged.outcome,
            faults=tuple(one for one in judged.outcome.faults if one.rule != "attachment-needs-folder"),
        ),
    )
    try:
        _refuse_errors(trusted, label)
    except HistoryError as error:
        raise HistoryError(_without_places(error)) from None
    return text


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair; written as an escape it is told by its own rule
        return False
    return True


def _refuse_errors(judged: Judged, label: str) -> None:
    weights = (catalogue()[fault.rule].severity[layers.FORMAT] for fault in judged.faults)
    if Severity.ERROR in weights:
        raise HistoryError(judged.report(label))


def refused(fault: Fault, label: str) -> HistoryError:
    """Return the error for a history that is refused for one fault."""
    findings = weighed([fault], format=layers.FORMAT)
    return HistoryError(report(label, findings, format=layers.FORMAT, version=None, tally=None))


def _without_places(error: HistoryError) -> FileReport:
    """Take lines and offsets out: there is no file that they are places of. The order stays."""
    first = error.finding
    findings = [first, *(finding for finding in error.report.findings if finding is not first)]
    return replace(
        error.report,
        findings=tuple(
            replace(
                one,
                line=None,
                column=None,
                end_column=None,
                offset=None,
                related=tuple(replace(other, line=None) for other in one.related),
            )
            for one in findings
        ),
    )
