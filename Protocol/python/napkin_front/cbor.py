"""CBOR: the items of messages, read strictly (Protocol/SPEC.md, section 6 (Messages)).

The library (cbor2) takes what must be refused, so it reads nothing but items without parts here.
"""

from collections.abc import Iterator
from typing import Any

import cbor2

from .errors import Unreadable

DEPTH_MAX = 64  # levels of arrays, maps and tags
BYTES, TEXT, ARRAY, MAP, TAG, OTHER = range(2, 8)
LENGTHS_MAX = {BYTES: 1 << 24, TEXT: 1 << 24, ARRAY: 1 << 20, MAP: 1 << 16}
NAMES = ("number", "number", "bytes", "text", "an array", "a map", "a tag", "a simple value")


class Reader:
    """Reads items one after another; ``at`` and ``depth`` are the place."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.depth = data, 0, 0

    def read(self, shape: Any) -> Any:
        """The next item: ``str``, ``bool``, a ``range`` of integers, or any as ``bytes``, unread.

        ``[shape]`` is an array, ``{key: shape}`` a structure from which ``(shape,)`` may be absent.
        """
        start = self.at
        if isinstance(shape, list):
            return [self.read(shape[0]) for _ in self.parts(ARRAY)]
        if isinstance(shape, tuple):
            is_null = self.data.startswith(b"\xf6", start) and shape != (bytes,)
            self.at += is_null
            return None if is_null else self.read(shape[0])
        if isinstance(shape, dict):
            table: dict[str, Any] = {}
            for _ in self.parts(MAP):
                place, key = self.at, self.read(str)
                if key in table:
                    raise Unreadable("duplicateKey", f"{key[:64]!r} comes twice", place)
                if key in shape:
                    table[key] = self.read(shape[key])
                else:
                    self.skip()
            for key in shape.keys() - table.keys():
                if not isinstance(shape[key], tuple):
                    raise Unreadable("missingField", f"a structure without {key}", start)
            return dict.fromkeys(shape) | table
        if shape is bytes:  # it has levels of its own
            depth, self.depth = self.depth, 0
            item, self.depth = self.skip(), depth
            return item
        value, kind = self.scalar(), int if isinstance(shape, range) else shape
        if kind is int and isinstance(value, int | float) and not isinstance(value, bool):
            if value % 1 or int(value) not in shape:
                raise Unreadable("outOfRange", f"{value} is not in {shape}", start)
            return int(value)
        if type(value) is not kind:
            raise self.wrong({str: "text", bool: "a Boolean"}.get(kind, "a number"), start)
        return value

    def scalar(self) -> Any:
        """The next item as plain data; ``...`` for one that has parts or no meaning."""
        start = self.at
        major, info, argument = self.head()
        self.at += argument if major in (BYTES, TEXT) else 0
        if major >= ARRAY and (major != OTHER or info not in (20, 21, 22, 25, 26, 27)):
            return ...
        try:
            return cbor2.loads(self.data[start : self.at])
        except (cbor2.CBORDecodeError, ValueError):
            raise Unreadable("invalidUTF8", "text is not UTF-8", start) from None

    def skip(self) -> bytes:
        """Passes an item, whatever it is; its bytes."""
        start = self.at
        major, _, argument = self.head()
        if major in (BYTES, TEXT):
            self.at += argument
        elif major in (ARRAY, MAP, TAG):
            self.at = start
            for _ in self.parts(major, 2 if major == MAP else 1):
                self.skip()
        return self.data[start : self.at]

    def parts(self, wanted: int, items: int = 1) -> Iterator[int]:
        """Goes into an array, a map or a tag, and out of it when what is inside has been taken."""
        start = self.at
        major, _, count = self.head()
        if major != wanted:
            raise self.wrong(NAMES[wanted], start)
        if self.depth >= DEPTH_MAX:
            raise Unreadable("depthExceeded", f"more than {DEPTH_MAX} levels", start)
        self.depth += 1
        yield from range(items if major == TAG else count * items)
        self.depth -= 1

    def wrong(self, wanted: str, start: int) -> Unreadable:
        """The error for an item of another type."""
        name = "unsupported" if self.data[start] >> 5 == TAG else "typeMismatch"
        return Unreadable(name, f"{NAMES[self.data[start] >> 5]} where {wanted} belongs", start)

    def head(self) -> tuple[int, int, int]:
        """Passes the start of an item: its major type, additional information and argument."""
        data, start = self.data, self.at
        if start >= len(data):
            raise Unreadable("truncated", "an item is missing", start)
        major, info = data[start] >> 5, data[start] & 31
        if info > 27:
            name = "indefiniteLength" if info == 31 else "reserved"
            raise Unreadable(name, f"additional information {info}", start)
        self.at += 1 if info < 24 else 1 + (1 << info - 24)
        argument = info if info < 24 else int.from_bytes(data[start + 1 : self.at], "big")
        # Every element has a byte at least, a pair of a map two.
        least = argument << (major == MAP) if major in LENGTHS_MAX else 0
        if self.at + least > len(data):
            raise Unreadable("truncated", f"{NAMES[major]} is cut", start)
        if least and argument > LENGTHS_MAX[major]:
            raise Unreadable("lengthExceeded", f"{argument}; {LENGTHS_MAX[major]} may be", start)
        if major == OTHER and info == 24 and argument < 32:
            raise Unreadable("reserved", f"simple value {argument} in two bytes", start)
        return major, info, argument


def read(shape: Any, data: bytes, reader: type[Reader] = Reader) -> Any:
    """Reads one item as ``Reader.read`` does; ``Unreadable`` says what is wrong, and where."""
    items = reader(data)
    value = items.read(shape)
    if rest := len(data) - items.at:
        raise Unreadable("trailingBytes", f"{rest} bytes follow the item", items.at)
    return value
