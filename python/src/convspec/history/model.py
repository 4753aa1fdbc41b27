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
from typing import Any, TypeVar

from convspec.frozen import EMPTY, FrozenMap, freeze, hashed, same

CURRENT_VERSION = 1
HISTORY_FILE = "history.json"
ATTACHMENTS_DIR = "attachments"
ROLES = ("user", "assistant", "tool")
KINDS = ("user", "reference")

Part = TypeVar("Part")
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
        if type(self.bytes) is not bytes:
            object.__setattr__(self, "bytes", bytes(memoryview(self.bytes)))
        freeze_fields(self, "mime", "filename")
        freeze_members(self, "extra", known=ATTACHMENT_MEMBERS)

    @property
    def sha256(self) -> str:
        """The SHA-256 of the bytes, 64 lower-case hexadecimal digits."""
        return hashlib.sha256(self.bytes).hexdigest()

    @property
    def stored_name(self) -> str:
        """The name of the file that keeps the bytes: their digest and the suffix of `filename`.

        Readers never take a meaning from it. The same bytes under the same suffix share one file.
        """
        name = self.filename if isinstance(self.filename, str) else ""  # what else it is, writing will tell
        _, dot, suffix = name.rpartition(".")
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
        freeze_fields(self, "id", "name")
        freeze_members(self, "arguments")
        freeze_members(self, "extra", known=CALL_MEMBERS)


@dataclass(frozen=True, slots=True)
class Thinking:
    """The reasoning of the assistant (history.md#thinking): its text, and the provider's seal on it."""

    text: str | None = field(default=None, repr=False)
    signature: str | None = field(default=None, repr=False)
    extra: Mapping[str, Any] = _extra()

    def __post_init__(self) -> None:
        freeze_fields(self, *THINKING_MEMBERS)
        freeze_members(self, "extra", known=THINKING_MEMBERS)


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
        freeze_fields(self, *TOKEN_MEMBERS)
        freeze_members(self, "extra", known=TOKEN_MEMBERS)


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
        freeze_fields(self, "id", "role", "content", "kind", "tool_call_id", "model_id")
        object.__setattr__(self, "attachments", parts(Attachment, self.attachments))
        object.__setattr__(self, "tool_calls", parts(ToolCall, self.tool_calls))
        parts(Thinking, () if self.thinking is None else (self.thinking,))
        parts(Tokens, () if self.tokens is None else (self.tokens,))
        if self.tokens is not None and not any(count is not None for count in self.tokens.counts()):
            object.__setattr__(self, "tokens", None)  # no count is known: the same as no block
        freeze_members(self, "extra", known=MESSAGE_MEMBERS)

    @property
    def is_tool_call(self) -> bool:
        """Whether the message asks for tools."""
        return bool(self.tool_calls)


MESSAGE_MEMBERS = (
    "id", "role", "kind", "content", "attachments", "tool_calls", "tool_call_id", "model_id", "thinking",
    "tokens",
)  # fmt: skip
ATTACHMENT_MEMBERS = ("mime", "filename", "data", "file", "sha256")
CALL_MEMBERS = ("id", "name", "arguments")
THINKING_MEMBERS = ("text", "signature")
TOKEN_MEMBERS = ("input", "output", "cached", "cache_creation", "thinking")


def parts(kind: type[Part], items: Iterable[Part]) -> tuple[Part, ...]:
    """Return the parts as a tuple. Raises TypeError for one of another kind."""
    held = tuple(items)
    for item in held:
        if not isinstance(item, kind):
            raise TypeError(f"a {kind.__name__} is asked for, not a {type(item).__name__}")
    return held


def freeze_fields(value: object, *names: str) -> None:
    """Make what the fields hold immutable, whatever it is. Raises Foreign for what is no JSON."""
    for name in names:
        given = getattr(value, name)
        if given is not None:
            object.__setattr__(value, name, freeze(given))


def freeze_members(value: object, name: str, *, known: Iterable[str] = ()) -> None:
    """Make a mapping of a frozen value immutable. Raises ValueError for an extra member that has a field."""
    members = getattr(value, name)
    frozen = members if isinstance(members, FrozenMap) else FrozenMap(members)
    for member in known if frozen else ():
        if member in frozen:
            raise ValueError(f"{member!r} is a member of its own and cannot be an extra one")
    object.__setattr__(value, name, frozen)
