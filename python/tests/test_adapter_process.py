"""Adapters as real processes: whatever they do, an answer or a reason comes soon, nothing stays behind."""

from __future__ import annotations

import os
import signal
import stat
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from convspec.conformance.process import Command, Gone, Process, Silent, Unstartable, how
from convspec.conformance.protocol import LONGEST_ANSWER

SHORT = 0.3
"""How long nothing is waited for."""
PATIENT = 20.0
"""How long something is waited for that comes at once, on a machine that is not busy."""

Start = Callable[..., Process]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a Python program that can be spoken to. All are ended behind the test."""
    started: list[Process] = []

    def _start(program: str) -> Process:
        code = "import os, signal, subprocess, sys, time\n" + textwrap.dedent(program)
        started.append(Command((sys.executable, "-S", "-c", code)).start())
        return started[-1]

    yield _start
    for process in started:
        process.kill()


def once(program: str) -> Command:
    return Command((sys.executable, "-S", "-c", "import os, signal, sys, time\n" + textwrap.dedent(program)))


def took(what: Callable[[], object]) -> float:
    began = time.monotonic()
    what()
    return time.monotonic() - began


def eventually(holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENT
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.02)
    return False


def alive(pid: int) -> bool:
    """Say whether a process runs. One that ended and that nobody has asked about does not."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


on_linux = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="reads /proc")

ECHO = """
    for line in sys.stdin:
        print(line.upper(), end="", flush=True)
"""


class TestTalk:
    def test_line_by_line_and_a_good_end(self, start: Start) -> None:
        process = start(ECHO)
        for text in (b"one\n", b"two\n"):
            process.send(text)
            assert process.receive(PATIENT) == text.upper()
        assert process.ended(PATIENT) == ""

    def test_the_end_of_its_input_is_seen(self, start: Start) -> None:
        process = start("sys.exit(len(sys.stdin.read()))")
        process.send(b"12345\n")
        assert process.ended(PATIENT) == "exited with 6"

    def test_bytes_are_passed_as_they_are(self, start: Start) -> None:
        process = start(r"sys.stdout.buffer.write(b'\xff\x00\r\n'); sys.stdout.flush(); sys.stdin.read()")
        assert process.receive(PATIENT) == b"\xff\x00\r\n"

    def test_two_lines_are_two(self, start: Start) -> None:
        process = start("print('a\\nb', flush=True); sys.stdin.read()")
        assert [process.receive(PATIENT), process.receive(PATIENT)] == [b"a\n", b"b\n"]

    def test_a_line_of_the_longest_length_arrives(self, start: Start) -> None:
        process = start(f"print('x' * {LONGEST_ANSWER - 1}, flush=True); sys.stdin.read()")
        assert len(process.receive(PATIENT)) == LONGEST_ANSWER


