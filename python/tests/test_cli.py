"""The command as a person or a script meets it: output, exit codes, bad usage."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT

CASES = ROOT / "conformance" / "history"
VALID = CASES / "document" / "two-messages"
FAULTY = CASES / "document" / "message-id-duplicate"
WARNED = CASES / "document" / "blank-user"
NEWER = CASES / "version" / "two"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run the installed command in an empty folder."""

    def _run(
        *arguments: object, input: str | bytes = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        data = input.encode() if isinstance(input, str) else input
        done = subprocess.run(
            [sys.executable, "-m", "convspec", *map(str, arguments)],
            cwd=tmp_path,
            input=data,
            capture_output=True,
            check=False,
            env={**os.environ, "PYTHONWARNINGS": "error", **environment},
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    return _run


class TestExitCodes:
    def test_zero_where_every_file_is_valid(self, run: Run) -> None:
        done = run("check", VALID)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "1 file valid\n")

    def test_one_where_a_file_is_invalid(self, run: Run) -> None:
        done = run("check", VALID, FAULTY)
        assert done.returncode == 1
        assert done.stderr == "1 error in 1 of 2 files\n"

    def test_warnings_count_only_with_strict(self, run: Run) -> None:
        assert run("check", WARNED).returncode == 0
        assert run("check", "--strict", WARNED).returncode == 1

    def test_three_for_a_newer_version_alone(self, run: Run) -> None:
        done = run("check", VALID, NEWER)
        assert done.returncode == 3
        assert done.stderr == "1 error in 1 of 2 files (1 unsupported)\n"

    def test_two_outranks_one_and_one_outranks_three(self, run: Run) -> None:
        assert run("check", NEWER, FAULTY).returncode == 1
        assert run("check", NEWER, FAULTY, "absent.json").returncode == 2

    def test_two_where_a_folder_holds_nothing_to_check(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "notes").mkdir()
        done = run("check", "notes")
        assert done.returncode == 2
        assert (
            done.stderr == "convspec: no history.json and no *.jsonl found in notes (see convspec --help)\n"
        )


class TestBadUsage:
    @pytest.mark.parametrize(
        "arguments",
        [
            ["check", "--no-such-option", "x"],
            ["check", "--format", "xml", "x"],
            ["check", "--format", "json", "--format", "full", "x"],
            ["check", "--select", "no-such-rule", "x"],
            ["check", "--max-findings", "0", "x"],
            ["check", "--as", "diary", "x"],
            ["check", "-q"],
            ["check", "--format", "json:no/such/folder/report.json", "x"],
            ["explain", "no-such-rule"],
            ["schema", "no-such-schema"],
            ["schema", "--strict", "history"],
            ["no-such-command"],
        ],
    )
    def test_is_one_clear_line_and_exit_code_2(self, run: Run, arguments: list[str]) -> None:
        done = run(*arguments)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1
        assert done.stderr.startswith("convspec")

    def test_a_mistyped_rule_is_met_with_the_nearest(self, run: Run) -> None:
        assert "did you mean json-syntax?" in run("explain", "json-sintax").stderr


class TestInputs:
    def test_standard_input_is_recognised_by_content(self, run: Run) -> None:
        done = run("check", "-", input='{"version": 1, "messages": []}')
        assert done.returncode == 0

    def test_standard_input_without_a_name_or_a_sign_is_not_recognised(self, run: Run) -> None:
        done = run("check", "-", input="hello")
        assert done.returncode == 2
        assert done.stdout.startswith("<stdin>: error[format-unrecognised]")

    def test_standard_input_takes_a_name(self, run: Run) -> None:
        done = run("check", "-", "--stdin-filename", "a.json", input="hello")
        assert done.stdout.startswith("a.json:1:1: error[json-syntax]")

    def test_as_decides_first(self, run: Run) -> None:
        assert run("check", "-", "--as", "history", input="[]").stdout.startswith(
            "<stdin>:1:1: error[schema-type]"
        )

    def test_a_folder_is_searched_in_order_and_gitignore_is_honoured(self, run: Run, tmp_path: Path) -> None:
        good = (VALID / "history.json").read_bytes()
        for name in ("b/deep", "a", "ignored", "kept", "excluded"):
            (tmp_path / name).mkdir(parents=True)
            (tmp_path / name / "history.json").write_bytes(good)
        (tmp_path / ".git").mkdir()
        (tmp_path / ".gitignore").write_text("ignored/\nkept/\n!kept/\n")
        (tmp_path / "a" / "below").mkdir()
        (tmp_path / "a" / "below" / "history.json").write_text("{")
        (tmp_path / "link").symlink_to("a")
        done = run("check", "-v", ".", "--exclude", "excluded/")
        assert done.stderr.splitlines() == [
            "./a/history.json: valid",
            "./b/deep/history.json: valid",
            "./kept/history.json: valid",
            "3 files valid",
        ]

    def test_a_file_that_is_named_is_checked_though_ignored(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / ".git").mkdir()
        (tmp_path / ".gitignore").write_text("*\n")
        (tmp_path / "x.json").write_text("{")
        assert run("check", "x.json").returncode == 1

    def test_a_file_named_twice_is_checked_once(self, run: Run) -> None:
        assert run("check", FAULTY, FAULTY).stderr == "1 error in 1 of 1 file\n"


class TestSelection:
    def test_an_ignored_rule_no_longer_counts(self, run: Run) -> None:
        assert run("check", "--ignore", "message-id-duplicate", FAULTY).returncode == 0

    def test_only_selected_rules_count(self, run: Run) -> None:
        assert run("check", "--select", "json-syntax,json-depth", FAULTY).returncode == 0

    def test_a_rule_can_be_weighed_otherwise(self, run: Run) -> None:
        assert run("check", "--error", "message-blank", WARNED).returncode == 1
        assert run("check", "--warn", "message-id-duplicate", FAULTY).returncode == 0

    def test_what_made_a_file_unreadable_cannot_be_ignored(self, run: Run) -> None:
        assert run("check", "--ignore", "file-unreadable", "absent.json").returncode == 2


class TestForms:
    def test_concise_is_one_line_per_finding(self, run: Run) -> None:
        path = FAULTY / "history.json"
        assert run("check", FAULTY).stdout == (
            f"{path}:10:13: error[message-id-duplicate] this id is already the id of message 1\n"
        )

    def test_github_escapes_what_the_runner_would_read(self, run: Run, tmp_path: Path) -> None:
        folder = tmp_path / "50%, a:b"
        folder.mkdir()
        (folder / "history.json").write_bytes((FAULTY / "history.json").read_bytes())
        assert run("check", "--format", "github", "50%, a:b").stdout == (
            "::error file=50%25%2C a%3Ab/history.json,line=10,col=13,endColumn=17,"
            "title=message-id-duplicate%3A duplicate message id::this id is already the id of message 1\n"
        )

    def test_several_forms_in_one_run(self, run: Run, tmp_path: Path) -> None:
        done = run("check", FAULTY, "--format", "full", "--format", "json:r.json", "--format", "github:g.txt")
        assert done.stdout.startswith("error: duplicate message id  [message-id-duplicate]\n")
        assert json.loads((tmp_path / "r.json").read_bytes())["summary"]["errors"] == 1
        assert (tmp_path / "g.txt").read_text().startswith("::error ")

    def test_the_same_input_gives_the_same_bytes(self, run: Run) -> None:
        first, second = (run("check", FAULTY, WARNED, "--format", "json").stdout for _ in range(2))
        assert first == second

    def test_infos_are_hidden_from_people_and_stand_in_the_json(self, run: Run) -> None:
        document = '{"version": 1, "messages": [], "x_note": 1}'
        assert run("check", "-", input=document).stdout == ""
        assert "info[unknown-key]" in run("check", "--info", "-", input=document).stdout
        report = json.loads(run("check", "--format", "json", "-", input=document).stdout)
        assert [finding["rule"] for finding in report["files"][0]["findings"]] == ["unknown-key"]

    def test_people_see_a_limited_number_and_machines_everything(self, run: Run) -> None:
        message = {"id": "m", "role": "user", "content": "x"}
        document = json.dumps({"version": 1, "messages": [message] * 61})
        people = run("check", "-", "--max-findings", "7", input=document)
        assert people.stdout.count("\n") == 8
        assert people.stdout.endswith("not shown: message-id-duplicate (53); --max-findings shows more\n")
        assert people.stderr == "60 errors in 1 of 1 file\n"
        machine = run("check", "-", "--format", "github", "--max-findings", "7", input=document)
        assert machine.stdout.count("\n") == 60

    def test_quiet_says_nothing_on_stderr(self, run: Run) -> None:
        assert run("check", "-q", FAULTY).stderr == ""

    def test_colour_only_where_it_is_wanted(self, run: Run) -> None:
        assert "\x1b[" not in run("check", "--format", "full", FAULTY).stdout
        assert "\x1b[31m" in run("check", "--format", "full", FAULTY, FORCE_COLOR="1").stdout
        assert "\x1b[" not in run("check", "--format", "full", FAULTY, FORCE_COLOR="1", NO_COLOR="1").stdout

    def test_nothing_printed_is_wider_than_80_columns_but_paths(self, run: Run) -> None:
        out = run("check", "--format", "full", CASES / "document" / "many-faults").stdout
        assert max(len(line) for line in out.splitlines() if str(CASES) not in line) <= 80


class TestNothingIsLost:
    def test_a_report_is_never_written_over_what_is_checked(self, run: Run, tmp_path: Path) -> None:
        before = (VALID / "history.json").read_bytes()
        (tmp_path / "history.json").write_bytes(before)
        (tmp_path / "other-name").symlink_to("history.json")
        for target in ("history.json", "./history.json", "other-name"):
            done = run("check", ".", "--format", f"json:{target}")
            assert done.returncode == 2
            assert "over a file that is checked" in done.stderr
        assert (tmp_path / "history.json").read_bytes() == before

    def test_two_reports_are_never_written_to_one_file(self, run: Run) -> None:
        done = run("check", VALID, "--format", "json:a.out", "--format", "full:./a.out")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)

    def test_what_was_not_judged_cannot_be_wished_valid(self, run: Run) -> None:
        torn = '{"version": 1, "messages": ['
        assert run("check", "-", "--ignore", "json-truncated", input=torn).returncode == 1
        assert run("check", "-", "--select", "attachment-digest", input=torn).returncode == 1
        assert run("check", "-", "--warn", "json-truncated", input=torn).returncode == 1

    def test_one_rule_never_hides_another(self, run: Run) -> None:
        messages: list[dict[str, object]] = [
            {"id": f"m{n}", "role": "user", "content": n} for n in range(100)
        ]
        messages.append({"id": "m1", "role": "user", "content": " "})
        document = json.dumps({"version": 1, "messages": messages})
        for form in ("full", "concise"):
            out = run("check", "-", "--format", form, "--max-findings", "5", input=document).stdout
            for rule in ("schema-type", "message-id-duplicate", "message-blank"):
                assert rule in out
        full = run("check", "-", "--format", "full", input=document).stdout
        assert "error: wrong JSON type (100 times)  [schema-type]" in full
        assert "97 more: line 1 (message 4), " in full


