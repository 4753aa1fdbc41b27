"""Generate docs/reference/rules/, schemas.md and protocol.md there, and parts of docs/conformance.md.

The rule pages are made from schema/rules.json and the conformance corpus, the schema page from
schema/index.json and the schemas it lists, the protocol page from three of them. What is generated in a
page that people write stands between `<!-- generated: NAME -->` and `<!-- /generated -->`.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import docs_implementations
import docs_protocol
import docs_rules
import docs_schemas
import docs_zoo

RULES = "docs/reference/rules"
SCHEMAS = "docs/reference/schemas.md"
PROTOCOL = "docs/reference/protocol.md"
CONFORMANCE = "docs/conformance.md"
END = "<!-- /generated -->"


def outputs(root: Path) -> tuple[dict[str, str], list[str]]:
    """Return the generated files by path, and the folders that hold nothing else."""
    wanted = {f"{RULES}/{name}": text for name, text in docs_rules.pages(root).items()}
    wanted[SCHEMAS] = docs_schemas.page(root / "schema")
    wanted[PROTOCOL] = docs_protocol.page(root)
    text = (root / CONFORMANCE).read_text(encoding="utf-8")
    text = filled(text, "implementations", docs_implementations.tables(root / "conformance"))
    wanted[CONFORMANCE] = filled(text, "zoo", docs_zoo.zoo_table(root))
    return wanted, [RULES]


def filled(text: str, name: str, content: str) -> str:
    """Return a page with `content` between the marks of the region `name`, which it must have once."""
    begin = f"<!-- generated: {name} -->"
    if text.count(begin) != 1:
        raise SystemExit(f"the page must have {begin} once")
    before, _, rest = text.partition(begin)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"{begin} is not ended by {END}")
    return f"{before}{begin}\n{content}\n{END}{after}"
