"""Instants, against the standard library where it can hold them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convspec.instants import instant

quickly = settings(max_examples=1_000, deadline=None, database=None)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ZERO = instant("1970-01-01T00:00:00Z")

zones = st.integers(-(24 * 60 - 1), 24 * 60 - 1).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(
    min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=zones, allow_imaginary=False
)


def microseconds(text: str) -> int:
    """Return an instant as microseconds since 1970."""
    found = instant(text)
    assert found is not None
    assert ZERO is not None
    seconds, fraction = found
    return (seconds - ZERO[0]) * 1_000_000 + int(fraction.ljust(6, "0"))


class TestValid:
    @quickly
    @given(moments)
    def test_as_the_standard_library_reckons(self, moment: datetime) -> None:
        assert microseconds(moment.isoformat()) == (moment - EPOCH) // timedelta(microseconds=1)

    @quickly
    @given(moments, moments)
    def test_they_compare_as_the_standard_librarys(self, one: datetime, other: datetime) -> None:
        first, second = instant(one.isoformat()), instant(other.isoformat())
        assert first is not None
        assert second is not None
        assert (first < second, first == second) == (one < other, one == other)

    @pytest.mark.parametrize("year", [0, 1, 4, 99, 100, 399, 400, 1900, 1999, 2000, 2024, 2026, 2100, 9999])
    def test_each_day_of_a_year_is_one_day_behind_the_last(self, year: int) -> None:
        found = [
            instant(f"{year:04}-{month:02}-{day:02}T00:00:00Z")
            for month in range(1, 13)
            for day in range(1, 32)
        ]
        seconds = [at[0] for at in found if at is not None]
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        assert len(seconds) == (366 if leap else 365)
        assert all(b - a == 86_400 for a, b in pairwise(seconds))

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("2026-02-11T08:00:00Z", "2026-02-11t08:00:00z"),
            ("2026-02-11T08:00:00Z", "2026-02-11T08:00:00.000000000000000000000Z"),
            ("2026-02-11T08:00:00Z", "2026-02-11T08:00:00-00:00"),
            ("2026-02-11T08:00:00Z", "2026-02-12T07:59:00+23:59"),
            ("2026-02-11T08:00:00.5Z", "2026-02-11T10:00:00.50+02:00"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
            ("0000-12-31T23:30:00-01:00", "0001-01-01T00:30:00Z"),
        ],
    )
    def test_one_instant_in_two_spellings(self, one: str, other: str) -> None:
        assert instant(one) == instant(other) is not None

    @pytest.mark.parametrize(
        ("earlier", "later"),
        [
            ("2026-02-11T08:00:00Z", "2026-02-11T08:00:00.000001Z"),
            ("2026-02-11T08:00:00.09Z", "2026-02-11T08:00:00.1Z"),
            ("2026-02-11T08:00:00.45Z", "2026-02-11T08:00:00.5Z"),
            ("2026-02-11T08:00:00.999999999Z", "2026-02-11T08:00:01Z"),
            ("2026-02-11T08:00:00+01:00", "2026-02-11T08:00:00Z"),
            ("0000-01-01T00:00:00+23:59", "0000-01-01T00:00:00Z"),
            ("2016-12-31T23:59:59.9Z", "2016-12-31T23:59:60Z"),
        ],
    )
    def test_one_before_the_other(self, earlier: str, later: str) -> None:
        first, second = instant(earlier), instant(later)
        assert first is not None
        assert second is not None
        assert first < second

    def test_a_fraction_of_a_million_digits_takes_no_room(self) -> None:
        found = instant("2026-02-11T08:00:00." + "7" * 1_000_000 + "Z")
        assert found is not None
        assert len(found[1]) < 100


INVALID = """
2026-00-11T08:00:00Z 2026-13-11T08:00:00Z 2026-02-00T08:00:00Z 2026-02-29T08:00:00Z 2026-02-30T08:00:00Z
2024-02-30T08:00:00Z 1900-02-29T08:00:00Z 2100-02-29T08:00:00Z 2026-04-31T08:00:00Z 2026-06-31T08:00:00Z
2026-09-31T08:00:00Z 2026-11-31T08:00:00Z 2026-01-32T08:00:00Z 2026-02-11T24:00:00Z 2026-02-11T08:60:00Z
2026-02-11T08:00:61Z 2026-02-11T08:00:00+24:00 2026-02-11T08:00:00+00:60 2026-02-11T08:00:00-99:99
2026-02-11T08:00:00 2026-02-11 2026-02-11T08:00Z 2026-02-11T08:00:00.Z 2026-02-11T08:00:00,5Z
2026-02-11T08:00:00+0100 2026-02-11T08:00:00+01 2026-2-11T08:00:00Z 26-02-11T08:00:00Z 20260211T080000Z
+2026-02-11T08:00:00Z -2026-02-11T08:00:00Z 12026-02-11T08:00:00Z 2026-02-11T08:00:00ZZ 2026-02-11T8:00:00Z
２０２６-02-11T08:00:00Z 2026-02-11T08:00:0٠Z 2026-02-11T08:00:00.٠Z 2026-W07-3T08:00:00Z
2026-02-11T08:00:00\u2212 Z now
"""


class TestInvalid:
    @pytest.mark.parametrize("text", INVALID.split(), ids=ascii)
    def test_there_is_no_such_instant(self, text: str) -> None:
        assert instant(text) is None

    @pytest.mark.parametrize("text", ["", " ", "\n", "2026-02-11 08:00:00Z", "2026-02-11T08:00:00Z\n"])
    def test_nor_with_white_space(self, text: str) -> None:
        assert instant(text) is None

    @quickly
    @given(st.text(alphabet="0123456789-:.TZtz+ ", max_size=30))
    def test_nothing_raises(self, text: str) -> None:
        found = instant(text)
        assert found is None or isinstance(found[0], int)
