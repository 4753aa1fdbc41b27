"""Every way in which one assertion of a schema is weakened, tightened, or (in a condition) changed."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mutations import patterns

ASSERTIONS = (
    "type", "enum", "const", "pattern", "minLength", "minimum", "maxItems", "items", "$ref", "if", "then",
)  # fmt: skip
"""Keywords that are taken out whole. `required` and `allOf` are taken out item by item."""

TYPES = ("object", "array", "string", "number", "boolean", "null")
OUTSIDE = "no-value-of-the-corpus"

Change = Callable[[dict[str, Any]], object]
Refused = Callable[[str], Iterable[Any]]
"""Gives, for the name of a member, values that cases have there and its enum does not list."""


@dataclass(frozen=True)
class Mutant:
    """A schema file with one assertion changed. `sense` is weaken, tighten or change."""

    file: str
    place: str
    change: str
    sense: str
    wanted: str
    document: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The file, the place of the assertion in it, and what was done to it."""
        return f"{self.file}#{self.place} {self.change}"

    @property
    def advice(self) -> str:
        """What to do where no case notices."""
        case = {"weaken": "an invalid case", "tighten": "a valid case", "change": "a case"}[self.sense]
        return f"{self.id}: no case notices; write {case} in which {self.wanted}"


@dataclass(frozen=True)
class Part:
    """A schema inside a file. `listed` is where its object's members are listed in full.

    `within` is "if" or "then" for what stands below one, else empty.
    """

    tokens: tuple[str | int, ...]
    schema: Mapping[str, Any]
    listed: Mapping[str, Any]
    within: str = ""

    @property
    def pointer(self) -> str:
        """The place as a JSON Pointer."""
        return "".join(f"/{token}" for token in self.tokens)

    @property
    def name(self) -> str:
        """The member that the schema is about, for people."""
        members = [str(token) for token in self.tokens if token not in ("properties", "items")]
        return f'"{members[-1]}"' if "properties" in self.tokens else "the object"


def parts(document: Mapping[str, Any]) -> Iterator[Part]:
    """Yield every schema of a file, those that say nothing of their own too."""
    left = [Part((), document, document)]
    while left:
        part = left.pop()
        yield part
        below: list[Part] = []
        for name, schema in part.schema.get("properties", {}).items():
            listed = part.listed.get("properties", {}).get(name, schema)
            below.append(Part((*part.tokens, "properties", name), schema, listed, part.within))
        for index, schema in enumerate(part.schema.get("allOf", ())):
            below.append(Part((*part.tokens, "allOf", index), schema, part.listed, part.within))
        for keyword in ("if", "then"):
            if keyword in part.schema:
                below.append(Part((*part.tokens, keyword), part.schema[keyword], part.listed, keyword))
        if "items" in part.schema:
            schema = part.schema["items"]
            below.append(Part((*part.tokens, "items"), schema, schema, part.within))
        left += reversed(below)


def mutants(file: str, document: Mapping[str, Any], refused: Refused) -> Iterator[Mutant]:
    """Yield every mutant of a schema file, none twice."""
    seen: list[Mapping[str, Any]] = [document]
    for part in parts(document):
        for sense, keyword, change, wanted, apply in _changes(part, refused):
            changed = copy.deepcopy(dict(document))
            holder: Any = changed
            for token in part.tokens:
                holder = holder[token]
            apply(holder)
            if changed not in seen:
                seen.append(changed)
                place = f"{part.pointer}/{keyword}"
                yield Mutant(file, place, change, "change" if part.within == "if" else sense, wanted, changed)


_Made = Iterator[tuple[str, str, str, str, Change]]


def _changes(part: Part, refused: Refused) -> _Made:
    schema, name = part.schema, part.name
    for keyword in ASSERTIONS:
        if keyword in schema:
            wanted = f"{name} breaks this {keyword}"
            yield "weaken", keyword, "removed", wanted, _removed(keyword)
    for index, item in enumerate(schema.get("allOf", ())):
        wanted = f"{name} breaks what allOf/{index} asks for"
        yield (
            "weaken",
            f"allOf/{index}",
            "removed",
            wanted,
            _set("allOf", [one for one in schema["allOf"] if one is not item]),
        )
    if "if" in schema:
        yield "change", "if", "always true", "the condition does not hold", _set("if", {})
    yield from _required(part)
    if part.within != "if":
        yield from _types(part)
        yield from _open_ends(part)
    yield from _values(part, refused)
    yield from _bounds(part)
    if "pattern" in schema:
        for change, pattern in patterns.loosened(schema["pattern"]):
            wanted = f"{name} matches {pattern} but not this pattern"
            yield "weaken", "pattern", change, wanted, _set("pattern", pattern)
        for change, pattern in patterns.narrowed(schema["pattern"]):
            wanted = f"{name} matches this pattern but not {pattern}"
            yield "tighten", "pattern", change, wanted, _set("pattern", pattern)


