"""CBOR: the part of RFC 8949 that the protocol uses, read strictly.

The library (cbor2) makes the values. It is laxer than the protocol: it reads indefinite lengths,
keys that come twice, what follows the item, and gives tags a meaning (dates, shared references,
big numbers). So every byte is walked over first; ``skip`` is that walk. It keeps no value, and its
memory is bounded by the depth, so that a hostile payload costs time in proportion to its bytes
and nothing else.

Spec    Protocol/SPEC.md, section 6 (Messages) and section 12 (Limits)
"""

from __future__ import annotations

import dataclasses
import math
import struct
from typing import Any, NamedTuple

import cbor2

from .errors import Unreadable, Unsendable

DEPTH_MAX = 64
"""Levels of arrays, maps and tags."""
STRING_BYTES_MAX = 16 * 1024 * 1024
ARRAY_ITEMS_MAX = 1 << 20
MAP_PAIRS_MAX = 1 << 16

UINT, NEGATIVE, BYTES, TEXT, ARRAY, MAP, TAG, OTHER = range(8)
"""The major types."""

_NAMES = ("integer", "integer", "byte string", "text", "array", "map", "tag", "simple value")
_LENGTHS_MAX = {
    BYTES: STRING_BYTES_MAX,
    TEXT: STRING_BYTES_MAX,
    ARRAY: ARRAY_ITEMS_MAX,
    MAP: MAP_PAIRS_MAX,
}
FLOAT_FORMATS = {25: ">e", 26: ">f", 27: ">d"}
"""How the floats of additional information 25 to 27 are packed."""


class Head(NamedTuple):
    """The start of an item: its major type, additional information, argument, and what follows."""

    major: int
    info: int
    argument: int
    end: int

    def describe(self) -> str:
        """The item's type in words."""
        if self.major == OTHER:
            special = {20: "false", 21: "true", 22: "null", 23: "undefined"}
            floats = dict.fromkeys(FLOAT_FORMATS, "float")
            return (special | floats).get(self.info, "simple value")
        return _NAMES[self.major]


def read_head(data: bytes, at: int) -> Head:
    """The head of the item at ``at``; its length has been compared with limits and bytes."""
    if at >= len(data):
        raise Unreadable("truncated", "an item is missing", at)
    major, info = data[at] >> 5, data[at] & 31
    end = at + 1
    if info < 24:
        argument = info
    elif info < 28:
        end += 1 << (info - 24)
        if end > len(data):
            raise Unreadable("truncated", "a head is cut", at)
        argument = int.from_bytes(data[at + 1 : end], "big")
    elif info == 31:
        raise Unreadable("indefiniteLength", "lengths are definite here", at)
    else:
        raise Unreadable("reserved", f"additional information {info} is reserved", at)
    if major == OTHER and info == 24 and argument < 32:
        raise Unreadable("reserved", f"simple value {argument} has one byte", at)
    if (limit := _LENGTHS_MAX.get(major)) is not None:
        # Every element has a byte at least; a map's pair two.
        if argument * (2 if major == MAP else 1) > len(data) - end:
            raise Unreadable("truncated", f"{_NAMES[major]} of {argument} is cut", at)
        if argument > limit:
            what = f"{_NAMES[major]} of {argument}; {limit} may be"
            raise Unreadable("lengthExceeded", what, at)
    return Head(major, info, argument, end)


def read_text(data: bytes, head: Head) -> str:
    """The text behind a head."""
    try:
        return data[head.end : head.end + head.argument].decode()
    except UnicodeDecodeError as error:
        raise Unreadable("invalidUTF8", "text is not UTF-8", head.end + error.start) from None


_ONE_BYTE = frozenset([*range(0x00, 0x18), *range(0x20, 0x38), 0xF4, 0xF5, 0xF6])
"""Items of one byte: small integers, Booleans, null."""


