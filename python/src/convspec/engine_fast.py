"""The schema engine in native code: jsonschema-rs with the packaged schemas and no fetching."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema_rs

from convspec import schemas
from convspec.schemas import Violation

_EXPECTED = {
    "type": "types",
    "enum": "options",
    "const": "expected_value",
    "required": "property",
    "pattern": "pattern",
    "minLength": "limit",
    "minimum": "limit",
    "maxItems": "limit",
}


def _refuse(uri: str) -> Any:
    raise LookupError(f"{uri} is not a packaged schema")


class _Compiled:
    def __init__(self, path: str) -> None:
        self._path = path
        documents = schemas.documents()
        registry = jsonschema_rs.Registry(
            [(document["$id"], document) for document in documents.values()], retriever=_refuse
        )
        self._validator = jsonschema_rs.Draft202012Validator(documents[path], registry=registry)

    def violations(self, instance: Any) -> Iterator[Violation]:
        try:
            if self._validator.is_valid(instance):
                return
            errors = list(self._validator.iter_errors(instance))
        except UnicodeEncodeError:  # half a surrogate, which the native code cannot hold
            from convspec import engine_plain

            yield from engine_plain.compiled(self._path).violations(instance)
            return
        for error in errors:
            keyword = str(error.schema_path[-1])
            expected = getattr(error.kind, _EXPECTED[keyword])
            if keyword == "type":
                expected = sorted(expected)
            yield Violation(
                tuple(error.instance_path),
                keyword,
                expected,
                expected if keyword == "required" else "",
            )


def compiled(path: str) -> schemas.Engine:
    """Compile the schema at `path`."""
    return _Compiled(path)
