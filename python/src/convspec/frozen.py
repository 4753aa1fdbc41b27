"""JSON values that cannot be changed: objects as `FrozenMap`, arrays as tuples, the rest as they are.

Two values are equal if they are the same JSON: `1` and `1.0` are, `true` and `1` are not, the order of
keys does not matter, and numbers are compared as doubles where both fit into one (history.md#equality).
An integer of very many digits is a `Decimal`: making an `int` of it would take quadratic time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, Inexact, localcontext
from typing import Any

from convspec.findings import Path

DEEPEST = 100
_BITS = 2000  # every double has fewer, and every Python writes as many out, whatever limit is set

_DIGITS = 600
_HALF = re.compile("[\ud800-\udfff]")
# What is met again may weigh so much, and so many times what is met first, before it is too much.
_AGAIN = 1 << 22
_TIMES = 64
_ITEM = 32
_LONG = 1024


class Foreign(TypeError):
    """A value that no JSON document decodes to; `path` is where it stands."""

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message, path)
        self.path = path

    def __str__(self) -> str:
        return str(self.args[0])


class TooDeep(Foreign):
    """A value with more levels than a document may have (history.md#depth)."""


class FrozenMap(Mapping[str, Any]):
    """An immutable JSON object. Hashable; equal to any mapping that is the same JSON."""

    __slots__ = ("_hash", "_members")

    _members: dict[str, Any]
    _hash: int | None

    def __new__(cls, members: Mapping[str, Any] | None = None) -> FrozenMap:
        """Take a mapping over, deeply frozen. Raises Foreign for what is no JSON."""
        if members is not None and not isinstance(members, Mapping):
            raise Foreign(f"a value of type {type(members).__name__} is no object", ())
        return _made(_Freezer().members({} if members is None else members, ()))

    def __getitem__(self, key: str) -> Any:
        return self._members[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __eq__(self, other: object) -> bool:
        return same(self, other) if isinstance(other, Mapping) else NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hashed(self)
        return self._hash

    def __repr__(self) -> str:
        return f"FrozenMap({self._members!r})"

    def __copy__(self) -> FrozenMap:
        return self

    def __deepcopy__(self, memo: object) -> FrozenMap:
        return self

    def __reduce__(self) -> tuple[type[FrozenMap], tuple[dict[str, Any]]]:
        return FrozenMap, (self._members,)


def _made(members: dict[str, Any]) -> FrozenMap:
    made = object.__new__(FrozenMap)
    made._members = members
    made._hash = None
    return made


def freeze(value: object, path: Path = ()) -> Any:
    """Return the value with every object and array in it made immutable. Raises Foreign.

    Objects of derived classes become plain ones, and two halves of a surrogate pair that meet one
    character, as they do in JSON.
    """
    if isinstance(value, FrozenMap) or (type(value) is str and value.isascii()):
        return value
    return _Freezer().frozen(value, path)


class _Freezer:
    """Freezes one value, and counts what it meets again.

    Parts that stand in several places are frozen in each of them. A few lists that hold each other could so
    become more than any memory holds.
    """

    __slots__ = ("_again", "_first", "_known")

    def __init__(self) -> None:
        self._known: dict[int, object] = {}
        self._first = self._again = 0

    def frozen(self, value: object, path: Path) -> Any:
        if isinstance(value, str):
            if len(value) >= _LONG:
                self._count(value, len(value), path)
            return _text(value)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return int.__int__(value) if value.bit_length() <= _BITS else exact(int.__int__(value))
        if isinstance(value, float):
            if not math.isfinite(value):
                raise Foreign(f"{float.__float__(value)} is no JSON number", path)
            return float.__float__(value)
        if isinstance(value, Decimal):
            return _of_decimal(value, path)
        if isinstance(value, list | tuple):
            self._enter(value, path)
            return tuple(self.frozen(item, (*path, index)) for index, item in enumerate(value))
        if isinstance(value, Mapping):
            return _made(self.members(value, path))
        raise Foreign(f"a value of type {type(value).__name__} is no JSON", path)

    def members(self, value: Mapping[Any, Any], path: Path) -> dict[str, Any]:
        """Freeze the members of an object."""
        self._enter(value, path)
        members = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise Foreign(f"a key of type {type(key).__name__} is no JSON", path)
            name = _text(key)
            if name in members:
                raise Foreign("two keys are the same text", path)
            members[name] = self.frozen(item, (*path, name))
        return members

    def _enter(self, value: Mapping[Any, Any] | list[Any] | tuple[Any, ...], path: Path) -> None:
        if len(path) >= DEEPEST:
            raise TooDeep(f"the value is nested deeper than {DEEPEST} levels", path)
        self._count(value, _ITEM * (len(value) + 1), path)

    def _count(self, value: object, weight: int, path: Path) -> None:
        if id(value) not in self._known:
            self._known[id(value)] = value  # held, so that no other gets its id
            self._first += weight
            return
        self._again += weight
        if self._again > _AGAIN + _TIMES * self._first:
            raise Foreign("the value holds the same parts too many times over", path)


def _text(value: str) -> str:
    text = value if type(value) is str else str.__str__(value)
    if text.isascii() or not _HALF.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _of_decimal(value: Decimal, path: Path) -> int | float | Decimal:
    """Return the number that JSON text of these digits is read as."""
    if value.is_finite():
        if value.as_tuple().exponent == 0:
            return Decimal(value) if value.adjusted() >= _DIGITS else int(value)
        if math.isfinite(real := float(value)):
            return real
    raise Foreign("a number beyond the range of a double is no JSON number", path)


def thaw(value: Any) -> Any:
    """Return a frozen value as dicts and lists that belong to the caller."""
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [thaw(item) for item in value]
    return value


def same(one: object, other: object) -> bool:
    """Return whether two values are the same JSON."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, bool) or isinstance(other, bool) or not _both_numbers(one, other):
        return type(one) is type(other) and one == other
    return number(one) == number(other)


def number(value: Any) -> int | float | Decimal:
    """Return a number as it is compared: as a double, or exactly where it is beyond the doubles."""
    try:
        real = float(value)
    except OverflowError:
        return exact(int(value))
    return real if math.isfinite(real) else Decimal(value)


def exact(value: int) -> Decimal:
    """Return an integer as a `Decimal`, whole, without taking the square of its length."""

    def made(part: int, bits: int) -> Decimal:
        if bits <= _BITS:
            return Decimal(part)
        low = bits >> 1
        if low not in powers:
            powers[low] = Decimal(2) ** low
        return made(part >> low, bits - low) * powers[low] + made(part & ((1 << low) - 1), low)

    powers: dict[int, Decimal] = {}
    with localcontext(Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact])):
        return made(abs(value), value.bit_length()).copy_sign(Decimal(-1 if value < 0 else 1))


def _both_numbers(one: object, other: object) -> bool:
    return isinstance(one, int | float | Decimal) and isinstance(other, int | float | Decimal)


def hashed(value: Any) -> int:
    """Return a hash that is the same for what is the same JSON."""
    if isinstance(value, Mapping):
        return hash(frozenset((key, hashed(item)) for key, item in value.items()))
    if isinstance(value, tuple | list):
        return hash(tuple(hashed(item) for item in value))
    return hash(number(value)) if isinstance(value, int | float | Decimal) else hash(value)


EMPTY = FrozenMap()
"""The object without members."""
