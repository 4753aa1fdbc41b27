"""What counts as nothing: white space, and empty members (history.md#blank)."""

from __future__ import annotations

from typing import Any

WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def is_blank(text: str) -> bool:
    """Say whether a text is empty or white space only."""
    return not text.strip(WHITE_SPACE)


def is_filled(value: Any) -> bool:
    """Say whether a member is anything but null, "", [] or {}."""
    return not (value is None or value == "" or value == [] or value == {})
