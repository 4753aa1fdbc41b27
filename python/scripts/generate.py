"""Make everything that is generated, or with --check say what is out of date.

    python python/scripts/generate.py [--check]

Generated: schema/bundled/, schema/index.json, conformance/manifest.json, docs/reference/, and the marked
parts of docs/conformance.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import gen_corpus
import gen_docs
import gen_schema

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    """Write, or with --check compare; the exit code is 1 where something is out of date."""
    check = "--check" in arguments
    stale: list[str] = []
    for step in (gen_schema.outputs, gen_corpus.outputs, gen_docs.outputs):
        wanted, folders = step(ROOT)
        stale += _apply(wanted, folders, check=check)
    for name in stale:
        print(f"{'out of date' if check else 'written'}: {name}")
    return 1 if check and stale else 0


def _apply(wanted: dict[str, str], folders: list[str], *, check: bool) -> list[str]:
    """Write each file, and remove what stands in a generated folder and is no longer wanted."""
    stale = []
    for name, text in wanted.items():
        path = ROOT / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8", newline="\n")
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.is_file() and name not in wanted:
                stale.append(name)
                if not check:
                    path.unlink()
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
