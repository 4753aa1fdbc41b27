"""The schema files keep to the rules that every engine in every language can follow."""

from __future__ import annotations

import hashlib
import http.server
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from conftest import ROOT
from convspec import check, engine_fast, engine_plain, engines, schemas
from convspec.conformance.cases import Case
from convspec.text.recognise import body_start
from convspec.text.strict_json import MISSING, parse

SCHEMA = ROOT / "schema"
FILES = {
    path.relative_to(SCHEMA).as_posix(): json.loads(path.read_bytes())
    for path in sorted(SCHEMA.rglob("*.schema.json"))
}
REGISTRY: Registry[Any] = Registry().with_resources(
    (document["$id"], Resource.from_contents(document)) for document in FILES.values()
)
TEXT = {"title", "description", "examples"}
KEYWORDS = TEXT | {
    "$schema", "$id", "$comment", "$ref", "$defs", "type", "required", "properties", "items",
    "enum", "const", "pattern", "minLength", "minimum", "maxItems", "if", "then", "allOf",
}  # fmt: skip
RELEASED = Path(__file__).parent / "data" / "released.json"

every_file = pytest.mark.parametrize("name", FILES)


@dataclass(frozen=True)
class Part:
    """A schema inside a file: where it stands, and the object whose members it speaks of.

    `defines`: it is the root, a member or a definition. `constrains`: it stands below `if` or `then`.
    """

    pointer: str
    schema: dict[str, Any]
    owner: dict[str, Any]
    defines: bool
    constrains: bool

    def below(self, schema: Any, *tokens: str, defines: bool = False, constrains: bool = False) -> Part:
        same_object = tokens[0] in ("allOf", "if", "then")
        pointer = "/".join((self.pointer, *tokens))
        owner = self.owner if same_object else schema
        return Part(pointer, schema, owner, defines, constrains or self.constrains)


def parts(document: dict[str, Any]) -> Iterator[Part]:
    """Yield every schema of a file. Values that only look like schemas are not entered."""
    left = [Part("", document, document, True, False)]
    while left:
        part = left.pop()
        yield part
        for keyword, value in part.schema.items():
            if keyword in ("properties", "$defs"):
                left += [part.below(value[name], keyword, name, defines=True) for name in value]
            elif keyword == "allOf":
                left += [part.below(item, keyword, str(index)) for index, item in enumerate(value)]
            elif keyword == "items":
                left.append(part.below(value, keyword))
            elif keyword in ("if", "then"):
                left.append(part.below(value, keyword, constrains=True))


@every_file
def test_every_schema_is_valid_by_the_metaschema(name: str) -> None:
    Draft202012Validator.check_schema(FILES[name])
    assert FILES[name]["$schema"] == Draft202012Validator.META_SCHEMA["$id"]


@every_file
def test_every_schema_uses_the_allowed_keywords_only(name: str) -> None:
    bundled = {"additionalProperties"} if name.startswith("bundled/") else set()
    for part in parts(FILES[name]):
        assert part.schema.keys() <= KEYWORDS | bundled, part.pointer
        assert part.schema.get("additionalProperties", False) is False, part.pointer


@every_file
def test_every_schema_is_named_after_its_path(name: str) -> None:
    assert FILES[name]["$id"] == schemas.BASE + name
    assert [part.pointer for part in parts(FILES[name]) if "$id" in part.schema] == [""]


@every_file
def test_every_pattern_means_the_same_in_every_language(name: str) -> None:
    for part in parts(FILES[name]):
        pattern = part.schema.get("pattern", "^$")
        assert pattern.startswith("^"), part.pointer
        assert pattern.endswith("$"), part.pointer
        assert not re.search(r"\\[dDwWsSpPbB]|\(\?(?!:)", pattern), part.pointer
        re.compile(pattern)


@every_file
def test_everything_defined_has_title_description_and_examples(name: str) -> None:
    bare = [
        part.pointer
        for part in parts(FILES[name])
        if part.defines and not part.constrains and part.schema.keys() != {"$ref"}
        if not part.schema.keys() >= TEXT or not all(part.schema[key] for key in TEXT)
    ]
    assert not bare


@every_file
def test_every_example_fits_its_schema(name: str) -> None:
    for part in parts(FILES[name]):
        place = f"{FILES[name]['$id']}#{part.pointer}"
        validator = Draft202012Validator({"$ref": place}, registry=REGISTRY)
        for example in part.schema.get("examples", ()):
            faults = [error.message for error in validator.iter_errors(example)]
            assert not faults, f"{part.pointer}: {faults}"


@every_file
def test_conditions_speak_of_listed_members_only(name: str) -> None:
    for part in parts(FILES[name]):
        listed = part.owner.get("properties", {}).keys()
        assert set(part.schema.get("required", ())) <= listed, part.pointer
        assert part.schema.get("properties", {}).keys() <= listed, part.pointer


@every_file
def test_every_condition_asks_for_an_object(name: str) -> None:
    for part in parts(FILES[name]):
        if "if" in part.schema:
            assert part.schema["if"]["type"] == "object", part.pointer


