"""What is raised where a session cannot be used."""

from __future__ import annotations

from convspec.findings import FileReport, Severity


class SessionError(ValueError):
    """A log was refused. `report` holds what `check` says of it; None where it was not read."""

    def __init__(self, message: str, report: FileReport | None = None) -> None:
        self.report = report
        super().__init__(message)


def refused(report: FileReport) -> SessionError:
    """Return the error for a log that no reader can use, by its first error."""
    first = next((one for one in report.findings if one.severity is Severity.ERROR), None)
    said = "it holds no session" if first is None else f"{first.message} [{first.rule}]"
    return SessionError(f"{report.path}: {said}", report)