class TestSecrets:
    """The word SECRET stands where a conversation could hold one; no form for people prints it."""

    DOCUMENTS = (
        # inside arguments, under a key that stops the pointer
        '{"version":1,"messages":[\n{"id":"m1","role":"assistant","content":"x","tool_calls":[{"id":"c1",'
        '"name":"x","arguments":\n {"id":"SECRET","name":"SECRET","k\\ud800":1}}]}\n]}',
        # a line that begins inside arguments
        '{"version":1,"messages":[{"id":"","role":"assistant","content":"x","tool_calls":[{"id":"c","name":"n",'
        '"arguments":{\n "id":"SECRET","role":"SECRET","name":"SECRET"},"id":""}]}]}',
        # members of other formats
        '{"version":1,"messages":[{"id":"m","role":"user","content":[{"type":"SECRET","name":"SECRET"}],'
        '"input":{"id":"SECRET"},"name":"SECRET","meta":{"file":"SECRET"}}]}',
        # keys of arguments
        '{"version":1,"messages":[{"id":"m","role":"assistant","content":"x","tool_calls":[{"id":"c","name":"n",'
        '"arguments":{"SECRET":"a\\u0000b","x":{"SECRET":99999999999999999999}}}]}]}',
        # a lost quote turns text into a key
        '{"version":1,"messages":[{"id":"m","role":"user","content":"x","a SECRET b":1}]}',
        # broken JSON
        '{"version":1,"messages":[{"id":"SECRET","role":"user","content":"he said "SECRET" twice"}]}',
        '{"version":1,"messages":[{"id":"m","role":"user","content":"a SECRET',
        '{"version":1,"messages":[{"id":"m","role":SECRET}]}',
        # ids that are no ids, and words that are none
        '{"version":"SECRET","messages":[{"id":"m","role":"SECRET IS","content":1,"kind":"SECRET"}]}',
    )

    @pytest.mark.parametrize("document", DOCUMENTS)
    @pytest.mark.parametrize("form", ["full", "concise", "github"])
    def test_are_not_printed(self, run: Run, document: str, form: str) -> None:
        done = run("check", "-", "--info", "--as", "history", "--format", form, input=document)
        assert done.returncode in (0, 1)
        assert done.stdout
        assert "SECRET" not in done.stdout + done.stderr

    def test_terminal_controls_are_escaped(self, run: Run, tmp_path: Path) -> None:
        folder = tmp_path / "a\x1b[31m\u202e\n::error::b"
        folder.mkdir()
        (folder / "history.json").write_text('{"version":1,"messages":[],"x\\u001b":1,"y":NaN}')
        for form in ("full", "concise", "github"):
            done = run("check", "-v", "--info", "--format", form, ".", folder)
            printed = done.stdout + done.stderr
            assert done.returncode == 1
            assert not any(character in printed for character in "\x1b\u202e")
            assert "\n::error::" not in printed


