"""Bytes inside JSON: strict base64, and what kind of file some bytes are.

Both work on the text, so that a large attachment is never held a second time.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass

HEAD = 16
"""How many bytes of a file `sniff` looks at."""

_BASE64 = re.compile(r"[A-Za-z0-9+/]*+={0,2}")
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_HEAD_TEXT = 24  # characters of base64 that hold the head
_SAME = {"image/jpg": "image/jpeg", "application/octet-stream": ""}


@dataclass(frozen=True, slots=True)
class Bytes:
    """What is known of some bytes without holding them: how many, and the first few."""

    size: int
    head: bytes


def read_base64(text: str) -> Bytes | str:
    """Return size and head of strict base64 (RFC 4648 section 4), or say in words what is wrong.

    Strict: the standard alphabet, padded, no white space, the unused bits of the last character
    zero (history.md#inline).
    """
    if text.startswith("data:"):
        return "it begins with a data: prefix"
    match = _BASE64.fullmatch(text)
    if match is None:
        return "it holds a character that is not base64"
    if len(text) % 4:
        return "its length is no multiple of 4, so padding or a part is missing"
    padding = len(text) - len(text.rstrip("="))
    if padding:
        unused = (1 << (2 * padding)) - 1
        if _ALPHABET.index(text[-padding - 1]) & unused:
            return "the unused bits of its last character are not zero"
    size = len(text) // 4 * 3 - padding
    return Bytes(size, base64.b64decode(text[:_HEAD_TEXT])[:HEAD])


def sniff(head: bytes) -> str | None:
    """Return the media type whose signature `head` begins with, or None (history.md#media-type)."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    if head.startswith(b"%PDF-"):
        return "application/pdf"
    return None


def mismatch(declared: str, head: bytes) -> str | None:
    """Return the type the bytes really have where it is not the declared one, else None."""
    actual = sniff(head)
    claim = declared.partition(";")[0].strip(" \t").lower()
    claim = _SAME.get(claim, claim)
    return actual if actual and claim and claim != actual else None
