"""Each step alone: what it does to a log, byte by byte, and what it says of it."""

from __future__ import annotations

import hashlib
import itertools
import json
import uuid
from dataclasses import dataclass
from typing import Any

import pytest

from convspec import check
from convspec.repairing import planning
from convspec.repairing.headers import Newer
from convspec.repairing.logs import LogRepair
from convspec.repairing.steps import KINDS, Journal
from convspec.sources import Source
from test_repair_damage import NAME, Repaired, repaired

TIME = "2026-02-11T08:00:00Z"


def line(type: str, **members: Any) -> bytes:
    """Return a record; members that are `...` are left out."""
    record = {"type": type, "timestamp": TIME, **members}
    kept = {key: value for key, value in record.items() if value is not ...}
    return json.dumps(kept, separators=(",", ":")).encode() + b"\n"


def said(id: Any, parent: str | None = None, **members: Any) -> bytes:
    above = {} if parent is None else {"parentId": parent}
    return line("message", id=id, **above, **({"message": {"role": "user", "content": "look"}} | members))


def called(id: Any, parent: str | None, *calls: str) -> bytes:
    made = [{"id": call, "function": {"name": "read", "arguments": "{}"}} for call in calls]
    return said(id, parent, message={"role": "assistant", "content": "", "tool_calls": made})


def answer(id: str, parent: str, call: str) -> bytes:
    return said(id, parent, message={"role": "tool", "tool_call_id": call, "content": "shown"})


HEADER = line("session", version=2, id="s1", cwd="/srv/demo")
A, B, C = said("a"), said("b", "a"), said("c", "b")
PROMPT = "You help."
HASH = "sha256:" + hashlib.sha256(PROMPT.encode()).hexdigest()
STORE_ID = NAME[25:61]
STORED = (
    b'{"type":"session","version":2,"id":"%s","timestamp":"2026-02-11T08:15:30.120Z","cwd":""}\n'
    % STORE_ID.encode()
)


ASIDE = b'{"type":7}\n' + line("label", id="l", label=None) + line("session", id="", version=2, cwd="")
KEEPING = {"role": "compactionSummary", "summary": "looked"}
LABELLED = said("a", "a", message={"role": "user"}) + line("label", id="l", targetId="a", label="x")
INTERRUPTED = "[Tool execution was interrupted]"


def keeping(id: str | None) -> bytes:
    return line("compaction", id="b", parentId="a", message=KEEPING | {"first_kept_entry_id": id})


def made(id: Any, parent: Any, call: str) -> bytes:
    """Return an answer as a repair writes it; in version 1, without id and parent."""
    message = {"role": "tool", "tool_call_id": call, "name": "read", "content": INTERRUPTED}
    tree = {} if id is ... else {"id": id, "parentId": parent}
    message |= {} if id is ... else {"id": id}
    record = {"type": "message", **tree, "timestamp": TIME, "message": message}
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


@dataclass(frozen=True)
class Golden:
    """A damaged log, what comes of it, and the steps: name, rule, line, and where it says, the record."""

    name: str
    before: bytes
    after: bytes
    steps: tuple[tuple[Any, ...], ...]
    rejected: bytes = b""
    unsafe: bool = True


def safe(name: str, before: bytes, after: bytes, *steps: tuple[Any, ...], rejected: bytes = b"") -> Golden:
    return Golden(name, before, after, steps, rejected, unsafe=False)


def unsafe(name: str, before: bytes, after: bytes, *steps: tuple[Any, ...], rejected: bytes = b"") -> Golden:
    return Golden(name, before, after, steps, rejected)


TORN = b'{"type":"message","id":"d","timesta'

