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
    return os.path.normpath(os.path.join(here, "..", "..", "..", "schema"))


def read_data(name: str) -> bytes:
    """Return the file at `name`, a path below `schema` such as `history/1.0/message.schema.json`."""
    with open(os.path.join(_root(), *name.split("/")), "rb") as file:
        return file.read()
