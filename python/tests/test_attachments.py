"""Attachments on a real disk: what is opened, what never is, and what is said of each."""

from __future__ import annotations

import errno
import hashlib
import os
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import convspec
from convspec import media, regular
from convspec.findings import FileReport
from convspec.history.folder import _CHUNK as CHUNK
from inputs import history, rules, user

SECRET = b"a secret outside the folder"
BYTES = b"flour, salt\n"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def stored(file: Any, data: bytes = BYTES, **members: Any) -> dict[str, Any]:
    """Return an attachment that is stored under a path."""
    return {"mime": "text/plain", "filename": "a.txt", "file": file, "sha256": digest(data), **members}


def referring(*files: Any, data: bytes = BYTES) -> bytes:
    """Return a history that refers to files which all should hold the same bytes."""
    return history(user("m1", attachments=[stored(file, data) for file in files]))


class Home:
    """A folder with a history and attachments, and a file outside that nobody may read."""

    def __init__(self, root: Path) -> None:
        self.outside = root / "outside"
        self.outside.mkdir()
        self.secret = self.outside / "secret.txt"
        self.secret.write_bytes(SECRET)
        self.path = root / "home"
        self.attachments = self.path / "attachments"
        self.attachments.mkdir(parents=True)
        (self.attachments / "a.txt").write_bytes(BYTES)

    def check(self, *files: Any, data: bytes = BYTES) -> FileReport:
        """Check a history in this folder that refers to `files`."""
        (self.path / "history.json").write_bytes(referring(*files, data=data))
        return convspec.check(self.path)

    def told(self, *files: Any, data: bytes = BYTES) -> list[tuple[str, str | None]]:
        """Return rule and pointer of each finding, files without a reference left out."""
        report = self.check(*files, data=data)
        return [(f.rule, f.pointer) for f in report.findings if f.rule != "attachment-unreferenced"]


@pytest.fixture(params=["by descriptor", "by path"])
def home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home, once where the system can look up names in an open folder, once where it cannot."""
    if request.param == "by path":
        monkeypatch.setattr(regular, "_AT", False)
    return Home(tmp_path)


@pytest.fixture(autouse=True)
def _descriptors() -> Iterator[None]:
    """Every test leaves as many open descriptors as it found."""
    if not Path("/proc/self/fd").is_dir():
        yield
        return
    before = len(os.listdir("/proc/self/fd"))
    yield
    assert len(os.listdir("/proc/self/fd")) == before


class Opened:
    """What `os.open` gave out: for each call the name, and what the descriptor really is."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names: list[str] = []
        self.real: list[Path] = []
        self.kinds: list[int] = []
        self._open = os.open
        monkeypatch.setattr(os, "open", self)

    def __call__(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        self.names.append(os.path.basename(path))
        descriptor = self._open(path, flags, mode, dir_fd=dir_fd)
        self.real.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")))
        self.kinds.append(stat.S_IFMT(os.fstat(descriptor).st_mode))
        return descriptor


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(), reason="needs /proc to see what was opened"
)
any_bytes = pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="names on disk are text here")


def file_of(pointer: str = "0") -> str:
    return f"/messages/0/attachments/{pointer}/file"


