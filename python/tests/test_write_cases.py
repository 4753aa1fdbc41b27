"""The cases of the kind `write`: what they cover, how they are laid out, and who carries them out."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import CASES, ROOT
from convspec import Severity, check, schemas
from convspec.conformance.cases import Case
from convspec.conformance.corpus import FolderCorpus
from convspec.conformance.operations import carried_out
from convspec.conformance.written import LONGEST_LOG
from convspec.session.records import PARTS

WRITE = [case for case in CASES if case.document["kind"] == "write"]
CORPUS = FolderCorpus(str(ROOT / "conformance"))
OPERATION = schemas.documents()["conformance/1.0/operation.schema.json"]["properties"]
_NAME = re.compile(r"\*id[0-9]+")


def case_of(name: str) -> Case:
    return next(case for case in WRITE if case.id == f"session/writing/{name}")


def operations() -> Iterator[dict[str, Any]]:
    for case in WRITE:
        yield from case.document["operations"]


def records() -> Iterator[dict[str, Any]]:
    for case in WRITE:
        yield from case.document["expect"]["records"]


def names_in(value: Any) -> set[str]:
    return set(_NAME.findall(json.dumps(value)))


def test_they_stand_together() -> None:
    assert len(WRITE) >= 30
    assert {case.id.rpartition("/")[0] for case in WRITE} == {"session/writing"}


def test_no_two_have_one_title() -> None:
    assert len({case.document["title"] for case in WRITE}) == len(WRITE)


def test_every_operation_is_asked_for_somewhere() -> None:
    assert {operation["do"] for operation in operations()} == set(OPERATION["do"]["enum"])


def test_every_argument_is_given_somewhere_and_no_other() -> None:
    assert set().union(*operations()) == OPERATION.keys()


def test_every_record_type_is_written_with_each_of_its_members() -> None:
    written: dict[str, set[str]] = {}
    for record in records():
        written.setdefault(record["type"], set()).update(record)
    members = {
        type: set(schemas.documents()[f"session/2.0/{part}.schema.json"]["properties"])
        for type, part in PARTS.items()
    }
    assert written == members


def test_every_optional_member_is_left_out_somewhere() -> None:
    for type, part in PARTS.items():
        schema = schemas.documents()[f"session/2.0/{part}.schema.json"]
        of_type = [record for record in records() if record["type"] == type]
        optional = schema["properties"].keys() - schema["required"] - {"details"}
        assert {key for key in optional if all(key in record for record in of_type)} == set(), type


def test_an_optional_argument_is_absent_null_and_empty_somewhere() -> None:
    known = [one for one in operations() if one["do"] in ("create", "update_runtime")]
    given = [one.get(name, "absent") for one in known for name in ("provider", "model", "reasoning_effort")]
    assert {"absent", None, ""} < set(given)


def test_a_record_begins_with_its_type_and_has_a_time() -> None:
    for record in records():
        assert next(iter(record)) == "type"
        assert record["timestamp"] == "*time"


def test_names_are_given_before_they_are_used() -> None:
    for case in WRITE:
        given: set[str] = set()
        for operation in case.document["operations"]:
            rest = {key: value for key, value in operation.items() if key != "as"}
            assert names_in(rest) <= given, case.id
            given |= names_in(operation.get("as"))
        assert given <= names_in(case.document["expect"]["records"]), case.id


def test_what_is_refused_is_an_operation() -> None:
    for case in WRITE:
        refused = case.document["expect"]["refused"]
        assert refused == sorted(set(refused)), case.id
        assert not refused or refused[-1] < len(case.document["operations"]), case.id
        assert all("as" not in case.document["operations"][place] for place in refused), case.id


def test_only_a_new_log_is_made() -> None:
    for case in WRITE:
        makes = [one["do"].startswith("create") for one in case.document["operations"]]
        new = case.document["input"] == "sessions"
        assert makes[0] == new, case.id
        assert not any(makes[1:]), case.id
        if new:
            assert case.document["setup"] == [{"action": "folder", "path": "sessions"}]


def test_what_the_reference_writes_is_sound(tmp_path: Path) -> None:
    """No case makes a fault that was not there, but for the line that was ended behind a torn record."""
    ended = {"line-torn": {"json-syntax", "encoding-utf8"}}
    made = {}
    for case in WRITE:
        path = case.copied(tmp_path / case.id.rpartition("/")[2])
        before = rules_in(path)
        carried_out(str(path), case.document["operations"])
        new = rules_in(path) - before.union(*(ended.get(rule, ()) for rule in before))
        if new:
            made[case.id] = new
    assert made == {"session/writing/spelling": {"leaf-empty"}}  # where the writer is told to


def rules_in(path: Path) -> set[str]:
    """Return the rules of errors and warnings in a log, or in the logs below a folder."""
    logs = path.rglob("*.jsonl") if path.is_dir() else [path]
    findings = (finding for log in logs for finding in check(log).findings)
    return {finding.rule for finding in findings if finding.severity is not Severity.INFO}


class TestLayout:
    def test_a_writer_never_gets_the_case_itself(self, tmp_path: Path) -> None:
        path = case_of("message").laid_out(tmp_path)
        assert tmp_path in path.parents
        assert sorted(os.listdir(path.parent)) == ["log.jsonl"]

    def test_a_folder_is_made_empty(self, tmp_path: Path) -> None:
        path = case_of("create").laid_out(tmp_path)
        assert os.listdir(path) == []
        assert CORPUS.logs(str(path)) == {}

    def test_a_link_is_made(self, tmp_path: Path) -> None:
        path = case_of("refused-link").laid_out(tmp_path)
        assert path.is_symlink()
        assert CORPUS.logs(str(path)) == {"log.jsonl": (path.parent / "kept.jsonl").read_bytes()}


class TestLogs:
    """What the corpus reads of what an adapter has left."""

    def test_logs_below_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "a" / "b").mkdir(parents=True)
        for name in ("one.jsonl", "a/b/two.jsonl", "a/last.json", "a/three.jsonl.tmp"):
            (tmp_path / name).write_bytes(name.encode())
        assert CORPUS.logs(str(tmp_path)) == {"one.jsonl": b"one.jsonl", "two.jsonl": b"a/b/two.jsonl"}

    @pytest.mark.parametrize("kind", ["missing", "fifo", "folder", "nothing", "device", "loop"])
    def test_what_is_no_file_is_no_log(self, kind: str, tmp_path: Path) -> None:
        path = tmp_path / "log.jsonl"
        if kind == "fifo":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
        elif kind != "missing":
            path.symlink_to({"nothing": "nothing", "device": "/dev/zero", "loop": "log.jsonl"}[kind])
        assert CORPUS.logs(str(path)) == {}
        assert CORPUS.logs(str(tmp_path)) == {}

    def test_no_more_is_read_than_is_needed(self, tmp_path: Path) -> None:
        path = tmp_path / "log.jsonl"
        with path.open("wb") as file:
            file.truncate(1 << 40)
        assert len(CORPUS.logs(str(path))["log.jsonl"]) == LONGEST_LOG + 1


class TestCarriedOut:
    def test_an_operation_that_nobody_knows(self, tmp_path: Path) -> None:
        log = case_of("message").copied(tmp_path / "x")
        for what in ("delete_if_unused", "__init__", "reading"):
            with pytest.raises(ValueError, match=f"there is no operation {what}"):
                carried_out(str(log), [{"do": what}])

    def test_wrong_arguments(self, tmp_path: Path) -> None:
        log = case_of("message").copied(tmp_path / "x")
        with pytest.raises(TypeError):
            carried_out(str(log), [{"do": "branch", "id": "u1"}])

    def test_a_name_stands_for_an_id_wherever_it_stands(self, tmp_path: Path) -> None:
        log = case_of("message").copied(tmp_path / "x")
        message = {"role": "user", "content": "look"}
        told = [{"a": ["*id1", "*id2", "the *id1"]}]
        done = carried_out(
            str(log),
            [
                {"do": "append_message", "message": message, "as": "*id1"},
                {"do": "update_memory_state", "session_memories": told, "last_retrieval": None},
            ],
        )
        last = json.loads(log.read_bytes().splitlines()[-1])
        assert last["sessionMemories"] == [{"a": [done["ids"]["*id1"], "*id2", "the *id1"]}]