def test_a_condition_on_a_member_that_is_not_listed_would_be_seen() -> None:
    schema = {"properties": {"a": {}}, "allOf": [{"if": {"type": "object"}, "then": {"required": ["b"]}}]}
    seen = {part.pointer: part for part in parts(schema)}
    assert set(seen) == {"", "/properties/a", "/allOf/0", "/allOf/0/if", "/allOf/0/then"}
    assert seen["/allOf/0/then"].owner is schema
    assert seen["/allOf/0/then"].constrains


def test_the_index_lists_every_schema_with_its_digest_and_nothing_else() -> None:
    index = json.loads((SCHEMA / "index.json").read_bytes())
    assert index["base"] == schemas.BASE
    assert index["files"] == [
        {"path": name, "$id": schemas.BASE + name, "sha256": digest(SCHEMA / name)} for name in FILES
    ]


def test_every_format_version_of_the_index_is_there() -> None:
    index = json.loads((SCHEMA / "index.json").read_bytes())
    for entry in [*index["others"], *(entry for versions in index["formats"].values() for entry in versions)]:
        assert entry["status"] in ("draft", "released")
        assert f"{entry['folder']}/{entry['root']}.schema.json" in FILES


def test_a_released_schema_never_changes() -> None:
    index = json.loads((SCHEMA / "index.json").read_bytes())
    digests = {entry["path"]: entry["sha256"] for entry in index["files"]}
    assert changed(index, digests, json.loads(RELEASED.read_bytes())) == []


@pytest.mark.parametrize(
    ("digests", "snapshot", "told"),
    [
        ({"a/1.0/x": "1", "b/1.0/x": "2"}, {"a/1.0/x": "1"}, []),
        ({"a/1.0/x": "1"}, {}, ["a/1.0/x"]),
        ({"a/1.0/x": "1", "a/1.0/y": "2"}, {"a/1.0/x": "1"}, ["a/1.0/y"]),
        ({"a/1.0/x": "2"}, {"a/1.0/x": "1"}, ["a/1.0/x"]),
        ({}, {"a/1.0/x": "1"}, ["a/1.0/x"]),
        ({"b/1.0/x": "2"}, {"b/1.0/x": "1"}, ["b/1.0/x"]),
    ],
)
def test_a_change_to_a_released_schema_would_be_seen(
    digests: dict[str, str], snapshot: dict[str, str], told: list[str]
) -> None:
    index = {
        "formats": {"a": [{"folder": "a/1.0", "status": "released"}]},
        "others": [{"folder": "b/1.0", "status": "draft"}],
    }
    assert changed(index, digests, snapshot) == told


def changed(index: Mapping[str, Any], digests: Mapping[str, str], snapshot: Mapping[str, str]) -> list[str]:
    """Return the released files that are not as the snapshot has them."""
    entries = [*index["others"], *(entry for versions in index["formats"].values() for entry in versions)]
    folders = tuple(f"{entry['folder']}/" for entry in entries if entry["status"] == "released")
    held = {path for path in digests if path.startswith(folders)} | snapshot.keys()
    return sorted(path for path in held if digests.get(path) != snapshot.get(path))


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def served() -> Iterator[tuple[str, list[str]]]:
    """An address on this machine that would serve a schema, and the requests it got."""
    requests: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"type": "object"}')

        def log_message(self, *ignored: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/x.schema.json", requests
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("compiled", [engine_plain.compiled, engine_fast.compiled], ids=["plain", "fast"])
def test_no_schema_is_ever_fetched(
    compiled: Callable[[str], schemas.Engine],
    served: tuple[str, list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address, requests = served
    asking = {"$schema": Draft202012Validator.META_SCHEMA["$id"], "$id": schemas.BASE + "x", "$ref": address}
    monkeypatch.setattr(schemas, "documents", lambda: {**FILES, "x": asking})
    with pytest.raises(Exception, match=re.escape(address)):
        list(compiled("x").violations([]))
    assert requests == []


def test_the_bundled_forms_say_what_the_parts_say(
    all_cases: tuple[Case, ...], laid_out: Callable[[Case], Path]
) -> None:
    """The open form finds the same; the strict form refuses the unknown keys too, and no more."""
    folder = "history/1.0"
    whole, open_form, strict_form = (
        engines.plain_engine(path)
        for path in (
            f"{folder}/history.schema.json",
            "bundled/history-1.0.open.schema.json",
            "bundled/history-1.0.strict.schema.json",
        )
    )
    seen = set()
    for case in all_cases:
        value = value_of(case)
        if value is MISSING:
            continue
        faults = engines.violations("", value, by=whole)
        assert engines.violations("", value, by=open_form) == faults, case.id
        report = check(laid_out(case), format="history")
        unknown = any(finding.rule == "unknown-key" for finding in report.findings)
        refused = any(True for _ in strict_form.violations(value))
        assert refused == bool(faults or unknown), case.id
        seen.add((bool(faults), unknown))
    assert seen == {(False, False), (False, True), (True, False), (True, True)}


def value_of(case: Case) -> Any:
    """Return the JSON value of a history case, or MISSING where it has none."""
    name, files = case.document["input"], case.tree.files
    data = files.get(name, files.get(f"{name}/history.json"))
    if data is None or case.document["format"] != "history":
        return MISSING
    return parse(data, body_start(data)).value
