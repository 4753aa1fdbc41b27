"""convspec rules: the catalogue."""

from __future__ import annotations

import json
import shutil
import sys

import click

from convspec.checker import FORMATS
from convspec.packaged import read_data
from convspec.rules import catalogue


@click.command("rules", short_help="List the rules.")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
def command(form: str) -> None:
    """List the rules: id, weight in a history and in a session log, title."""
    if form == "json":
        click.echo(json.dumps(json.loads(read_data("rules.json")), indent=2, ensure_ascii=False))
        return
    rules = catalogue().values()
    widest = max(len(rule.id) for rule in rules)
    room = shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else None
    layer = ""
    for rule in rules:
        if rule.layer != layer:
            click.echo(("" if not layer else "\n") + rule.layer)
            layer = rule.layer
        weights = "  ".join(f"{rule.severity.get(name, '–'):7}" for name in FORMATS)
        line = f"  {rule.id:{widest}}  {weights}  {rule.title}"
        click.echo(line if room is None or len(line) <= room else line[: room - 1].rstrip() + "…")
