"""Bad usage, odd corpora and lists of `convspec conformance`: one clear line, exit code 2, no traceback."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from convspec.cli.app import run as command
from small_corpora import (
    ALL,
    EVIL,
    INVALID,
    LOG,
    REAL,
    VALID,
    YES,
    Done,
    change_case,
    document,
    one_line,
    write_manifest,
)

Run = Callable[..., Done]
Make = Callable[..., Path]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command in this process, in an empty folder."""
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")

    def _run(*arguments: object) -> Done:
        code = command(["conformance", *map(str, arguments)])
        return Done(list(map(str, arguments)), code, *capsys.readouterr())

    return _run


class TestFormats:
    def test_several_at_once_into_files(self, run: Run, corpus: Make, tmp_path: Path) -> None:
        done = run("run", "--corpus", corpus(VALID), "--format", "table", "--format", "json:a.json",
                   "--format", "junit:b.xml", "--format", "table:c.txt")  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "1 of 1 case passed\n")
        folder = tmp_path / "cwd"
        assert document((folder / "a.json").read_text())["summary"]["passed"] == 1
        assert ElementTree.parse(folder / "b.xml").getroot().attrib["tests"] == "1"
        assert (folder / "c.txt").read_text() == done.stdout

    @pytest.mark.parametrize(
        ("formats", "text"),
        [
            (["xml"], "'xml' is not one of table, json, junit"),
            (["json", "table"], "only one format can go to stdout"),
            (["json:a", "junit:a"], "two formats would be written to a"),
            (["json:no/such/a"], "cannot write no/such/a"),
            (["json:."], "cannot write ."),
        ],
    )
    def test_bad_ones_are_refused_before_anything_is_run(
        self, run: Run, corpus: Make, formats: list[str], text: str, tmp_path: Path
    ) -> None:
        chosen = [word for form in formats for word in ("--format", form)]
        one_line(run("run", "--corpus", corpus(VALID), "--adapter", "touch ran", *chosen), text)
        assert list((tmp_path / "cwd").iterdir()) == []

    def test_nothing_that_is_read_is_written_over(self, run: Run, corpus: Make, tmp_path: Path) -> None:
        folder = corpus(VALID)
        known = tmp_path / "known.json"
        known.write_text('{"failures": []}')
        for target in (known, folder / "manifest.json"):
            before = target.read_bytes()
            done = run("run", "--corpus", folder, "--expect-failures", known, "--format", f"json:{target}")
            one_line(done, "a report would be written over a file that is checked")
            assert target.read_bytes() == before


class TestExpectFailures:
    @pytest.fixture
    def known(self, tmp_path: Path) -> Callable[[object], Path]:
        def _known(content: object) -> Path:
            path = tmp_path / "known.json"
            path.write_text(content if isinstance(content, str) else json.dumps(content))
            return path

        return _known

    def test_a_known_failure_is_no_failure(
        self, run: Run, corpus: Make, adapter: Callable[..., str], known: Callable[[object], Path]
    ) -> None:
        path = known({"failures": [{"case": LOG, "reason": "no trees\u001b[31m yet"}]})
        command = adapter(YES)
        done = run(
            "run", "--corpus", corpus(LOG), "--protocol", "--adapter", command, "--expect-failures", path
        )
        assert (done.returncode, done.stderr) == (0, "0 of 1 case passed, 1 known failure\n")
        assert "      no trees\\u001b[31m yet\n" in done.stdout

    def test_an_unexpected_pass_is_a_failure(
        self, run: Run, corpus: Make, known: Callable[[object], Path]
    ) -> None:
        path = known({"failures": [{"case": LOG, "reason": "no trees yet"}]})
        done = run("run", "--corpus", corpus(LOG), "--expect-failures", path)
        assert (done.returncode, done.stderr) == (1, "0 of 1 case passed, 1 failed\n")
        assert "passes, though it is listed as a known failure: no trees yet" in done.stdout

    def test_one_that_is_not_selected_does_no_harm(
        self, run: Run, corpus: Make, known: Callable[[object], Path]
    ) -> None:
        path = known({"failures": [{"case": LOG, "reason": "no trees yet"}]})
        folder = corpus(LOG, VALID)
        assert run("run", "--corpus", folder, "--case", VALID, "--expect-failures", path).returncode == 0

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            ({"failures": [{"case": "a/b/c", "reason": "x"}]}, "lists a/b/c, which the corpus does not have"),
            (
                {"failures": [{"case": VALID, "reason": "x"}, {"case": VALID, "reason": "y"}]},
                f"lists {VALID} twice",
            ),
            ("{", "is not JSON"),
            ("", "is not JSON"),
            ("[" * 100_000, "is not JSON"),
            ('{"failures":[],"x":' + "[" * 900 + "]" * 900 + "}", ""),
            ([], "does not fit conformance/1.0/known-failures.schema.json: type at its root"),
            ({}, "does not fit conformance/1.0/known-failures.schema.json: required"),
            ({"failures": [{"case": VALID}]}, "required at failures/0"),
            ({"failures": [{"case": VALID, "reason": ""}]}, "minLength at failures/0/reason"),
            ({"failures": [{"case": "\ud800", "reason": "x"}]}, "pattern at failures/0/case"),
            ({"failures": [{"case": VALID + "\n", "reason": "x"}]}, "pattern at failures/0/case"),
        ],
        ids=lambda value: str(value)[:30],
    )
    def test_a_bad_list_is_refused(
        self, run: Run, corpus: Make, known: Callable[[object], Path], content: object, text: str
    ) -> None:
        done = run("run", "--corpus", corpus(VALID), "--expect-failures", known(content))
        if text:
            one_line(done, text)
        else:
            assert done.returncode in (0, 2)

    @pytest.mark.parametrize(("path", "text"), [(".", "Is a directory"), ("none.json", "No such file")])
    def test_one_that_cannot_be_read(self, run: Run, corpus: Make, path: str, text: str) -> None:
        one_line(
            run("run", "--corpus", corpus(VALID), "--expect-failures", path), f"cannot read {path}: {text}"
        )


