"""Words for what the schema layer finds. Both engines give the same facts; the words are ours."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from typing import Any

from convspec.findings import Fault, Path
from convspec.schemas import Violation

_ARTICLES = {
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
_FORMS = {"^[0-9a-f]{64}$": "64 lower-case hexadecimal digits"}
_HINTS = 100  # looking for a near key takes longer than all the rest
_CAPITAL = re.compile("[A-Z]")


def fault_of(violation: Violation, document: Any) -> Fault:
    """Put a violation into words."""
    rule = "schema-" + _CAPITAL.sub(lambda match: "-" + match[0].lower(), violation.keyword)
    message = _message(violation, document)
    return Fault(rule, message, violation.path, member=violation.member or None)


def _message(violation: Violation, document: Any) -> str:
    name, expected = _name(violation.path), violation.expected
    match violation.keyword:
        case "required":
            return f'"{violation.member}" is missing'
        case "type" if expected == ["null"]:
            return f"{name} is not allowed on a message of this role"
        case "type":
            actual = type_name(value_at(document, violation.path), expected)
            types = sorted(expected, key="null".__eq__)  # null last
            return f"{name} must be {_alternatives(_ARTICLES[t] for t in types)}, not {actual}"
        case "enum":
            options = ("null" if option is None else f'"{option}"' for option in expected)
            return f"{name} must be {_alternatives(options)}"
        case "pattern":
            return f"{name} must be {_FORMS.get(expected, 'of the form ' + expected)}"
        case "minLength":
            return f"{name} must not be empty"
        case "minimum":
            return f"{name} must be at least {expected}"
        case "maxItems":
            return f"{name} must be empty on a message of this role"
    raise AssertionError(violation.keyword)


def _name(path: Path) -> str:
    if not path:
        return "the document"
    last = path[-1]
    if isinstance(last, str):
        return f'"{last}"'
    return {"messages": "a message", "tool_calls": "a tool call", "attachments": "an attachment"}.get(
        str(path[-2]), "this"
    )


def _alternatives(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def type_name(value: Any, expected: Iterable[str] = ()) -> str:
    """Name the JSON type of a value, with its article."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return "a string"
        case int() | float():
            return "a number with a fraction" if "integer" in expected else "a number"
        case list():
            return "an array"
    return "an object"


def value_at(document: Any, path: Path) -> Any:
    """Return the value at a path, or None where there is none.

    A fault in a value that a repeated key replaced has such a path.
    """
    for token in path:
        try:
            document = document[token]
        except (KeyError, IndexError, TypeError):
            return None
    return document


class UnknownKeys:
    """Collects keys that the format does not define, once per path without list indexes."""

    def __init__(self) -> None:
        self._seen: dict[Path, tuple[Path, int]] = {}
        self._known: dict[Path, frozenset[str]] = {}

    def look(self, value: dict[str, Any], path: Path, known: frozenset[str]) -> None:
        """Take an object at `path` whose members should be among `known`."""
        if value.keys() <= known:
            return
        shape = tuple(token for token in path if isinstance(token, str))
        for key in value:
            if key in known:
                continue
            first, count = self._seen.get((*shape, key), ((*path, key), 0))
            self._seen[(*shape, key)] = (first, count + 1)
            self._known[(*shape, key)] = known

    def faults(self) -> Iterator[Fault]:
        """Yield one fault per path, at its first place."""
        for number, (shape, (path, count)) in enumerate(self._seen.items()):
            key, near = str(path[-1]), list[str]()
            if number < _HINTS:
                near = difflib.get_close_matches(key[:64], self._known[shape], 1, 0.75)
            hint = f'; "{near[0]}" may be meant' if near else ""
            times = f" ({count} times)" if count > 1 else ""
            yield Fault("unknown-key", f"the format defines no such key{times}{hint}", path, member=key)