class TestDeath:
    @pytest.mark.parametrize(
        ("program", "text"),
        [
            ("sys.exit(0)", "exited with 0"),
            ("sys.exit(7)", "exited with 7"),
            ("os.kill(os.getpid(), signal.SIGKILL)", "was ended by SIGKILL"),
            ("os.kill(os.getpid(), signal.SIGSEGV)", "was ended by SIGSEGV"),
        ],
    )
    def test_how_it_ended_is_told(self, start: Start, program: str, text: str) -> None:
        with pytest.raises(Gone) as raised:
            start(program).receive(PATIENT)
        assert str(raised.value) == text

    def test_an_answer_before_the_end_still_counts(self, start: Start) -> None:
        process = start("print('done', flush=True); sys.exit(3)")
        assert process.receive(PATIENT) == b"done\n"
        with pytest.raises(Gone, match="exited with 3"):
            process.receive(PATIENT)

    def test_a_line_that_is_cut_by_the_end_is_given_as_it_is(self, start: Start) -> None:
        assert start("sys.stdout.write('half'); sys.exit(3)").receive(PATIENT) == b"half"

    def test_speaking_to_one_that_is_gone(self, start: Start) -> None:
        process = start("sys.exit(5)")
        assert eventually(lambda: raises_gone(lambda: process.send(b"hello\n"), "exited with 5"))

    def test_the_dead_stay_dead(self, start: Start) -> None:
        process = start("sys.exit(4)")
        for _ in range(2):
            assert eventually(lambda: raises_gone(lambda: process.send(b"x\n"), "exited with 4"))

    def test_one_that_closes_its_output_and_goes_on(self, start: Start) -> None:
        process = start("os.close(1); time.sleep(60)")
        with pytest.raises(Gone, match="closed its output and went on"):
            process.receive(PATIENT)

    def test_one_that_closes_its_input_and_goes_on(self, start: Start) -> None:
        process = start("os.close(0); print('closed', flush=True); time.sleep(60)")
        assert process.receive(PATIENT) == b"closed\n"
        assert eventually(lambda: raises_gone(lambda: process.send(b"x\n"), "closed its output and went on"))

    @pytest.mark.parametrize(
        ("code", "text"),
        [(0, "exited with 0"), (-9, "was ended by SIGKILL"), (-63, "was ended by signal 63")],
    )
    def test_words_for_a_code(self, code: int, text: str) -> None:
        assert how(code) == text


def raises_gone(act: Callable[[], object], text: str) -> bool:
    try:
        act()
    except Gone as gone:
        return str(gone) == text
    return False


class TestSilence:
    @pytest.mark.parametrize(
        "program",
        [
            "time.sleep(60)",
            "sys.stdout.write('no line feed'); sys.stdout.flush(); time.sleep(60)",
            "signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
            "time.sleep(60)",
            "sys.stdin.close(); time.sleep(60)",
        ],
        ids=["hangs", "half a line", "ignores signals", "closes its input"],
    )
    def test_it_is_waited_for_no_longer_than_said_and_ended_at_once(self, start: Start, program: str) -> None:
        process = start(program)

        def listen() -> None:
            with pytest.raises(Silent):
                process.receive(SHORT)

        assert SHORT <= took(listen) < PATIENT
        assert took(process.kill) < PATIENT

    def test_one_that_never_reads_can_be_spoken_to(self, start: Start) -> None:
        """A request is far shorter than what a pipe takes; and one is sent at a time."""
        process = start("time.sleep(60)")
        process.send(b"x" * 4000 + b"\n")
        with pytest.raises(Silent):
            process.receive(SHORT)

    def test_one_that_does_not_end_when_it_should(self, start: Start) -> None:
        with pytest.raises(Silent):
            start("sys.stdin.read(); time.sleep(60)").ended(SHORT)

    def test_one_that_goes_on_though_its_output_is_closed(self, start: Start) -> None:
        with pytest.raises(Silent):
            start("sys.stdin.read(); os.close(1); time.sleep(60)").ended(SHORT)

    def test_one_that_talks_after_the_end(self, start: Start) -> None:
        process = start("sys.stdin.read(); print('one more', flush=True)")
        assert process.ended(PATIENT) == "wrote more than it was asked for"

    def test_killing_twice_does_no_harm(self, start: Start) -> None:
        process = start("time.sleep(60)")
        process.kill()
        process.kill()
        assert process.stderr() == ""