class TestWhatIsThere:
    def test_a_regular_file_with_its_digest_is_sound(self, home: Home) -> None:
        report = home.check("attachments/a.txt")
        assert rules(report) == []
        assert report.tally == {"messages": 1, "attachments": 1, "attachment_bytes": len(BYTES)}

    def test_a_file_that_is_not_there_is_missing(self, home: Home) -> None:
        assert home.told("attachments/b.txt") == [("attachment-missing", file_of())]

    def test_without_the_folder_every_file_is_missing(self, home: Home) -> None:
        (home.attachments / "a.txt").unlink()
        home.attachments.rmdir()
        assert home.told("attachments/a.txt", "attachments/b.txt") == [
            ("attachment-missing", file_of("0")),
            ("attachment-missing", file_of("1")),
        ]

    def test_other_bytes_have_another_digest(self, home: Home) -> None:
        assert home.told("attachments/a.txt", data=b"others") == [
            ("attachment-digest", "/messages/0/attachments/0/sha256")
        ]

    def test_a_file_without_bytes_is_empty(self, home: Home) -> None:
        (home.attachments / "a.txt").write_bytes(b"")
        assert home.told("attachments/a.txt", data=b"") == [("attachment-empty", file_of())]

    @pytest.mark.parametrize("size", [8, 16, 17, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK])
    def test_files_of_any_size_are_read_whole(self, home: Home, size: int) -> None:
        data = b"\x89PNG\r\n\x1a\n" + b"x" * (size - 8)
        (home.attachments / "a.txt").write_bytes(data)
        assert home.told("attachments/a.txt", data=data) == [
            ("attachment-media-mismatch", "/messages/0/attachments/0/mime")
        ]
        report = home.check("attachments/a.txt", data=data)
        assert report.tally == {"messages": 1, "attachments": 1, "attachment_bytes": len(data)}

    def test_files_without_a_reference_are_listed_by_name(self, home: Home) -> None:
        for name in ("b.txt", "Z", "\u00e4", ".hidden"):
            (home.attachments / name).write_bytes(b"x")
        (home.attachments / "folder").mkdir()
        (home.attachments / "folder" / "c").write_bytes(b"x")
        (home.attachments / "link").symlink_to("a.txt")
        os.mkfifo(home.attachments / "fifo")
        found = [(f.rule, f.pointer, f.target) for f in home.check("attachments/b.txt").findings]
        assert [entry for entry in found if entry[0] == "attachment-unreferenced"] == [
            ("attachment-unreferenced", None, f"attachments/{name}")
            for name in (".hidden", "Z", "a.txt", "\u00e4")
        ]

    def test_a_reference_with_a_bad_path_still_refers(self, home: Home) -> None:
        for name in ("C:x", "a\\b"):
            (home.attachments / name).write_bytes(b"x")
        report = home.check("attachments/C:x", "attachments/a\\b", "attachments/a.txt")
        assert rules(report) == ["attachment-path", "attachment-path"]

    @any_bytes
    def test_a_name_that_is_no_text_on_disk_is_listed_all_the_same(self, home: Home) -> None:
        (home.attachments / os.fsdecode(b"\xff")).write_bytes(b"x")
        report = home.check("attachments/a.txt")
        assert [(f.rule, f.target) for f in report.findings] == [
            ("attachment-unreferenced", "attachments/\udcff")
        ]


