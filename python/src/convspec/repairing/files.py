"""Repair a file into a new one: `repair`."""

from __future__ import annotations

import io
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from convspec.checker import FORMATS, check_source
from convspec.disk import Disk
from convspec.findings import FileReport, Verdict
from convspec.history import layers as history
from convspec.history.folder import ATTACHMENTS, stored_name
from convspec.history.judged import judge
from convspec.history.sound import Sound
from convspec.regular import Inside
from convspec.repairing.documents import Document
from convspec.repairing.duplicates import DUPLICATES
from convspec.repairing.headers import Newer
from convspec.repairing.logs import LogRepair
from convspec.repairing.outcome import Repair
from convspec.repairing.output import Drafts
from convspec.repairing.steps import Journal
from convspec.sources import HISTORY_FILE, Source, read_source, reason

REJECTED = ".rejected"


class CannotRepair(ValueError):
    """Nothing was done: the file cannot be read or is of no known format, or something is in the way."""


class NewerVersion(CannotRepair):
    """The file is of a newer version than this tool knows, so it is left alone."""


def repair(
    path: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    unsafe: bool = False,
    format: str | None = None,
    manifest: str | os.PathLike[str] | None = None,
    dry_run: bool = False,
    disk: Disk | None = None,
) -> Repair:
    """Write a repaired copy of the file at `path` to `output`, and say what was done to it.

    Without `output`, and with `dry_run`, nothing is written, and what would be done is said. `unsafe`: also
    take steps that change what the file says. `format` overrides recognition. Where nothing can be done
    about the errors of a file, or nothing of it can be kept, nothing is written. Bytes that are dropped, and
    records that are changed, as they were, go to the file `output`.rejected, what was done to `manifest`.

    Raises CannotRepair, and OSError where the system refuses to write.
    """
    if format is not None and format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}")
    dry_run = dry_run or output is None
    if dry_run and manifest is not None:
        raise ValueError("where nothing is written, no manifest is")
    label = os.fsdecode(path)
    target = None if output is None else os.fsdecode(output).rstrip(os.sep) or os.sep
    told = None if manifest is None else os.fsdecode(manifest)
    for name in (target, target and target + REJECTED, told):
        if name is not None and os.path.lexists(name):
            raise CannotRepair(f"{name} is there already, and repair writes over nothing")
    try:
        source = read_source(label, format)
        state = _state(source)
    except (OSError, ValueError) as error:
        raise CannotRepair(f"{label}: {reason(error)}") from error
    before = replace(check_source(source, format=format, name=source.label), reading=None)
    if before.verdict is Verdict.UNREADABLE:
        raise CannotRepair(f"{label}: {before.findings[0].message}")
    if before.verdict is Verdict.UNSUPPORTED:
        raise _newer(label)
    with Drafts(state.mode | 0o600, disk or Disk()) as drafts:
        one = _One(source, before, None if dry_run else target, target, unsafe, drafts)
        with _unchanged(source, state, label):
            done = one.history() if before.format == history.FORMAT else one.log()
        done = replace(done, path=source.label)
        if dry_run or target is None:
            return replace(done, dry_run=True)
        if done.worth_writing:
            rejected = target + REJECTED if done.rejected_bytes else None
            done = replace(done, output=target, rejected=rejected)
        return _written(done, drafts, told)


def _written(done: Repair, drafts: Drafts, manifest: str | None) -> Repair:
    """Give the files their names; where nothing is worth writing, only the manifest."""
    if done.output is None:
        drafts.forget()
    if manifest is not None:
        from convspec import __version__  # the package itself may import this module

        _, file = drafts.file(manifest)
        file.write(json.dumps(done.value(__version__), indent=2, ensure_ascii=False).encode() + b"\n")
    drafts.published()
    return done


@dataclass(frozen=True, slots=True)
class _State:
    """What tells that a file is still the one that was read."""

    mode: int
    identity: tuple[int, ...]


def _state(source: Source) -> _State:
    found = os.stat(source.path or source.label)
    identity = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
    return _State(stat.S_IMODE(found.st_mode) & 0o666, identity)


