"""One history, from bytes to findings: the layers run, and what they found is weighed and located."""

from __future__ import annotations

from dataclasses import dataclass

from convspec.findings import Fault, FileReport
from convspec.history import layers
from convspec.history.layers import Outcome
from convspec.text.recognise import body_start, byte_order_mark, is_empty, nothing_in_it
from convspec.text.strict_json import Parsed, parse
from convspec.weigh import report, weighed


@dataclass(frozen=True, slots=True)
class Judged:
    """A history that was judged: its bytes, what they decode to, and what the layers found."""

    data: bytes
    parsed: Parsed
    outcome: Outcome

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Every fault, those of the first bytes included."""
        return (*byte_order_mark(self.data), *self.outcome.faults)

    def report(self, label: str) -> FileReport:
        """Return the report; the file is called `label`."""
        return report(
            label,
            weighed(self.faults, format=layers.FORMAT, data=self.data, start=body_start(self.data)),
            format=layers.FORMAT,
            version=self.outcome.version,
            tally=self.outcome.tally,
            unsupported=self.outcome.unsupported,
        )


def judge(data: bytes, folder: str | None, *, keep: bool = False) -> Judged:
    """Run all layers over a history. `folder` and `keep` are those of `layers.check`. Never raises."""
    if is_empty(data):
        parsed = Parsed(None)
        return Judged(data, parsed, Outcome((nothing_in_it(),), None, layers.NOTHING))
    parsed = parse(data, body_start(data))
    return Judged(data, parsed, layers.check(parsed, folder, keep=keep))