class TestSelection:
    def test_by_globs(self, run: Run, corpus: Make) -> None:
        done = run("run", "--corpus", corpus(*ALL), "--case", "*/version/*", "--case", "history/document/*")
        assert done.stderr == "3 of 3 cases passed\n"

    @pytest.mark.parametrize("glob", ["nothing", "", "[", "*a*a*a*a*a*a*a*a*a*a*a*a*z", "\x1b]0;x\x07"])
    def test_a_glob_without_a_match(self, run: Run, corpus: Make, glob: str) -> None:
        done = run("run", "--corpus", corpus(VALID), "--case", VALID, "--case", glob)
        one_line(done, f"no case matches {glob!r}; convspec conformance list names them")
        assert "\x1b" not in done.stderr

    def test_by_level(self, run: Run, corpus: Make, adapter: Callable[..., str]) -> None:
        command = adapter("say(seq=r['seq'], verdict='invalid', findings=[])")
        folder = corpus(LOG)
        wrong = run("run", "--corpus", folder, "--protocol", "--adapter", command)
        right = run("run", "--corpus", folder, "--protocol", "--adapter", command, "--level", "verdict")
        assert (wrong.returncode, right.returncode) == (1, 0)

    def test_a_level_that_the_adapter_does_not_give(
        self, run: Run, corpus: Make, adapter: Callable[..., str]
    ) -> None:
        folder = corpus(VALID)
        done = run("run", "--corpus", folder, "--protocol", "--adapter", adapter(YES), "--level", "reading")
        one_line(done, "the adapter does not give the level reading")
        one_line(run("run", "--corpus", folder, "--adapter", "true", "--level", "findings"), "level findings")
        one_line(run("run", "--corpus", folder, "--level", "wording"), "'wording' is not one of")

    def test_nothing_is_left_to_judge(self, run: Run, corpus: Make, adapter: Callable[..., str]) -> None:
        command = adapter(YES, formats=["session"])
        done = run("run", "--corpus", corpus(VALID), "--protocol", "--adapter", command)
        one_line(done, "no case was judged; the table says why each was left out")
        assert "1 case: the adapter does not read the format history" in done.stdout

    @pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "1e400", "soon", "", "86401"])
    def test_a_time_limit_that_is_none(self, run: Run, corpus: Make, seconds: str) -> None:
        one_line(run("run", "--corpus", corpus(VALID), "--timeout", seconds), "'--timeout'")


