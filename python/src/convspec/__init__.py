"""convspec: check the files in which AI agents keep their conversations."""

from convspec.checker import check
from convspec.findings import Counts, FileReport, Finding, Related, Severity, Verdict
from convspec.history.doors import HistoryError
from convspec.history.history import History
from convspec.history.minting import mint_id
from convspec.history.model import Attachment, Message, Thinking, Tokens, ToolCall
from convspec.history.repair import INTERRUPTED_RESULT
from convspec.scan import check_many

__version__ = "0.1.0"

__all__ = [
    "INTERRUPTED_RESULT",
    "Attachment",
    "Counts",
    "FileReport",
    "Finding",
    "History",
    "HistoryError",
    "Message",
    "Related",
    "Severity",
    "Thinking",
    "Tokens",
    "ToolCall",
    "Verdict",
    "__version__",
    "check",
    "check_many",
    "mint_id",
]
