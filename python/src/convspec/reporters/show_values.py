"""What the JSON values of `convspec show` share (schema/report/1.0/show.schema.json)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convspec.reporters.values import clean

SHOW_VERSION = 1


def cleaned(value: Any) -> Any:
    """Return a JSON value in which no text holds half a surrogate pair. It may be 100 levels deep."""
    if isinstance(value, str):
        return value if value.isascii() else clean(value)
    if isinstance(value, Mapping):
        return {clean(key): cleaned(item) for key, item in value.items()}
    return [cleaned(item) for item in value] if isinstance(value, list | tuple) else value
