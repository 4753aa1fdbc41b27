"""`convspec conformance` as a person or a script meets it: forms of output, exit codes, odd adapters."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from small_corpora import (
    ALL,
    CHAIN,
    EVIL,
    INVALID,
    LINK,
    LOG,
    NEWER,
    SHOULD,
    UNREADABLE,
    VALID,
    YES,
    Done,
    document,
    one_line,
)

Run = Callable[..., Done]
Make = Callable[..., Path]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run the installed command in an empty folder."""
    (tmp_path / "cwd").mkdir()

    def _run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "convspec", "conformance", *map(str, arguments)],
            cwd=tmp_path / "cwd",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            env={**os.environ, "PYTHONWARNINGS": "error", **environment},
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    return _run


CHECK = shlex.join([sys.executable, "-m", "convspec", "check"])


class TestTable:
    def test_all_is_well(self, run: Run, corpus: Make) -> None:
        done = run("run", "--corpus", corpus(*ALL))
        lines = done.stdout.splitlines()
        assert (done.returncode, done.stderr) == (0, "7 of 7 cases passed\n")
        assert re.fullmatch(r"convspec \S+ \(Python\), specification 1\.0", lines[0])
        assert re.fullmatch(r"corpus of 7 cases, manifest [0-9a-f]{12}", lines[1])
        assert [line.split() for line in lines[3:]] == [
            ["cases", "verdict", "findings", "reading"],
            ["history/document", "2", "2", "2", "2"],
            ["history/attachments", "2", "2", "2", "2"],
            ["session/tree", "1", "1", "1", "1"],
            ["session/version", "1", "1", "1", "1"],
            ["session/bytes", "1", "1", "1", "1"],
            ["all", "7", "7", "7", "7"],
        ]

    def test_what_failed_is_told_with_its_clause(
        self, run: Run, corpus: Make, adapter: Callable[..., str]
    ) -> None:
        done = run("run", "--corpus", corpus(VALID, LOG), "--protocol", "--adapter", adapter(YES))
        assert (done.returncode, done.stderr) == (1, "1 of 2 cases passed, 1 failed\n")
        assert done.stdout.splitlines()[-4:] == [
            "Failed:",
            f"  {LOG}  (must, session.md#parents)",
            "      verdict valid, expected invalid",
            "      missing error parent-missing at line 4, '/parentId'",
        ]

    def test_what_was_left_out_is_counted_by_reason(
        self, run: Run, corpus: Make, adapter: Callable[..., str]
    ) -> None:
        command = adapter(YES, formats=["history"], abilities=["folder"])
        done = run("run", "--corpus", corpus(*ALL), "--protocol", "--adapter", command)
        assert done.stdout.splitlines()[-3:] == [
            "Left out:",
            "  3 cases: the adapter does not read the format session",
            "  1 case: the adapter lacks symlinks",
        ]
        assert done.stderr == "1 of 3 cases passed, 2 failed, 4 left out\n"

    def test_quiet_says_nothing_on_stderr(self, run: Run, corpus: Make) -> None:
        assert run("run", "-q", "--corpus", corpus(VALID)).stderr == ""

    def test_a_crash_is_told_with_the_end_of_its_complaints(
        self, run: Run, corpus: Make, adapter: Callable[..., str]
    ) -> None:
        command = adapter("print('oh\\nno', file=sys.stderr); os._exit(9)")
        done = run("run", "--corpus", corpus(VALID), "--protocol", "--adapter", command)
        assert done.returncode == 1
        assert done.stdout.splitlines()[-3:] == [
            "      crash: exited with 9",
            "      stderr: oh",
            "      stderr: no",
        ]


