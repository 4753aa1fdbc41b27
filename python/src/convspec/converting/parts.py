"""The content of a session message, taken apart: text, images, calls and thinking."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from convspec.blank import is_filled
from convspec.converting.losses import Losses
from convspec.history.model import Attachment
from convspec.media import read_base64
from convspec.reporters.values import clean

_SUFFIX = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/jpg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
}
_TYPES = ("mimeType", "mime_type", "media_type")
_THINKING = ("thinking", "reasoning")


@dataclass(slots=True)
class Content:
    """What the content of a message holds."""

    text: str = ""
    images: list[Attachment] = field(default_factory=list)
    calls: list[Mapping[str, Any]] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    signatures: list[str] = field(default_factory=list)


def whole(text: str, losses: Losses) -> str:
    """Return text without halves of surrogate pairs, which a history refuses."""
    mended = clean(text)
    if mended != text:
        losses.add("half a surrogate pair; U+FFFD stands in its place")
    return mended


def first_filled(holder: Mapping[str, Any], *names: str) -> Any:
    """Return the first of the members that is not empty, None where there is none (session.md#payload)."""
    return next((holder[name] for name in names if is_filled(holder.get(name))), None)


def content(value: Any, losses: Losses) -> Content:
    """Take the content of a message apart; null is no text."""
    found = Content()
    if isinstance(value, str):
        found.text = whole(value, losses)
    elif isinstance(value, list):
        texts: list[str] = []
        for part in value:
            _take(part, found, texts, losses)
        if len(texts) > 1:
            losses.add("where one part of the text ends and the next begins; they are joined by line feeds")
        found.text = "\n".join(texts)
    elif value is not None:
        losses.add("content that is neither text nor a list")
    return found


def _take(part: Any, found: Content, texts: list[str], losses: Losses) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    if isinstance(part, str):
        texts.append(whole(part, losses))
    elif kind == "image":
        image = _image(part, len(found.images) + 1, losses)
        if image is not None:
            found.images.append(image)
    elif kind == "toolCall":
        found.calls.append(part)
    elif kind in _THINKING:
        names = ("thinking", "reasoning", "text")
        text = next((part[name] for name in names if isinstance(part.get(name), str)), "")
        found.thinking.append(whole(text, losses))
        signature = part.get("signature")
        if isinstance(signature, str) and signature:
            found.signatures.append(whole(signature, losses))
    elif isinstance(part, dict) and isinstance(part.get("text"), str):
        texts.append(whole(part["text"], losses))
        if kind != "text":
            losses.add("the kind of a content part; its text is kept")
    else:
        losses.add("a content part that holds no text")


def _image(part: Mapping[str, Any], number: int, losses: Losses) -> Attachment | None:
    mime = next((part[name] for name in _TYPES if part.get(name) is not None), None)
    data, path, alt = part.get("data"), part.get("path"), part.get("alt")
    if not isinstance(mime, str) or not mime or not isinstance(data, str):
        losses.add("an image without its bytes or its media type")
        return None
    if isinstance(read_base64(data), str):
        losses.add("an image whose bytes are not base64")
        return None
    name = whole(alt, losses) if isinstance(alt, str) else ""
    if isinstance(path, str) and path:
        if name:
            losses.add("the alternative text of an image")
        name = whole(os.path.basename(path.replace("\\", "/")), losses)
        losses.add("the folder an image came from")
    name = name or f"image-{number}.{_SUFFIX.get(mime.lower(), 'bin')}"
    return Attachment(whole(mime, losses), name, base64.b64decode(data))
