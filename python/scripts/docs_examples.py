"""The example on a rule's page: a small case of the corpus in which the rule fires alone."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from convspec import check
from convspec.conformance.cases import Case, cases
from convspec.rules import Rule, catalogue
from docs_edits import document, steps
from docs_markdown import block, code, table

MOST_LINES = 40
NEIGHBOURS = 8
"""Lines shown before and behind the finding where the document is longer than MOST_LINES."""

NO_CASE = "The corpus holds no case: git cannot carry a file that the operating system refuses to read."

# The case to show where the smallest one is an odd one.
TYPICAL = {
    "attachment-base64": "history/attachments/base64-data-url",
    "attachment-digest": "history/attachments/digest-other-bytes",
    "attachment-filename": "history/attachments/filename-slash",
    "attachment-media-mismatch": "history/attachments/media-jpeg-called-png",
    "attachment-path": "history/attachments/path-parent",
    "attachment-symlink": "history/attachments/link-out-of-the-folder",
    "attachment-unreferenced": "history/attachments/unreferenced",
    "encoding-utf8": "history/bytes/latin-1",
    "json-duplicate-key": "history/json/duplicate-id",
    "json-syntax": "history/json/trailing-comma-array",
    "json-trailing-data": "history/json/rest-of-longer-file",
    "json-truncated": "history/json/cut-in-string",
    "schema-enum": "history/schema/role-system",
    "schema-type": "history/schema/content-null",
    "text-control": "history/json/control-in-message-id",
    "thinking-empty": "history/document/thinking-empty",
    "thinking-signature": "history/document/thinking-signature-ellipsis",
    "version-invalid": "history/version/string",
}


@dataclass(frozen=True)
class Examples:
    """The cases of a corpus by id, and by the rule that alone fires in them."""

    by_id: Mapping[str, Case]
    alone: Mapping[str, list[Case]]

    @classmethod
    def of(cls, corpus: Path) -> Examples:
        """Read a corpus."""
        by_id = {case.id: case for case in cases(corpus)}
        alone: dict[str, list[Case]] = {}
        for case in by_id.values():
            findings = case.document["expect"].get("findings", ())
            if len(findings) == 1:
                alone.setdefault(findings[0]["rule"], []).append(case)
        return cls(by_id, alone)

    def section(self, rule: Rule) -> str:
        """Return the text below `## Example`."""
        case = self._chosen(rule)
        if case is None:
            return NO_CASE
        parts = [f"{code(case.id)}: {case.document['title']}."]
        if "twin" in case.document:
            twin = self.by_id[case.document["twin"]]
            sound = "" if twin.document["expect"]["findings"] else ", a sound file"
            changes = "\n".join(f"* {step}" for step in steps(case, twin))
            parts.append(f"It is made from {code(twin.id)}{sound}:\n\n{changes}")
        return "\n\n".join([*parts, *_excerpt(case), _expected(case)])

    def _chosen(self, rule: Rule) -> Case | None:
        fitting = {case.id: case for case in self.alone.get(rule.id, ())}
        if rule.id in TYPICAL:
            return fitting[TYPICAL[rule.id]]
        return min(fitting.values(), key=lambda case: _rank(case, rule), default=None)


def _rank(case: Case, rule: Rule) -> tuple[bool, bool, bool, int, int, str]:
    """Order cases: first what can be shown and is about the rule's own clause, then the smallest."""
    return (
        _text(case) is None,
        case.document["clause"] not in rule.clause.values(),
        bool(case.document.get("setup")),
        len(case.document.get("edit", ())),
        sum(len(data) for data in case.tree.files.values()),
        case.id,
    )


def _text(case: Case) -> str | None:
    """Return the document, if it is text that prints as it stands."""
    try:
        text = case.tree.files[document(case.tree)].decode()
    except (KeyError, UnicodeDecodeError):
        return None
    sound = all(character.isprintable() or character == "\n" for character in text)
    return text if sound and text.strip() else None


def _excerpt(case: Case) -> list[str]:
    """Return the document as a code block, or the part of a long one that the finding is about."""
    text = _text(case)
    if text is None:
        return []
    found, lines, first = _line(case), text.rstrip("\n").split("\n"), 1
    if len(lines) > MOST_LINES:
        if found is None:
            return []
        first = max(1, found - NEIGHBOURS)
        lines = lines[first - 1 : found + NEIGHBOURS]
    name = document(case.tree)
    marked = None if found is None else found - first + 1
    return [block("\n".join(lines), _language(text), title=name, first=first, marked=marked)]


def _language(text: str) -> str:
    try:
        json.loads(text)
    except ValueError:
        return "text"
    return "json"


def _line(case: Case) -> int | None:
    """Return the line of the finding, as the reference finds it; None where it is the whole document."""
    rule = case.document["expect"]["findings"][0]["rule"]
    with tempfile.TemporaryDirectory() as scratch:
        report = check(case.laid_out(Path(scratch)), format=case.document["format"])
    places = [finding.line for finding in report.findings if finding.rule == rule and finding.pointer != ""]
    return places[0] if places else None


def _expected(case: Case) -> str:
    """Return the verdict and the finding that the case asks for."""
    expect = case.document["expect"]
    entry = expect["findings"][0]
    extra = [key for key in ("member", "target") if key in entry]
    line = ["line"] if "line" in entry else []
    head = ["severity", "rule", *line, "pointer", *extra]
    cells = [entry["severity"], code(entry["rule"]), *(str(entry[key]) for key in line), _pointer(entry)]
    cells += [code(entry[key]) for key in extra]
    what = "one finding" if case.document.get("infos") else "one finding, infos aside"
    return f"Expected: the verdict {code(expect['verdict'])} and {what}.\n\n{table(head, [cells])}"


def _pointer(entry: Mapping[str, Any]) -> str:
    if "pointer" not in entry:
        return "not compared" if catalogue()[entry["rule"]].layer == "json" else "null"
    pointer = entry["pointer"]
    return "null" if pointer is None else code(pointer or '""')
