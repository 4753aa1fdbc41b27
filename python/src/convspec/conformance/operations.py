"""Carry out the operations of a case of the kind `write` on a log, through the documented API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from convspec.session.errors import SessionError
from convspec.session.session import Session
from convspec.session.store import SessionStore

_MAKING = ("create", "create_from_messages")
_APPENDING = (
    "append_message",
    "compact",
    "append_branch_summary",
    "branch",
    "reset_leaf",
    "append_label_change",
    "append_tool_execution",
    "append_system_prompt_snapshot",
    "update_memory_state",
    "rename",
    "update_runtime",
)


def carried_out(path: str, operations: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Carry out the operations in their order; return which were refused, and the ids that were given.

    `path` is the log, or the folder below which one is made. Raises ValueError for an operation that is
    not known, TypeError for one with wrong arguments.
    """
    session: Session | None = None
    refused: list[int] = []
    ids: dict[str, Any] = {}
    for place, operation in enumerate(operations):
        what = operation["do"]
        rest = {key: value for key, value in operation.items() if key not in ("do", "as")}
        arguments = _with_ids(rest, ids)
        try:
            if what in _MAKING:
                session = _made(path, what, arguments)
                continue
            session = session or SessionStore(path, path).load(path)
            given = _appended(session, what, arguments)
        except SessionError:
            refused.append(place)
            continue
        if "as" in operation:
            ids[operation["as"]] = given
    return {"refused": refused, "ids": ids}


def _made(path: str, what: str, arguments: dict[str, Any]) -> Session:
    store = SessionStore(path, arguments.pop("cwd"))
    made: Session = getattr(store, what)(**arguments)
    return made


def _appended(session: Session, what: str, arguments: Mapping[str, Any]) -> Any:
    if what not in _APPENDING:
        raise ValueError(f"there is no operation {what}")
    return getattr(session, what)(**arguments)


def _with_ids(value: Any, ids: Mapping[str, Any]) -> Any:
    """Return a value with every name of an id replaced by the id."""
    if isinstance(value, str):
        return ids.get(value, value)
    if isinstance(value, Mapping):
        return {key: _with_ids(item, ids) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_ids(item, ids) for item in value]
    return value