class TestFloods:
    def test_of_output_without_a_line_feed_takes_bounded_memory(self, start: Start) -> None:
        """No more is read ahead than is wanted: two lines' worth, whatever is written."""
        process = start("while True: os.write(1, b'x' * 65536)")
        assert len(process.receive(PATIENT)) == LONGEST_ANSWER + 1
        before = resident()
        time.sleep(SHORT)
        assert resident() - before < 4 * LONGEST_ANSWER
        assert took(process.kill) < PATIENT

    def test_of_lines_does_not_block_the_end(self, start: Start) -> None:
        process = start("while True: os.write(1, b'x\\n' * 30000)")
        assert process.receive(PATIENT) == b"x\n"
        assert took(process.kill) < PATIENT

    def test_of_complaints_is_read_and_its_end_is_kept(self, start: Start) -> None:
        process = start(
            "for number in range(20000): print('complaint', number, file=sys.stderr)\n"
            "print('done', flush=True); sys.stdin.read()"
        )
        assert process.receive(PATIENT) == b"done\n"
        assert process.ended(PATIENT) == ""
        assert process.stderr().endswith("complaint 19999\n")
        assert len(process.stderr()) <= 4096

    def test_of_complaints_in_one_line(self, start: Start) -> None:
        process = start("os.write(2, b'y' * 3_000_000 + b'z'); print('done', flush=True); sys.stdin.read()")
        assert process.receive(PATIENT) == b"done\n"
        assert process.ended(PATIENT) == ""
        assert process.stderr() == "y" * 4095 + "z"

    def test_last_words_are_heard_though_it_is_ended_at_once(self, start: Start) -> None:
        for _ in range(10):
            process = start("os.write(2, b'x\\n' * 20000 + b'last words'); os._exit(9)")
            with pytest.raises(Gone):
                process.receive(PATIENT)
            process.kill()
            assert process.stderr().endswith("\nlast words")

    def test_complaints_that_are_no_text(self, start: Start) -> None:
        process = start(r"os.write(2, b'\xff\x00oh'); sys.stdin.read()")
        assert process.ended(PATIENT) == ""
        assert process.stderr() == "\\xff\x00oh"


