"""convspec: check, read and write the files in which AI agents keep their conversations."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from convspec.checker import check
from convspec.findings import Counts, FileReport, Finding, Related, Severity, Verdict
from convspec.scan import check_many

if TYPE_CHECKING:
    from convspec.converting import Converted, Loss, to_history, to_session_messages
    from convspec.history.doors import HistoryError
    from convspec.history.history import History
    from convspec.history.minting import mint_id
    from convspec.history.model import (
        ATTACHMENTS_DIR,
        CURRENT_VERSION,
        HISTORY_FILE,
        KINDS,
        ROLES,
        Attachment,
        Message,
        Thinking,
        Tokens,
        ToolCall,
    )
    from convspec.history.repair import INTERRUPTED_RESULT
    from convspec.repairing import CannotRepair, NewerVersion, Repair, repair
    from convspec.session.errors import SessionError
    from convspec.session.handle import Runtime
    from convspec.session.opening import read_session
    from convspec.session.session import Session
    from convspec.session.session_info import SessionInfo
    from convspec.session.store import SessionLocation, SessionStore
    from convspec.session.view import SessionReading

__version__ = "0.1.0"

_LATER = {
    "convspec.converting": ("Converted", "Loss", "to_history", "to_session_messages"),
    "convspec.history.doors": ("HistoryError",),
    "convspec.history.history": ("History",),
    "convspec.history.minting": ("mint_id",),
    "convspec.history.model": (
        "ATTACHMENTS_DIR",
        "CURRENT_VERSION",
        "HISTORY_FILE",
        "KINDS",
        "ROLES",
        "Attachment",
        "Message",
        "Thinking",
        "Tokens",
        "ToolCall",
    ),
    "convspec.history.repair": ("INTERRUPTED_RESULT",),
    "convspec.repairing": ("CannotRepair", "NewerVersion", "Repair", "repair"),
    "convspec.session.errors": ("SessionError",),
    "convspec.session.handle": ("Runtime",),
    "convspec.session.opening": ("read_session",),
    "convspec.session.session": ("Session",),
    "convspec.session.session_info": ("SessionInfo",),
    "convspec.session.store": ("SessionLocation", "SessionStore"),
    "convspec.session.view": ("SessionReading",),
}
"""What is imported when it is asked for: a check of a small file takes no longer than the imports."""

_MODULES = {name: module for module, names in _LATER.items() for name in names}

__all__ = [
    "ATTACHMENTS_DIR",
    "CURRENT_VERSION",
    "HISTORY_FILE",
    "INTERRUPTED_RESULT",
    "KINDS",
    "ROLES",
    "Attachment",
    "CannotRepair",
    "Converted",
    "Counts",
    "FileReport",
    "Finding",
    "History",
    "HistoryError",
    "Loss",
    "Message",
    "NewerVersion",
    "Related",
    "Repair",
    "Runtime",
    "Session",
    "SessionError",
    "SessionInfo",
    "SessionLocation",
    "SessionReading",
    "SessionStore",
    "Severity",
    "Thinking",
    "Tokens",
    "ToolCall",
    "Verdict",
    "__version__",
    "check",
    "check_many",
    "mint_id",
    "read_session",
    "repair",
    "to_history",
    "to_session_messages",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
