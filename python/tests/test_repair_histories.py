"""Repair of histories: each step alone, folders with attachments, what is left alone."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from convspec import check
from convspec.repairing import documents
from convspec.repairing.files import repair
from convspec.repairing.steps import KINDS
from inputs import history, user

CALLS = {
    "id": "m1",
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "k", "name": "read", "arguments": {}}],
}
INTERRUPTED = {
    "id": "new0",
    "role": "tool",
    "content": "[Tool execution was interrupted]",
    "tool_call_id": "k",
}


def pretty(*messages: dict[str, Any]) -> bytes:
    return json.dumps({"version": 1, "messages": messages}, indent=2).encode() + b"\n"


@dataclass(frozen=True)
class Golden:
    """A damaged history, what comes of it, and the steps: name, rule, line, pointer."""

    name: str
    before: bytes
    after: bytes
    steps: tuple[tuple[Any, ...], ...]
    rejected: bytes = b""
    unsafe: bool = True


TWO = history(user("m1"), user("m2"))
GOLDENS = (
    Golden("mark", b"\xef\xbb\xbf" + TWO, TWO, (("remove-mark", "encoding-bom", 1, None),), unsafe=False),
    Golden(
        "nuls-behind",
        TWO + b"\n\0\0\0",
        TWO + b"\n",
        (("drop-nuls", "json-trailing-data", 2, None),),
        unsafe=False,
    ),
    Golden(
        "trailing",
        TWO + b"\n}x",
        TWO + b"\n",
        (("drop-trailing", "json-trailing-data", 2, None),),
        b"}x\n",
        unsafe=False,
    ),
    Golden(
        "message-twice",
        pretty(user("m1"), user("m2"), user("m1")),
        pretty(user("m1"), user("m2")),
        (("drop-duplicate", "message-id-duplicate", 14, "/messages/2"),),
        b'{\n      "id": "m1",\n      "role": "user",\n      "content": "look"\n    }\n',
        unsafe=False,
    ),
    Golden(
        "cut-in-a-message",
        TWO[:-20],
        history(user("m1"))[:-2] + b"]}\n",
        (("close-document", "json-truncated", 1, None),),
        b', {"id": "m2", "role": "user",\n',
    ),
    Golden(
        "cut-behind-the-messages",
        TWO[:-1] + b', "note": {"a": [1, "x',
        TWO + b"\n",
        (("close-document", "json-truncated", 1, None),),
        b', "note": {"a": [1, "x\n',
    ),
    Golden(
        "cut-in-a-character-and-filled-with-nuls",
        TWO[:-6] + b"\xe2\x82\0\0",
        history(user("m1"))[:-2] + b"]}\n",
        (
            ("drop-nuls", "encoding-utf8", 1, None),
            ("close-document", "json-truncated", 1, None),
        ),
        b', {"id": "m2", "role": "user", "content": "lo\xe2\x82\n',
    ),
    Golden(
        "bytes",
        TWO.replace(b"look", b"l\xffk", 1),
        TWO.replace(b"look", "l\ufffdk".encode(), 1),
        (("replace-bytes", "encoding-utf8", 1, None),),
        TWO.replace(b"look", b"l\xffk", 1) + b"\n",
    ),
    Golden(
        "surrogate",
        TWO.replace(b"look", rb"\ud800"),
        TWO.replace(b"look", rb"\ufffd"),
        (
            ("replace-surrogates", "text-surrogate", 1, "/messages/0/content"),
            ("replace-surrogates", "text-surrogate", 1, "/messages/1/content"),
        ),
        b"".join(b'{"id": "m%d", "role": "user", "content": "\\ud800"}\n' % n for n in (1, 2)),
    ),
    Golden(
        "keys",
        TWO.replace(b'"role": "user"', b'"role": "tool", "role": "user"', 1),
        TWO,
        (("drop-keys", "json-duplicate-key", 1, "/messages/0/role"),),
        b'{"id": "m1", "role": "tool", "role": "user", "content": "look"}\n',
    ),
    Golden(
        "messages-twice",
        b'{"version": 1, "messages": [{"role": "lost", "role": 1}], "messages": []}',
        b'{"version": 1, "messages": []}',
        (
            ("drop-keys", "json-duplicate-key", 1, "/messages/0/role"),
            ("drop-keys", "json-duplicate-key", 1, "/messages"),
        ),
        b'{"version": 1, "messages": [{"role": "lost", "role": 1}], "messages": []}\n',
    ),
    Golden(
        "version",
        b'{"messages": [], "version": "1"}',
        b'{"messages": [], "version": 1}',
        (("set-version", "version-invalid", 1, "/version"),),
    ),
    Golden(
        "id-twice",
        history(user("m1"), user("m2"), user("m1", content="else")),
        history(user("m1"), user("m2"), user("new0", content="else")),
        (("rename-message", "message-id-duplicate", 1, "/messages/2/id"),),
    ),
    Golden(
        "call",
        pretty(CALLS, user("m2")),
        pretty(CALLS, user("m2"))
        .replace(b"  ]\n    },\n", b"XX", 0)
        .replace(
            b',\n    {\n      "id": "m2"',
            b",\n    "
            + json.dumps(INTERRUPTED, separators=(",", ":")).encode()
            + b',\n    {\n      "id": "m2"',
        ),
        (("answer-call", "tool-call-unanswered", 4, "/messages/0"),),
    ),
)


@pytest.fixture
def foretold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make new ids foreseeable."""
    from convspec.history import repair as answers

    numbers = iter(range(100))
    monkeypatch.setattr(documents, "mint_id", lambda: f"new{next(numbers)}")
    monkeypatch.setattr(answers, "mint_id", lambda: f"new{next(numbers)}")


