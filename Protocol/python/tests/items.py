"""Items: a reading of CBOR that keeps what plain data cannot, for the vectors of it."""

from __future__ import annotations

import dataclasses
import json
import struct
from typing import Any

from napkin_front import cbor


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


def faithful(data: bytes, at: int) -> tuple[Any, int]:
    head = cbor.read_head(data, at)
    match head.major:
        case cbor.UINT:
            return head.argument, head.end
        case cbor.NEGATIVE:
            return -1 - head.argument, head.end
        case cbor.BYTES:
            end = head.end + head.argument
            return data[head.end : end], end
        case cbor.TEXT:
            return cbor.read_text(data, head), head.end + head.argument
        case cbor.ARRAY:
            elements, end = faithful_items(data, head.end, head.argument)
            return elements, end
        case cbor.MAP:
            elements, end = faithful_items(data, head.end, 2 * head.argument)
            return Pairs(zip(elements[::2], elements[1::2], strict=True)), end
        case cbor.TAG:
            inner, end = faithful(data, head.end)
            return Tagged(head.argument, inner), end
    if (form := cbor.FLOAT_FORMATS.get(head.info)) is not None:
        packed = data[at + 1 : head.end]
        return Real(struct.unpack(form, packed)[0], data[at : head.end]), head.end
    named = {20: False, 21: True, 22: None}
    number = head.argument
    return (named[number] if number in named else Simple(number)), head.end


def faithful_items(data: bytes, at: int, count: int) -> tuple[list[Any], int]:
    elements = []
    for _ in range(count):
        element, at = faithful(data, at)
        elements.append(element)
    return elements, at


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
        return cbor.dumps(sendable(item))
    except (TypeError, ValueError):
        return None


def sendable(item: Any) -> Any:
    match item:
        case Real():
            if item.data[0] == 0xF9:
                raise TypeError("a half float")
            return item.value if item.data[0] == 0xFB else cbor.Single(item.value)
        case Pairs():
            if not all(isinstance(key, str) for key, _ in item):
                raise TypeError("a key that is no text")
            return {key: sendable(value) for key, value in item}
        case list():
            return [sendable(element) for element in item]
        case Tagged() | Simple():
            raise TypeError("never written")
    return item