class TestLinksAndOtherThings:
    """A target that would be read has the right digest, so that reading it would show."""

    @pytest.mark.parametrize(
        "target", ["../../outside/secret.txt", "a.txt", "nothing", "../attachments", "b.txt", "."]
    )
    def test_a_link_is_refused_wherever_it_leads(self, home: Home, target: str) -> None:
        (home.attachments / "b.txt").symlink_to(target)
        assert home.told("attachments/b.txt", data=SECRET) == [("attachment-symlink", file_of())]
        assert home.told("attachments/b.txt") == [("attachment-symlink", file_of())]

    def test_a_link_with_an_absolute_target_is_refused(self, home: Home) -> None:
        (home.attachments / "b.txt").symlink_to(home.secret)
        assert home.told("attachments/b.txt", data=SECRET) == [("attachment-symlink", file_of())]

    def test_a_folder_a_fifo_a_socket_and_a_device_are_refused(
        self, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (home.attachments / "folder").mkdir()
        os.mkfifo(home.attachments / "fifo")
        monkeypatch.chdir(home.attachments)  # a socket's path may not be long
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("socket")
        names = ["folder", "fifo", "socket"]
        try:
            os.mknod(home.attachments / "device", stat.S_IFCHR | 0o600, os.makedev(1, 3))
            names.append("device")
        except OSError:
            pass  # only root may
        assert home.told(*(f"attachments/{name}" for name in names)) == [
            ("attachment-symlink", file_of(str(index))) for index in range(len(names))
        ]

    @pytest.mark.parametrize("kind", ["link", "dangling", "loop", "file", "fifo"])
    def test_in_place_of_the_folder_nothing_else_will_do(self, home: Home, kind: str) -> None:
        home.attachments.rename(home.outside / "moved")
        match kind:
            case "link":
                home.attachments.symlink_to(home.outside / "moved")
            case "dangling":
                home.attachments.symlink_to("nothing")
            case "loop":
                home.attachments.symlink_to("attachments")
            case "file":
                home.attachments.write_bytes(b"")
            case "fifo":
                os.mkfifo(home.attachments)
        assert home.told("attachments/a.txt", "attachments/b.txt") == [
            ("attachment-symlink", file_of("0")),
            ("attachment-symlink", file_of("1")),
        ]
        assert [f.target for f in home.check().findings] == []


OUTSIDE = [
    *("/etc/hostname", "//etc/hostname", "../outside/secret.txt", "attachments/../../outside/secret.txt"),
    *(
        "attachments/..",
        "attachments/.",
        "attachments/",
        "attachments",
        "/",
        ".",
        "..",
        "./attachments/a.txt",
    ),
    *("attachments//a.txt", "attachments/./a.txt", "attachments/b/../a.txt", "attachments/folder/c", "a.txt"),
    *("Attachments/a.txt", "attachments\\a.txt", "attachments/..\\..\\x", "attachments/b\\c", "history.json"),
    *(
        "attachments/C:",
        "attachments/c:a.txt",
        "C:\\a.txt",
        "C:/a.txt",
        "attachments/a.txt/",
        " attachments/a.txt",
    ),
    *("attachments/a.txt\0", "attachments/\0", "\0", "attachments/a.txt\0.png", "file:///etc/hostname", "~"),
    *(
        "\uff0fattachments/a.txt",
        "attachments\u2215a.txt",
        "attachments/../attachments/a.txt",
        "attachments/../x",
    ),
]


class TestPaths:
    @needs_proc
    @pytest.mark.parametrize("file", OUTSIDE)
    def test_a_path_that_is_not_one_name_is_refused_unopened(
        self, home: Home, file: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (home.attachments / "folder").mkdir()
        (home.attachments / "folder" / "c").write_bytes(SECRET)
        (home.path / "history.json").write_bytes(referring(file, data=SECRET))
        opened = Opened(monkeypatch)
        report = convspec.check(home.path)
        assert [(f.rule, f.pointer) for f in report.findings if f.pointer] == [("attachment-path", file_of())]
        assert [path for path in opened.real if path.is_file()] == [home.path / "history.json"]

    @pytest.mark.parametrize(
        "name",
        [
            "a.txt",
            "...",
            ".a",
            "..a",
            "a..",
            " ",
            "a b",
            "~",
            "-",
            "*",
            "%2e%2e",
            "\u00e4",
            "1:",
            "ab:c",
            "\u00e4:",
            "\n",
        ],
    )
    def test_any_other_name_will_do(self, home: Home, name: str) -> None:
        (home.attachments / name).write_bytes(BYTES)
        assert home.told(f"attachments/{name}") == []

    def test_a_name_too_long_cannot_exist(self, home: Home) -> None:
        files = [f"attachments/{'n' * length}" for length in (255, 256, 5_000, 100_000)]
        assert home.told(*files) == [("attachment-missing", file_of(str(index))) for index in range(4)]

    @any_bytes
    @needs_proc
    def test_half_a_surrogate_cannot_be_a_name_and_nothing_is_looked_up(
        self, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (home.attachments / os.fsdecode(b"\xff")).write_bytes(BYTES)
        opened = Opened(monkeypatch)
        assert home.told("attachments/\udcff") == [
            ("attachment-missing", file_of()),
            ("text-surrogate", file_of()),
        ]
        assert opened.names.count("\udcff") == 0

    @needs_proc
    def test_nothing_outside_and_nothing_but_folders_and_regular_files_is_ever_opened(
        self, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (home.attachments / "link").symlink_to(home.secret)
        (home.attachments / "inner").symlink_to("a.txt")
        (home.attachments / "null").symlink_to("/dev/null")
        (home.attachments / "folder").mkdir()
        os.mkfifo(home.attachments / "fifo")
        names = ["link", "inner", "null", "folder", "fifo", "missing", "a.txt"]
        (home.path / "history.json").write_bytes(
            referring(*(f"attachments/{name}" for name in names), *OUTSIDE)
        )
        opened = Opened(monkeypatch)
        report = convspec.check(home.path)
        found = [f.rule for f in report.findings]
        assert found == ["attachment-symlink"] * 5 + ["attachment-missing"] + ["attachment-path"] * len(
            OUTSIDE
        )
        assert set(opened.real) <= {
            home.path,
            home.attachments,
            home.path / "history.json",
            home.attachments / "a.txt",
        }
        assert set(opened.kinds) <= {stat.S_IFREG, stat.S_IFDIR}
        assert opened.names.count("a.txt") == 1


class TestSwapsInBetween:
    """Somebody changes the folder between the question what a name is and its opening."""

    @pytest.fixture
    def swapping(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Callable[[], None]], Opened]:
        def install(name: str, swap: Callable[[], None]) -> Opened:
            opened = Opened(monkeypatch)
            real, done = opened._open, []

            def swapped(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
                if os.path.basename(path) == name and not done:
                    done.append(True)
                    swap()
                return real(path, flags, mode, dir_fd=dir_fd)

            opened._open = swapped
            return opened

        return install

    @needs_proc
    def test_a_file_swapped_for_a_link_is_not_followed(
        self, home: Home, swapping: Callable[[str, Callable[[], None]], Opened]
    ) -> None:
        def swap() -> None:
            (home.attachments / "a.txt").unlink()
            (home.attachments / "a.txt").symlink_to(home.secret)

        opened = swapping("a.txt", swap)
        told = home.told("attachments/a.txt", data=SECRET)
        assert told in ([("attachment-symlink", file_of())], [("attachment-unreadable", file_of())])
        assert (home.attachments / "a.txt").is_symlink()
        assert home.secret not in opened.real

    @needs_proc
    @pytest.mark.parametrize("kind", ["fifo", "folder"])
    def test_a_file_swapped_for_something_else_is_not_read_and_nothing_hangs(
        self, home: Home, kind: str, swapping: Callable[[str, Callable[[], None]], Opened]
    ) -> None:
        def swap() -> None:
            (home.attachments / "a.txt").unlink()
            os.mkfifo(home.attachments / "a.txt") if kind == "fifo" else (home.attachments / "a.txt").mkdir()

        swapping("a.txt", swap)
        assert home.told("attachments/a.txt") == [("attachment-symlink", file_of())]

    @needs_proc
    def test_a_file_that_goes_away_is_missing(
        self, home: Home, swapping: Callable[[str, Callable[[], None]], Opened]
    ) -> None:
        swapping("a.txt", (home.attachments / "a.txt").unlink)
        assert home.told("attachments/a.txt") == [("attachment-missing", file_of())]

    @needs_proc
    @pytest.mark.skipif(not regular._AT, reason="needs a system that looks up names in an open folder")
    def test_the_folder_swapped_for_a_link_is_not_followed(
        self, tmp_path: Path, swapping: Callable[[str, Callable[[], None]], Opened]
    ) -> None:
        home = Home(tmp_path)
        (home.outside / "a.txt").write_bytes(SECRET)

        def swap() -> None:
            home.attachments.rename(home.path / "before")
            home.attachments.symlink_to(home.outside)

        opened = swapping("attachments", swap)
        told = home.told("attachments/a.txt", data=SECRET)
        assert told in ([("attachment-symlink", file_of())], [("attachment-unreadable", file_of())])
        assert home.outside / "a.txt" not in opened.real

    @needs_proc
    @pytest.mark.skipif(not regular._AT, reason="needs a system that looks up names in an open folder")
    def test_the_folder_moved_away_while_it_is_read_stays_the_folder(
        self, tmp_path: Path, swapping: Callable[[str, Callable[[], None]], Opened]
    ) -> None:
        home = Home(tmp_path)
        (home.outside / "a.txt").write_bytes(SECRET)

        def swap() -> None:
            home.attachments.rename(home.path / "before")
            home.attachments.symlink_to(home.outside)

        swapping("a.txt", swap)
        assert home.told("attachments/a.txt") == []

    def test_a_document_swapped_for_a_fifo_is_not_read_and_nothing_hangs(
        self, tmp_path: Path, swapping: Callable[[str, Callable[[], None]], Opened]
    ) -> None:
        home = Home(tmp_path)

        def swap() -> None:
            (home.path / "history.json").unlink()
            os.mkfifo(home.path / "history.json")

        swapping("history.json", swap)
        report = home.check()
        assert rules(report) == ["file-unreadable"]
        assert report.tally is None


class TestTheSystemRefuses:
    def refusing(self, monkeypatch: pytest.MonkeyPatch, name: str, number: int) -> None:
        real = os.open

        def refused(path: Any, *arguments: Any, **named: Any) -> int:
            if os.path.basename(path) == name:
                raise OSError(number, os.strerror(number), path)
            return real(path, *arguments, **named)

        monkeypatch.setattr(os, "open", refused)

    @pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.EIO, errno.EMFILE, errno.ELOOP])
    def test_to_give_an_attachment(self, home: Home, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
        self.refusing(monkeypatch, "a.txt", number)
        report = home.check("attachments/a.txt")
        assert [(f.rule, f.pointer) for f in report.findings] == [("attachment-unreadable", file_of())]
        assert os.strerror(number) in report.findings[0].message

    def test_to_give_the_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.refusing(monkeypatch, "attachments", errno.EACCES)
        assert Home(tmp_path).told("attachments/a.txt", "attachments/b.txt") == [
            ("attachment-unreadable", file_of("0")),
            ("attachment-unreadable", file_of("1")),
        ]

    @pytest.mark.parametrize("number", [errno.EACCES, errno.EIO, errno.EMFILE])
    def test_to_give_the_document(self, home: Home, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
        self.refusing(monkeypatch, "history.json", number)
        report = home.check("attachments/a.txt")
        assert rules(report) == ["file-unreadable"]
        assert os.strerror(number) in report.findings[0].message
        assert (report.verdict.value, report.tally) == ("unreadable", None)

    @pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
    def test_by_the_mode_of_the_file(self, home: Home) -> None:
        (home.attachments / "a.txt").chmod(0)
        assert home.told("attachments/a.txt") == [("attachment-unreadable", file_of())]

    def test_to_look_at_an_attachment(self, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
        def refused(*_: Any) -> None:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        monkeypatch.setattr(regular.Inside, "_refuse_unless", refused)
        assert home.told("attachments/a.txt") == [("attachment-unreadable", file_of())]

    @needs_proc
    @pytest.mark.parametrize("which", ["attachment", "document"])
    def test_in_the_middle_of_reading(self, home: Home, monkeypatch: pytest.MonkeyPatch, which: str) -> None:
        real = os.fdopen

        class Broken:
            def __init__(self, descriptor: int) -> None:
                self.descriptor = descriptor
                self.parts = [b"x" * 10]

            def __enter__(self) -> Broken:
                return self

            def __exit__(self, *_: object) -> None:
                os.close(self.descriptor)

            def read(self, size: int = -1) -> bytes:
                if size < 0 or not self.parts:
                    raise OSError(errno.EIO, os.strerror(errno.EIO))
                return self.parts.pop()

        def opened(descriptor: int, *arguments: Any) -> Any:
            name = os.path.basename(os.readlink(f"/proc/self/fd/{descriptor}"))
            if (name == "a.txt") == (which == "attachment"):
                return Broken(descriptor)
            return real(descriptor, *arguments)

        monkeypatch.setattr(os, "fdopen", opened)
        expected = {
            "attachment": [("attachment-unreadable", file_of())],
            "document": [("file-unreadable", None)],
        }
        assert home.told("attachments/a.txt") == expected[which]

    def test_to_list_the_folder(self, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
        def refused(_: object) -> None:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        (home.attachments / "b.txt").write_bytes(b"")
        monkeypatch.setattr(os, "scandir", refused)
        assert rules(home.check("attachments/a.txt")) == []


class TestEachFileOnce:
    @needs_proc
    def test_a_file_referred_to_a_thousand_times_is_read_once(
        self, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        opened = Opened(monkeypatch)
        report = home.check(*["attachments/a.txt"] * 1_000)
        assert rules(report) == []
        assert opened.names.count("a.txt") == 1
        assert report.tally == {
            "messages": 1,
            "attachments": 1_000,
            "attachment_bytes": 1_000 * len(BYTES),
        }

    @needs_proc
    def test_the_folder_is_opened_once_also_where_it_is_not_there(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        home = Home(tmp_path)
        home.attachments.rename(home.path / "elsewhere")
        opened = Opened(monkeypatch)
        assert rules(home.check(*["attachments/a.txt"] * 1_000)) == ["attachment-missing"] * 1_000
        assert opened.names.count("home") == 1

    def test_each_reference_is_held_against_its_own_digest(self, home: Home) -> None:
        data = history(user("m1", attachments=[stored("attachments/a.txt", d) for d in (BYTES, b"x", BYTES)]))
        report = convspec.check(data, folder=home.path)
        assert [(f.rule, f.pointer) for f in report.findings] == [
            ("attachment-digest", "/messages/0/attachments/1/sha256")
        ]
        assert report.tally == {"messages": 1, "attachments": 3, "attachment_bytes": 2 * len(BYTES)}


class TestTheFolderOfADocument:
    NEEDS = ("attachment-needs-folder",)

    def told(self, *arguments: Any, **named: Any) -> tuple[str, ...]:
        return tuple(rules(convspec.check(*arguments, **named)))

    def test_bytes_and_files_of_another_name_have_none(self, home: Home) -> None:
        data = referring("attachments/a.txt")
        assert self.told(data) == self.NEEDS
        assert self.told(data, name="history.json") == self.NEEDS
        for name in ("other.json", "History.json", "history.json.json", "xhistory.json"):
            (home.path / name).write_bytes(data)
            assert self.told(home.path / name) == self.NEEDS

    def test_history_json_has_its_own_by_any_way_to_name_it(
        self, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (home.path / "history.json").write_bytes(referring("attachments/a.txt"))
        monkeypatch.chdir(home.path)
        for source in (
            "history.json",
            ".",
            "./history.json",
            "../home",
            "../home/",
            home.path,
            str(home.path) + "/",
        ):
            assert self.told(source) == (), source

    def test_a_caller_may_name_one(self, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
        data = referring("attachments/a.txt")
        (home.path / "other.json").write_bytes(data)
        monkeypatch.chdir(home.path)
        for folder in (home.path, str(home.path), ".", "../home/"):
            assert self.told(data, folder=folder) == ()
            assert self.told(home.path / "other.json", folder=folder) == ()

    def test_the_one_a_caller_names_wins(self, home: Home) -> None:
        (home.path / "history.json").write_bytes(referring("attachments/a.txt"))
        assert self.told(home.path, folder=home.outside) == ("attachment-missing",)

    def test_a_link_to_a_document_is_followed_but_the_folder_is_where_the_link_is(self, home: Home) -> None:
        real = home.outside / "real.json"
        real.write_bytes(referring("attachments/a.txt"))
        (home.path / "history.json").symlink_to(real)
        assert self.told(home.path) == ()
        other = home.outside / "history.json"
        (home.path / "history.json").unlink()
        real.rename(other)
        (home.path / "history.json").symlink_to(other)
        assert self.told(home.path / "history.json") == ()
        assert self.told(other) == ("attachment-missing",)

    @pytest.mark.parametrize(
        ("folder", "rule"),
        [
            ("nothing", "attachment-missing"),
            ("n" * 5_000, "attachment-missing"),
            ("\0", "attachment-missing"),
            ("\ud800", "attachment-missing"),
            ("history.json", "attachment-unreadable"),
        ],
    )
    def test_one_that_is_not_there_raises_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, rule: str
    ) -> None:
        home = Home(tmp_path)
        (home.path / "history.json").write_bytes(b"")
        monkeypatch.chdir(home.path)
        assert self.told(referring("attachments/a.txt"), folder=folder) == (rule,)

    def test_a_folder_given_as_bytes_by_a_path_like_is_a_folder(self, home: Home) -> None:
        class Named:
            def __fspath__(self) -> bytes:
                return os.fsencode(home.path)

        assert self.told(referring("attachments/a.txt"), folder=Named()) == ()
        (home.path / "history.json").write_bytes(referring("attachments/a.txt"))
        report = convspec.check(Named())  # type: ignore[arg-type]
        assert (report.path, report.findings) == (str(home.path), ())


# Base64 and media types

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def reference_base64(text: str) -> bytes | None:
    """Decode bit by bit, or return None."""
    if len(text) % 4:
        return None
    body = text[:-2] + text[-2:].rstrip("=") if text else ""
    if any(character not in ALPHABET for character in body):
        return None
    bits = "".join(f"{ALPHABET.index(character):06b}" for character in body)
    whole = len(bits) // 8 * 8
    if len(body) % 4 == 1 or "1" in bits[whole:]:
        return None
    return bytes(int(bits[i : i + 8], 2) for i in range(0, whole, 8))


def encoded(data: bytes) -> str:
    """Encode bit by bit."""
    bits = "".join(f"{byte:08b}" for byte in data)
    bits += "0" * (-len(bits) % 6)
    text = "".join(ALPHABET[int(bits[i : i + 6], 2)] for i in range(0, len(bits), 6))
    return text + "=" * (-len(text) % 4)


near_base64 = st.one_of(
    st.text(alphabet=ALPHABET + "==-_ \n\u00e4\u0661\0", max_size=40),
    st.binary(max_size=60).map(encoded),
    st.builds(
        lambda data, at, new: encoded(data)[:at] + new + encoded(data)[at + 1 :],
        st.binary(min_size=1, max_size=60),
        st.integers(0, 80),
        st.sampled_from(["", "=", "A", "B", "/", "\n", " ", "-", "==", "\ud800"]),
    ),
)


class TestBase64:
    @settings(max_examples=2_000, deadline=None, database=None)
    @given(near_base64)
    def test_it_is_read_as_the_slow_reference_reads_it(self, text: str) -> None:
        expected = reference_base64(text)
        found = media.read_base64(text)
        if expected is None:
            assert isinstance(found, str)
        else:
            assert found == media.Bytes(len(expected), expected[: media.HEAD])

    def test_the_unused_bits_of_every_last_character_are_judged(self) -> None:
        for last in ALPHABET:
            for text in (f"A{last}==", f"AA{last}=", f"AAAAA{last}=="):
                assert isinstance(media.read_base64(text), str) == (reference_base64(text) is None)
        assert sum(not isinstance(media.read_base64(f"A{last}=="), str) for last in ALPHABET) == 4
        assert sum(not isinstance(media.read_base64(f"AA{last}="), str) for last in ALPHABET) == 16

    @pytest.mark.parametrize(
        "text",
        [
            "=",
            "==",
            "====",
            "A",
            "A=",
            "A==",
            "A===",
            "AA==AA==",
            "AA=A",
            "AAAA\n",
            "AAAA====",
            "data:,",
            "AA\0=",
        ],
    )
    def test_what_is_not_strict_is_refused_in_words(self, text: str) -> None:
        assert reference_base64(text) is None
        assert isinstance(media.read_base64(text), str)

    def test_no_text_is_no_bytes(self) -> None:
        assert media.read_base64("") == media.Bytes(0, b"")

    def test_a_long_text_is_judged_to_its_last_character(self) -> None:
        text = encoded(b"x" * 3_000)
        assert media.read_base64(text) == media.Bytes(3_000, b"x" * media.HEAD)
        for at in range(0, len(text), 97):
            assert isinstance(media.read_base64(text[:at] + "\n" + text[at + 1 :]), str)


SIGNATURES = {
    "image/png": [b"\x89PNG\r\n\x1a\n"],
    "image/jpeg": [b"\xff\xd8\xff", b"\xff\xd8\xff\xe0\0\x10JFIF", b"\xff\xd8\xff\xee"],
    "image/gif": [b"GIF87a", b"GIF89a"],
    "image/webp": [b"RIFF\0\0\0\0WEBP", b"RIFFWEBPWEBPVP8 ", b"RIFF\x89PNGWEBP"],
    "application/pdf": [b"%PDF-", b"%PDF-1.7"],
}
NO_SIGNATURES = [
    *(
        b"",
        b"\x89PNG\r\n\x1a",
        b"\x89PNG\n\n\x1a\n",
        b"\x89png\r\n\x1a\n",
        b" \x89PNG\r\n\x1a\n",
        b"\xff\xd8",
    ),
    *(b"GIF88a", b"GIF89b", b"gif89a", b"RIFF", b"RIFF\0\0\0\0WAVE", b"RIFF\0\0\0WEBP", b"RIFF\0\0\0\0WEB"),
    *(b"%PDF", b"%pdf-", b"\n%PDF-", b"PK\x03\x04", b"BM", b"hello", b"\0" * 16),
]


class TestMediaTypes:
    @pytest.mark.parametrize(("type", "head"), [(t, h) for t, heads in SIGNATURES.items() for h in heads])
    def test_a_signature_is_known_and_compared(self, type: str, head: bytes) -> None:
        assert media.sniff(head) == type
        for declared in SIGNATURES:
            assert media.mismatch(declared, head) == (None if declared == type else type)

    @pytest.mark.parametrize("head", NO_SIGNATURES)
    def test_without_a_signature_nothing_is_said(self, head: bytes) -> None:
        assert media.sniff(head) is None
        assert media.mismatch("image/png", head) is None

    @pytest.mark.parametrize(
        ("declared", "agrees"),
        [
            *(
                (name, True)
                for name in ("image/jpeg", "image/jpg", "IMAGE/JPG", " image/jpeg\t", "image/jpeg; q=1")
            ),
            *(
                (name, True)
                for name in ("image/jpg ;x", "\t IMAGE/Jpeg ;;", "image/jpeg;", "application/octet-stream")
            ),
            *((name, True) for name in ("Application/Octet-Stream; x", "", " ", ";", " \t;image/png")),
            *(
                (name, False)
                for name in ("image/png", "image", "image/*", "jpeg", "image/jpeg, image/png", "text/plain")
            ),
            *(
                (name, False)
                for name in ("image/jpe", "image/jpeg\n", "\u00a0image/jpeg", "image /jpeg", "image/pjpeg")
            ),
            *(
                (name, False)
                for name in ("\u0130mage/jpeg", "image/jp\u0261", "\0", "application/octet-stream2")
            ),
        ],
    )
    def test_the_declared_type_is_cut_and_lower_cased(self, declared: str, agrees: bool) -> None:
        assert media.mismatch(declared, b"\xff\xd8\xff") == (None if agrees else "image/jpeg")

    def test_the_head_is_enough_for_every_signature(self) -> None:
        assert max(len(head) for heads in SIGNATURES.values() for head in heads[:1]) <= media.HEAD
        for type, heads in SIGNATURES.items():
            for head in heads:
                data = head + b"\0" * 100
                inline = history(
                    user("m1", attachments=[{"mime": "x/y", "filename": "a", "data": encoded(data)}])
                )
                findings = convspec.check(inline).findings
                assert [(f.rule, type in f.message) for f in findings] == [
                    ("attachment-media-mismatch", True)
                ]