class TestJson:
    def test_it_fits_its_schema_and_counts_add_up(
        self, run: Run, corpus: Make, adapter: Callable[..., str], tmp_path: Path
    ) -> None:
        known = {"failures": [{"case": LOG, "reason": "no trees yet"}]}
        (tmp_path / "known.json").write_text(json.dumps(known))
        command = adapter(YES + "\n    if r['cmd'] == 'case' and r['seq'] == 3: os._exit(3)", abilities=[])
        done = run("run", "--corpus", corpus(*ALL), "--protocol", "--adapter", command, "--format", "json",
                   "--expect-failures", tmp_path / "known.json")  # fmt: skip
        assert done.returncode == 1
        value = document(done.stdout)
        told = {case["id"]: case["status"] for case in value["cases"]}
        assert told == {
            INVALID: "failed",
            SHOULD: "left-out",
            LOG: "known",
            NEWER: "failed",
            LINK: "left-out",
            UNREADABLE: "failed",
        }
        assert value["adapter"]["name"] == "fake"
        for counts in (value["summary"], *value["areas"]):
            statuses = [counts[key] for key in ("passed", "failed", "known", "left_out")]
            assert sum(statuses) == counts["cases"]
            for level in counts["levels"].values():
                assert sum(level.values()) == counts["cases"] - counts["left_out"]
        assert value["summary"]["cases"] == sum(area["cases"] for area in value["areas"]) == 7

    def test_complaints_stand_in_it(self, run: Run, corpus: Make, adapter: Callable[..., str]) -> None:
        command = adapter(YES + "\nsys.exit(5)")
        done = run("run", "--corpus", corpus(VALID), "--protocol", "--adapter", command, "--format", "json")
        assert done.returncode == 1
        assert document(done.stdout)["complaints"] == ["the adapter exited with 5"]
        assert done.stderr == "1 of 1 case passed, 1 complaint\n"

    def test_every_trouble_fits_the_schema(self, run: Run, corpus: Make, adapter: Callable[..., str]) -> None:
        command = adapter(
            "say(seq=r['seq'], failed='x') if r['seq'] == 1 else"
            " print('x', flush=True) if r['seq'] == 2 else"
            " time.sleep(60) if r['seq'] == 3 else os._exit(1)"
        )
        done = run("run", "--corpus", corpus(VALID, INVALID, LOG, NEWER), "--protocol", "--adapter", command,
                   "--format", "json", "--timeout", "1")  # fmt: skip
        troubles = [case["fault"]["trouble"] for case in document(done.stdout)["cases"]]
        assert troubles == ["crash", "bad-answer", "timeout", "crash"]

    def test_the_same_run_gives_the_same_bytes(
        self, run: Run, corpus: Make, adapter: Callable[..., str]
    ) -> None:
        folder, command = corpus(*ALL), adapter(YES)
        for form in ("json", "junit", "table"):
            arguments = ("run", "--corpus", folder, "--protocol", "--adapter", command, "--format", form)
            first, second = (run(*arguments) for _ in range(2))
            assert (first.stdout, first.stderr) == (second.stdout, second.stderr)


class TestJunit:
    def test_counts_add_up(self, run: Run, corpus: Make, adapter: Callable[..., str], tmp_path: Path) -> None:
        known = {"failures": [{"case": LOG, "reason": "no trees yet"}, {"case": VALID, "reason": "luck"}]}
        (tmp_path / "known.json").write_text(json.dumps(known))
        command = adapter(
            YES + " if r['seq'] != 5 else (print('oh', file=sys.stderr), os._exit(3))\nsys.exit(5)",
            abilities=[],
        )
        done = run("run", "--corpus", corpus(*ALL), "--protocol", "--adapter", command, "--format", "junit",
                   "--expect-failures", tmp_path / "known.json")  # fmt: skip
        root = ElementTree.fromstring(done.stdout)
        for element in (root, *root.findall("testsuite")):
            found = {
                "tests": len(element.findall(".//testcase")),
                "failures": len(element.findall(".//failure")),
                "errors": len(element.findall(".//error")),
                "skipped": len(element.findall(".//skipped")),
            }
            assert {key: int(element.attrib[key]) for key in found} == found, element.attrib
        assert {key: root.attrib[key] for key in ("tests", "failures", "errors", "skipped")} == {
            "tests": "7",
            "failures": "3",
            "errors": "1",
            "skipped": "3",
        }
        names = [case.attrib["classname"] + "." + case.attrib["name"] for case in root.iter("testcase")]
        assert sorted(names) == sorted(id.replace("/", ".") for id in ALL)
        assert root.find(".//error").attrib == {"message": "exited with 3", "type": "crash"}  # type: ignore[union-attr]
        assert root.findtext(".//system-err") == "oh\n"

    def test_complaints_are_a_case_of_their_own(
        self, run: Run, corpus: Make, adapter: Callable[..., str]
    ) -> None:
        command = adapter(YES + "\nsys.exit(5)")
        done = run("run", "--corpus", corpus(VALID), "--protocol", "--adapter", command, "--format", "junit")
        root = ElementTree.fromstring(done.stdout)
        assert (done.returncode, root.attrib["tests"], root.attrib["failures"]) == (1, "2", "1")
        failure = root.find("testsuite[@name='adapter']/testcase/failure")
        assert failure is not None
        assert failure.attrib["message"] == "the adapter exited with 5"