class TestStreams:
    """A stream that is closed or full gives one line or none, and never the code for "invalid"."""

    def shell(self, script: str) -> subprocess.CompletedProcess[str]:
        command = ["bash", "-c", script, sys.executable, str(VALID)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    @pytest.mark.parametrize("what", ['check --format json "$1"', "explain json-syntax", "rules"])
    def test_a_full_disk_is_one_line_and_exit_code_2(self, what: str) -> None:
        done = self.shell(f'"$0" -m convspec {what} >/dev/full')
        assert done.returncode == 2
        assert done.stderr.endswith("convspec: cannot write the output: No space left on device\n")
        assert "Traceback" not in done.stderr

    def test_a_full_stderr_changes_nothing(self) -> None:
        assert self.shell('"$0" -m convspec check "$1" 2>/dev/full').returncode == 0
        assert self.shell('"$0" -m convspec check --bad 2>/dev/full').returncode == 2

    def test_closed_streams_change_nothing(self) -> None:
        assert self.shell('"$0" -m convspec check "$1" >&-').returncode == 0
        assert self.shell('"$0" -m convspec check "$1" 2>&-').returncode == 0
        done = self.shell('"$0" -m convspec check - <&-')
        assert (done.returncode, "Traceback" in done.stderr) == (2, False)

    def test_an_encoding_that_lacks_characters_is_no_obstacle(self, run: Run) -> None:
        done = run("explain", "attachment-digest", PYTHONIOENCODING="ascii")
        assert (done.returncode, done.stderr) == (0, "")
        document = '{"version": 1, "messages": [], "é": 1}'
        report = run("check", "-", "--format", "json", input=document, PYTHONIOENCODING="latin-1").stdout
        assert json.loads(report)["files"][0]["findings"][0]["member"] == "é"


class TestTheRest:
    def test_a_closed_pipe_ends_quietly(self) -> None:
        script = '"$0" -m convspec check -q --format full "$1" | head -n 1; echo "${PIPESTATUS[0]}"'
        done = subprocess.run(
            ["bash", "-c", script, sys.executable, str(CASES)], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "141"
        assert done.stderr == ""

    def test_explain_prints_the_rule(self, run: Run) -> None:
        done = run("explain", "json-depth")
        assert done.returncode == 0
        for part in ("json-depth: ", "What", "Why", "What to do", "spec/history/#depth"):
            assert part in done.stdout

    def test_rules_lists_every_rule_once(self, run: Run) -> None:
        table, listed = run("rules").stdout, json.loads(run("rules", "--format", "json").stdout)
        ids = [rule["id"] for rule in listed["rules"]]
        assert [line.split()[0] for line in table.splitlines() if line.startswith("  ")] == ids

    def test_schema_prints_what_the_checkout_holds(self, run: Run) -> None:
        wanted = (ROOT / "schema/history/1.0/message.schema.json").read_text()
        assert run("schema", "history/1.0/message").stdout == wanted
        bundle = (ROOT / "schema/bundled/history-1.0.strict.schema.json").read_text()
        assert run("schema", "history", "--bundled", "--strict").stdout == bundle
        assert run("schema").stdout.splitlines()[0] == "conformance/1.0/answer"

    def test_version(self, run: Run) -> None:
        assert run("--version").stdout.startswith("convspec 0.")
