"""The page of the schemas: every part with its members, and the bundles."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docs_markdown import code, generated, table

INTRODUCTION = """The shape of each file is given as JSON Schema, draft 2020-12. The schemas are \
packed with the tool: `convspec schema` lists them, `convspec schema NAME` prints one.

An id is a name. Nothing is fetched from it; a validator brings the files along. A `draft` may \
still change, a `released` file never does ([Versioning 4](../spec/versioning.md#schema-releases)). \
`schema/index.json` holds all of this for programs, with the SHA-256 of every file.

The schemas are open: a key that they do not define is allowed. Of each version there are two \
bundles that hold all parts in one file. The open one says the same as the parts. The strict one \
refuses every key that is not defined: for tests of a writer, not for readers."""


@dataclass(frozen=True)
class Schemas:
    """Schemas by their path below `schema`."""

    documents: Mapping[str, Mapping[str, Any]]

    @classmethod
    def read(cls, schema: Path, paths: Iterable[str]) -> Schemas:
        """Read the schemas at `paths` below the folder `schema`."""
        return cls({path: json.loads((schema / path).read_text(encoding="utf-8")) for path in paths})

    def target(self, reference: str, path: str) -> tuple[str, str, Mapping[str, Any]]:
        """Return name, anchor and schema of what a `$ref` in the file at `path` leads to."""
        if reference.startswith("#/$defs/"):
            name = reference.removeprefix("#/$defs/")
            return name, anchor_of(path, name), self.documents[path]["$defs"][name]
        other = posixpath.normpath(posixpath.join(posixpath.dirname(path), reference))
        return _part(other), anchor_of(other), self.documents[other]


def page(schema: Path) -> str:
    """Return the page; `schema` is the folder with index.json."""
    index = json.loads((schema / "index.json").read_text(encoding="utf-8"))
    paths = [entry["path"] for entry in index["files"]]
    schemas = Schemas.read(schema, paths)
    parts = [generated("schema/index.json and the schemas it lists"), "# Schemas", INTRODUCTION]
    for name, folder, root, status in _groups(index):
        inside = [path for path in paths if path.startswith(folder + "/")]
        inside.sort(key=lambda path: (_part(path) != root, path))
        if not inside:
            continue
        release = folder.rpartition("/")[2]
        parts.append(f"## {name.capitalize()} {release} {{#{anchor_of(folder)}}}")
        rows = [[f"[{_part(path)}](#{anchor_of(path)})", code(f"schema/{path}"), status] for path in inside]
        parts.append(table(["schema", "file", "status"], rows))
        for path in inside:
            parts += _schema(schemas, path)
    bundles = [entry for entry in index["files"] if entry["path"].startswith("bundled/")]
    rows = [[code(f"schema/{entry['path']}"), code(entry["$id"])] for entry in bundles]
    parts += ["## Bundles {#bundles}", table(["file", "id"], rows)]
    return "\n\n".join(parts) + "\n"


def _groups(index: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    for name, versions in index["formats"].items():
        for entry in versions:
            yield name, entry["folder"], entry["root"], entry["status"]
    for entry in index["others"]:
        yield entry["name"], entry["folder"], entry["root"], entry["status"]


def _part(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".schema.json")


def anchor_of(path: str, definition: str = "") -> str:
    """Return the anchor of a schema, or of a definition in it."""
    anchor = path.removesuffix(".schema.json").replace("/", "-").replace(".", "-")
    return f"{anchor}-{definition}" if definition else anchor


def _schema(schemas: Schemas, path: str) -> Iterator[str]:
    """Yield the paragraphs on one file: its own object, then its definitions."""
    document = schemas.documents[path]
    yield f"### {document['title']} {{#{anchor_of(path)}}}"
    yield text_of(document["description"])
    yield f"Id: {code(document['$id'])}"
    yield from _members(document, schemas, path)
    for name, definition in document.get("$defs", {}).items():
        yield f"#### {definition['title']} {{#{anchor_of(path, name)}}}"
        yield text_of(definition["description"])
        yield from _members(definition, schemas, path)


def _members(definition: Mapping[str, Any], schemas: Schemas, path: str) -> Iterator[str]:
    rows = list(rows_of(definition, schemas, path))
    if rows:
        yield table(["member", "type", "required", "meaning"], rows)
    yield from conditions(definition)


def conditions(definition: Mapping[str, Any]) -> Iterator[str]:
    """Yield, where there is any `if`, a paragraph that says what they ask for."""
    found = [f"* {_condition(rule)}" for rule in definition.get("allOf", ())]
    if found:
        yield "Besides:\n\n" + "\n".join(found)


def rows_of(
    definition: Mapping[str, Any], schemas: Schemas, path: str, prefix: str = ""
) -> Iterator[list[str]]:
    """Yield a row per member; members of objects written inside others are named with dots."""
    required = definition.get("required", ())
    for name, member in definition.get("properties", {}).items():
        told = member
        if "description" not in member and "$ref" in member:
            told = schemas.target(member["$ref"], path)[2]
        kind = _type(member, schemas, path)
        yield [
            code(prefix + name),
            kind,
            "yes" if name in required else "no",
            text_of(told["description"]),
        ]
        yield from rows_of(member, schemas, path, f"{prefix}{name}.")
        yield from rows_of(member.get("items", {}), schemas, path, f"{prefix}{name}[].")


def _type(member: Mapping[str, Any], schemas: Schemas, path: str) -> str:
    if "$ref" in member:
        name, anchor, target = schemas.target(member["$ref"], path)
        return f"[{name}](#{anchor})" + (" or null" if "null" in target.get("type", ()) else "")
    if "const" in member:
        return code(json.dumps(member["const"]))
    if "enum" in member:
        return ", ".join(code(json.dumps(item)) for item in member["enum"])
    given = member.get("type", "any")
    names = [given] if isinstance(given, str) else list(given)
    if "items" in member:
        items = f"array of {_type(member['items'], schemas, path)}"
        names = [items if name == "array" else name for name in names]
    return " or ".join(names) + _limits(member)


def _limits(member: Mapping[str, Any]) -> str:
    limits = []
    if member.get("minLength"):
        limits.append("not empty")
    if "minimum" in member:
        limits.append(f"at least {member['minimum']}")
    if "maxItems" in member:
        limits.append("empty" if member["maxItems"] == 0 else f"at most {member['maxItems']} items")
    if "pattern" in member:
        limits.append(code(member["pattern"]))
    return "".join(f", {limit}" for limit in limits)


def _condition(rule: Mapping[str, Any]) -> str:
    """Say in words what an `if` and `then` ask for."""
    tests, then = rule["if"]["properties"], rule["then"]
    where = " and ".join(f"{code(name)} is {code(json.dumps(test['const']))}" for name, test in tests.items())
    required = then.get("required", ())
    demands = []
    for name, test in then.get("properties", {}).items():
        kind, limits = test.get("type"), _limits(test).removeprefix(", ")
        if kind is None:
            what = f"{limits}, null or absent"
        elif kind == "null":
            what = "null or absent"
        else:
            what = f"a {kind}{', ' + limits if limits else ''}{', and required' if name in required else ''}"
        demands.append(f"{code(name)} is {what}")
    demands += [f"{code(name)} is required" for name in required if name not in then.get("properties", {})]
    return f"Where {where}: {'; '.join(demands)}."


def text_of(description: str) -> str:
    """Return a description as a cell or a paragraph."""
    return description.replace("|", "\\|").replace("<", "&lt;")
