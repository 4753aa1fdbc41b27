"""convspec explain: what a rule says, why, and what to do."""

from __future__ import annotations

import difflib
import shutil
import textwrap
from collections.abc import Iterator

import click

from convspec.rules import Rule, catalogue

SITE = "https://w3id.org/convspec/"


@click.command("explain", no_args_is_help=True)
@click.argument("rule")
def command(rule: str) -> None:
    """Explain RULE: what it says, why, and what to do."""
    known, rule = catalogue(), rule.lower()
    if rule not in known:
        near = difflib.get_close_matches(rule, known, 1)
        hint = f"did you mean {near[0]}?" if near else "convspec rules lists them"
        raise click.ClickException(f"there is no rule {rule!r}; {hint}")
    width = min(88, shutil.get_terminal_size((80, 24)).columns)
    for line in _page(known[rule], width):
        click.echo(line)


def _page(rule: Rule, width: int) -> Iterator[str]:
    yield f"{rule.id}: {rule.title}"
    yield ""
    for form, severity in rule.severity.items():
        yield f"  {severity} in a {form}   layer: {rule.layer}   since {rule.since}"
    for title, text in (
        ("What", rule.what),
        ("Why", rule.why),
        ("What a tolerant reader does", rule.tolerant_text),
        ("What to do", rule.fix),
    ):
        yield ""
        yield title
        ids_whole = textwrap.TextWrapper(
            width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
        )
        yield from ids_whole.wrap(text)
    yield ""
    for clause in rule.clause.values():
        page, _, anchor = clause.partition("#")
        yield f"Specification: {SITE}spec/{page.removesuffix('.md')}/#{anchor}"
    yield f"This page, with an example: {SITE}reference/rules/{rule.id}/"