class TestCorpora:
    def test_none(self, run: Run) -> None:
        one_line(run("run", "--corpus", "nowhere"), "nowhere is no corpus")
        one_line(run("run", "--corpus", ""), "is no corpus")
        one_line(run("list", "--corpus", sys.executable), "is no corpus")

    def test_the_one_in_this_folder_is_taken(self, run: Run, corpus: Make, tmp_path: Path) -> None:
        corpus(VALID).rename(tmp_path / "cwd" / "conformance")
        assert run("run").stderr == "1 of 1 case passed\n"
        assert run("list").stderr == "1 case\n"

    def test_line_ends_that_were_converted_are_noticed(self, run: Run, corpus: Make) -> None:
        folder = corpus(VALID, LOG)
        path = folder / LOG / "log.jsonl"
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        done = run("run", "--corpus", folder)
        one_line(done, f"{LOG}/log.jsonl is not the file that manifest.json lists; were line ends converted?")
        assert run("run", "--corpus", folder, "--case", VALID).returncode == 0

    @pytest.mark.parametrize(
        ("manifest", "text"),
        [
            ("", "manifest.json is not JSON"),
            ("{", "manifest.json is not JSON"),
            ("[]", "manifest.json does not fit conformance/1.0/manifest.schema.json: type at its root"),
            ("{}", "required at its root"),
            ("[" * 100_000, "manifest.json is not JSON"),
            ('{"x":' * 900 + "1" + "}" * 900, "manifest.json does not fit"),
            ('{"manifest_version": 2, "cases": [], "retired": []}', "enum at manifest_version"),
            ('{"manifest_version": NaN, "cases": [], "retired": []}', "type at manifest_version"),
            ('{"manifest_version": ' + "9" * 5000 + "}", "manifest.json is not JSON"),
            ('{"manifest_version": 1, "cases": ["\\ud800"], "retired": []}', "type at cases/0"),
        ],
        ids=lambda value: str(value)[:30],
    )
    def test_a_manifest_that_is_none(self, run: Run, tmp_path: Path, manifest: str, text: str) -> None:
        (tmp_path / "manifest.json").write_text(manifest)
        one_line(run("run", "--corpus", tmp_path), text)
        one_line(run("list", "--corpus", tmp_path), text)

    def test_an_empty_one(self, run: Run, tmp_path: Path) -> None:
        write_manifest(tmp_path, [])
        one_line(run("run", "--corpus", tmp_path), "no case was judged")
        one_line(run("list", "--corpus", tmp_path), "no case is selected")

    @pytest.mark.parametrize(
        "path", ["a\0b", "../none", "/none", ".", "\ud800", "x" * 5000, "history.json/x", "\x1b[2J"]
    )
    def test_a_listed_file_that_is_none(self, run: Run, corpus: Make, path: str) -> None:
        folder = corpus(VALID)
        (entry,) = json.loads((folder / "manifest.json").read_bytes())["cases"]
        entry["files"] = [{"path": path, "size": 1, "sha256": "0" * 64}]
        write_manifest(folder, [entry])
        done = run("run", "--corpus", folder)
        one_line(done, f"{VALID}/")
        assert "\x1b" not in done.stderr

    @pytest.mark.parametrize(
        ("members", "text"),
        [
            ({"id": INVALID}, f"{VALID}/case.json calls itself {INVALID}"),
            (
                {"kind": "guess"},
                f"{VALID}/case.json does not fit conformance/1.0/case.schema.json: enum at kind",
            ),
            ({"input": "../x"}, "pattern at input"),
            ({"expect": {}}, "required at expect"),
            (
                {"setup": [{"action": "symlink", "path": "../x", "to": "y"}]},
                "'../x' leaves the case's folder",
            ),
            (
                {"setup": [{"action": "symlink", "path": "/tmp/x", "to": "y"}]},
                "'/tmp/x' leaves the case's folder",
            ),
            ({"setup": [{"action": "fifo", "path": "."}]}, "'.' leaves the case's folder"),
            ({"setup": [{"action": "symlink", "path": "x"}]}, "leads nowhere: it has no 'to'"),
            ({"setup": [{"action": "fifo", "path": "a\0b"}]}, f"{VALID} cannot be laid out"),
            ({"setup": [{"action": "symlink", "path": "x", "to": "a\0b"}]}, f"{VALID} cannot be laid out"),
            ({"setup": [{"action": "fifo", "path": "\ud800"}]}, f"{VALID} cannot be laid out"),
            ({"setup": [{"action": "fifo", "path": "x" * 5000}]}, f"{VALID} cannot be laid out"),
            ({"setup": [{"action": "fifo", "path": "history.json/x"}]}, f"{VALID} cannot be laid out"),
        ],
        ids=lambda value: str(value)[:50],
    )
    def test_a_case_that_is_none(self, run: Run, corpus: Make, members: dict[str, Any], text: str) -> None:
        folder = corpus(VALID)
        change_case(folder, VALID, **members)
        one_line(run("run", "--corpus", folder), text)

    def test_a_case_that_is_missing_is_noticed_before_anything_is_run(
        self, run: Run, corpus: Make, tmp_path: Path
    ) -> None:
        folder = corpus(VALID, LOG)
        (folder / LOG / "case.json").unlink()
        done = run("run", "--corpus", folder, "--adapter", "touch ran")
        one_line(done, f"{LOG}/case.json is missing, or no file")
        assert not (tmp_path / "cwd" / "ran").exists()

    def test_nothing_is_done_behind_a_link_that_a_step_has_made(
        self, run: Run, corpus: Make, tmp_path: Path
    ) -> None:
        (tmp_path / "victim").mkdir()
        (tmp_path / "victim" / "file").write_text("precious")
        folder = corpus(VALID)
        steps = [
            {"action": "symlink", "path": "out", "to": str(tmp_path / "victim")},
            {"action": "symlink", "path": "out/file", "to": "gone"},
        ]
        change_case(folder, VALID, setup=steps)
        one_line(run("run", "--corpus", folder), "'out/file' leaves the case's folder")
        assert (tmp_path / "victim" / "file").read_text() == "precious"

    @pytest.mark.parametrize("name", ["history.json", "case.json", "extra"])
    def test_a_fifo_in_a_case_holds_nobody_up(self, run: Run, corpus: Make, name: str) -> None:
        folder = corpus(VALID)
        (folder / VALID / name).unlink(missing_ok=True)
        os.mkfifo(folder / VALID / name)
        one_line(run("run", "--corpus", folder), VALID)

    def test_a_newer_corpus_may_have_rules_that_this_runner_does_not_know(
        self, run: Run, corpus: Make
    ) -> None:
        folder = corpus(VALID)
        expect = {"verdict": "invalid", "findings": [{"rule": "new", "severity": "error", "pointer": ""}]}
        change_case(folder, VALID, expect=expect)
        done = run("run", "--corpus", folder)
        assert done.returncode == 1
        assert "missing error new at ''" in done.stdout

    def test_every_file_is_held_against_its_digest(self, run: Run, corpus: Make) -> None:
        folder = corpus(VALID)
        data = (folder / VALID / "history.json").read_bytes()
        (entry,) = json.loads((folder / "manifest.json").read_bytes())["cases"]
        assert entry["files"][0]["sha256"] == hashlib.sha256(data).hexdigest()
        (folder / VALID / "history.json").write_bytes(data + b" ")
        one_line(run("run", "--corpus", folder), f"{VALID}/history.json is not the file")


