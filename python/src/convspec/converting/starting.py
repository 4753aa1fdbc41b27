"""The log of a new session that begins with the messages of a history."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime

from convspec.converting.losses import Loss
from convspec.converting.messages_of import to_session_messages
from convspec.history.history import History
from convspec.session import records_to_write as records
from convspec.session.creating import chained
from convspec.session.placement import stamp
from convspec.session.writable import encoded


def new_log(history: History, *, cwd: str = "") -> tuple[bytes, tuple[Loss, ...]]:
    """Return a log with a header of its own, and what of the history is not in it.

    `cwd` is the working folder that it will belong to. Raises SessionError for what no log can hold.
    """
    messages, losses = to_session_messages(history)
    now = stamp(datetime.now(UTC))
    lines = [records.header(str(uuid.uuid4()), now, cwd), *chained(messages, now, _ids())]
    return b"".join(encoded(record) + b"\n" for record in lines), losses


def _ids() -> Iterator[str]:
    while True:
        yield secrets.token_hex(16)
