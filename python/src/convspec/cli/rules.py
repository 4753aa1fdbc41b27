"""convspec rules: the catalogue."""

from __future__ import annotations

import json
import shutil

import click

from convspec.packaged import read_data
from convspec.rules import catalogue


@click.command("rules")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
def command(form: str) -> None:
    """List the rules: id, weight, title."""
    if form == "json":
        click.echo(json.dumps(json.loads(read_data("rules.json")), indent=2, ensure_ascii=False))
        return
    rules = catalogue().values()
    widest = max(len(rule.id) for rule in rules)
    room = shutil.get_terminal_size((80, 24)).columns
    layer = ""
    for rule in rules:
        if rule.layer != layer:
            click.echo(("" if not layer else "\n") + rule.layer)
            layer = rule.layer
        weight = rule.severity.get("history", "–")
        click.echo(f"  {rule.id:{widest}}  {weight:8} {rule.title}"[:room].rstrip())
