"""Token counts: slices of one prompt in a history, the provider's own form in a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convspec.converting.losses import Losses
from convspec.history.model import Tokens

_SPELLED = {
    "input": ("input_tokens", "input", "prompt_tokens"),
    "output": ("output_tokens", "output", "completion_tokens"),
    "cached": (
        "cache_read_tokens",
        "cache_read_input_tokens",
        "cacheReadTokens",
        "cacheRead",
        "cache_read",
        "cached_tokens",
    ),
    "cache_creation": (
        "cache_write_tokens",
        "cache_creation_input_tokens",
        "cacheWriteTokens",
        "cacheWrite",
        "cache_write",
    ),
    "thinking": ("reasoning_tokens", "reasoning"),
}
_TOTAL = ("total_tokens", "totalTokens", "total")
_DETAILS = (
    ("cached", ("prompt_tokens_details", "input_tokens_details"), "cached_tokens"),
    ("thinking", ("completion_tokens_details", "output_tokens_details"), "reasoning_tokens"),
)
_READ = frozenset(
    (
        *(name for names in _SPELLED.values() for name in names),
        *(holder for _, holders, _ in _DETAILS for holder in holders),
        *_TOTAL,
        "estimated",
    )
)


def tokens(usage: Any, losses: Losses) -> Tokens | None:
    """Return the counts of a `usage` (history.md#tokens).

    Providers count the cache into the prompt or beside it; where there is a total, it tells which.
    """
    if not isinstance(usage, dict) or not usage:
        return None
    if usage.get("estimated") is True:
        losses.add("token counts that are only an estimate")
        return None
    found = {name: _count(usage, spelled) for name, spelled in _SPELLED.items()}
    for name, holders, member in _DETAILS:
        for holder in holders:
            details = usage.get(holder)
            if found[name] is None and isinstance(details, dict):
                found[name] = _count(details, (member,))
    if all(count is None for count in found.values()):
        losses.add("token counts of a form that is not known")
        return None
    if any(value for name, value in usage.items() if name not in _READ):
        losses.add("what else the provider says of its usage")
    prompt, cache = found["input"], (found["cached"] or 0) + (found["cache_creation"] or 0)
    total = _count(usage, _TOTAL)
    if prompt is not None and cache and total == prompt + (found["output"] or 0) and prompt >= cache:
        found["input"] = prompt - cache
    return Tokens(
        found["input"], found["output"], found["cached"], found["cache_creation"], found["thinking"]
    )


def _count(holder: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    """Return the first of the members that is a count; a number equal to an integer is one."""
    for name in names:
        value = holder.get(name)
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is int and value >= 0:
            return value
    return None


def usage(counts: Tokens) -> dict[str, Any]:
    """Return a `usage` in the form in which logs keep it; what is not known is left out."""
    known = {
        "input_tokens": counts.input,
        "output_tokens": counts.output,
        "cache_read_tokens": counts.cached,
        "cache_write_tokens": counts.cache_creation,
    }
    found = {name: count for name, count in known.items() if count is not None}
    total = {"total_tokens": sum(found.values())} if found else {}
    reasoning = {} if counts.thinking is None else {"reasoning_tokens": counts.thinking}
    return {**found, **reasoning, **total, "estimated": False}
