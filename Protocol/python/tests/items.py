"""Items: a reading of CBOR that keeps what plain data cannot, for the vectors of it."""

from __future__ import annotations

import dataclasses
import json
import struct
from typing import Any

from napkin_front import cbor, values


class Pairs(list[tuple[Any, Any]]):
    """A map, in the order of its bytes."""


@dataclasses.dataclass
class Tagged:
    """A tag and its item."""

    number: int
    of: Any


@dataclasses.dataclass
class Simple:
    """A simple value that has no name here."""

    number: int


@dataclasses.dataclass
class Real:
    """A float and its bytes."""

    value: float
    data: bytes


FLOAT_FORMATS = {25: ">e", 26: ">f", 27: ">d"}
"""How the floats of additional information 25 to 27 are packed."""


def faithful(data: bytes, at: int) -> tuple[Any, int]:
    reader = cbor.Reader(data)
    reader.at = at
    item = faithful_item(reader)
    return item, reader.at


def faithful_item(reader: cbor.Reader) -> Any:
    start = reader.at
    major, info, argument = reader.head()
    match major:
        case 0 | 1:
            return -1 - argument if major else argument
        case cbor.BYTES | cbor.TEXT:
            reader.at += argument
            string = reader.data[reader.at - argument : reader.at]
            return string if major == cbor.BYTES else string.decode()
        case cbor.ARRAY:
            return [faithful_item(reader) for _ in range(argument)]
        case cbor.MAP:
            return Pairs((faithful_item(reader), faithful_item(reader)) for _ in range(argument))
        case cbor.TAG:
            return Tagged(argument, faithful_item(reader))
    if (form := FLOAT_FORMATS.get(info)) is not None:
        packed = reader.data[start + 1 : reader.at]
        return Real(struct.unpack(form, packed)[0], reader.data[start : reader.at])
    named = {20: False, 21: True, 22: None}
    return named[argument] if argument in named else Simple(argument)


def same_data(item: Any, means: Any) -> bool:
    match item:
        case Real():
            if not isinstance(means, dict) or means.keys() != {"float"}:
                return False
            wanted = float(means["float"])
            return struct.pack(">d", wanted) == struct.pack(">d", item.value) or (
                wanted != wanted and item.value != item.value
            )
        case Pairs():
            pairs = means.get("map") if isinstance(means, dict) else None
            return pairs is not None and same_data([list(pair) for pair in item], pairs)
        case list():
            return (
                isinstance(means, list)
                and len(item) == len(means)
                and all(map(same_data, item, means))
            )
        case Tagged():
            return (
                isinstance(means, dict)
                and means.keys() == {"tag", "of"}
                and means["tag"] == item.number
                and same_data(item.of, means["of"])
            )
        case Simple():
            return bool(means == {"simple": item.number})
        case bytes():
            return bool(means == {"bytes": item.hex()})
        case int() if not isinstance(item, bool) and abs(item) >= 2**53:
            return bool(means == {"integer": str(item)})
    return type(item) is type(means) and bool(item == means)


def diagnostic(item: Any) -> str:
    match item:
        case None:
            return "null"
        case bool():
            return str(item).lower()
        case int():
            return str(item)
        case str():
            return json.dumps(item, ensure_ascii=False)
        case bytes():
            return f"h'{item.hex()}'"
        case Real():
            special = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}
            return special.get(repr(item.value), repr(item.value))
        case Pairs():
            pairs = (f"{diagnostic(key)}: {diagnostic(value)}" for key, value in item)
            return "{" + ", ".join(pairs) + "}"
        case list():
            return "[" + ", ".join(map(diagnostic, item)) + "]"
        case Tagged():
            return f"{item.number}({diagnostic(item.of)})"
        case Simple(23):
            return "undefined"
        case Simple():
            return f"simple({item.number})"
    raise AssertionError(item)


def written(item: Any) -> bytes | None:
    """The item as this package writes it; ``None`` for what it does not write."""
    try:
        return values.dumps(sendable(item))
    except (TypeError, ValueError):
        return None


def sendable(item: Any) -> Any:
    match item:
        case Real():
            if item.data[0] == 0xF9:
                raise TypeError("a half float")
            return item.value if item.data[0] == 0xFB else values.Single(item.value)
        case Pairs():
            if not all(isinstance(key, str) for key, _ in item):
                raise TypeError("a key that is no text")
            return {key: sendable(value) for key, value in item}
        case list():
            return [sendable(element) for element in item]
        case Tagged() | Simple():
            raise TypeError("never written")
    return item
