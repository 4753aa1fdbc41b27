"""Run every adapter kept here over the corpus, and keep the reports in conformance/reports.

    python python/scripts/run_adapters.py [--check] [NAME]...

With --check nothing is written: the exit code is 1 where a report differs from the committed one, or a case
fails. Names are those of ADAPTERS; all where none is given.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from convspec import __version__
from convspec.conformance import table
from convspec.conformance.corpus import FolderCorpus
from convspec.conformance.process import Command
from convspec.conformance.protocol_tier import ProtocolTier
from convspec.conformance.runner import run
from convspec.conformance.values import results_value

ROOT = Path(__file__).resolve().parents[2]
ADAPTERS: Mapping[str, str] = {
    "python": f"{shlex.quote(sys.executable)} -m convspec.conformance.adapter",
    "javascript": "node conformance/adapters/javascript/adapter.js",
    "ruby": "ruby conformance/adapters/ruby/adapter.rb",
}
_SECONDS = 60.0
"""Per case. Far above what any needs: a busy machine must not fail an adapter."""


def main(arguments: list[str]) -> int:
    """Run the adapters named, all where none is; return the exit code."""
    check = "--check" in arguments
    names = [name for name in arguments if name != "--check"] or list(ADAPTERS)
    corpus = FolderCorpus(str(ROOT / "conformance"))
    corpus.verify(corpus.ids())
    return max(_one(name, corpus, check=check) for name in names)


def _one(name: str, corpus: FolderCorpus, *, check: bool) -> int:
    words = [_absolute(word) for word in shlex.split(ADAPTERS[name])]
    results = run(corpus, ProtocolTier(Command(words), _SECONDS), corpus.ids())
    print("\n".join(table.lines(results)))
    print(f"{name}: {table.summary(results)}\n", flush=True)
    text = _dump(results_value(results, __version__))
    report = ROOT / "conformance" / "reports" / f"{name}.json"
    if not check:
        report.parent.mkdir(exist_ok=True)
        report.write_text(text, encoding="utf-8", newline="\n")
    elif not report.is_file() or report.read_text(encoding="utf-8") != text:
        print(f"out of date: conformance/reports/{name}.json (python python/scripts/run_adapters.py)")
        return 1
    return 0 if results.sound else 1


def _absolute(word: str) -> str:
    """Adapters are named from the top of the checkout, wherever the script is started."""
    return str(ROOT / word) if word.startswith("conformance/") else word


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
