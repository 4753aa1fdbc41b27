"""Where the packaged schemas and the rule catalogue are.

A wheel carries them as `convspec/_data/schema`; a checkout (editable install) has them in the top-level
`schema` folder, which is the only copy. Plain paths, not importlib.resources: that import alone costs
more than checking a small file.
"""

from __future__ import annotations

import os
from functools import cache


@cache
def _root() -> str:
    here = os.path.dirname(os.path.abspath(__file__))
    packaged = os.path.join(here, "_data", "schema")
    if os.path.isdir(packaged):
        return packaged
    return os.path.join(_checkout(), "schema")


def _checkout() -> str:
    return os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))


def checkout(name: str) -> str | None:
    """Return the path of a top-level folder of the checkout; None where the package is installed alone."""
    path = os.path.join(_checkout(), name)
    beside = os.path.join(_checkout(), "python", "src", "convspec")
    return path if os.path.isdir(path) and os.path.isdir(beside) else None


def read_data(name: str) -> bytes:
    """Return the file at `name`, a path below `schema` such as `history/1.0/message.schema.json`."""
    with open(os.path.join(_root(), *name.split("/")), "rb") as file:
        return file.read()