class TestPlainTier:
    def test_a_command_with_the_right_exit_codes_passes(self, run: Run, corpus: Make) -> None:
        done = run("run", "--corpus", corpus(*ALL), "--adapter", CHECK)
        assert (done.returncode, done.stderr) == (0, "7 of 7 cases passed\n")
        assert done.stdout.startswith(f"{Path(sys.executable).name}, plain tier\n")

    @pytest.mark.parametrize(("command", "passed"), [("true", 2), ("false", 3), ("sh -c 'exit 3'", 1)])
    def test_one_code_for_everything(self, run: Run, corpus: Make, command: str, passed: int) -> None:
        done = run(
            "run", "--corpus", corpus(VALID, SHOULD, INVALID, LOG, NEWER, UNREADABLE), "--adapter", command
        )
        assert (done.returncode, done.stderr) == (1, f"{passed} of 6 cases passed, {6 - passed} failed\n")

    def test_exit_code_2_each_time_is_complained_of(self, run: Run, corpus: Make) -> None:
        command = f"{sys.executable} {corpus()}/no-such-script.py"
        done = run("run", "--corpus", corpus(VALID, UNREADABLE), "--adapter", command)
        assert done.returncode == 1
        assert "ended with exit code 2 each time; is it the right one?; it said last: " in done.stdout

    def test_an_exception_nobody_caught_is_no_rejection(self, run: Run, corpus: Make) -> None:
        command = f"{sys.executable} -c 'raise RuntimeError'"
        done = run("run", "--corpus", corpus(INVALID), "--adapter", command)
        assert (done.returncode, done.stderr) == (1, "0 of 1 case passed, 1 failed\n")
        assert "crash: exited with 1 behind a stack trace" in done.stdout

    def test_a_crash_is_no_rejection(self, run: Run, corpus: Make) -> None:
        done = run("run", "--corpus", corpus(INVALID), "--adapter", "sh -c 'echo oh >&2; kill -SEGV $$'")
        assert done.returncode == 1
        assert "      crash: was ended by SIGSEGV\n" in done.stdout

    def test_one_that_hangs(self, run: Run, corpus: Make) -> None:
        done = run("run", "--corpus", corpus(VALID), "--adapter", "sh -c 'sleep 60'", "--timeout", "0.2")
        assert done.returncode == 1
        assert "      timeout: no end within 0.2 seconds\n" in done.stdout

    def test_its_output_is_not_shown(self, run: Run, corpus: Make) -> None:
        done = run("run", "--corpus", corpus(VALID), "--adapter", "sh -c 'echo secret; exit 0'")
        assert "secret" not in done.stdout + done.stderr

    def test_results_fit_their_schema(self, run: Run, corpus: Make) -> None:
        value = document(
            run("run", "--corpus", corpus(*ALL), "--adapter", "false", "--format", "json").stdout
        )
        assert value["adapter"] == {"tier": "plain", "name": "false", "levels": ["verdict"]}


