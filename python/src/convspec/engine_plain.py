"""The schema engine in pure Python: jsonschema with a registry that never fetches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import referencing.exceptions
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from convspec import schemas
from convspec.schemas import Violation


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """Read `$` as the very end: Python's own also matches before a final newline."""
    if validator.is_type(instance, "string") and not re.search(pattern.replace("$", r"\Z"), instance):
        yield ValidationError("does not match")


def _required(validator: Any, names: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """Say which member is missing, in the message, which is where the plain library has room."""
    if validator.is_type(instance, "object"):
        for name in names:
            if name not in instance:
                yield ValidationError(name)


_Validator = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator, {"pattern": _pattern, "required": _required}
)


def _refuse(uri: str) -> Any:
    raise referencing.exceptions.NoSuchResource(ref=uri)  # type: ignore[call-arg]


def _registry() -> Registry[Any]:
    resources = [
        (document["$id"], DRAFT202012.create_resource(_undeclared(document)))
        for document in schemas.documents().values()
    ]
    return Registry(retrieve=_refuse).with_resources(resources)  # type: ignore[call-arg]


def _undeclared(document: dict[str, Any]) -> dict[str, Any]:
    """Leave `$schema` out: behind a `$ref` it would bring the library's own keywords back."""
    return {key: value for key, value in document.items() if key != "$schema"}


class _Compiled:
    def __init__(self, schema: Any) -> None:
        self._validator = _Validator(schema, registry=_registry())

    def violations(self, instance: Any) -> Iterator[Violation]:
        for error in self._validator.iter_errors(instance):
            keyword = str(error.validator)
            expected = error.validator_value
            if keyword == "type":
                expected = sorted([expected] if isinstance(expected, str) else expected)
            member = error.message if keyword == "required" else ""
            yield Violation(tuple(error.absolute_path), keyword, member or expected, member)


@cache
def compiled(path: str) -> schemas.Engine:
    """Compile the schema at `path`."""
    return _Compiled(_undeclared(schemas.documents()[path]))
