"""The version that a document or header states (versioning.md#version)."""

from __future__ import annotations

from typing import Any

from convspec import schemas
from convspec.findings import Fault
from convspec.text.scanner import EXACT


def read_version(holder: dict[str, Any], format: str) -> tuple[int | None, Fault | None]:
    """Return the version that an object states, and what is wrong with it.

    The number is None where there is none that can be used.
    """
    newest = schemas.versions(format)[-1]
    if "version" not in holder:
        return None, Fault("version-missing", '"version" is missing', (), member="version")
    value = holder["version"]
    if value is None:
        return None, Fault("version-missing", '"version" is null', ("version",))
    whole = type(value) is int or (type(value) is float and value.is_integer())
    if not whole or value < 1:
        return None, Fault("version-invalid", '"version" must be a whole number from 1 on', ("version",))
    number = int(value) if value <= EXACT else None
    if value > newest:
        message = f"the file is of a newer version than this tool knows (newest known: {newest})"
        return number, Fault("version-newer", message, ("version",))
    return number, None
