"""Conversations as providers take and give them: OpenAI chat, OpenAI responses, Anthropic messages.

Each module has the same three functions: `to_messages` for the way to the provider, `from_messages` for
lists in its shape, `from_response` for what it answers. All work on plain dicts, so no SDK is needed; its
objects are taken as well. What a shape has no place for is named in `lost`, never dropped in silence
(docs/guide/providers.md).
"""

from convspec.providers import anthropic, openai_chat, openai_responses
from convspec.providers.results import Loss, Received, Sent
from convspec.providers.shapes import ShapeError

__all__ = ["Loss", "Received", "Sent", "ShapeError", "anthropic", "openai_chat", "openai_responses"]
