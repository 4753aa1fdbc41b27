"""The pages of the specification agree with the schemas, the rule catalogue and the reference."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from conftest import ROOT
from convspec import Severity, check
from convspec.rules import catalogue
from convspec.schemas import documents

PAGES = {
    path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "spec").glob("*.md"))
}
RULES = [(form, rule.id) for rule in catalogue().values() for form in rule.severity]
NAMES = {"json": "conversation.json", "jsonl": "log.jsonl"}
_HEADING = re.compile(r"#+ ((?:[0-9.]+ )?)(.*?)(?: \{#([a-z0-9-]+)\})?")
_RULE_LINK = re.compile(r"\[`([a-z0-9-]+)`\]\(\.\./reference/rules/([a-z0-9-]+)\.md\)")


@dataclass
class Clause:
    """A section of a page: its number, its anchor, and its lines outside of code blocks."""

    number: str
    anchor: str
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def tables(self) -> Iterator[list[list[str]]]:
        """Yield the cells of each table, row by row, without its head."""
        for block in re.findall(r"(?m)^\|.*(?:\n\|.*)*", self.text):
            yield [[cell.strip() for cell in row[1:-1].split("|")] for row in block.split("\n")[2:]]

    @property
    def rules(self) -> list[tuple[str, str]]:
        """The rules of its `Rules:` line, each with the page that its link leads to."""
        return [
            link for line in self.lines if line.startswith("Rules: ") for link in _RULE_LINK.findall(line)
        ]


@dataclass(frozen=True)
class Example:
    """A block of JSON and what its marker says of it."""

    page: str
    line: int
    language: str
    marker: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.page}:{self.line}"


def clauses_of(page: str) -> list[Clause]:
    found = [Clause("", "")]
    in_code = False
    for line in PAGES[page].split("\n"):
        in_code ^= line.startswith("```")
        heading = None if in_code else _HEADING.fullmatch(line)
        if heading:
            number, title, anchor = heading.groups()
            slug = re.sub("[^a-z0-9]+", "-", f"{number}{title}".lower()).strip("-")
            found.append(Clause(number.strip(), anchor or slug))
        elif not in_code:
            found[-1].lines.append(line)
    return found[1:]


def examples_of(page: str) -> Iterator[Example]:
    lines = PAGES[page].split("\n")
    for index, line in enumerate(lines):
        language = line.removeprefix("```")
        if line.startswith("```") and language in NAMES:
            end = lines.index("```", index)
            text = "".join(one + "\n" for one in lines[index + 1 : end])
            yield Example(page, index + 1, language, lines[index - 1], text)


CLAUSES = {page: clauses_of(page) for page in PAGES}
EXAMPLES = [example for page in PAGES for example in examples_of(page)]
every_page = pytest.mark.parametrize("page", PAGES)


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.name for example in EXAMPLES])
def test_every_example_is_what_its_marker_says(example: Example) -> None:
    marker = re.fullmatch(
        "<!-- example: (valid|fragment|invalid ([a-z0-9-]+(?:, [a-z0-9-]+)*)) -->", example.marker
    )
    assert marker, f"no marker before line {example.line}"
    if marker[1] == "fragment":
        for text in example.text.splitlines() if example.language == "jsonl" else [example.text]:
            json.loads(text)
        return
    report = check(example.text.encode(), name=NAMES[example.language])
    found = [finding.rule for finding in report.findings if finding.severity is not Severity.INFO]
    assert sorted(found) == sorted((marker[2] or "").split(", ") if marker[2] else [])


@every_page
def test_every_marker_stands_before_an_example(page: str) -> None:
    assert PAGES[page].count("<!-- example:") == sum(1 for _ in examples_of(page))


@every_page
def test_every_anchor_is_named_once(page: str) -> None:
    anchors = [clause.anchor for clause in CLAUSES[page]]
    assert len(anchors) == len(set(anchors))


@every_page
def test_every_link_to_a_clause_leads_there_and_bears_its_number(page: str) -> None:
    for text, target, anchor in re.findall(r"\[([^\]]+)\]\(([a-z]+\.md)?#([a-z0-9-]+)\)", PAGES[page]):
        numbers = {clause.anchor: clause.number for clause in CLAUSES[target or page]}
        assert anchor in numbers, text
        number = re.search(r"\b[0-9]+\.[0-9]+$", text)
        if number:
            assert numbers[anchor] == number[0], text


@every_page
def test_every_link_to_a_rule_names_one(page: str) -> None:
    for name, target in _RULE_LINK.findall(PAGES[page]):
        assert name == target
        assert name in catalogue()
    for clause in CLAUSES[page]:
        assert clause.text.count("Rules: ") <= 1, clause.anchor
        for line in clause.lines:
            if line.startswith("Rules: "):
                assert not re.sub(r"Rules: |, ", "", _RULE_LINK.sub("", line)), clause.anchor


@pytest.mark.parametrize(("form", "rule"), RULES)
def test_every_rule_is_linked_under_its_clause(form: str, rule: str) -> None:
    page, anchor = catalogue()[rule].clause[form].split("#")
    (clause,) = (clause for clause in CLAUSES[page] if clause.anchor == anchor)
    assert (rule, rule) in clause.rules


@pytest.mark.parametrize("form", ["history", "session"])
def test_the_table_of_all_rules_is_the_catalogue(form: str) -> None:
    page = f"{form}.md"
    (section,) = (clause for clause in CLAUSES[page] if clause.anchor.endswith("all-rules-in-one-table"))
    (table,) = section.tables
    listed = {}
    for link, severity, *_, clause in table:
        rule, target = re.search(r"\(([a-z]+\.md)?#([a-z0-9-]+)\)", clause), _RULE_LINK.fullmatch(link)
        assert rule, link
        assert target, link
        listed[target[1]] = (severity, f"{rule[1] or page}#{rule[2]}")
    assert len(listed) == len(table)
    rules = [catalogue()[id] for name, id in RULES if name == form]
    assert listed == {rule.id: (rule.severity[form].value, rule.clause[form]) for rule in rules}


@pytest.mark.parametrize(
    ("page", "anchor", "part"),
    [
        ("history.md", "message", "history/1.0/message"),
        ("history.md", "tool-call", "history/1.0/tool-call"),
        ("history.md", "thinking", "history/1.0/thinking"),
        ("history.md", "tokens", "history/1.0/tokens"),
        ("history.md", "attachment", "history/1.0/attachment"),
        ("session.md", "header", "session/2.0/session"),
        ("session.md", "message-record", "session/2.0/message"),
        ("session.md", "compaction-record", "session/2.0/compaction"),
        ("session.md", "branch-summary", "session/2.0/branch-summary"),
        ("session.md", "leaf-record", "session/2.0/leaf"),
        ("session.md", "label-record", "session/2.0/label"),
        ("session.md", "session-info", "session/2.0/session-info"),
        ("session.md", "system-prompt", "session/2.0/system-prompt"),
        ("session.md", "memory-state", "session/2.0/memory-state"),
        ("session.md", "tool-execution", "session/2.0/tool-execution-end"),
    ],
)
def test_the_tables_of_members_are_the_schemas(page: str, anchor: str, part: str) -> None:
    schema: dict[str, Any] = documents()[f"{part}.schema.json"]
    (clause,) = (clause for clause in CLAUSES[page] if clause.anchor == anchor)
    table = next(clause.tables)
    assert [row[0] for row in table] == [f"`{name}`" for name in schema["properties"]]
    required = [row[0] for row in table if len(row) > 2 and row[2] == "yes"]
    assert required == [f"`{name}`" for name in schema.get("required", ())]