def resident() -> int:
    """Bytes of memory that this process has now."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


CHILD = "child = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(120)']{})\n"


@on_linux
class TestWhatItStarted:
    def test_is_ended_with_it(self, start: Start) -> None:
        process = start(CHILD.format("") + "print(child.pid, flush=True); time.sleep(60)")
        pid = int(process.receive(PATIENT))
        assert alive(pid)
        process.kill()
        assert eventually(lambda: not alive(pid))

    def test_is_ended_though_it_is_gone_itself(self, start: Start) -> None:
        process = start(CHILD.format("") + "print(child.pid, flush=True)")
        pid = int(process.receive(PATIENT))
        process.kill()
        assert eventually(lambda: not alive(pid))

    def test_may_hold_the_pipes_and_is_told_of(self, start: Start) -> None:
        process = start(CHILD.format("") + "print(child.pid, flush=True); sys.stdin.read()")
        pid = int(process.receive(PATIENT))
        said: list[str] = []

        def end() -> None:
            said.append(process.ended(2.0))

        assert took(end) < PATIENT
        assert said == ["left a process behind that holds its output open"]
        process.kill()
        assert eventually(lambda: not alive(pid))

    def test_may_have_left_the_group_and_holds_nobody_up(self, start: Start) -> None:
        process = start(CHILD.format(", start_new_session=True") + "print(child.pid, flush=True)")
        pid = int(process.receive(PATIENT))
        try:
            with pytest.raises(Silent):
                process.receive(SHORT)
            assert took(process.kill) < PATIENT
        finally:
            os.kill(pid, signal.SIGKILL)
        assert eventually(lambda: not readers())
        process.kill()  # closes the pipes, now that nobody holds them

    def test_may_flood_the_pipes_when_nobody_listens_any_more(self, start: Start, tmp_path: Path) -> None:
        note = tmp_path / "pid"
        flood = "import os\nwhile True: os.write(1, b'x\\n'); os.write(2, b'x\\n')"
        process = start(
            f"child = subprocess.Popen([sys.executable, '-S', '-c', {flood!r}], start_new_session=True)\n"
            f"open({str(note)!r}, 'w').write(str(child.pid))"
        )
        assert process.receive(PATIENT) == b"x\n"
        process.kill()
        assert eventually(lambda: not readers())
        process.kill()  # now that nobody reads, the pipes are closed, and the flood ends
        assert eventually(lambda: not alive(int(note.read_text())))


def readers() -> list[str]:
    """Threads that still read from a process."""
    return [thread.name for thread in threading.enumerate() if "_read_" in thread.name]


class TestRunOnce:
    @pytest.mark.parametrize("code", [0, 1, 2, 3, 77])
    def test_the_exit_code_is_given(self, code: int) -> None:
        assert once(f"sys.exit({code})").run("x", PATIENT) == (code, "")

    def test_a_signal_is_negative(self) -> None:
        assert once("os.kill(os.getpid(), signal.SIGKILL)").run("x", PATIENT)[0] == -signal.SIGKILL

    def test_the_path_is_the_last_word(self) -> None:
        path = "a b'\"$(x)\n\\é"
        assert once(f"sys.exit(sys.argv[1:] == [{path!r}])").run(path, PATIENT)[0] == 1

    def test_it_gets_no_input_and_its_output_is_not_kept(self) -> None:
        command = once("sys.stdout.write('x' * 1_000_000); sys.exit(len(sys.stdin.read()))")
        assert command.run("x", PATIENT) == (0, "")

    def test_what_it_complains_of_is_kept(self) -> None:
        assert once("print('oh', file=sys.stderr); sys.exit(9)").run("x", PATIENT) == (9, "oh\n")

    def test_a_flood_of_complaints_does_not_block_it(self) -> None:
        code, text = once("os.write(2, b'x' * 3_000_000); sys.exit(4)").run("x", PATIENT)
        assert (code, text) == (4, "x" * 4096)

    def test_one_that_hangs_is_ended(self) -> None:
        def hang() -> None:
            with pytest.raises(Silent):
                once("signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)").run("x", SHORT)

        assert took(hang) < PATIENT

    @on_linux
    def test_what_it_leaves_behind_is_ended(self, tmp_path: Path) -> None:
        note = tmp_path / "pid"
        program = (
            "import subprocess\n" + CHILD.format("") + f"open({str(note)!r}, 'w').write(str(child.pid))\n"
        )
        assert once(program).run("x", PATIENT)[0] == 0
        assert eventually(lambda: not alive(int(note.read_text())))


class TestCannotStart:
    @pytest.mark.parametrize("spoken", [True, False])
    @pytest.mark.parametrize(
        ("word", "reason"),
        [
            ("no-such-program-anywhere", "No such file or directory"),
            ("./missing", "No such file or directory"),
            ("", ""),
            ("a\0b", "embedded null byte"),
        ],
    )
    def test_what_is_not_there(self, word: str, reason: str, spoken: bool) -> None:
        command = Command((word, "x"))
        with pytest.raises(Unstartable) as raised:
            command.start() if spoken else command.run("y", PATIENT)
        assert str(raised.value).startswith(f"{word}: ")
        assert reason in str(raised.value)

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(Unstartable, match="Permission denied"):
            Command((str(tmp_path),)).start()

    def test_a_file_that_may_not_be_run(self, tmp_path: Path) -> None:
        path = tmp_path / "tool"
        path.write_text("#!/bin/sh\n")
        with pytest.raises(Unstartable, match="Permission denied"):
            Command((str(path),)).start()

    def test_a_file_that_is_no_program(self, tmp_path: Path) -> None:
        path = tmp_path / "tool"
        path.write_bytes(b"\x00\x01\x02")
        path.chmod(stat.S_IRWXU)
        with pytest.raises(Unstartable, match="Exec format error"):
            Command((str(path),)).start()

    def test_an_interpreter_that_is_missing(self, tmp_path: Path) -> None:
        path = tmp_path / "tool"
        path.write_text("#!/no/such/interpreter\n")
        path.chmod(stat.S_IRWXU)
        with pytest.raises(Unstartable, match="No such file"):
            Command((str(path),)).start()

    def test_a_path_that_is_too_long(self) -> None:
        with pytest.raises(Unstartable):
            once("").run("x" * 3_000_000, PATIENT)
