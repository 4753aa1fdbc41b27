"""convspec schema: the packaged schemas."""

from __future__ import annotations

import click

from convspec.packaged import read_data
from convspec.schemas import index

SUFFIX = ".schema.json"


@click.command("schema")
@click.argument("name", required=False)
@click.option("--bundled", is_flag=True, help="One self-contained file instead of parts.")
@click.option("--strict", is_flag=True, help="With --bundled: the form that allows no unknown keys.")
def command(name: str | None, bundled: bool, strict: bool) -> None:
    """List the packaged schemas, or print one.

    NAME is a path as listed (history/1.0/message), or a format (history) or format version
    (history/1.0), which stands for its root, or with --bundled for the whole of it.
    """
    if strict and not bundled:
        raise click.UsageError("--strict goes with --bundled")
    paths = [entry["path"] for entry in index()["files"]]
    if name is None:
        for path in paths:
            if path.startswith("bundled/") == bundled and (not strict or ".strict." in path):
                click.echo(path.removesuffix(SUFFIX))
        return
    path = _bundle(name, strict=strict) if bundled else _part(name)
    if path not in paths:
        raise click.ClickException(f"there is no schema {name!r}; convspec schema lists them")
    click.echo(read_data(path).decode(), nl=False)


def _folders() -> dict[str, tuple[str, str]]:
    """Return folder and root part by format, newest version, and by folder."""
    found: dict[str, tuple[str, str]] = {}
    for form, versions in index()["formats"].items():
        for entry in versions:
            found[entry["folder"]] = found[form] = (entry["folder"], entry["root"])
    for entry in index()["others"]:
        found[entry["folder"]] = found[entry["name"]] = (entry["folder"], entry["root"])
    return found


def _part(name: str) -> str:
    if name in _folders():
        folder, root = _folders()[name]
        return f"{folder}/{root}{SUFFIX}"
    return name.removesuffix(SUFFIX) + SUFFIX


def _bundle(name: str, *, strict: bool) -> str:
    folder, _ = _folders().get(name, (name, ""))
    return f"bundled/{folder.replace('/', '-')}.{'strict' if strict else 'open'}{SUFFIX}"
