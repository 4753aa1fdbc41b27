"""Animals that judge wrongly: verdicts, and findings."""

from __future__ import annotations

import re
from typing import Any

from convspec.conformance.cases import Case
from zoo.bends import Finding, dropping, each, is_fatal, said, without, without_layers
from zoo.keeper import Answer, Reference, bent

_VERDICT = ("verdict",)
_FINDINGS = ("findings",)
_BOTH = ("verdict", "findings")


def _always(verdict: str) -> Any:
    return lambda case, answer, reference: {**answer, "verdict": verdict}


def _instead(verdict: str, other: str) -> Any:
    return lambda case, answer, reference: (
        {**answer, "verdict": other} if answer["verdict"] == verdict else answer
    )


def _as_its_twin(case: Case, answer: Answer, reference: Reference) -> Answer:
    """Overlook whatever tells a case from its twin."""
    return reference.answers[case.document.get("twin", case.id)]


def _moved(by: int) -> Any:
    return each(lambda finding: {**finding, "line": finding["line"] + by} if finding["line"] else finding)


def _pointed(change: Any) -> Any:
    return each(
        lambda finding: {**finding, "pointer": change(finding["pointer"])} if finding["pointer"] else finding
    )


def _from_one(pointer: str) -> str:
    return "/".join(str(int(token) + 1) if token.isdecimal() else token for token in pointer.split("/"))


def _heavier(finding: Finding, light: str, heavy: str) -> Finding:
    return {**finding, "severity": heavy} if finding["severity"] == light else finding


def _once_per_rule(findings: list[Finding]) -> list[Finding]:
    return list({finding["rule"]: finding for finding in reversed(findings)}.values())


def _cascading(findings: list[Finding]) -> list[Finding]:
    """Take a document that is no JSON for an empty one, and miss what it ought to hold."""
    if not any(map(is_fatal, findings)):
        return findings
    found = next(filter(is_fatal, findings))
    return [*findings, {**found, "rule": "version-missing", "pointer": "", "member": "version"}]


def _knows(*wanted: str) -> Any:
    return dropping(lambda finding: finding["rule"] in wanted)


