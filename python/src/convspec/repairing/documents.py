"""The repair of a history: its bytes, changed where something is wrong with them and nowhere else."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from convspec.history.doors import HistoryError, opened
from convspec.history.encoding import inline, message_value
from convspec.history.layers import FORMAT
from convspec.history.minting import mint_id
from convspec.history.repair import answered
from convspec.history.sound import MESSAGES
from convspec.pointers import to_pointer
from convspec.repairing import document_bytes
from convspec.repairing.document_bytes import line_at
from convspec.repairing.steps import Journal, Step
from convspec.repairing.texts import KEYS, SURROGATES, mended
from convspec.schemas import versions
from convspec.text.edits import REMOVED, Edit, edited, inserted, items_of
from convspec.text.positions import line_columns, locate
from convspec.text.strict_json import MISSING, parse
from convspec.versions import read_version


@dataclass(slots=True)
class Document:
    """The bytes of a history, and the steps that made them what they are.

    `origins` are the places that its messages had in the damaged document, `lines` their lines there.
    """

    data: bytes
    folder: str | None
    journal: Journal
    origins: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    value: Any = MISSING

    def repair(self, *, unsafe: bool) -> None:
        """Take every step that applies: first those that make it readable, then those on its messages."""
        self.data = document_bytes.mended(self.data, self.journal, unsafe=unsafe)
        if not self._read() or not isinstance(self.value, dict):
            return
        self._place()
        for step in (*(_UNSAFE_VALUES if unsafe else ()), _duplicates, *(_UNSAFE_LAST if unsafe else ())):
            step(self)
            self._read()

    def _read(self) -> bool:
        self.value = parse(self.data).value
        return self.value is not MISSING

    def messages(self) -> list[Any]:
        """Return the messages, decoded; none where there is no list of them."""
        listed = self.value.get(MESSAGES) if isinstance(self.value, dict) else None
        return listed if isinstance(listed, list) else []

    def _place(self) -> None:
        if self.messages():
            starts = [part.value for part in items_of(self.data, (MESSAGES,))]
            positions = line_columns(self.data, starts)
            self.lines = [positions[start].line for start in starts]
            self.origins = list(range(len(starts)))

    def step_on(self, index: int, name: str, rule: str, message: str, *below: str, **more: Any) -> Step:
        """Return a step on a message, with the place and line that it had."""
        origin = self.origins[index]
        pointer = to_pointer((MESSAGES, origin, *below))
        return Step(name, rule, message, self.lines[origin], pointer=pointer, **more)


def _texts(document: Document) -> None:
    """Mend half surrogates and repeated keys; each message concerned is kept as it was."""
    faults = [one for one in parse(document.data).faults if one.rule in _TEXTS and one.span is not None]
    if not faults:
        return
    whole: set[object] = set()
    parts = items_of(document.data, (MESSAGES,)) if document.messages() else []
    positions = line_columns(document.data, (one.span.start for one in faults if one.span))
    for fault in faults:
        assert fault.span is not None
        path = fault.path or ()
        inside = len(path) > 1 and path[0] == MESSAGES and isinstance(path[1], int)
        part = parts[int(path[1])] if inside and int(path[1]) < len(parts) else None
        if part is not None and not part.value <= fault.span.start < part.end:
            part = None  # it stands in a list of messages that another replaced
        dropped = document.data if part is None else document.data[part.value : part.end]
        name, message = _TEXTS[fault.rule]
        step = Step(name, fault.rule, message, positions[fault.span.start].line, pointer=to_pointer(path))
        seen = (part is not None and part.value in whole) or None in whole
        document.journal.add(step, b"" if seen else dropped)
        whole.add(None if part is None else part.value)
    document.data = mended(document.data)


def _version(document: Document) -> None:
    _, fault = read_version(document.value, FORMAT)
    if fault is not None and fault.rule != "version-newer":
        newest = versions(FORMAT)[-1]
        message = f"the version is set to {newest}"
        line = line_at(document.data, locate(document.data, [()])[()].start)
        document.journal.add(Step("set-version", fault.rule, message, line, pointer="/version"))
        document.data = edited(document.data, [Edit(("version",), newest)])


def _ids(document: Document) -> dict[int, str]:
    """Return the ids of the messages that have one, by their places."""
    found = {}
    for index, message in enumerate(document.messages()):
        id = message.get("id") if isinstance(message, dict) else None
        if isinstance(id, str):
            found[index] = id
    return found


def _repeated(document: Document) -> list[tuple[int, str]]:
    """Return the places and ids of all messages whose id is not theirs alone."""
    ids = _ids(document)
    counts = Counter(ids.values())
    return [(index, id) for index, id in ids.items() if counts[id] > 1]


def _duplicates(document: Document) -> None:
    """Drop each message that is byte for byte one before it."""
    repeated = _repeated(document)
    if not repeated:
        return
    known, gone = set[bytes](), set[int]()
    parts = items_of(document.data, (MESSAGES,))
    for index, id in repeated:
        text = document.data[parts[index].value : parts[index].end]
        if text in known:
            message = "a message that is there already is dropped"
            step = document.step_on(index, "drop-duplicate", _REPEATED, message, record_id=id)
            document.journal.add(step, text)
            gone.add(index)
        known.add(text)
    if gone:
        document.data = edited(document.data, [Edit((MESSAGES, index), REMOVED) for index in gone])
        document.origins = [origin for index, origin in enumerate(document.origins) if index not in gone]


def _rename(document: Document) -> None:
    """Give the later of two messages with one id another; nothing refers to a message."""
    taken = set(_ids(document).values())
    seen, edits = set[str](), list[Edit]()
    for index, id in _repeated(document):
        if id in seen:
            while (new := mint_id()) in taken:
                pass
            taken.add(new)
            message = "the message gets an id of its own"
            step = document.step_on(index, "rename-message", _REPEATED, message, "id", was=id, now=new)
            document.journal.add(step)
            edits.append(Edit((MESSAGES, index, "id"), new))
        seen.add(id)
    if edits:
        document.data = edited(document.data, edits)


def _answer(document: Document) -> None:
    """Answer interrupted calls (history.md#repair). A history that is refused for something else is not."""
    try:
        messages, _ = opened(document.data, document.folder, "<text>")
    except HistoryError:
        return
    behind: dict[int, list[Any]] = defaultdict(list)
    index = -1
    for message in answered(messages):
        if index + 1 < len(messages) and message is messages[index + 1]:
            index += 1
            continue
        behind[index].append(message_value(message, inline))
        told = "an answer is written that says the call was interrupted"
        step = document.step_on(index, "answer-call", "tool-call-unanswered", told, now=message.id)
        document.journal.add(step)
    if behind:
        document.data = inserted(document.data, (MESSAGES,), behind)


_REPEATED = "message-id-duplicate"
_TEXTS = {
    "text-surrogate": ("replace-surrogates", SURROGATES),
    "json-duplicate-key": ("drop-keys", KEYS),
}
_Taken = tuple[Callable[[Document], None], ...]
_UNSAFE_VALUES: _Taken = (_texts, _version)
_UNSAFE_LAST: _Taken = (_rename, _answer)
