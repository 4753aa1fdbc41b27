"""A conversation as a value: frozen, equal by content (history.md#equality).

Nothing here reads or writes. What `repr` shows goes into logs, so it leaves out what was said. Values from
untrusted input come through the doors of `History` alone; values made in code are held against the
specification when they are written.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from convspec.frozen import EMPTY, FrozenMap, hashed, same

CURRENT_VERSION = 1
HISTORY_FILE = "history.json"
ATTACHMENTS_DIR = "attachments"
ROLES = ("user", "assistant", "tool")
KINDS = ("user", "reference")

_SUFFIX = re.compile(r"[a-z0-9]{1,10}")


def _extra() -> Any:
    """A field for members that the specification does not know.

    They are kept, and written again, but they are not content: readers may lose them, so two values
    that differ in them alone are equal (D_extra_members).
    """
    return field(default=EMPTY, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Attachment:
    """Bytes that belong to a message (history.md#attachment).

    `mime` is their media type, `filename` the name the model was shown, `bytes` all of them, held in
    memory: the value outlives the folder it came from.
    """

    mime: str
    filename: str
    bytes: bytes = field(repr=False)
    extra: Mapping[str, Any] = _extra()

    def __post_init__(self) -> None:
        object.__setattr__(self, "bytes", bytes(self.bytes))
        _freeze(self, "extra", known=("mime", "filename", "data", "file", "sha256"))

    @property
    def sha256(self) -> str:
        """The SHA-256 of the bytes, 64 lower-case hexadecimal digits."""
        return hashlib.sha256(self.bytes).hexdigest()

    @property
    def stored_name(self) -> str:
        """The name of the file that keeps the bytes: their digest and the suffix of `filename`.

        Readers never take a meaning from it. The same bytes under the same suffix share one file.
        """
        _, dot, suffix = self.filename.rpartition(".")
        suffix = suffix.lower()
        return f"{self.sha256}.{suffix}" if dot and _SUFFIX.fullmatch(suffix) else self.sha256


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the assistant made (history.md#tool-call). `arguments` is an immutable mapping."""

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default=EMPTY, repr=False)
    extra: Mapping[str, Any] = _extra()

    def __post_init__(self) -> None:
        _freeze(self, "arguments")
        _freeze(self, "extra", known=("id", "name", "arguments"))


@dataclass(frozen=True, slots=True)
class Thinking:
    """The reasoning of the assistant (history.md#thinking): its text, and the provider's seal on it."""

    text: str | None = field(default=None, repr=False)
    signature: str | None = field(default=None, repr=False)
    extra: Mapping[str, Any] = _extra()

    def __post_init__(self) -> None:
        _freeze(self, "extra", known=("text", "signature"))


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """What a turn cost, in tokens; None where the provider did not say (history.md#tokens)."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    cache_creation: int | None = None
    thinking: int | None = None
    extra: Mapping[str, Any] = _extra()

    def counts(self) -> tuple[int | None, ...]:
        """Return the five counts in the order of the fields."""
        return self.input, self.output, self.cached, self.cache_creation, self.thinking

    def __eq__(self, other: object) -> bool:
        return same(self.counts(), other.counts()) if isinstance(other, Tokens) else NotImplemented

    def __hash__(self) -> int:
        return hashed(self.counts())

    def __post_init__(self) -> None:
        _freeze(self, "extra", known=("input", "output", "cached", "cache_creation", "thinking"))


@dataclass(frozen=True, slots=True)
class Message:
    """One message (history.md#message)."""

    id: str
    role: str
    content: str = field(default="", repr=False)
    kind: str = "user"
    attachments: tuple[Attachment, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    model_id: str | None = None
    thinking: Thinking | None = None
    tokens: Tokens | None = None
    extra: Mapping[str, Any] = _extra()

    def __post_init__(self) -> None:
        object.__setattr__(self, "attachments", tuple(self.attachments))
        object.__setattr__(self, "tool_calls", tuple(self.tool_calls))
        if self.tokens is not None and not any(count is not None for count in self.tokens.counts()):
            object.__setattr__(self, "tokens", None)  # no count is known: the same as no block
        _freeze(self, "extra", known=_MESSAGE_MEMBERS)

    @property
    def is_tool_call(self) -> bool:
        """Whether the message asks for tools."""
        return bool(self.tool_calls)


_MESSAGE_MEMBERS = (
    "id", "role", "kind", "content", "attachments", "tool_calls", "tool_call_id", "model_id", "thinking",
    "tokens",
)  # fmt: skip


def _freeze(value: object, name: str, *, known: Iterable[str] = ()) -> None:
    """Make a mapping of a frozen value immutable. Raises ValueError for an extra member that has a field."""
    members = getattr(value, name)
    frozen = members if isinstance(members, FrozenMap) else FrozenMap(members)
    for member in known:
        if member in frozen:
            raise ValueError(f"{member!r} is a member of its own and cannot be an extra one")
    object.__setattr__(value, name, frozen)