class TestList:
    def test_id_binding_verdict_and_title(self, run: Run, corpus: Make) -> None:
        done = run("list", "--corpus", corpus(LOG, VALID))
        assert done.stderr == "2 cases\n"
        assert re.split(" {2,}", done.stdout.splitlines()[0]) == [
            LOG,
            "must",
            "invalid",
            "The last entry names a parent that was never written",
        ]

    def test_by_rule_and_clause(self, run: Run, corpus: Make) -> None:
        folder = corpus(*ALL)
        assert run("list", "--corpus", folder, "--rule", "parent-missing").stdout.startswith(LOG)
        assert run("list", "--corpus", folder, "--clause", "session.md#parents").stderr == "1 case\n"
        done = run("list", "--corpus", folder, "--rule", "no-such-rule")
        one_line(done, "no case is selected by these options together")

    def test_as_json(self, run: Run, corpus: Make) -> None:
        (case,) = json.loads(run("list", "--corpus", corpus(LOG), "--format", "json").stdout)
        assert case == json.loads((REAL / LOG / "case.json").read_bytes())

    def test_a_title_cannot_harm_the_terminal(self, run: Run, corpus: Make) -> None:
        folder = corpus(VALID)
        change_case(folder, VALID, title=EVIL)
        out = run("list", "--corpus", folder).stdout
        assert "\\u001b]0;owned\\u0007" in out
        assert out.count("\n") == 1

    def test_help_and_no_subcommand(self, run: Run) -> None:
        assert (
            "Exit codes: 0 all as expected, 1 a case failed, 2 could not run." in run("run", "--help").stdout
        )
        assert run().returncode == 2
        one_line(run("walk"), "No such command")
        one_line(run("run", "history"), "unexpected extra argument")
