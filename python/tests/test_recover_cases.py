"""The cases of the kind `recover`: they are sound, and a wrong repair is caught by them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from conftest import CASES, ROOT
from convspec import check
from convspec.conformance.adapter import introduction, recovered
from convspec.conformance.cases import Case
from convspec.conformance.corpus import FolderCorpus
from convspec.conformance.protocol_tier import ProtocolTier
from convspec.conformance.recovered import output_of, recovered_differences
from convspec.conformance.results import Answered, Logs, Outcome, Results, Status, Trial, Trouble
from convspec.conformance.runner import run
from convspec.conformance.written import LONGEST_LOG
from convspec.repairing import repair
from fakes import FakeLauncher, FakeProcess, MemoryCorpus, Request, case_document, line, script

RECOVER = tuple(case for case in CASES if case.document["kind"] == "recover")
WRITTEN = tuple(case for case in RECOVER if case.document["expect"]["output"] is not None)
IDS = [case.id for case in RECOVER]
LEAF = "session/recovering/repeated-gives-the-leaf"
GLUED = "session/recovering/glued-three"
TORN = "session/recovering/torn"
MARK = "history/recovering/byte-order-mark"
NEWER = "session/recovering/version-newer"


def contents(case: Case) -> tuple[bytes, bytes | None]:
    """Return the input of a case, and the copy that it expects."""
    files, output = case.tree.files, case.document["expect"]["output"]
    return files[case.document["input"]], None if output is None else files[output]


def test_there_are_cases_of_both_formats_and_outcomes() -> None:
    assert len(RECOVER) >= 50
    assert {case.document["format"] for case in WRITTEN} == {"history", "session"}
    assert {case.document["expect"]["verdict"] for case in RECOVER} == {
        "valid", "invalid", "unsupported", "unreadable",
    }  # fmt: skip


def test_no_two_cases_of_a_format_have_one_title() -> None:
    titles = {(case.document["format"], case.document["title"]) for case in RECOVER}
    assert len(titles) == len(RECOVER)


def test_the_verdict_is_that_of_the_copy_or_else_of_the_input() -> None:
    for case in RECOVER:
        output = case.document["expect"]["output"]
        report = check(case.folder / (output or case.document["input"]))
        assert report.verdict.value == case.document["expect"]["verdict"], case.id


def test_every_copy_is_read_as_the_damaged_log_is() -> None:
    """What a reader makes of a log is the same before and after; so is the tally of what is reached."""
    compared = 0
    for case in WRITTEN:
        if case.document["format"] == "session":
            damaged, copy = (
                check(case.folder / case.document["input"]),
                check(case.folder / case.document["expect"]["output"]),
            )
            assert damaged.reading == copy.reading, case.id
            assert damaged.tally is not None
            assert copy.tally is not None
            for key in ("entries", "branch", "messages"):
                assert damaged.tally[key] == copy.tally[key], (case.id, key)
            compared += 1
    assert compared > 25


def test_every_line_of_a_copy_stands_in_the_damaged_log_but_a_leaf() -> None:
    made = 0
    for case in WRITTEN:
        damaged, copy = contents(case)
        assert copy is not None
        if case.document["format"] == "session":
            strange = [line for line in copy.split(b"\n") if line not in damaged]
            assert all(line.startswith(b'{"type":"leaf",') for line in strange), case.id
            made += len(strange)
    assert made == 1


def test_a_copy_is_repaired_no_further(tmp_path: Path) -> None:
    for number, case in enumerate(WRITTEN):
        output = tmp_path / f"{number}"
        done = repair(case.folder / case.document["expect"]["output"], output)
        assert done.steps == (), case.id
        assert done.output is None or output.read_bytes() == contents(case)[1], case.id


def test_what_is_expected_is_not_laid_out() -> None:
    corpus = FolderCorpus(str(ROOT / "conformance"))
    for case in RECOVER:
        with corpus.laid_out(case.id) as path:
            assert os.listdir(os.path.dirname(path)) == [case.document["input"]], case.id
            assert not os.path.exists(output_of(path))


Writes = Callable[[str, str], dict[str, Any]]
"""What repairs: from a path to another; the answer."""


class InProcess:
    """Asks a function to repair the files."""

    def __init__(self, writes: Writes) -> None:
        self.adapter: Mapping[str, Any] = {**introduction(), "tier": "protocol"}
        self._writes = writes

    def begin(self) -> None:
        """Do nothing."""

    def leaves_out(self, case: Mapping[str, Any]) -> str:
        """Ask for everything."""
        return ""

    def ask(self, case: Mapping[str, Any], path: str) -> Trial:
        """Repair the file at a path."""
        return Answered(self._writes(path, output_of(path)))

    def end(self) -> list[str]:
        """Have nothing to complain of."""
        return []


def run_of(writes: Writes) -> Results:
    return run(FolderCorpus(str(ROOT / "conformance")), InProcess(writes), IDS)


def bent(change: Callable[[bytes, bytes], bytes]) -> Writes:
    """Return a repair whose copy is changed; `change` gets it, and the damaged file."""

    def writes(path: str, output: str) -> dict[str, Any]:
        answer = recovered(path, output)
        if answer["output"] is not None:
            with open(path, "rb") as file:
                damaged = file.read()
            with open(output, "rb+") as file:
                changed = change(file.read(), damaged)
                file.seek(0)
                file.truncate()
                file.write(changed)
        return answer

    return writes


def lines_without(word: bytes) -> Callable[[bytes, bytes], bytes]:
    return lambda copy, damaged: b"".join(
        line for line in copy.splitlines(keepends=True) if not line.startswith(word)
    )


def only_whole_lines(copy: bytes, damaged: bytes) -> bytes:
    """Keep no record that shares its line with something."""
    return b"".join(
        line for line in copy.splitlines(keepends=True) if b"\n" + line in damaged or damaged.startswith(line)
    )


def in_place(path: str, output: str) -> dict[str, Any]:
    answer = recovered(path, output)
    if answer["output"] is not None:
        os.replace(output, path)
    return answer


def over_both(path: str, output: str) -> dict[str, Any]:
    answer = recovered(path, output)
    if answer["output"] is not None:
        with open(output, "rb") as file, open(path, "wb") as old:
            old.write(file.read())
    return answer


def every_time(path: str, output: str) -> dict[str, Any]:
    """Write a copy whatever the file is."""
    answer = recovered(path, output)
    if answer["output"] is None:
        with open(path, "rb") as file, open(output, "wb") as copy:
            copy.write(file.read())
    return {**answer, "output": output}


def all_steps(path: str, output: str) -> dict[str, Any]:
    """Take the unsafe steps too."""
    done = repair(path, output, unsafe=True)
    return {"verdict": done.after.verdict.value, "output": done.output}


def kindly(path: str, output: str) -> dict[str, Any]:
    """Say that each file is well again, and write nothing."""
    return {"verdict": "valid", "output": None}


def unsafely(path: str, output: str) -> dict[str, Any]:
    try:
        return all_steps(path, output)
    except ValueError:
        return recovered(path, output)


ZOO: tuple[tuple[str, Writes, tuple[str, ...]], ...] = (
    ("drops records that share a line", bent(only_whole_lines), (GLUED,)),
    ("invents a record", bent(lambda copy, damaged: copy + b'{"type":"repaired"}\n'), (TORN, MARK)),
    ("forgets the leaf", bent(lines_without(b'{"type":"leaf"')), (LEAF,)),
    ("ends lines with CRLF", bent(lambda copy, damaged: copy.replace(b"\n", b"\r\n")), (TORN,)),
    ("writes each record anew", bent(lambda copy, damaged: copy.replace(b'":', b'": ')), (TORN, MARK)),
    ("leaves the mark", bent(lambda copy, damaged: damaged[:3] + copy), (MARK,)),
    ("repairs in place", in_place, (TORN, MARK)),
    ("changes the damaged file too", over_both, (TORN, MARK)),
    ("repairs whatever there is", every_time, (NEWER, "history/recovering/truncated")),
    ("takes unsafe steps", unsafely, ("session/recovering/errors-left", "history/recovering/truncated")),
    ("does nothing", kindly, (TORN, MARK, NEWER)),
)


def test_the_reference_passes() -> None:
    results = run_of(recovered)
    assert [outcome for outcome in results.outcomes if outcome.status is not Status.PASSED] == []
    assert len(results.outcomes) == len(RECOVER)


@pytest.mark.parametrize(("writes", "by"), [one[1:] for one in ZOO], ids=[one[0] for one in ZOO])
def test_a_wrong_repair_is_caught(writes: Writes, by: tuple[str, ...]) -> None:
    failed = {one.case: one for one in run_of(writes).outcomes if one.status is Status.FAILED}
    assert set(by) <= failed.keys()
    assert {levels for one in failed.values() for levels in one.failed_levels} == {"reading"}


class TestRunner:
    """The requests, and the answers that are none."""

    ID = "session/json/log"
    CASE = case_document(
        ID, kind="recover", input="log", expect={"verdict": "valid", "output": "expected.jsonl"}
    )
    OLD: Mapping[str, bytes] = {"log": b"{}{}"}
    COPY: Mapping[str, bytes] = {"repaired-log": b"{}\n{}\n"}

    def ran(self, **said: Any) -> tuple[Outcome, Request]:
        """Run an adapter that writes the right copy, and says this."""
        files: dict[str, Logs] = {self.ID: self.OLD, f"{self.ID}/expected": self.COPY}
        heard: list[Request] = []

        def judge(request: Request) -> list[bytes]:
            heard.append(request)
            files[request["output"]] = self.COPY
            return [line({"seq": request["seq"], **said})]

        tier = ProtocolTier(FakeLauncher(lambda: FakeProcess(script(judge))), 1.0)
        (outcome,) = run(MemoryCorpus([self.CASE], files), tier, [self.ID]).outcomes
        return outcome, heard[0]

    def test_the_copy_is_to_be_written_beside_the_input(self) -> None:
        outcome, request = self.ran(verdict="valid", output="session/json/repaired-log")
        assert outcome.status is Status.PASSED
        assert request == {
            "cmd": "case", "seq": 1, "kind": "recover", "format": "session", "path": self.ID,
            "output": "session/json/repaired-log",
        }  # fmt: skip

    def test_what_is_said_and_what_is_there_are_both_judged(self) -> None:
        outcome, _ = self.ran(verdict="invalid", output=None)
        assert (outcome.status, outcome.failed_levels) == (Status.FAILED, ("reading",))
        assert [difference.text for difference in outcome.differences] == [
            "verdict invalid, expected valid",
            "the answer does not say where the copy was written",
        ]

    @pytest.mark.parametrize(
        "said", [{"verdict": "valid"}, {"output": None}, {"verdict": "fine", "output": None},
                 {"verdict": "valid", "output": 1}, {"verdict": "valid", "output": ""},
                 {"verdict": "valid", "output": None, "skipped": "no"}],
    )  # fmt: skip
    def test_an_answer_that_is_none(self, said: dict[str, Any]) -> None:
        outcome, _ = self.ran(**said)
        assert outcome.fault is not None
        assert outcome.fault.trouble is Trouble.BAD_ANSWER

    def test_it_is_left_out_where_readings_are_not_judged(self) -> None:
        tier = ProtocolTier(FakeLauncher(lambda: FakeProcess(script(lambda request: []))), 1.0)
        (outcome,) = run(MemoryCorpus([self.CASE]), tier, [self.ID], levels=["findings"]).outcomes
        assert outcome.status is Status.LEFT_OUT


class TestDifferences:
    """Of one case, in memory."""

    CASE: Mapping[str, Any] = {
        "kind": "recover", "format": "session", "input": "log.jsonl",
        "expect": {"verdict": "valid", "output": "expected.jsonl"},
    }  # fmt: skip
    OLD = b'{"a":1}{"b":2}\n'
    COPY = b'{"a":1}\n{"b":2}\n{"c":"\xc3\xa9"}\n'
    WANTED: Mapping[str, bytes] = {"log.jsonl": OLD, "repaired-log.jsonl": COPY}
    ANSWER: Mapping[str, Any] = {"verdict": "valid", "output": "/x/repaired-log.jsonl"}

    def told(self, copy: bytes | None, answer: Mapping[str, Any] = ANSWER, old: bytes = OLD) -> list[str]:
        found = {"log.jsonl": old} | ({} if copy is None else {"repaired-log.jsonl": copy})
        return list(recovered_differences(self.CASE, answer, self.WANTED, found))

    def test_nothing(self) -> None:
        assert self.told(self.COPY) == []

    def test_a_record_that_was_made_up_is_compared_as_a_value(self) -> None:
        assert self.told(self.COPY.replace(b'{"c":"\xc3\xa9"}', b'{ "c" : "\\u00e9" }')) == []
        assert self.told(self.COPY.replace(b"\xc3\xa9", b"e")) == [
            "line 3 of the copy is not the expected one"
        ]

    def test_a_record_that_was_kept_is_compared_byte_by_byte(self) -> None:
        assert self.told(self.COPY.replace(b'{"b":2}', b'{"b": 2}')) == [
            "line 2 of the copy is not the expected one"
        ]

    def test_a_line_that_is_no_json(self) -> None:
        assert self.told(self.COPY.replace(b'{"c":"\xc3\xa9"}', b"\xff" * 9))

    @pytest.mark.parametrize("copy", [COPY[:-1], COPY + b"\n", COPY[8:], COPY + b"{}"])
    def test_the_number_of_lines(self, copy: bytes) -> None:
        assert self.told(copy)

    def test_the_verdict(self) -> None:
        (told,) = self.told(self.COPY, {**self.ANSWER, "verdict": "invalid"})
        assert told == "verdict invalid, expected valid"

    def test_the_damaged_file(self) -> None:
        assert self.told(self.COPY, old=self.COPY) == ["the damaged file was changed"]

    @pytest.mark.parametrize("output", [None, "/x/log.jsonl", "repaired-log.jsonl/"])
    def test_where_the_copy_is_said_to_be(self, output: str | None) -> None:
        (told,) = self.told(self.COPY, {**self.ANSWER, "output": output})
        assert told == "the answer does not say where the copy was written"

    def test_no_copy(self) -> None:
        assert self.told(None) == ["no copy was written where it was asked for"]

    def test_a_copy_that_is_too_long(self) -> None:
        (told,) = self.told(b"\n" * (LONGEST_LOG + 1))
        assert "longer" in told

    def test_a_copy_where_none_is_expected(self) -> None:
        wanted = {"log.jsonl": self.OLD}
        for found, output in ((self.WANTED, None), (wanted, "/x/repaired-log.jsonl")):
            answer = {"verdict": "valid", "output": output}
            told = list(recovered_differences(self.CASE, answer, wanted, found))
            assert told == ["a copy was written, expected is none"]

    def test_no_text_of_a_conversation_is_told(self) -> None:
        def every() -> Iterator[str]:
            yield from self.told(b"secret\n" * 5, {"verdict": "invalid", "output": "secret"}, b"secret")

        assert "secret" not in " ".join(every())
