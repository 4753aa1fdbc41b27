"""Known failures: cases that an implementation is known to fail, each with a reason."""

from __future__ import annotations

from collections.abc import Container, Mapping

from convspec.conformance.corpus import CorpusFault, read_document

_SCHEMA = "conformance/1.0/known-failures.schema.json"


def known_failures(data: bytes, name: str, ids: Container[str]) -> Mapping[str, str]:
    """Return reasons by case id from a file's bytes. Raises CorpusFault, also for an id not in `ids`."""
    found: dict[str, str] = {}
    for entry in read_document(data, _SCHEMA, name)["failures"]:
        if entry["case"] not in ids:
            raise CorpusFault(f"{name} lists {entry['case']}, which the corpus does not have")
        if entry["case"] in found:
            raise CorpusFault(f"{name} lists {entry['case']} twice")
        found[entry["case"]] = entry["reason"]
    return found
