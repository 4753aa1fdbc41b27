"""A corpus in a folder: its manifest, its cases, and their inputs laid out for an adapter."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from convspec import engines
from convspec.conformance.cases import CASE_FILE, Case

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
            folder = self.folder / id
            try:
                data = (folder / CASE_FILE).read_bytes()
            except OSError as error:
                raise CorpusFault(f"{id}: {CASE_FILE} cannot be read: {error.strerror}") from error
            document = read_document(data, "conformance/1.0/case.schema.json", f"{id}/{CASE_FILE}")
            self._cases[id] = Case(folder, document)
        return self._cases[id]

    def verify(self, ids: Iterable[str]) -> None:
        """Hold every file of the cases against the manifest. Raises CorpusFault for the first that differs.

        A corpus whose line ends were converted on the way would fail cases for no fault of the adapter.
        """
        for id in ids:
            for file in self.entries[id]["files"]:
                path = self.folder / id / file["path"]
                try:
                    data = path.read_bytes()
                except OSError as error:
                    raise CorpusFault(f"{id}/{file['path']} cannot be read: {error.strerror}") from error
                if hashlib.sha256(data).hexdigest() != file["sha256"]:
                    raise CorpusFault(
                        f"{id}/{file['path']} is not the file that {MANIFEST} lists; were line ends "
                        "converted? Whoever changed it on purpose generates the manifest anew"
                    )

    @contextmanager
    def laid_out(self, id: str) -> Iterator[str]:
        """Copy a case's files, but not its case.json, to a folder of their own; give the input's path."""
        with tempfile.TemporaryDirectory(prefix="conformance-") as scratch:
            try:
                yield str(self._case(id).copied(Path(scratch) / "case"))
            finally:
                _opened_up(scratch)


def _opened_up(folder: str) -> None:
    """Let the copy be removed, whatever modes its folders have got."""
    for path, folders, _ in os.walk(folder):
        for name in folders:
            if not os.path.islink(os.path.join(path, name)):
                os.chmod(os.path.join(path, name), 0o700)


def read_document(data: bytes, schema: str, name: str) -> Mapping[str, Any]:
    """Return a JSON document that fits a schema. Raises CorpusFault, which calls it `name`."""
    try:
        value: Mapping[str, Any] = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise CorpusFault(f"{name} is not JSON") from error
    for violation in engines.violations(schema, value):
        place = "/".join(map(str, violation.path)) or "its root"
        raise CorpusFault(f"{name} does not fit {schema}: {violation.keyword} at {place}")
    return value