@contextmanager
def _unchanged(source: Source, state: _State, label: str) -> Iterator[None]:
    """Refuse a log that is not the same for every pass over it: a plan for one is none for another."""
    try:
        yield
    except Newer:
        raise _newer(label) from None
    except Exception as error:
        if _is_same(source, state):
            raise
        raise _changed(label) from error
    if not _is_same(source, state):
        raise _changed(label)


def _is_same(source: Source, state: _State) -> bool:
    try:
        return source.data is not None or _state(source) == state
    except OSError:
        return False


def _changed(label: str) -> CannotRepair:
    return CannotRepair(f"{label}: the file changed while it was read; stop the program that writes it")


def _newer(label: str) -> NewerVersion:
    return NewerVersion(f"{label}: the file is of a newer version than this tool knows: it is left alone")


@dataclass(frozen=True, slots=True)
class _One:
    """The repair of one file. `target` is None where nothing is to be written; `named` may be given still."""

    source: Source
    before: FileReport
    target: str | None
    named: str | None
    unsafe: bool
    drafts: Drafts

    @property
    def result(self) -> str:
        """What to call a file that is not written."""
        return self.named or "the result"

    def log(self) -> Repair:
        """Repair a log, line by line."""
        planned = LogRepair(self.source, self.source.label, unsafe=self.unsafe)
        if self.unsafe or any(one.rule in DUPLICATES for one in self.before.findings):
            planned.plan()
        journal = self._journal()
        if self.target is None:
            for _ in planned.rows(journal):
                pass
            return self._repair(journal, planned.foretold(self.named or self.source.label, self.result))
        path, file = self.drafts.file(self.target, last=True)
        file.writelines(row.data for row in planned.rows(journal))
        self.drafts.ended()
        return self._repair(journal, planned.checked(path, self.target))

    def history(self) -> Repair:
        """Repair a history; one that came with a folder becomes a folder."""
        journal, folder = self._journal(), self.source.folder
        document = Document(self.source.data or b"", folder, journal)
        document.repair(unsafe=self.unsafe)
        if self.target is None:
            return self._repair(journal, judge(document.data, folder).report(self.result))
        if folder is None:
            path, file = self.drafts.file(self.target, last=True)
            file.write(document.data)
            label, beside = self.target, None
        else:
            beside = self.drafts.folder(self.target)
            path, label = os.path.join(beside, HISTORY_FILE), os.path.join(self.target, HISTORY_FILE)
            _copy_attachments(document.value, folder, beside, self.drafts)
            self.drafts.inside(path, io.BytesIO(document.data))
        self.drafts.ended()
        written = Source(label, None, None, path)
        with written.open() as stream:
            return self._repair(journal, judge(stream.read(), beside).report(label))

    def _journal(self) -> Journal:
        return Journal(None if self.target is None else self.drafts.file(self.target + REJECTED)[1])

    def _repair(self, journal: Journal, after: FileReport) -> Repair:
        return Repair(
            self.source.label,
            self.unsafe,
            tuple(journal.steps),
            self.before,
            replace(after, reading=None),
            journal.rejected,
        )


def _copy_attachments(document: Any, folder: str, to: str, drafts: Drafts) -> None:
    """Copy the stored attachments that the document names, as they are; what cannot be read is left out."""
    names = {stored_name(file) for file in _files(document)} - {None}
    if not names:
        return
    try:
        whole = Inside.folder(folder)
        try:
            inside = whole.below(ATTACHMENTS)
        finally:
            whole.close()
    except OSError:
        return
    beside = os.path.join(to, ATTACHMENTS)
    drafts.below(beside)
    try:
        for name in sorted(name for name in names if name is not None):
            try:
                descriptor = inside.open(name)
            except (OSError, ValueError):
                continue  # the check says of the copy that it is not there
            with os.fdopen(descriptor, "rb") as file:
                drafts.inside(os.path.join(beside, name), file)
    finally:
        inside.close()


def _files(document: Any) -> Iterator[str]:
    if isinstance(document, dict):
        for _, attachment in Sound(document, ()).attachments():
            file = attachment.get("file")
            if isinstance(file, str):
                yield file
