"""The content of a session message: text, images, calls and thinking, taken apart."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from convspec.converting.losses import Losses
from convspec.history.model import Attachment
from convspec.media import read_base64

_SURROGATE = re.compile("[\ud800-\udfff]")
_SUFFIX = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}
_THINKING = ("thinking", "reasoning")


@dataclass(slots=True)
class Content:
    """What the content of a message holds."""

    text: str = ""
    images: list[Attachment] = field(default_factory=list)
    calls: list[Mapping[str, Any]] = field(default_factory=list)
    thinking: str | None = None


def whole(text: str, losses: Losses) -> str:
    """Return text without halves of surrogate pairs, which a history refuses."""
    mended = _SURROGATE.sub("\ufffd", text)
    if mended != text:
        losses.add("half a surrogate pair became U+FFFD")
    return mended


def content(value: Any, losses: Losses) -> Content:
    """Take the content of a message apart; null is no text."""
    found = Content()
    if isinstance(value, str):
        found.text = whole(value, losses)
    elif isinstance(value, list):
        texts: list[str] = []
        for part in value:
            _take(part, found, texts, losses)
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
        text = next(
            (part[key] for key in ("thinking", "reasoning", "text") if isinstance(part.get(key), str)), ""
        )
        found.thinking = "\n".join(filter(None, (found.thinking, whole(text, losses))))
    elif isinstance(part, dict) and isinstance(part.get("text"), str):
        texts.append(whole(part["text"], losses))
        if kind != "text":
            losses.add("the kind of a content part; its text is kept")
    else:
        losses.add("a content part without text")


def _image(part: Mapping[str, Any], number: int, losses: Losses) -> Attachment | None:
    mime = next(
        (part[key] for key in ("mimeType", "mime_type", "media_type") if isinstance(part.get(key), str)), ""
    )
    data, path = part.get("data"), part.get("path")
    if not mime or not isinstance(data, str) or isinstance(read_base64(data), str):
        losses.add("an image whose type or bytes cannot be read")
        return None
    name = os.path.basename(path.replace("\\", "/")) if isinstance(path, str) else ""
    if "alt" in part:
        losses.add("the alternative text of an image")
    name = whole(name, losses) or f"image-{number}.{_SUFFIX.get(mime.lower(), 'bin')}"
    return Attachment(whole(mime, losses), name, base64.b64decode(data))