SAFE = (
    safe("byte-order-mark", b"\xef\xbb\xbf" + HEADER + A, HEADER + A, ("remove-mark", "encoding-bom", 1)),
    safe("nuls-between", HEADER + b"\0\0" + A, HEADER + A, ("drop-nuls", "line-nul", 2)),
    safe(
        "nuls-in-a-record",
        HEADER + A[:9] + b"\0\0\0" + A,
        HEADER + A,
        ("drop-nuls", "line-nul", 2),
        ("drop-fragment", "line-nul", 2),
        rejected=A[:9] + b"\n",
    ),
    safe("torn", HEADER + A + TORN, HEADER + A, ("drop-tail", "line-torn", 3), rejected=TORN + b"\n"),
    safe(
        "torn-in-a-character",
        HEADER + A + b'{"a":"\xe2\x82',
        HEADER + A,
        ("drop-tail", "line-torn", 3),
        rejected=b'{"a":"\xe2\x82\n',
    ),
    safe(
        "spliced",
        HEADER + TORN + A + B,
        HEADER + A + B,
        ("drop-fragment", "line-spliced", 2),
        rejected=TORN + b"\n",
    ),
    safe(
        "glued",
        HEADER + A.strip() + b" " + B.strip() + C,
        HEADER + A + B + C,
        ("split-records", "line-glued", 2),
    ),
    safe(
        "glued-with-a-list",
        HEADER + A.strip() + b"[1]" + B,
        HEADER + A + B,
        ("split-records", "line-glued", 2),
        ("drop-value", "line-not-object", 2, 2),
        rejected=b"[1]\n",
    ),
    safe(
        "cut-in-the-middle",
        HEADER + TORN + b"\n" + A,
        HEADER + A,
        ("drop-unreadable", "json-syntax", 2),
        rejected=TORN + b"\n",
    ),
    safe(
        "not-utf-8",
        HEADER + b'{"a":"\xff"}\n' + A,
        HEADER + A,
        ("drop-unreadable", "encoding-utf8", 2),
        rejected=b'{"a":"\xff"}\n',
    ),
    safe(
        "not-finite",
        HEADER + b'{"a":NaN}\n' + A,
        HEADER + A,
        ("drop-unreadable", "json-non-finite", 2),
        rejected=b'{"a":NaN}\n',
    ),
    safe("unterminated", HEADER + A.strip(), HEADER + A, ("end-line", "line-unterminated", 2)),
    safe("line-ends-stay", HEADER + A.strip() + b"\r\n\n \r\n" + B, HEADER + A.strip() + b"\r\n\n \r\n" + B),
    safe(
        "twice",
        HEADER + A + B + B,
        HEADER + A + B,
        ("drop-duplicate", "entry-id-duplicate", 4),
        rejected=B,
    ),
    safe(
        "twice-and-the-leaf-with-it",
        HEADER + A + B + A,
        HEADER + A + B + b'{"type":"leaf","timestamp":"%s","targetId":"a"}\n' % TIME.encode(),
        ("keep-leaf", "entry-id-duplicate", 4),
        ("drop-duplicate", "entry-id-duplicate", 4),
        rejected=A,
    ),
    safe(
        "all-of-it-twice",
        (HEADER + A + B) * 2,
        HEADER + A + B,
        ("drop-duplicate", "header-duplicate", 4),
        ("drop-duplicate", "entry-id-duplicate", 5),
        ("drop-duplicate", "entry-id-duplicate", 6),
        rejected=HEADER + A + B,
    ),
)

