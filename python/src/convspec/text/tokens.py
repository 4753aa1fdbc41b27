"""The tokens of JSON as patterns over bytes. All are possessive: they never go back.

Matching on bytes makes every match position a byte offset, and needs no decoded copy.
"""

from __future__ import annotations

import re

BOM = b"\xef\xbb\xbf"

SPACE = re.compile(rb"[ \t\n\r]*+")
"""White space between tokens; matches everywhere, possibly nothing."""

STRING = re.compile(rb'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+')
"""A string without its closing quote: what follows the match says whether it is one."""

NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*+)(?P<fraction>\.[0-9]++)?(?P<exponent>[eE][+-]?[0-9]++)?")
"""A number; a longer token may begin here and be broken."""

SCALAR = re.compile(rb"[-+.0-9A-Za-z]*+")
"""In sound JSON, a number or a literal."""

SKIP = re.compile(rb'[^"\[\]{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"\[\]{}]*+)*+', re.DOTALL)
"""In sound JSON, everything up to the next bracket."""

ESCAPED_PREFIX = re.compile(rb"\\(?:u[0-9a-fA-F]{0,3})?\Z")
"""At the end of the bytes: a proper beginning of an escape."""

HEX_PREFIX = re.compile(rb"\\u[0-9a-fA-F]*+")