class TestAdapters:
    @pytest.mark.parametrize("protocol", [(), ("--protocol",)], ids=["plain", "protocol"])
    @pytest.mark.parametrize(
        ("command", "text"),
        [
            ("", "the command is empty"),
            ("  ", "the command is empty"),
            ("say 'hello", "the command cannot be read: No closing quotation"),
            ("no-such-adapter --fast", "cannot be started: no-such-adapter: No such file or directory"),
            ("/", "cannot be started: /: Permission denied"),
            ("''", "cannot be started"),
            ("./a\x07b", "cannot be started: ./a\\u0007b: No such file or directory"),
        ],
    )
    def test_one_that_cannot_be_started(
        self, run: Run, corpus: Make, protocol: tuple[str, ...], command: str, text: str
    ) -> None:
        one_line(run("run", "--corpus", corpus(VALID, LOG), *protocol, "--adapter", command), text)

    @pytest.mark.parametrize(
        ("command", "text"),
        [
            ("true", "the adapter exited with 0"),
            ("false", "the adapter exited with 1"),
            ("cat", "did not introduce itself: the answer does not fit"),
            (
                "sh -c 'read line; echo hello; read line'",
                "did not introduce itself: the line is not one JSON value",
            ),
            (r"""sh -c 'printf "\033]0;owned\007\n" >&2; exit 3'""", "it said last: \\u001b]0;owned\\u0007"),
        ],
    )
    def test_one_that_does_not_introduce_itself(
        self, run: Run, corpus: Make, command: str, text: str
    ) -> None:
        one_line(run("run", "--corpus", corpus(VALID), "--protocol", "--adapter", command), text)

    def test_one_that_never_stops(self, run: Run, corpus: Make, adapter: Callable[..., str]) -> None:
        command = adapter(YES + "\ntime.sleep(60)")
        done = run("run", "--corpus", corpus(VALID), "--protocol", "--adapter", command, "--timeout", "2")
        assert done.returncode == 1
        assert done.stdout.endswith("\nComplaint: the adapter did not end within 2 seconds after stop\n")

    def test_one_that_answers_too_late_is_asked_anew(
        self, run: Run, corpus: Make, adapter: Callable[..., str]
    ) -> None:
        command = adapter(f"time.sleep(3 if r['seq'] == 1 else 0); {YES}")
        done = run("run", "--corpus", corpus(VALID, CHAIN), "--protocol", "--adapter", command,
                   "--timeout", "1")  # fmt: skip
        assert (done.returncode, done.stderr) == (1, "1 of 2 cases passed, 1 failed\n")
        assert "timeout: gave no answer within 1 seconds" in done.stdout

    def test_what_it_does_to_its_copy_harms_nobody(
        self, run: Run, corpus: Make, adapter: Callable[..., str]
    ) -> None:
        spoil = (
            "import shutil; folder = os.path.dirname(r['path']); os.chmod(folder, 0o700);"
            " shutil.rmtree(os.path.dirname(folder)) if r['seq'] == 1 else"
            " (os.mkdir(folder + '/d'), open(folder + '/d/f', 'w').close(), os.chmod(folder + '/d', 0)); "
        )
        folder = corpus(VALID, CHAIN)
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        done = run("run", "--corpus", folder, "--protocol", "--adapter", adapter(spoil + YES))
        assert (done.returncode, done.stderr) == (0, "2 of 2 cases passed\n")
        assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before

    def test_no_copy_is_left_behind(self, run: Run, corpus: Make, tmp_path: Path) -> None:
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        assert run("run", "--corpus", corpus(*ALL), TMPDIR=str(scratch)).returncode == 0
        assert list(scratch.iterdir()) == []

    def test_the_reference_imports_nothing_from_where_it_is_run(
        self, run: Run, corpus: Make, tmp_path: Path
    ) -> None:
        """`python -m` would. The command itself is run by that here, so only the adapter's part counts."""
        (tmp_path / "cwd" / "convspec").mkdir()
        marker = "open('imported', 'w').close()\n"
        (tmp_path / "cwd" / "base64.py").write_text(marker + "raise SystemExit(9)\n")
        (tmp_path / "cwd" / "convspec" / "__init__.py").write_text(marker)
        program = "import sys; sys.path.pop(0); from convspec.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", program, "conformance", "run", "--corpus", str(corpus(VALID))],
            cwd=tmp_path / "cwd",
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"1 of 1 case passed\n")
        assert not (tmp_path / "cwd" / "imported").exists()


