"""The page of the protocol: its lines from their schemas, and a dialogue that the reference has held."""

from __future__ import annotations

import json
import tempfile
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from convspec import engines
from convspec.conformance import protocol
from convspec.conformance.adapter import answers
from convspec.conformance.cases import Case
from convspec.conformance.compare import differences
from convspec.conformance.corpus import FolderCorpus
from convspec.conformance.results import Logs
from convspec.conformance.written import written_differences
from docs_markdown import block, code, generated, table
from docs_schemas import Schemas, anchor_of, conditions, rows_of, text_of

REQUEST, INTRODUCTION, ANSWER, OPERATION = (
    f"conformance/1.0/{name}.schema.json" for name in ("request", "introduction", "answer", "operation")
)
ASKED = ("history/json/two-messages", "history/json/nan", "session/tree/parent-missing")
"""The cases of the dialogue, of the kind `check`."""
WRITTEN = "session/writing/refused-branch"
"""The case of the kind `write` that comes behind them."""
WIDTH = 70

OPENING = f"""An *adapter* is a small program around an implementation, in any language, that the runner \
asks about one input after another. It is started once, with `convspec conformance run --adapter \
"COMMAND" --protocol`. This page is for looking things up; \
[the guide](../conformance.md#protocol-tier) builds an adapter step by step.

## The lines {{#lines}}

* The runner writes requests to the adapter's standard input, the adapter writes answers to its \
standard output. A line is one JSON object, in UTF-8 and ended by a line feed, and no longer than \
{protocol.LONGEST_ANSWER // 2**20} MiB.
* The adapter answers every request but `stop` with exactly one line, and sends it off at once: most \
languages keep output back until they are told to flush it. The next request comes after the answer.
* Answers are read strictly. A key that stands twice in an object, a `NaN`, or text behind the object \
makes a bad answer. Members that the schemas do not know are allowed, and ignored.
* Nothing else is written to standard output, neither a greeting nor a warning. Standard error is free: \
its end is kept, and shown beside a case for which no answer came.
* After `stop`, and at the end of its input, the adapter ends with exit code 0.
* An adapter that dies, is silent for too long, or gives a bad answer is ended, with all processes that \
it started. It is started anew for the next case and introduces itself again, so it must not rely on \
what it was asked before.

## A dialogue {{#dialogue}}

`->` is the runner, `<-` the adapter. The answers are those of the reference, without the members of \
findings and readings that are not compared. Each arrow is one line; long ones are broken here to be read."""

CLOSING = """What is compared, member by member, is on the page \
[Conformance](../conformance.md#comparison)."""


def page(root: Path) -> str:
    """Return the page."""
    schemas = Schemas.read(root / "schema", (REQUEST, INTRODUCTION, ANSWER, OPERATION))
    parts = [
        generated("schema/conformance/1.0 and a dialogue with the reference"),
        "# Protocol",
        OPENING,
        block("\n".join(map(_broken, _dialogue(root / "conformance", schemas))), "text", title="four cases"),
        CLOSING,
    ]
    for path in schemas.documents:
        parts += _schema(schemas, path)
    return "\n\n".join(parts) + "\n"


def _schema(schemas: Schemas, path: str) -> Iterator[str]:
    """Yield the paragraphs on one kind of line: its members, its definitions, its examples."""
    document = schemas.documents[path]
    yield f"## {document['title'].removeprefix('Protocol ').capitalize()} {{#{anchor_of(path)}}}"
    yield text_of(document["description"])
    yield _members(document, schemas, path)
    yield from conditions(document)
    for name, definition in document.get("$defs", {}).items():
        yield f"### {definition['title']} {{#{anchor_of(path, name)}}}"
        yield text_of(definition["description"])
        yield _members(definition, schemas, path)
    yield f"Examples, each a line. The schema is {code(f'schema/{path}')}."
    yield block("\n".join(map(_line, document["examples"])), "json", title=document["title"])


def _members(definition: Mapping[str, Any], schemas: Schemas, path: str) -> str:
    """Return a table of the members. None of them holds members of its own that are not a definition's."""
    members = definition["properties"].values()
    rows = [
        [name, kind, required, f"**{member['title']}.** {meaning} {_examples(member)}"]
        for (name, kind, required, meaning), member in zip(
            rows_of(definition, schemas, path), members, strict=True
        )
    ]
    return table(["member", "type", "required", "meaning"], rows)


def _examples(member: Mapping[str, Any]) -> str:
    examples = [code(_line(example)) for example in member["examples"]]
    return f"{'Example' if len(examples) == 1 else 'Examples'}: {', '.join(examples)}"


def _dialogue(corpus: Path, schemas: Schemas) -> Iterator[str]:
    """Yield what the runner and the reference say to each other about a few cases.

    Every line is held against its schema and every answer against its case, so the page cannot show
    what the runner would not take.
    """
    members = schemas.documents[ANSWER]["$defs"]["finding"]["properties"]
    yield f"-> {_line(_sound(REQUEST, protocol.start()))}"
    (introduction,) = answers([protocol.start()])
    yield f"<- {_line(_sound(INTRODUCTION, json.dumps(introduction)))}"
    for seq, id in enumerate(ASKED, 1):
        case, request, answer, _ = _asked(corpus, id, seq)
        yield f"-> {request}"
        answer["findings"] = [
            {key: value for key, value in finding.items() if key in members} for finding in answer["findings"]
        ]
        answer["reading"] = {key: answer["reading"][key] for key in case.document["expect"]["reading"]}
        wrong = differences(case.document, _sound(ANSWER, json.dumps(answer)))
        if wrong:
            raise SystemExit(f"the reference does not pass {id}: {wrong[0]}")
        yield f"<- {_line(answer)}"
    case, request, answer, logs = _asked(corpus, WRITTEN, len(ASKED) + 1)
    yield f"-> {request}"
    for text in written_differences(case.document, _sound(ANSWER, json.dumps(answer)), *logs):
        raise SystemExit(f"the reference does not pass {WRITTEN}: {text}")
    # Ids are made up anew in each run; the page has the same ones each time.
    shown = {name: f"{number:032x}" for number, name in enumerate(answer["ids"], 0x0A1B2C3D)}
    yield f"<- {_line({**answer, 'ids': shown})}"
    yield f"-> {_line(_sound(REQUEST, protocol.stop()))}"


def _asked(corpus: Path, id: str, seq: int) -> tuple[Case, str, dict[str, Any], tuple[Logs, Logs]]:
    """Ask the reference for a case; return it, the request as it is shown, the answer, and the logs."""
    case = Case(corpus / id, json.loads((corpus / id / "case.json").read_bytes()))
    logs_at = FolderCorpus(str(corpus)).logs
    with tempfile.TemporaryDirectory() as scratch:
        path = str(case.copied(Path(scratch) / "case"))
        before = logs_at(path)
        (answer,) = answers([protocol.case(seq, case.document, path)])
        logs = before, logs_at(path)
    shown = protocol.case(seq, case.document, f"/tmp/conformance/{seq}/{case.document['input']}")
    return case, _line(_sound(REQUEST, shown)), answer, logs


def _sound(schema: str, line: str | bytes) -> dict[str, Any]:
    """Return a line's value. It ends the generator if the line does not fit its schema."""
    value: dict[str, Any] = json.loads(line)
    for violation in engines.violations(schema, value):
        raise SystemExit(f"a line of the dialogue does not fit {schema}: {violation.keyword}")
    return value


def _broken(line: str) -> str:
    """Break a line for the eye, between members."""
    parts = textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n       ".join(parts)


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