ANIMALS = (
    bent("yes-man", "accepts everything", _always("valid"),
         "history/document/message-id-duplicate", "session/version/newer", "history/bytes/fifo",
         at=_VERDICT, levels=_VERDICT),
    bent("no-man", "rejects everything", _always("invalid"),
         "history/document/two-messages", "session/version/newer", "session/tree/three-entry-chain",
         at=_VERDICT, levels=_VERDICT),
    bent("futurist", "takes a newer version for valid", without("version-newer"),
         "history/version/two", "session/version/newer", at=_BOTH),
    bent("conservative", "calls a newer version invalid", _instead("unsupported", "invalid"),
         "history/version/two", "session/version/newer", at=_VERDICT),
    bent("blind-guide", "calls a file that it cannot read invalid", _instead("unreadable", "invalid"),
         "history/bytes/fifo", "session/bytes/unrecognised-first-line", at=_VERDICT),
    bent("kind-parser", "takes NaN, Infinity and 1e400 for numbers", without("json-non-finite"),
         "history/json/nan", "session/json/nan", at=_VERDICT, levels=_VERDICT),
    bent("last-wins", "takes the last of two equal keys without a word", without("json-duplicate-key"),
         "history/json/duplicate-id", "session/json/duplicate-key", at=_VERDICT, levels=_VERDICT),
    bent("diver", "has no limit of depth", without("json-depth"),
         "history/json/levels-101", "session/json/levels-101", at=_VERDICT, levels=_VERDICT),
    bent("mender", "puts U+FFFD for bytes that are not UTF-8", without("encoding-utf8"),
         "history/bytes/latin-1", "session/bytes/bad-byte-in-key", at=_VERDICT, levels=_VERDICT),
    bent("half-hearted", "takes halves of surrogate pairs for text", without("text-surrogate"),
         "history/json/surrogate-high",
         at=_VERDICT, levels=_VERDICT),
    bent("mark-eater", "skips a byte order mark without a word", without("encoding-bom"),
         "history/bytes/encoding-bom", "session/bytes/byte-order-mark", at=_VERDICT, levels=_VERDICT),
    bent("page-turner", "ignores a torn last line", without("line-torn"),
         "session/bytes/torn-in-string", "session/bytes/torn-header", at=_VERDICT, levels=_VERDICT),
    bent("void-gazer", "takes runs of NUL bytes for blank", without("line-nul"),
         "session/bytes/nul-run-at-the-end", at=_VERDICT, levels=_VERDICT),
    bent("gluer", "is content with two records on one line", without("line-glued", "line-spliced"),
         "session/bytes/glued-two-records", "session/bytes/spliced-in-key", at=_VERDICT, levels=_VERDICT),
    bent("line-skipper", "skips every line that it cannot read, as if it were not there",
         dropping(lambda finding: not finding["rule"].startswith("line-") and not is_fatal(finding)),
         "session/bytes/torn-in-string", "session/bytes/unterminated", at=_BOTH),
    bent("namesake", "never sees that an id is used twice",
         without("message-id-duplicate", "entry-id-duplicate"),
         "history/document/message-id-duplicate", "session/tree/id-three-times",
         at=_VERDICT, levels=_VERDICT),
    bent("orphanage", "never looks for a parent",
         without("parent-missing", "parent-kind", "parent-cycle"),
         "session/tree/parent-missing", "session/tree/parent-is-label", "session/tree/cycle-self",
         at=_VERDICT, levels=_VERDICT),
    bent("form-filler", "goes by the schemas alone",
         dropping(lambda finding: finding["rule"].startswith(("schema-", "json-", "version-"))),
         "history/document/message-id-duplicate", "session/tree/parent-missing", "history/bytes/fifo",
         at=_BOTH),
    bent("free-spirit", "has no schemas", without_layers("schema"),
         "session/schema/version-1-leaf-without-target-id", at=_BOTH),
    bent("stay-at-home", "ignores attachments", without_layers("attachments"),
         "history/attachments/missing", "history/attachments/digest-other-bytes", at=_BOTH),
    bent("code-talker", "does not decode base64", without("attachment-base64", "attachment-empty"),
         "history/attachments/base64-padding-inside", "history/attachments/base64-trailing-bits-of-two",
         at=_VERDICT, levels=_VERDICT),
    bent("follower", "follows symbolic links out of the folder", without("attachment-symlink"),
         "history/attachments/link-out-of-the-folder", "history/attachments/link-attachments-folder",
         at=_VERDICT, levels=_VERDICT),
    bent("sleeper", "overlooks whatever tells a case from its twin", _as_its_twin,
         "history/document/message-id-duplicate", "session/tree/parent-missing",
         at=("verdict", "findings", "reading")),
    bent("first-come", "stops at the first finding", said(lambda findings: findings[:1]),
         "history/document/many-faults", "session/tree/parents-missing-22", at=_BOTH),
    bent("tired-clerk", "stops after twenty findings", said(lambda findings: findings[:20]),
         "session/tree/parents-missing-22", at=_FINDINGS),
    bent("once-only", "tells each rule once a file", said(_once_per_rule),
         "session/tree/parents-missing-22", "history/attachments/missing-shared", at=_FINDINGS),
    bent("stutterer", "tells everything twice", said(lambda findings: [*findings, *findings]),
         "history/document/message-id-duplicate", at=_FINDINGS),
    bent("avalanche", "misses a version in what is no JSON", said(_cascading),
         "history/json/bare-word", "session/bytes/cut-in-the-middle", at=_FINDINGS),
    bent("alarmist", "counts warnings as errors", each(lambda finding: _heavier(finding, "warning", "error")),
         "history/document/blank-user", "session/bytes/unterminated", at=_BOTH),
    bent("worrier", "counts infos as warnings", each(lambda finding: _heavier(finding, "info", "warning")),
         "session/tree/extra-root", at=_FINDINGS),
    bent("optimist", "keeps warnings to itself", dropping(lambda finding: finding["severity"] != "warning"),
         "history/document/blank-user", "session/bytes/unterminated", at=_FINDINGS),
    bent("off-by-one", "takes the first line for line 0", _moved(-1), "session/tree/parent-missing",
         at=_FINDINGS),
    bent("pathless", "points to the object, not to the member",
         _pointed(lambda pointer: pointer.rpartition("/")[0]),
         "session/tree/parent-missing", "history/document/message-id-duplicate", at=_FINDINGS),
    bent("from-one", "counts list items from 1", _pointed(_from_one),
         "history/document/message-id-duplicate", at=_FINDINGS),
    bent("unescaped", "writes ~ and / of a key as they are",
         _pointed(lambda pointer: pointer.replace("~1", "/").replace("~0", "~")),
         "history/schema/pointer-escapes", at=_FINDINGS),
    bent("unnumbered", "does not say which record of a glued line",
         each(lambda finding: {**finding, "record": None}),
         "session/bytes/glued-third-record-faulty", at=_FINDINGS),
    bent("vague", "does not say which member is missing", each(lambda finding: {**finding, "member": None}),
         "session/schema/version-1-leaf-without-target-id", at=_FINDINGS),
    bent("misnamer", "calls every schema finding a wrong type",
         each(lambda finding: {**finding, "rule": re.sub("^schema-.*", "schema-type", finding["rule"])}),
         "session/schema/version-1-leaf-without-target-id", at=_FINDINGS),
)  # fmt: skip
