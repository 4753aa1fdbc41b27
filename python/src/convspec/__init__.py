"""convspec: check the files in which AI agents keep their conversations."""

from convspec.checker import check
from convspec.findings import Counts, FileReport, Finding, Related, Severity, Verdict
from convspec.scan import check_many

__version__ = "0.1.0"

__all__ = [
    "Counts",
    "FileReport",
    "Finding",
    "Related",
    "Severity",
    "Verdict",
    "__version__",
    "check",
    "check_many",
]
