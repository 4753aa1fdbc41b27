"""`History`: a conversation as a value, with the doors in and the ways out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from convspec.disk import Disk
from convspec.frozen import EMPTY
from convspec.history import canonical, doors, encoding, repair, saving
from convspec.history.model import CURRENT_VERSION, Message, freeze_fields, freeze_members, parts

_DISK = Disk()


@dataclass(frozen=True, slots=True, repr=False)
class History:
    """A conversation: a version and messages, oldest first. Frozen, and equal by content.

    Untrusted input comes in by `parse`, `load` and `from_dict`, which refuse whatever `check` calls an
    error; nothing half-read is ever returned. Values made in code are held against the same rules when
    they are written, so that what is written can be read again.
    """

    version: int = CURRENT_VERSION
    messages: tuple[Message, ...] = ()
    extra: Mapping[str, Any] = field(default=EMPTY, compare=False, repr=False, kw_only=True)
    """Top-level members that the specification does not know: kept and written again, but no content."""

    def __post_init__(self) -> None:
        freeze_fields(self, "version")
        object.__setattr__(self, "messages", parts(Message, self.messages))
        freeze_members(self, "extra", known=("version", "messages"))

    def __repr__(self) -> str:
        return f"<History version={self.version} messages={len(self.messages)}>"

    @classmethod
    def parse(cls, text: str | bytes) -> Self:
        """Read a self-contained document. Raises HistoryError.

        A document that refers to stored attachments is refused: it needs its folder, see `load`.
        """
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(memoryview(text))
        return cls._from(doors.opened(data, None, "<text>"))

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Read a folder that holds history.json, with its attachments, or such a file. Raises HistoryError.

        All bytes are read and held: the value outlives the folder.
        """
        return cls._from(doors.loaded(folder))

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], folder: str | os.PathLike[str] | None = None) -> Self:
        """Take a document that somebody else decoded; `folder` is where its stored attachments are.

        Raises HistoryError, whose finding has a pointer but no line.
        """
        return cls._from(doors.decoded(value, None if folder is None else os.fsdecode(folder)))

    @classmethod
    def _from(cls, contents: doors.Contents) -> Self:
        messages, extra = contents
        return cls(CURRENT_VERSION, messages, extra=extra)

    def to_dict(self, inline_attachments: bool = True) -> dict[str, Any]:
        """Return the document as dicts and lists that belong to the caller.

        With `inline_attachments` it is self-contained; without, attachments are named as `save` stores them.
        """
        as_bytes = encoding.inline if inline_attachments else encoding.stored
        return encoding.document(self.version, self.messages, as_bytes, self.extra)

    def to_json(self) -> str:
        """Return the self-contained document, over many lines, without a newline at its end.

        Raises HistoryError for a value made in code that no reader would take.
        """
        return doors.writable(self.version, self.messages, encoding.inline, self.extra)

    def save(self, folder: str | os.PathLike[str]) -> str:
        """Write the history into a folder, which is made where it is missing; return its path.

        A crash at any moment leaves the history that was there or this one, whole. Saving again changes
        nothing; nothing is deleted; `~` stands for the home folder. Raises HistoryError for a value that no
        reader would take, and where a file with other bytes has the name of an attachment; OSError where the
        system refuses.
        """
        path = os.path.expanduser(os.fsdecode(folder))
        saving.save(self.version, self.messages, self.extra, path, _DISK)
        return path

    def canonical(self) -> bytes:
        """Return the canonical form (RFC 8785): the same bytes for equal histories, and only for those.

        Digests stand for the bytes of attachments. Raises ValueError for a number beyond the doubles.
        """
        return canonical.canonical(self.version, self.messages)

    def repair_interrupted_tool_calls(self) -> Self:
        """Return a history in which every tool call is answered; this very one where none hangs.

        For the way into a provider, which refuses a call without its result. The answers made up say that
        the tool was interrupted, and have new ids.
        """
        messages = repair.answered(self.messages)
        return self if len(messages) == len(self.messages) else replace(self, messages=messages)
