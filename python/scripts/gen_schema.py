"""Generate schema/bundled/ and schema/index.json from the schemas kept by hand."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

SUFFIX = ".schema.json"
BASE = "https://w3id.org/convspec/schema/"

# Which folder holds which version of which format, and its root part. Status: draft | released.
FORMATS: dict[str, list[dict[str, Any]]] = {
    "history": [{"version": 1, "folder": "history/1.0", "root": "history", "status": "draft"}],
    "session": [
        {"version": 1, "folder": "session/1.0", "root": "record", "status": "draft"},
        {"version": 2, "folder": "session/2.0", "root": "record", "status": "draft"},
    ],
}
OTHERS = [
    {"name": "report", "folder": "report/1.0", "root": "report", "status": "draft"},
    {"name": "conformance", "folder": "conformance/1.0", "root": "case", "status": "draft"},
]


def outputs(root: Path) -> tuple[dict[str, str], list[str]]:
    """Return the generated files by path, and the folders that hold nothing else."""
    schema = root / "schema"
    wanted: dict[str, str] = {}
    for versions in FORMATS.values():
        for entry in versions:
            stem = "-".join(entry["folder"].split("/"))
            parts = _parts(schema, entry["folder"])
            for variant in ("open", "strict"):
                name = f"schema/bundled/{stem}.{variant}.schema.json"
                wanted[name] = _dump(_bundle(parts, entry["root"], name, strict=variant == "strict"))
    wanted["schema/index.json"] = _dump(_index(schema, wanted))
    return wanted, ["schema/bundled"]


def _parts(schema: Path, folder: str) -> dict[str, Any]:
    """Return the schemas of a folder by name, and those of other folders that they refer to."""
    work = sorted((schema / folder).glob("*.schema.json"))
    parts: dict[str, Any] = {}
    while work:
        path = work.pop(0)
        name = path.name.removesuffix(SUFFIX)
        if name not in parts:
            parts[name] = json.loads(path.read_text(encoding="utf-8"))
            work += [(path.parent / reference).resolve() for reference in _references(parts[name])]
    return parts


def _references(node: Any) -> list[str]:
    """Return every `$ref` to another file."""
    if isinstance(node, list):
        return [found for item in node for found in _references(item)]
    if not isinstance(node, dict):
        return []
    own = [node["$ref"]] if isinstance(node.get("$ref"), str) and node["$ref"].endswith(SUFFIX) else []
    return own + [found for value in node.values() for found in _references(value)]


def _bundle(parts: dict[str, Any], root: str, name: str, *, strict: bool) -> dict[str, Any]:
    """Put every part under `$defs` of one document that refers to nothing outside."""

    def moved(node: Any) -> Any:
        if isinstance(node, list):
            return [moved(item) for item in node]
        if not isinstance(node, dict):
            return node
        result = {key: moved(value) for key, value in node.items() if key not in ("$schema", "$id")}
        if "$ref" in node:
            result["$ref"] = f"#/$defs/{node['$ref'].rpartition('/')[2].removesuffix(SUFFIX)}"
        return result

    definitions = {part: moved(document) for part, document in parts.items()}
    if strict:
        for part, definition in definitions.items():
            if part != "record":  # which only says which schema a record is held to
                _close(definition)
    top = definitions[root]
    title = f"{top['title']}, {'strict' if strict else 'open'} form in one file"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": BASE + name.removeprefix("schema/"),
        "$comment": "Generated. The parts it is made from are the source.",
        **top,
        "title": title,
        "$defs": {part: definition for part, definition in definitions.items() if part != root},
    }


def _close(definition: dict[str, Any]) -> None:
    """Forbid the keys that an object does not define. What only constrains (`then`) is left alone."""
    if "properties" in definition:
        definition["additionalProperties"] = False


def _index(schema: Path, generated: dict[str, str]) -> dict[str, Any]:
    files = []
    for path in sorted(schema.rglob("*.schema.json")):
        name = path.relative_to(schema).as_posix()
        if not name.startswith("bundled/"):
            files.append((name, path.read_bytes()))
    files += [(name.removeprefix("schema/"), text.encode()) for name, text in generated.items()]
    return {
        "base": BASE,
        "formats": FORMATS,
        "others": OTHERS,
        "files": [
            {"path": name, "$id": BASE + name, "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in sorted(files)
        ],
    }


def _dump(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
