"""Where the packaged schemas and the rule catalogue are.

A wheel carries them as `convspec/_data`; a checkout (editable install) has them in the top-level
`schema` folder, which is the only copy.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


@cache
def _root() -> Traversable:
    packaged = files("convspec") / "_data" / "schema"
    if packaged.is_dir():
        return packaged
    return Path(__file__).resolve().parents[3] / "schema"


def data_file(name: str) -> Traversable:
    """Return the file at `name`, a path below `schema` such as `history/1.0/message.schema.json`."""
    return _root().joinpath(*name.split("/"))