@pytest.mark.usefixtures("foretold")
@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
def test_a_step_does_this_and_nothing_else(golden: Golden, tmp_path: Path) -> None:
    damaged, mended = tmp_path / "damaged.json", tmp_path / "mended.json"
    damaged.write_bytes(golden.before)
    done = repair(damaged, mended, unsafe=golden.unsafe)
    assert mended.read_bytes().decode() == golden.after.decode()
    told = [(step.name, step.rule, step.line, step.pointer) for step in done.steps]
    assert told == list(golden.steps)
    rejected = tmp_path / "mended.json.rejected"
    assert (rejected.read_bytes() if rejected.exists() else b"") == golden.rejected
    assert done.valid
    assert check(mended).valid
    again = repair(mended, tmp_path / "again.json", unsafe=True)
    assert again.steps == ()
    assert (tmp_path / "again.json").read_bytes() == golden.after


def test_every_kind_of_step_of_a_history_has_its_golden() -> None:
    met = {step[0] for golden in GOLDENS for step in golden.steps}
    assert met >= {"drop-trailing", "close-document", "rename-message", "drop-duplicate", "answer-call"}
    assert all(KINDS[step[0]].safe for golden in GOLDENS if not golden.unsafe for step in golden.steps)


@pytest.mark.parametrize(
    "text",
    [
        b"{",
        b'{"version": 1, "mess',
        b'{"version": 1, "messages": [{"id": "m1"',
        b'{"messages": [{"id": 1',
        b"{} {",
        b'{"version": 1, "messages": [1, 2}',
        b"[" * 3000,
        "{}".encode("utf-16"),
        b"nope",
        b"",
        b"\0\0",
    ],
)
@pytest.mark.parametrize("unsafe", [False, True])
def test_where_nothing_can_be_done_nothing_is_written(text: bytes, unsafe: bool, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.json"
    damaged.write_bytes(text)
    done = repair(damaged, tmp_path / "mended.json", unsafe=unsafe, format="history")
    assert not done.valid
    assert done.errors
    assert done.output is None
    assert [path.name for path in tmp_path.iterdir()] == ["damaged.json"]


def test_what_has_no_step_is_left_and_said(tmp_path: Path) -> None:
    damaged, mended = tmp_path / "damaged.json", tmp_path / "mended.json"
    damaged.write_bytes(b"\xef\xbb\xbf" + history(user("m0", role="speaker"), CALLS))
    done = repair(damaged, mended, unsafe=True)
    assert [finding.rule for finding in done.errors] == ["schema-enum"]
    assert [step.name for step in done.steps] == ["remove-mark"]
    assert mended.read_bytes() == damaged.read_bytes()[3:]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a sound attachment, one with other bytes, one that is a link, and one nobody names."""
    made = tmp_path / "damaged"
    (made / "attachments").mkdir(parents=True)
    for name, data in (("sound.txt", b"sound"), ("other.txt", b"changed"), ("unnamed.txt", b"unnamed")):
        (made / "attachments" / name).write_bytes(data)
    (made / "attachments" / "link.txt").symlink_to("sound.txt")
    digest = hashlib.sha256(b"sound").hexdigest()
    listed = [
        {"mime": "text/plain", "filename": name, "file": f"attachments/{name}", "sha256": digest}
        for name in ("sound.txt", "other.txt", "link.txt", "gone.txt")
    ]
    (made / "history.json").write_bytes(b"\xef\xbb\xbf" + history(user("m1", attachments=listed)))
    return made


@pytest.mark.parametrize("named", ["", "history.json"])
def test_a_folder_becomes_a_folder(folder: Path, named: str, tmp_path: Path) -> None:
    done = repair(folder / named, tmp_path / "mended")
    mended = tmp_path / "mended"
    assert sorted(path.name for path in mended.iterdir()) == ["attachments", "history.json"]
    assert sorted(path.name for path in (mended / "attachments").iterdir()) == ["other.txt", "sound.txt"]
    assert (mended / "attachments" / "other.txt").read_bytes() == b"changed"
    told = sorted(finding.rule for finding in done.errors)
    assert told == ["attachment-digest", "attachment-missing", "attachment-missing"]
    assert done.after.path == str(mended / "history.json")
    assert not (tmp_path / "mended.rejected").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["damaged", "mended"]


def test_a_folder_without_a_fault_is_copied(folder: Path, tmp_path: Path) -> None:
    value = json.loads((folder / "history.json").read_bytes()[3:])
    del value["messages"][0]["attachments"][1:]
    (folder / "history.json").write_text(json.dumps(value))
    done = repair(folder, tmp_path / "mended", unsafe=True)
    assert (done.valid, done.steps) == (True, ())
    assert check(tmp_path / "mended").valid