def skip(data: bytes, at: int = 0, depth: int = 0, *, plain: bool = False) -> int:
    """Walks over the item at ``at``, below ``depth`` levels, and returns where it ends.

    ``plain`` refuses what is well-formed and is no value of this protocol: tags, simple values
    that are not Booleans or null, keys that are no text, and keys that come twice.
    """
    waiting: list[int] = []  # items to come in each open container, outermost first
    keys: list[set[str] | None] = []  # the keys seen in each; None for arrays and tags
    while True:
        if at < len(data) and data[at] in _ONE_BYTE and not (keys and keys[-1] is not None):
            # The quick way for what most large payloads are made of; no key is among it.
            at += 1
            if waiting:
                waiting[-1] -= 1
        else:
            head = read_head(data, at)
            if plain:
                _check_plain(data, at, head, waiting, keys)
            if waiting:
                waiting[-1] -= 1
            if head.major == TEXT:
                read_text(data, head)
            at = head.end + (head.argument if head.major in (BYTES, TEXT) else 0)
            if head.major in (ARRAY, MAP, TAG):
                if depth + len(waiting) >= DEPTH_MAX:
                    raise Unreadable("depthExceeded", f"more than {DEPTH_MAX} levels", at)
                counts = {ARRAY: head.argument, MAP: 2 * head.argument, TAG: 1}
                waiting.append(counts[head.major])
                keys.append(set() if plain and head.major == MAP else None)
        while waiting and not waiting[-1]:
            waiting.pop()
            keys.pop()
        if not waiting:
            return at


def _check_plain(
    data: bytes, at: int, head: Head, waiting: list[int], keys: list[set[str] | None]
) -> None:
    if head.major == TAG or (head.major == OTHER and head.describe() in _NOT_PLAIN):
        raise Unreadable("unsupported", f"{head.describe()} is no value of this protocol", at)
    if not keys or (seen := keys[-1]) is None or waiting[-1] % 2:
        return
    if head.major != TEXT:
        raise Unreadable("typeMismatch", f"a key is text, not {head.describe()}", at)
    key = read_text(data, head)
    if key in seen:
        raise Unreadable("duplicateKey", f"{key!r} comes twice", at)
    seen.add(key)


_NOT_PLAIN = ("undefined", "simple value")


def check(data: bytes) -> None:
    """Refuses bytes that are not exactly one well-formed item."""
    if (end := skip(data)) != len(data):
        raise Unreadable("trailingBytes", f"{len(data) - end} bytes follow the item", end)


def loads(data: bytes) -> Any:
    """The value of one item: ``None``, Boolean, integer, float, text, bytes, list or dict."""
    end = skip(data, plain=True)
    if end != len(data):
        raise Unreadable("trailingBytes", f"{len(data) - end} bytes follow the item", end)
    return cbor2.loads(data)


@dataclasses.dataclass(frozen=True, slots=True)
class Single:
    """A float that is written in four bytes, for a Swift ``Float``."""

    value: float


@dataclasses.dataclass(frozen=True, slots=True)
class _Packed:
    """Bytes of an item that the library would write otherwise."""

    data: bytes


def dumps(value: Any) -> bytes:
    """One item in definite lengths: integers as short as they go, floats in eight bytes.

    Takes what ``loads`` gives, tuples, and ``Single``; ``Unsendable`` for anything else.
    """
    return cbor2.dumps(_sendable(value, 1), default=_write_packed)


def _write_packed(encoder: cbor2.CBOREncoder, value: Any) -> None:
    encoder.write(value.data)


def _sendable(value: Any, depth: int) -> Any:
    match value:
        case None | bool() | bytes():
            return value
        case float():
            # The library writes infinities and NaN in two bytes.
            return value if math.isfinite(value) else _Packed(b"\xfb" + struct.pack(">d", value))
        case int():
            if not -(2**63) <= value < 2**64:
                raise Unsendable(f"{value} fits no integer of Swift's; send it as text")
            return int(value)
        case str():
            if any("\ud800" <= letter <= "\udfff" for letter in value):
                raise Unsendable(f"{value!r} has a lone surrogate, which UTF-8 cannot carry")
            return str(value)
        case Single():
            try:
                return _Packed(b"\xfa" + struct.pack(">f", value.value))
            except (OverflowError, struct.error):
                raise Unsendable(f"{value.value!r} is no float of 32 bits") from None
        case list() | tuple():
            return [_sendable(element, _below(depth)) for element in value]
        case dict():
            if strange := [key for key in value if not isinstance(key, str)]:
                raise Unsendable(f"a key is text, not {type(strange[0]).__name__}")
            below = _below(depth)
            return {
                _sendable(key, below): _sendable(element, below) for key, element in value.items()
            }
    raise Unsendable(
        f"{type(value).__name__} has no form in CBOR here; give plain data, or a dataclass, an "
        "Enum or Cases to values.write"
    )


def _below(depth: int) -> int:
    if depth > DEPTH_MAX:
        raise Unsendable(f"more than {DEPTH_MAX} levels; send a flatter value")
    return depth + 1
