"""Generate docs/reference/rules/ and docs/reference/schemas.md.

The rule pages are made from schema/rules.json and the conformance corpus, the schema page from
schema/index.json and the schemas it lists.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import docs_rules
import docs_schemas

RULES = "docs/reference/rules"
SCHEMAS = "docs/reference/schemas.md"


def outputs(root: Path) -> tuple[dict[str, str], list[str]]:
    """Return the generated files by path, and the folders that hold nothing else."""
    wanted = {f"{RULES}/{name}": text for name, text in docs_rules.pages(root).items()}
    wanted[SCHEMAS] = docs_schemas.page(root / "schema")
    return wanted, [RULES]
