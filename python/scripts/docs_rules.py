"""The pages of the rules: one for each, and their index."""

from __future__ import annotations

import re
from pathlib import Path

from convspec.rules import Rule, catalogue
from docs_examples import Examples
from docs_markdown import generated, prose, sentence, table

FORMATS = ("history", "session")
SOURCE = "schema/rules.json and the conformance corpus"
LAYERS = {
    "bytes": ("Bytes", "Can the file be read as text at all, and what is it?"),
    "json": ("JSON", "Is the text one JSON document, and one that every program reads alike?"),
    "version": ("Version", "Which version of the format is it?"),
    "schema": ("Schema", "Are the members there, and of the right type?"),
    "document": ("Document", "Does the conversation hold together: ids, calls and results?"),
    "header": ("Header", "Does the log say what it is, once and first?"),
    "tree": ("Tree", "Do the entries hang together: ids, parents, leaves, labels, compactions?"),
    "metadata": ("Metadata", "Do names, prompts and tool executions agree with the rest?"),
    "attachments": ("Attachments", "Are the attached files there, whole, and what they say they are?"),
}
_HEADING = re.compile(r"^#{2,} (?P<title>.+?) \{#(?P<anchor>[a-z0-9-]+)\}$", re.M)


def pages(root: Path) -> dict[str, str]:
    """Return every page by its file name."""
    examples = Examples.of(root / "conformance")
    clauses = _clauses(root / "docs" / "spec")
    result = {f"{rule.id}.md": _page(rule, clauses, examples) for rule in catalogue().values()}
    result["index.md"] = _index()
    return result


def _page(rule: Rule, clauses: dict[str, str], examples: Examples) -> str:
    links = {other: f"{other}.md" for other in catalogue() if other != rule.id}
    clause = ", ".join(f"[{clauses[name]}](../../spec/{name})" for name in rule.clause.values())
    facts = [
        *([f"In a {name}", _weight(rule, name)] for name in rule.severity),
        ["Layer", f"[{rule.layer}](index.md#{rule.layer})"],
        ["Clause", clause or "–"],
        ["Since", rule.since],
        ["Tolerant reader", f"**{_tolerant(rule.tolerant)}.** {prose(rule.tolerant_text, links)}"],
    ]
    parts = [
        generated(SOURCE),
        f"# {rule.id}",
        sentence(prose(rule.title)),
        table(["", ""], facts),
        "## What it says",
        prose(rule.what, links),
        "## Why it matters",
        prose(rule.why, links),
        "## What to do",
        prose(rule.fix, links),
        "## Example",
        examples.section(rule),
        "[All rules](index.md)",
    ]
    return "\n\n".join(parts) + "\n"


def _weight(rule: Rule, name: str) -> str:
    return f"**{rule.severity[name]}**"


def _tolerant(word: str) -> str:
    return {"refuse": "Refuses", "skip": "Skips it", "repair": "Repairs it", "ignore": "Ignores it"}[word]


def _index() -> str:
    rules = catalogue().values()
    parts = [
        generated(SOURCE),
        "# Rules",
        f"A finding names its rule. There are {len(rules)} rules, and each has a page: what it says, why it "
        "matters, what to do, and an example. `convspec explain RULE` prints all but the example. The ids "
        "never change.",
        "A check runs in layers, in the order of this page. A later layer looks only at what the earlier "
        "ones left sound ([History 7.1](../../spec/history.md#layers), "
        "[Session 8.1](../../spec/session.md#layers)).",
        "What the severities mean, and where to begin, is on the page "
        "[Reading a finding](../../guide/findings.md).",
    ]
    for layer in dict.fromkeys(rule.layer for rule in rules):
        title, question = LAYERS[layer]
        rows = [
            [
                f"[{rule.id}]({rule.id}.md)",
                *_weights(rule),
                prose(rule.title),
            ]
            for rule in rules
            if rule.layer == layer
        ]
        parts += [
            f"## {title} {{#{layer}}}",
            question,
            table(["rule", "in a history", "in a session log", "what is wrong"], rows),
        ]
    return "\n\n".join(parts) + "\n"


def _weights(rule: Rule) -> list[str]:
    return [str(rule.severity.get(name, "–")) for name in FORMATS]


def _clauses(folder: Path) -> dict[str, str]:
    """Return the title of every clause of the specification, by page and anchor."""
    return {
        f"{page.name}#{match['anchor']}": f"{page.stem.capitalize()} {match['title']}"
        for page in sorted(folder.glob("*.md"))
        for match in _HEADING.finditer(page.read_text(encoding="utf-8"))
    }
