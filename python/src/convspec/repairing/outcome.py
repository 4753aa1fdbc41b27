"""What a repair came to: the steps, what a check says before and after, and what was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from convspec.findings import FileReport, Finding, Severity
from convspec.pointers import cut_id
from convspec.repairing.steps import Step
from convspec.reporters.values import SPEC, clean, finding_value

REPAIR_VERSION = 1


@dataclass(frozen=True, slots=True)
class Repair:
    """The repair of one file.

    `before` is what a check says of the damaged file, `after` of the repaired one, read back. `output` is
    where the repaired file is, None where none was written; `rejected` where the bytes are that were
    dropped, None where there are none, or none were written.
    """

    path: str
    unsafe: bool
    steps: tuple[Step, ...]
    before: FileReport
    after: FileReport
    rejected_bytes: int = 0
    output: str | None = None
    rejected: str | None = None
    dry_run: bool = False

    @property
    def valid(self) -> bool:
        """Whether the repaired file is valid."""
        return self.after.valid

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The errors that are left."""
        return tuple(one for one in self.after.findings if one.severity is Severity.ERROR)

    @property
    def worth_writing(self) -> bool:
        """Whether there is something to write: a valid file, or one that was mended and is not empty."""
        tally = self.after.tally or {}
        kept = tally.get("records", tally.get("messages", 0))
        return self.valid or bool(self.steps and kept)

    def value(self, version: str) -> dict[str, Any]:
        """Return the manifest (schema/report/1.0/repair); `version` is the tool's."""
        return {
            "repair_version": REPAIR_VERSION,
            "tool": {"name": "convspec", "version": version, "spec": SPEC},
            "path": clean(self.path),
            "format": self.before.format,
            "output": None if self.output is None else clean(self.output),
            "rejected": None if self.rejected is None else clean(self.rejected),
            "unsafe": self.unsafe,
            "dry_run": self.dry_run,
            "steps": [_step(step) for step in self.steps],
            "before": _judged(self.before),
            "after": _judged(self.after),
            "errors": [finding_value(finding) for finding in self.errors],
        }


def _step(step: Step) -> dict[str, Any]:
    value: dict[str, Any] = {
        "step": step.name,
        "safe": step.safe,
        "rule": step.rule,
        "message": step.message,
        "line": step.line,
    }
    if step.record is not None:
        value["record"] = step.record
    if step.pointer is not None:
        value["pointer"] = clean(step.pointer)
    for key in ("record_id", "was", "now"):
        id = getattr(step, key)
        if id is not None:
            value[key] = clean(cut_id(id))
    if step.rejected is not None:
        value["rejected"] = {"offset": step.rejected[0], "length": step.rejected[1]}
    return value


def _judged(report: FileReport) -> dict[str, Any]:
    counts = report.counts
    tally: Mapping[str, int] | None = report.tally
    return {
        "format_version": report.format_version,
        "verdict": report.verdict.value,
        "counts": {"errors": counts.errors, "warnings": counts.warnings, "infos": counts.infos},
        "tally": None if tally is None else dict(tally),
    }
