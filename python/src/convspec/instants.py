"""Instants by RFC 3339, without a library that refuses leap seconds or the year 0 (session.md#timestamps)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_SHAPE = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})([.][0-9]+)?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


Instant = tuple[int, str]
"""Seconds since a fixed day, UTC, and the digits of the fraction: compares as instants do."""

_DIGITS = 18  # of a fraction that are kept


def instant(text: str) -> Instant | None:
    """Return the instant that a timestamp names, or None where there is no such instant."""
    match = _SHAPE.fullmatch(text)
    if match is None:
        return None
    day_number = _day_number(text[:10])
    hour, minute, second = int(match[4]), int(match[5]), int(match[6])
    if day_number is None or hour > 23 or minute > 59 or second > 60:
        return None
    offset = 0
    if match[8]:
        if int(match[9]) > 23 or int(match[10]) > 59:
            return None
        offset = (int(match[9]) * 60 + int(match[10])) * (60 if match[8] == "+" else -60)
    seconds = day_number * 86400 + hour * 3600 + minute * 60 + second - offset
    return seconds, (match[7] or "")[1 : 1 + _DIGITS].rstrip("0")


def _days(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and leap else _DAYS[month - 1]


@lru_cache(maxsize=64)
def _day_number(date: str) -> int | None:
    """Count days; the year is taken to begin in March, so that a leap day comes last."""
    year, month, day = int(date[:4]), int(date[5:7]), int(date[8:])
    if not 1 <= month <= 12 or not 1 <= day <= _days(year, month):
        return None
    year -= month <= 2
    shifted = (month + 9) % 12
    return year * 365 + year // 4 - year // 100 + year // 400 + (153 * shifted + 2) // 5 + day


def moment(text: str | None, otherwise: datetime) -> datetime:
    """Return a timestamp as a datetime in UTC; `otherwise` for what none can hold, as a leap second."""
    try:
        return datetime.fromisoformat(text or "").astimezone(UTC)
    except (ValueError, OverflowError):
        return otherwise


def datetime_of(instant: Instant) -> datetime | None:
    """Return an instant as a datetime in UTC, to the microsecond; None where none can hold it."""
    seconds, fraction = instant
    try:
        whole = _FIRST + timedelta(seconds=seconds - _FIRST_SECONDS)
    except OverflowError:
        return None
    return whole.replace(microsecond=int(fraction[:6].ljust(6, "0")))


_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_SECONDS = 719_469 * 86_400
"""The same moment, counted as instants count."""