UNSAFE = (
    unsafe(
        "bytes",
        HEADER + A.replace(b"look", b"l\xff\xfek"),
        HEADER + A.replace(b"look", "l\ufffd\ufffdk".encode()),
        ("replace-bytes", "encoding-utf8", 2),
        rejected=A.replace(b"look", b"l\xff\xfek"),
    ),
    unsafe(
        "surrogates",
        HEADER + A.replace(b"look", rb"\ud83d\ud83d\ude00"),
        HEADER + A.replace(b"look", rb"\ufffd\ud83d\ude00"),
        ("replace-surrogates", "text-surrogate", 2),
        rejected=A.replace(b"look", rb"\ud83d\ud83d\ude00"),
    ),
    unsafe(
        "keys",
        HEADER + A.replace(b'"content"', b'"content": "x", "content"'),
        HEADER + A,
        ("drop-keys", "json-duplicate-key", 2),
        rejected=A.replace(b'"content"', b'"content": "x", "content"'),
    ),
    unsafe("no-header", A + B, STORED + A + B, ("write-header", "header-recovered", None)),
    unsafe(
        "header-torn",
        HEADER[:30] + b"\n" + said("a", None),
        STORED + A,
        ("write-header", "header-recovered", None),
        ("drop-unreadable", "json-syntax", 1),
        rejected=HEADER[:30] + b"\n",
    ),
    unsafe("nothing-at-all", b"", STORED, ("write-header", "header-missing", None)),
    unsafe(
        "header-members",
        line("session", version=2, id=7, timestamp=..., provider=1) + A,
        line("session", version=2, id=STORE_ID, timestamp=..., provider=None)[:-2]
        + b',"cwd":"","timestamp":"2026-02-11T08:15:30.120Z"}\n'
        + A,
        ("set-member", "schema-required", 1, None, "/cwd"),
        ("set-member", "schema-type", 1, None, "/id"),
        ("set-member", "schema-type", 1, None, "/provider"),
        ("set-member", "schema-required", 1, None, "/timestamp"),
        rejected=line("session", version=2, id=7, timestamp=..., provider=1),
    ),
    unsafe(
        "version",
        HEADER.replace(b'"version":2,', b"") + A,
        HEADER.replace(b'"version":2,', b"")[:-2] + b',"version":2}\n' + A,
        ("set-version", "version-missing", 1, None, "/version"),
        rejected=HEADER.replace(b'"version":2,', b""),
    ),
    unsafe(
        "version-of-records-without-ids",
        HEADER.replace(b'"version":2', b'"version":"x"') + said(...),
        HEADER.replace(b'"version":2', b'"version":1') + said(...),
        ("set-version", "version-invalid", 1, None, "/version"),
        rejected=HEADER.replace(b'"version":2', b'"version":"x"'),
    ),
    unsafe(
        "mixed",
        HEADER.replace(b'"version":2', b'"version":1') + said(...) + said(...) + said("c", "message:1"),
        HEADER
        + said(...)[:-2]
        + b',"id":"message:0"}\n'
        + said(...)[:-2]
        + b',"id":"message:1","parentId":"message:0"}\n'
        + said("c", "message:1"),
        ("set-version", "version-mixed", 1, None, "/version"),
        ("upgrade-record", "version-mixed", 2, None, "/id"),
        ("upgrade-record", "version-mixed", 3, None, "/id"),
        ("upgrade-record", "version-mixed", 3, None, "/parentId"),
        rejected=HEADER.replace(b'"version":2', b'"version":1') + said(...) * 2,
    ),
    unsafe(
        "members-null",
        HEADER + said("a", message={"role": "user", "content": 7, "tokens_before": -1}),
        HEADER + said("a", message={"role": "user", "content": None, "tokens_before": None}),
        ("set-member", "schema-type", 2, None, "/message/content"),
        ("set-member", "schema-minimum", 2, None, "/message/tokens_before"),
        rejected=HEADER[:0] + said("a", message={"role": "user", "content": 7, "tokens_before": -1}),
    ),
    unsafe(
        "members-required",
        HEADER
        + line("memory_state")
        + line("tool_execution_end", toolCallId=None, toolName="bash", args={}, result={"isError": True})
        + line("system_prompt", content=PROMPT, reason="")
        + line("leaf"),
        HEADER
        + line("memory_state", lastRetrieval=None, sessionMemories=[])
        + line(
            "tool_execution_end",
            toolCallId=None,
            toolName="bash",
            args={},
            result={"isError": True, "content": ""},
            isError=True,
        )
        + line("system_prompt", content=PROMPT, reason="unknown", hash=HASH)
        + line("leaf", targetId=None),
        ("set-member", "schema-required", 2, None, "/lastRetrieval"),
        ("set-member", "schema-required", 2, None, "/sessionMemories"),
        ("set-member", "schema-required", 3, None, "/isError"),
        ("set-member", "schema-required", 3, None, "/result/content"),
        ("set-member", "schema-required", 4, None, "/hash"),
        ("set-member", "schema-min-length", 4, None, "/reason"),
        ("set-member", "schema-required", 5, None, "/targetId"),
        rejected=line("memory_state")
        + line("tool_execution_end", toolCallId=None, toolName="bash", args={}, result={"isError": True})
        + line("system_prompt", content=PROMPT, reason="")
        + line("leaf"),
    ),
    unsafe(
        "digest",
        HEADER + line("system_prompt", reason="attach", content=PROMPT, hash="sha256:" + "0" * 64),
        HEADER + line("system_prompt", reason="attach", content=PROMPT, hash=HASH),
        ("set-member", "system-prompt-digest", 2, None, "/hash"),
        rejected=line("system_prompt", reason="attach", content=PROMPT, hash="sha256:" + "0" * 64),
    ),
    unsafe(
        "timestamp-of-the-record-before",
        HEADER + A.replace(TIME.encode(), b"2026-02-11T08:00:05Z") + line("leaf", timestamp=5, targetId="a"),
        HEADER
        + A.replace(TIME.encode(), b"2026-02-11T08:00:05Z")
        + line("leaf", timestamp="2026-02-11T08:00:05Z", targetId="a"),
        ("set-member", "schema-type", 3, None, "/timestamp"),
        rejected=line("leaf", timestamp=5, targetId="a"),
    ),
    unsafe(
        "id-of-the-message",
        HEADER + A + said(..., "a", message={"role": "user", "id": "b"}) + C,
        HEADER + A + said(..., "a", message={"role": "user", "id": "b"})[:-2] + b',"id":"b"}\n' + C,
        ("set-member", "schema-required", 3, None, "/id"),
        rejected=said(..., "a", message={"role": "user", "id": "b"}),
    ),
    unsafe(
        "id-made-up",
        HEADER + A + said(...) + C.replace(b'"b"', b'"a"'),
        HEADER + A + said(...)[:-2] + b',"id":"new0","parentId":"a"}\n' + C.replace(b'"b"', b'"a"'),
        ("set-member", "schema-required", 3, None, "/id"),
        ("attach-entry", "schema-required", 3, None, "/parentId"),
        rejected=said(...),
    ),
    unsafe(
        "id-that-is-a-number",
        HEADER + A.replace(b'"a"', b"7") + said("b", "7"),
        HEADER + A.replace(b'"a"', b'"7"') + said("b", "7"),
        ("set-member", "schema-type", 2, None, "/id"),
        rejected=A.replace(b'"a"', b"7"),
    ),
    unsafe(
        "call-that-is-none",
        HEADER + said("a", message={"role": "user", "content": "x", "tool_calls": [1, "x"]}),
        HEADER + said("a", message={"role": "user", "content": "x", "tool_calls": []}),
        ("set-member", "schema-type", 2, None, "/message/tool_calls/0"),
        ("set-member", "schema-type", 2, None, "/message/tool_calls/1"),
        rejected=said("a", message={"role": "user", "content": "x", "tool_calls": [1, "x"]}),
    ),
    unsafe(
        "set-aside-in-the-tree",
        HEADER + A + said("b", "a", message=7) + C,
        HEADER + A + said("c", "a"),
        ("set-aside", "schema-type", 3),
        ("attach-entry", "parent-missing", 4, None, "/parentId"),
        rejected=said("b", "a", message=7) + C,
    ),
    unsafe(
        "set-aside-beside-it",
        HEADER
        + b'{"type":7}\n'
        + line("label", id="l", label=None)
        + line("session", id="", version=2, cwd=""),
        HEADER,
        ("set-aside", "schema-type", 2),
        ("set-aside", "schema-required", 3),
        ("set-aside", "schema-min-length", 4),
        rejected=b'{"type":7}\n'
        + line("label", id="l", label=None)
        + line("session", id="", version=2, cwd=""),
    ),
    unsafe(
        "one-id-for-two",
        HEADER + A + B + said("a", "b", message={"role": "user", "content": "else"}) + said("c", "a"),
        HEADER + A + B + said("new0", "b", message={"role": "user", "content": "else"}) + said("c", "new0"),
        ("rename-entry", "entry-id-duplicate", 4, None, "/id"),
        ("move-reference", "entry-id-duplicate", 5, None, "/parentId"),
        rejected=said("a", "b", message={"role": "user", "content": "else"}) + said("c", "a"),
    ),
    unsafe(
        "references-follow",
        HEADER
        + A
        + said("a", "a", message={"role": "user"})
        + line("label", id="l", targetId="a", label="x")
        + line("leaf", targetId="a"),
        HEADER
        + A
        + said("new0", "a", message={"role": "user"})
        + line("label", id="l", targetId="new0", label="x")
        + line("leaf", targetId="new0"),
        ("rename-entry", "entry-id-duplicate", 3, None, "/id"),
        ("move-reference", "entry-id-duplicate", 4, None, "/targetId"),
        ("move-reference", "entry-id-duplicate", 5, None, "/targetId"),
        rejected=said("a", "a", message={"role": "user"})
        + line("label", id="l", targetId="a", label="x")
        + line("leaf", targetId="a"),
    ),
    unsafe(
        "orphans-of-one-parent-stay-together",
        HEADER + A + said("c", "gone") + line("leaf", targetId="gone") + said("d", "gone"),
        HEADER + A + said("c", "a") + line("leaf", targetId="a") + said("d", "a"),
        ("attach-entry", "parent-missing", 3, None, "/parentId"),
        ("move-leaf", "leaf-target-missing", 4, None, "/targetId"),
        ("attach-entry", "parent-missing", 5, None, "/parentId"),
        rejected=said("c", "gone") + line("leaf", targetId="gone") + said("d", "gone"),
    ),
    unsafe(
        "parent-that-is-no-entry",
        HEADER + said("a", "s1") + said("b", "s1").replace(b'"s1"', b"true"),
        HEADER + said("a", "s1").replace(b'"s1"', b"null") + said("b", "a"),
        ("attach-entry", "parent-kind", 2, None, "/parentId"),
        ("attach-entry", "schema-type", 3, None, "/parentId"),
        rejected=said("a", "s1") + said("b", "s1").replace(b'"s1"', b"true"),
    ),
    unsafe(
        "cycle",
        HEADER + said("a", "c") + said("b", "a") + said("c", "b") + said("d", "d"),
        HEADER
        + said("a", "c").replace(b'"parentId":"c"', b'"parentId":null')
        + said("b", "a")
        + said("c", "b")
        + said("d", "c"),
        ("attach-entry", "parent-cycle", 2, None, "/parentId"),
        ("attach-entry", "parent-cycle", 5, None, "/parentId"),
        rejected=said("a", "c") + said("d", "d"),
    ),
    unsafe(
        "leaf-that-is-no-id",
        HEADER + A + line("leaf", targetId=[]),
        HEADER + A + line("leaf", targetId="a"),
        ("move-leaf", "schema-type", 3, None, "/targetId"),
        rejected=line("leaf", targetId=[]),
    ),
    unsafe(
        "compaction",
        HEADER + A + keeping("gone"),
        HEADER + A + keeping(None),
        ("keep-summary", "compaction-kept-missing", 3, None, "/message/first_kept_entry_id"),
        rejected=keeping("gone"),
    ),
    unsafe(
        "calls-at-the-end",
        HEADER + A + called("b", "a", "k1", "k2", "k3") + answer("c", "b", "k2"),
        HEADER
        + A
        + called("b", "a", "k1", "k2", "k3")
        + answer("c", "b", "k2")
        + made("new0", "c", "k1")
        + made("new1", "new0", "k3"),
        ("answer-call", "tool-call-unanswered", 3),
        ("answer-call", "tool-call-unanswered", 3),
    ),
    unsafe(
        "calls-in-the-middle",
        HEADER + A + called("b", "a", "k1") + C + said("d", "b") + line("leaf", targetId="c"),
        HEADER
        + A
        + called("b", "a", "k1")
        + made("new0", "b", "k1")
        + said("c", "new0")
        + said("d", "b")
        + line("leaf", targetId="c"),
        ("answer-call", "tool-call-unanswered", 3),
        ("attach-entry", "tool-call-unanswered", 4, None, "/parentId"),
        rejected=C,
    ),
    unsafe(
        "calls-of-version-1",
        HEADER.replace(b'"version":2', b'"version":1') + called(..., None, "k1") + said(...),
        HEADER.replace(b'"version":2', b'"version":1')
        + called(..., None, "k1")
        + line(
            "message", message={"role": "tool", "tool_call_id": "k1", "name": "read", "content": INTERRUPTED}
        )
        + said(...),
        ("answer-call", "tool-call-unanswered", 2),
    ),
)