class TestHostileAdapters:
    @pytest.fixture
    def evil(self, adapter: Callable[..., str]) -> str:
        """An adapter all of whose words would do harm to a terminal."""
        case = (
            f"evil = {EVIL!r}; sys.stderr.buffer.write(evil.encode('utf-8', 'surrogatepass')); "
            "sys.stderr.flush(); "
            "say(seq=r['seq'], verdict='invalid', reading={'tally': {evil: evil}}, findings="
            "[{'rule': evil, 'severity': 'error', 'line': 1, 'pointer': evil, 'member': evil}])"
            " if r['seq'] == 1 else say(seq=r['seq'], skipped=evil) if r['seq'] < 4 else"
            " say(seq=r['seq'], failed=evil) if r['seq'] == 4 else print(evil.encode('ascii', 'replace'))"
            " or os._exit(7)"
        )
        return adapter(case, name=EVIL, language=EVIL, version=EVIL, extra=EVIL, tier="plain",
                       levels=["verdict", "findings", "reading"])  # fmt: skip

    def test_nothing_raw_reaches_a_terminal(self, run: Run, corpus: Make, evil: str) -> None:
        done = run("run", "--corpus", corpus(*ALL), "--protocol", "--adapter", evil)
        assert done.returncode == 1
        assert "owned" in done.stdout
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", done.stdout + done.stderr)

    def test_json_holds_it_and_is_json(self, run: Run, corpus: Make, evil: str, tmp_path: Path) -> None:
        done = run(
            "run", "--corpus", corpus(*ALL), "--protocol", "--adapter", evil, "--format", "json:r.json"
        )
        assert done.returncode == 1
        text = (tmp_path / "cwd" / "r.json").read_bytes().decode()
        value = document(text)
        assert value["adapter"]["name"] == EVIL.replace("\ud800", "\ufffd")
        assert value["adapter"]["tier"] == "protocol"
        assert "extra" not in value["adapter"]
        assert "\x1b" not in text

    def test_junit_holds_it_and_is_xml(self, run: Run, corpus: Make, evil: str) -> None:
        done = run("run", "--corpus", corpus(*ALL), "--protocol", "--adapter", evil, "--format", "junit")
        assert "owned" in ElementTree.fromstring(done.stdout).attrib["name"]
        assert done.stdout.isascii()
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f]", done.stdout)

    def test_the_plain_tier_s_complaints_too(self, run: Run, corpus: Make) -> None:
        command = r"""sh -c 'printf "\033]0;owned\007" >&2; exit 9'"""
        done = run("run", "--corpus", corpus(VALID), "--adapter", command)
        assert "      stderr: \\u001b]0;owned\\u0007\n" in done.stdout

    def test_a_flood_is_cut(self, run: Run, corpus: Make, adapter: Callable[..., str]) -> None:
        flood = (
            "say(seq=r['seq'], verdict='valid', findings=[{'rule': 'x' * 900, 'severity': 'error',"
            " 'pointer': ''}] * 9000)"
        )
        done = run(
            "run", "--corpus", corpus(VALID), "--protocol", "--adapter", adapter(flood), "--format", "json"
        )
        assert len(done.stdout) < 200_000
        assert document(done.stdout)["cases"][0]["differences"][-1]["text"] == "and 8900 more differences"


class TestPlaces:
    def test_folders_that_cannot_be_written(self, run: Run, corpus: Make, tmp_path: Path) -> None:
        """A corpus in a read-only place is laid out all the same, and the copies are removed."""
        folder, scratch = corpus(LINK, SHOULD), tmp_path / "scratch"
        scratch.mkdir()
        below = [path for path in folder.rglob("*") if path.is_dir()]
        for path in below:
            path.chmod(0o555)
        try:
            done = run("run", "--corpus", folder, TMPDIR=str(scratch))
        finally:
            for path in below:
                path.chmod(0o755)
        assert (done.returncode, done.stderr) == (0, "2 of 2 cases passed\n")
        assert list(scratch.iterdir()) == []

    @pytest.mark.parametrize("folder", ["/proc", "/no/such/folder", "\x1b[2J"])
    def test_a_scratch_folder_that_cannot_be_used(self, run: Run, corpus: Make, folder: str) -> None:
        """Python looks for another one."""
        assert run("run", "--corpus", corpus(VALID), TMPDIR=folder).returncode == 0

    def test_results_that_cannot_be_written(self, run: Run, corpus: Make) -> None:
        if not os.path.exists("/dev/full"):
            pytest.skip("needs a device that is full")
        one_line(run("run", "-q", "--corpus", corpus(VALID), "--format", "json:/dev/full"), "cannot write")
