"""Attachments as parts of a message: what kind of file one is, and its bytes as base64 and back."""

from __future__ import annotations

import base64
import re

from convspec import media
from convspec.history.model import Attachment
from convspec.providers.shapes import Shape, ShapeError

IMAGES = frozenset(("image/png", "image/jpeg", "image/gif", "image/webp"))
"""The images that every provider takes."""
PDF = "application/pdf"
OCTETS = "application/octet-stream"

_AUDIO = {
    "audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav", "audio/vnd.wave": "wav",
    "audio/mpeg": "mp3", "audio/mp3": "mp3",
}  # fmt: skip
_SPOKEN = {"wav": "audio/wav", "mp3": "audio/mpeg"}
_OFFICE = "application/vnd.openxmlformats-officedocument"
_DOCUMENTS = frozenset(
    (
        PDF, "application/rtf", "application/msword", "application/vnd.ms-excel",
        "application/vnd.ms-powerpoint", "application/vnd.oasis.opendocument.text",
        f"{_OFFICE}.wordprocessingml.document", f"{_OFFICE}.spreadsheetml.sheet",
        f"{_OFFICE}.presentationml.presentation",
    )
)  # fmt: skip
_WRITTEN = frozenset(f"application/{name}" for name in ("json", "xml", "yaml", "toml", "javascript", "sql"))
_SUFFIXES = {
    "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", PDF: ".pdf",
    "audio/wav": ".wav", "audio/mpeg": ".mp3", "text/plain": ".txt",
}  # fmt: skip

_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]++/[a-z0-9!#$&^_.+-]++")


def media_type(attachment: Attachment) -> str:
    """Return what the bytes are, else what they are declared as: providers refuse a wrong name."""
    actual = media.sniff(attachment.bytes[: media.HEAD])
    declared = attachment.mime.partition(";")[0].strip(" \t").lower()
    if actual or not _TYPE.fullmatch(declared):
        return actual or OCTETS
    return "image/jpeg" if declared == "image/jpg" else declared


def audio_format(attachment: Attachment) -> str | None:
    """Return the format of a sound as OpenAI names it, or None."""
    return _AUDIO.get(media_type(attachment))


def is_document(attachment: Attachment) -> bool:
    """Say whether OpenAI's responses read this kind of file."""
    kind = media_type(attachment)
    return kind in _DOCUMENTS or written(attachment) is not None


def written(attachment: Attachment) -> str | None:
    """Return the text of a text file in UTF-8, or None."""
    kind = media_type(attachment)
    if kind.startswith("text/") or kind in _WRITTEN or kind.endswith(("+json", "+xml", "+yaml")):
        try:
            return attachment.bytes.decode()
        except UnicodeDecodeError:
            return None
    return None


def encoded(attachment: Attachment) -> str:
    """Return the bytes in base64."""
    return base64.b64encode(attachment.bytes).decode("ascii")


def data_url(attachment: Attachment) -> str:
    """Return the bytes as a data: URL."""
    return f"data:{media_type(attachment)};base64,{encoded(attachment)}"


def named(mime: str, data: bytes, filename: str | None = None) -> Attachment:
    """Return an attachment; where the shape has no name for it, it is called `attachment`."""
    mime = mime or media.sniff(data[: media.HEAD]) or OCTETS
    return Attachment(mime, filename or f"attachment{_SUFFIXES.get(mime, '')}", data)


def spoken(shape: Shape) -> Attachment:
    """Read `{"data", "format"}`, a sound. Raises ShapeError."""
    return named(_SPOKEN.get(shape.word("format"), OCTETS), decoded(shape, "data"))


def decoded(shape: Shape, name: str) -> bytes:
    """Return the bytes of a member in base64. Raises ShapeError."""
    return _bytes(shape.filled(name), shape.at(name))


def in_utf8(shape: Shape, name: str) -> bytes:
    """Return the bytes of a member that is text. Raises ShapeError."""
    try:
        return (shape.text(name) or "").encode()
    except UnicodeEncodeError:
        raise ShapeError(shape.at(name), "it holds half a surrogate pair") from None


def from_url(shape: Shape, name: str, filename: str | None = None) -> Attachment | None:
    """Return what a data: URL holds; None for a URL that leads elsewhere, which is noted as lost."""
    head, comma, data = shape.filled(name).partition(",")
    scheme, _, kind = head.partition(":")
    mime, *parameters = kind.split(";")
    if not comma or scheme.lower() != "data" or parameters[-1:] != ["base64"]:
        shape.lose("it is a link, and nothing is fetched: the bytes are not here", name)
        return None
    return named(mime.strip(" \t").lower(), _bytes(data, shape.at(name)), filename)


def from_file(shape: Shape) -> Attachment | None:
    """Read `{"file_data", "filename"}`, of which the data may be a URL or bare. Raises ShapeError."""
    filename = shape.text("filename")
    data = shape.text("file_data")
    if not data:
        shape.lose("its bytes are with the provider, not here")
        return None
    if data.startswith("data:"):
        return from_url(shape, "file_data", filename)
    return named("", decoded(shape, "file_data"), filename)


def _bytes(text: str, place: str) -> bytes:
    fault = media.read_base64(text)
    if isinstance(fault, str):
        raise ShapeError(place, f"not strict base64: {fault}")
    return base64.b64decode(text)