def mended(data: bytes, *, unsafe: bool, monkeypatch: pytest.MonkeyPatch) -> Repaired:
    """Repair a log, with ids that can be foretold."""
    numbers = itertools.count()
    monkeypatch.setattr(planning, "new_id", lambda: f"new{next(numbers)}")
    return repaired(data, unsafe=unsafe)


@pytest.mark.parametrize("golden", SAFE + UNSAFE, ids=lambda golden: golden.name)
def test_a_step_does_this_and_nothing_else(golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    result = mended(golden.before, unsafe=golden.unsafe, monkeypatch=monkeypatch)
    assert result.data.decode() == golden.after.decode()
    told = [(step.name, step.rule, step.line, step.record, step.pointer) for step in result.steps]
    assert told == [(*step, None, None)[:5] for step in golden.steps]
    assert result.rejected == golden.rejected
    assert check(result.data, name=NAME, format="session").valid


@pytest.mark.parametrize("golden", UNSAFE, ids=lambda golden: golden.name)
def test_what_is_unsafe_is_left_alone_unless_asked_for(golden: Golden) -> None:
    result = repaired(golden.before, unsafe=False)
    assert all(step.safe for step in result.steps)


def test_every_kind_of_step_of_a_log_has_its_golden() -> None:
    histories = {"drop-trailing", "close-document", "rename-message"}
    assert {step[0] for golden in SAFE + UNSAFE for step in golden.steps} == KINDS.keys() - histories
    assert all(KINDS[step[0]].safe for golden in SAFE for step in golden.steps)


@pytest.mark.parametrize(
    "header",
    [
        HEADER.replace(b'"version":2', b'"version":3'),
        HEADER.replace(b'"version":2', b'"version":3').replace(b'"s1"', b'""'),
        HEADER.replace(b'"version":2', b'"version":3').replace(b"demo", b"\xff"),
    ],
    ids=["plainly", "behind-an-id-that-is-none", "behind-bytes-that-are-no-text"],
)
def test_a_newer_version_is_noticed_wherever_it_comes_to_light(header: bytes) -> None:
    with pytest.raises(Newer):
        repaired(header + A, unsafe=True)


def test_a_header_without_id_gets_one_where_the_name_holds_none() -> None:
    planned = LogRepair(Source("log.jsonl", HEADER.replace(b'"s1"', b"null") + A), "log.jsonl", unsafe=True)
    planned.plan()
    data = b"".join(row.data for row in planned.rows(Journal()))
    (header, _) = (json.loads(row) for row in data.splitlines())
    assert uuid.UUID(header["id"]).version == 4
    assert check(data, name="log.jsonl").valid


def test_ids_too_long_to_be_kept_are_written_out() -> None:
    long = "x" * 3000
    log = HEADER + said(long) + said("c", "gone") + line("leaf", targetId="gone2")
    result = repaired(log, unsafe=True)
    assert json.loads(result.rows[2].data)["parentId"] == long
    assert check(result.data, name=NAME, format="session").valid


def test_identical_records_are_dropped_only_where_readers_see_no_difference() -> None:
    other = said("a", None, message={"role": "user", "content": "else"})
    log = HEADER + A + other + A
    assert repaired(log, unsafe=False).data == log
    mixed = HEADER.replace(b'"version":2', b'"version":1') + said(...) + B + B
    assert repaired(mixed, unsafe=False).data == mixed
