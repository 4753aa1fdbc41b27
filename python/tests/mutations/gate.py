"""The gate: which instances notice a mutant."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any
from unittest import mock
from urllib.parse import urljoin

import jsonschema_rs

from convspec import engine_fast, engines, schemas
from convspec.pointers import to_pointer
from mutations.instances import Instance, Told
from mutations.schema_mutants import Mutant, mutants

Documents = Mapping[str, Any]


class Gate:
    """Schema files by path, and the instances that are to notice when an assertion changes."""

    def __init__(self, documents: Documents, instances: Iterable[Instance]) -> None:
        self._documents = documents
        self._by_root: dict[str, list[Instance]] = defaultdict(list)
        for instance in instances:
            if not _holds_half_a_surrogate(instance.value):  # the fast engine cannot hold it
                self._by_root[instance.root].append(instance)

    def mutants(self, files: Iterable[str]) -> Iterator[Mutant]:
        """Yield every mutant of these files."""
        for file in files:
            yield from mutants(file, self._documents[file], partial(self._refused, file))

    def notices(self, mutant: Mutant) -> Instance | None:
        """Return the first instance that gives the mutant away, or None.

        Weakened: a finding that a case expects is gone. Tightened: a value of a valid case is refused.
        Changed: either, or a finding more.
        """
        documents = {**self._documents, mutant.file: mutant.document}
        for root in self._roots(mutant.file):
            files = reachable(self._documents, root)
            used = {file: documents[file] for file in files}
            found = self._noticed(mutant.sense, root, used)
            if found is not None:
                return found
        return None

    def _noticed(self, sense: str, root: str, documents: Documents) -> Instance | None:
        listed = self._by_root[root]
        if sense == "tighten":
            is_valid = _validator(documents, root).is_valid
            return next((i for i in listed if i.valid and not i.expected and not is_valid(i.value)), None)
        engine = _engine(documents, root)
        if sense == "weaken":
            return next((i for i in listed if i.expected and i.expected - told(i, engine)), None)
        return next((i for i in listed if i.expected != told(i, engine)), None)

    def _roots(self, file: str) -> list[str]:
        """Return the schemas that ask `file`; one that tells record types apart only for itself."""
        if file in self._by_root:
            return [file]
        return [
            root
            for root in self._by_root
            if file in reachable(self._documents, root) and not root.endswith("/record.schema.json")
        ]

    def _refused(self, file: str, member: str) -> Iterator[Any]:
        """Yield the values that the cases have for an enum at a member, none of which it lists."""
        for root in self._roots(file):
            for instance in self._by_root[root]:
                for pointer, keyword, _ in instance.expected:
                    if keyword == "enum" and pointer.endswith("/" + member):
                        yield _at(instance.value, pointer)


def _at(value: Any, pointer: str) -> Any:
    for token in pointer.split("/")[1:]:
        value = value[int(token)] if isinstance(value, list) else value[token]
    return value


def told(instance: Instance, engine: schemas.Engine | None = None) -> frozenset[Told]:
    """Return what a schema says of an instance."""
    violations = engines.violations(instance.root, instance.value, by=engine)
    return frozenset((to_pointer(v.path), v.keyword, v.member) for v in violations)


def reachable(documents: Documents, root: str) -> set[str]:
    """Return the schema files that a schema refers to, itself among them."""
    by_id = {document["$id"]: file for file, document in documents.items()}
    left, found = [root], set[str]()
    while left:
        file = left.pop()
        if file not in found:
            found.add(file)
            base = documents[file]["$id"]
            left += [by_id[urljoin(base, ref)] for ref in _references(documents[file])]
    return found


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        schema = list(schema.values())
    if isinstance(schema, list):
        for item in schema:
            yield from _references(item)


def _engine(documents: Documents, root: str) -> schemas.Engine:
    with mock.patch.object(schemas, "documents", return_value=documents):
        return engine_fast.compiled(root)


def _validator(documents: Documents, root: str) -> jsonschema_rs.Draft202012Validator:
    """Compile a schema that may hold keywords which ours do not use."""
    listed = [(document["$id"], document) for document in documents.values()]
    return jsonschema_rs.Draft202012Validator(documents[root], registry=jsonschema_rs.Registry(listed))


def _holds_half_a_surrogate(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
