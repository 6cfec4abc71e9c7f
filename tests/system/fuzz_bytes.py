"""Damage to files, accidental and malicious."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Any

NUMBERS = [
    *("-1", "0", "-0", "1", "2", "07", "+1", "1.5", "1,5", "0.5", "1_0", "0x10", "٣", "²"),
    *("1e308", "-1e308", "1e-320", "1e999", "-1e999", "nan", "-nan", "inf", "-inf", "Infinity"),
    *("255", "256", "65534", "65535", "65536", "2147483647", "2147483648", "4294967295"),
    *("4294967296", "9223372036854775807", "-9223372036854775808", "18446744073709551616"),
    *("1000000", "1000000000", "1" + "0" * 400, "9" * 5000, "-" + "9" * 5000),
]
WORDS = [
    *("", "\0", "\ufeff", "\u2028", "\u202e", "é", "é", "😀", "a" * 5000, "A", "B", "0", "yes"),
    *('"', "'", "{", "}", "[", "]", "(", ")", "|", ":", ";", ",", "//", "/*", "*/", "\\", "\\u"),
    *("<", ">", "&", "&a;", "&#0;", "]]>", "<!--", "%", "#", "->", "--", "\r", "\t", " ", "\n"),
    *("network", "variable", "probability", "table", "default", "property", "node", "potential"),
    *("data", "states", "NaN", "NA", "?", "true", "False", "__class__", "__proto__"),
]
RAW = [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\x00", b"\x1f\x8b", b"\xef\xbb\xbf", b"\xff\xfe"]

_TOKEN = re.compile(rb"[\w.+-]+|\s+|[^\w\s]")


def damage(rng: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Flip, cut, repeat or exchange bytes, regardless of their meaning."""
    kind = rng.randrange(8)
    start, stop = _span(rng, len(data))
    if kind <= 2:
        damaged = bytearray(data)
        for _ in range(1 if kind else rng.randint(1, 8)):
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        return bytes(damaged)
    if kind == 3:
        return data[:start]
    if kind == 4:
        return data[:start] + data[stop:]
    if kind == 5:
        return data[:start] + data[start:stop] * rng.choice([2, 3, 50]) + data[stop:]
    if kind == 6:
        other = rng.choice(others)
        first, last = _span(rng, len(other))
        return data[:start] + other[first : rng.choice([last, len(other)])] + data[stop:]
    return data[:start] + rng.randbytes(rng.randint(1, 16)) + data[stop:]


def twist(rng: Random, data: bytes) -> bytes:
    """Replace words and numbers of a text by others that a parser may not handle."""
    tokens = _TOKEN.findall(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if not tokens:
            break
        at = rng.randrange(len(tokens))
        kind = rng.randrange(9)
        if kind <= 1:
            tokens[at] = rng.choice(NUMBERS).encode()
        elif kind == 2:
            tokens[at] = rng.choice(WORDS).encode()
        elif kind == 3:
            tokens.insert(at, rng.choice([*RAW, *(word.encode() for word in WORDS)]))
        elif kind == 4:
            other = rng.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif kind == 5:
            del tokens[at]
        elif kind == 6:
            tokens[at] *= rng.choice([2, 100, 2000])
        else:
            start, stop = _span(rng, len(tokens))
            chunk = tokens[start:stop]
            tokens[at:at] = chunk * rng.choice([1, 1, 2, 30])
            if kind == 8:
                del tokens[start:stop]
    return b"".join(tokens)


EVIL: list[list[Any]] = [
    [None, True, False, [], {}, "", [[]], [None], {"": None}],
    WORDS,
    ["\ud800", "a\ud800b", "\0", "../../x", "/", "\n", "x" * 300],
    [float("nan"), float("inf"), float("-inf"), 1e308, -1e308, 5e-324, -0.0],
    [2**31, 2**32, 2**63, 2**64, -(2**63) - 1, 10**30, 10**400],
    [-1, 0, 1, 2, 3, 0.5, 1.5, -2.5, 65535, 65536, 10**6, 10**9, 10**12],
    [{key: value} for key in ("a", "rate", "path", "best") for value in (0, "a", None, [1])],
]


def evil_value(rng: Random) -> Any:
    """Draw a JSON value that does not belong where it is put."""
    kind = rng.randrange(len(EVIL) + 2)
    if kind < len(EVIL):
        return rng.choice(EVIL[kind])
    if kind == len(EVIL):
        return rng.choices([0, 1, -1, 0.5, "a", None, [0], 10**12], k=rng.randint(1, 6))
    deep: Any = 0
    for _ in range(rng.choice([3, 50, 400])):
        deep = [deep] if rng.random() < 0.5 else {"a": deep}
    return deep


def twist_json(rng: Random, value: Any) -> Any:
    """Return a copy of a JSON value with one part replaced, dropped or duplicated."""
    places = list(_places(value))
    if not places or rng.random() < 0.01:
        return evil_value(rng)
    return _changed(rng, value, rng.choice(places))


def _places(value: Any, at: tuple[Any, ...] = ()) -> Any:
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, part in items:
        yield (*at, key)
        yield from _places(part, (*at, key))


def _changed(rng: Random, value: Any, place: tuple[Any, ...]) -> Any:
    copy = value.copy()
    key, *rest = place
    if rest:
        copy[key] = _changed(rng, copy[key], tuple(rest))
        return copy
    kind = rng.randrange(10)
    if kind == 0:
        del copy[key]
    elif kind == 1 and isinstance(copy, list):
        copy.insert(key, copy[rng.randrange(len(copy))])
    elif kind == 2 and isinstance(copy, dict):
        copy[rng.choice(WORDS)] = copy[key]
    elif kind == 3:
        copy[key] = copy[rng.choice(list(copy) if isinstance(copy, dict) else range(len(copy)))]
    elif kind == 4 and isinstance(copy[key], int | float):
        copy[key] += rng.choice([1, -1, 0.5, 1e-9, 1000])
    else:
        copy[key] = evil_value(rng)
    return copy


def _span(rng: Random, length: int) -> tuple[int, int]:
    start = rng.randint(0, length)
    return start, min(length, start + rng.choice([0, 1, 2, 5, 20, length]))
