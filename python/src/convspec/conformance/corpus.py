"""A corpus in a folder: its manifest, its cases, and their inputs laid out for an adapter."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from convspec import engines
from convspec.conformance.cases import CASE_FILE, Case, opened_up
from convspec.conformance.recovered import output_of
from convspec.conformance.results import Logs
from convspec.conformance.written import LONGEST_LOG
from convspec.regular import open_regular

MANIFEST = "manifest.json"


class CorpusFault(Exception):
    """A folder that cannot be used as a corpus; the text says why and what to do."""


class FolderCorpus:
    """The corpus in a folder that holds manifest.json (schema/conformance/1.0/manifest.schema.json)."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self._cases: dict[str, Case] = {}

    @cached_property
    def _manifest_bytes(self) -> bytes:
        try:
            return (self.folder / MANIFEST).read_bytes()
        except (OSError, ValueError) as error:
            raise CorpusFault(
                f"{self.folder} is no corpus: there is no {MANIFEST} that can be read; "
                "name the conformance folder with --corpus"
            ) from error

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """The manifest. Raises CorpusFault."""
        return read_document(self._manifest_bytes, "conformance/1.0/manifest.schema.json", MANIFEST)

    @cached_property
    def entries(self) -> Mapping[str, Mapping[str, Any]]:
        """The manifest's cases by id, in its order."""
        return {entry["id"]: entry for entry in self.manifest["cases"]}

    def about(self) -> Mapping[str, Any]:
        """Return how many cases there are, and the digest of the manifest, which stands for all of them."""
        digest = hashlib.sha256(self._manifest_bytes).hexdigest()
        return {"cases": len(self.entries), "manifest_sha256": digest}

    def ids(self, globs: Iterable[str] = ()) -> list[str]:
        """Return the ids that match any of the globs, all where none is given. `*` matches `/` too."""
        patterns = tuple(globs) or ("*",)
        return [id for id in self.entries if any(fnmatchcase(id, pattern) for pattern in patterns)]

    def case(self, id: str) -> Mapping[str, Any]:
        """Return the document of a case. Raises CorpusFault."""
        return self._case(id).document

    def _case(self, id: str) -> Case:
        if id not in self._cases:
            name = f"{id}/{CASE_FILE}"
            document = read_document(self._bytes(name), "conformance/1.0/case.schema.json", name)
            if document["id"] != id:
                raise CorpusFault(f"{name} calls itself {document['id']}")
            self._cases[id] = Case(self.folder / id, document)
        return self._cases[id]

    def _bytes(self, name: str) -> bytes:
        path = self.folder / name
        try:
            if not path.is_file():  # a FIFO would not let go of its reader
                raise CorpusFault(f"{name} is missing, or no file")
            return path.read_bytes()
        except (OSError, ValueError) as error:
            raise CorpusFault(f"{name} cannot be read: {_why(error)}") from error

    def verify(self, ids: Iterable[str]) -> None:
        """Read the cases, and hold every file against the manifest. Raises CorpusFault for the first fault.

        A corpus whose line ends were converted on the way would fail cases for no fault of the adapter.
        """
        for id in ids:
            self._case(id)
            for file in self.entries[id]["files"]:
                name = f"{id}/{file['path']}"
                if hashlib.sha256(self._bytes(name)).hexdigest() != file["sha256"]:
                    raise CorpusFault(
                        f"{name} is not the file that {MANIFEST} lists; were line ends converted? "
                        "Whoever changed it on purpose generates the manifest anew"
                    )

    @contextmanager
    def laid_out(self, id: str) -> Iterator[str]:
        """Copy a case's files, but not its case.json, to a folder of their own; give the input's path.

        Raises CorpusFault. What becomes of the copy is the adapter's affair, and no reason to stop.
        """
        try:
            scratch = tempfile.TemporaryDirectory(prefix="conformance-", ignore_cleanup_errors=True)
        except OSError as error:
            raise CorpusFault(f"there is no room for a copy of {id}: {_why(error)}") from error
        with scratch as folder:
            try:
                yield self._copied(id, Path(folder) / "case")
            finally:
                with suppress(OSError):
                    opened_up(folder)

    def logs(self, path: str) -> Logs:
        """Return the session log at a path, or those in and below a folder, by their names.

        What an adapter left is not trusted: only regular files are read, and no more of one than is
        compared.
        """
        paths = [path]
        if os.path.isdir(path):
            paths = [
                os.path.join(folder, name)
                for folder, _, names in os.walk(path)
                for name in sorted(names)
                if name.endswith(".jsonl")
            ]
        found = {os.path.basename(one): _begin_of(one) for one in paths}
        return {name: data for name, data in found.items() if data is not None}

    def expected(self, id: str) -> Logs:
        """Return the copy that a case expects, by the name it is to have. Raises CorpusFault."""
        document = self.case(id)
        output = document["expect"].get("output")
        return {} if output is None else {output_of(document["input"]): self._bytes(f"{id}/{output}")}

    def _copied(self, id: str, to: Path) -> str:
        try:
            return str(self._case(id).copied(to))
        except (OSError, ValueError) as error:
            raise CorpusFault(f"{id} cannot be laid out: {_why(error)}") from error


def _begin_of(path: str) -> bytes | None:
    """Return the bytes of a file, up to one more than a log may have; None where there is none."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            return file.read(LONGEST_LOG + 1)
    except (OSError, ValueError):
        return None


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, shutil.Error):  # one line for each file that could not be copied
        return str(error.args[0][0][2])
    return getattr(error, "strerror", None) or str(error)


def read_document(data: bytes, schema: str, name: str) -> Mapping[str, Any]:
    """Return a JSON document that fits a schema. Raises CorpusFault, which calls it `name`."""
    try:
        value: Mapping[str, Any] = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise CorpusFault(f"{name} is not JSON") from error
    try:
        violations = engines.violations(schema, value)
    except (ValueError, RecursionError) as error:
        raise CorpusFault(f"{name} does not fit {schema}: it is nested too deeply") from error
    for violation in violations:
        place = "/".join(map(str, violation.path)) or "its root"
        raise CorpusFault(f"{name} does not fit {schema}: {violation.keyword} at {place}")
    return value