def _required(part: Part) -> _Made:
    names = list(part.schema.get("required", ()))
    for name in names:
        wanted = f'"{name}" is missing in {part.name}'
        rest = [one for one in names if one != name]
        yield "weaken", "required", f'without "{name}"', wanted, _set("required", rest)
    if part.within != "if":
        for name in part.schema.get("properties", ()):
            wanted = f'{part.name} has no "{name}"'
            more = [*names, name]
            if name not in names:
                yield "tighten", "required", f'with "{name}"', wanted, _set("required", more)


def _types(part: Part) -> _Made:
    types, name = _listed_types(part.schema), part.name
    if not types:
        allowed = _listed_types(part.listed) or TYPES
        if len(allowed) > 1 and not {"$ref", "const"} & part.schema.keys():
            for type in allowed:
                wanted = f"{name} is something else than type {type}"
                yield "tighten", "type", f"{type} alone", wanted, _set("type", type)
        return
    for type in types if len(types) > 1 else ():
        rest = [one for one in types if one != type]
        yield "tighten", "type", f"without {type}", f"{name} is of type {type}", _set("type", rest)
    if "integer" in types:
        wider = ["number" if one == "integer" else one for one in types]
        yield "weaken", "type", "number for integer", f"{name} has a fraction", _set("type", wider)
    if "number" in types:
        wider = ["integer" if one == "number" else one for one in types]
        yield "tighten", "type", "integer for number", f"{name} has a fraction", _set("type", wider)
    for type in TYPES:
        if type not in types and not (type == "number" and "integer" in types):
            more = [*types, type]
            yield "weaken", "type", f"with {type}", f"{name} is of type {type}", _set("type", more)


def _open_ends(part: Part) -> _Made:
    """Close what the schemas leave open: other members, items of any shape, empty strings."""
    schema, types = part.schema, _listed_types(part.schema)
    if "object" in types:
        wanted = f"{part.name} has a member that is not listed"
        yield "tighten", "additionalProperties", "false", wanted, _set("additionalProperties", False)
    if "array" in types and "items" not in schema:
        for type in ("object", "string"):
            wanted = f"{part.name} has an item that is no {type}"
            yield "tighten", "items", f"{type} alone", wanted, _set("items", {"type": type})
    if "string" in types and not {"enum", "pattern", "minLength"} & schema.keys():
        yield "tighten", "minLength", "1", f"{part.name} is empty", _set("minLength", 1)


def _values(part: Part, refused: Refused) -> _Made:
    schema, name = part.schema, part.name
    if "enum" in schema:
        options = schema["enum"]
        for option in options:
            rest = [one for one in options if one != option]
            yield "tighten", "enum", f"without {option!r}", f"{name} is {option!r}", _set("enum", rest)
        member = str(part.tokens[-1])
        outside = [value for value in refused(member) if isinstance(value, str) and value not in options]
        more = [*options, next(iter(outside), OUTSIDE)]
        yield "weaken", "enum", "with one value more", f"{name} is of no value listed", _set("enum", more)
    if "const" in schema:
        value = schema["const"]
        other = f"{value}-" if isinstance(value, str) else value + 1
        yield "change", "const", f"{other!r} for {value!r}", f"{name} is {value!r}", _set("const", other)


def _bounds(part: Part) -> _Made:
    for keyword, looser in (("minLength", -1), ("minimum", -1), ("maxItems", 1)):
        if keyword in part.schema:
            bound = part.schema[keyword]
            for sense, value in (("weaken", bound + looser), ("tighten", bound - looser)):
                if value >= 0 or keyword == "minimum":
                    wanted = f"{part.name} is between the bounds {bound} and {value}"
                    yield sense, keyword, f"{value} for {bound}", wanted, _set(keyword, value)


def _set(keyword: str, value: Any) -> Change:
    return lambda schema: schema.update({keyword: value})


def _removed(keyword: str) -> Change:
    return lambda schema: schema.pop(keyword)


def _listed_types(schema: Mapping[str, Any]) -> list[str]:
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else list(types)
