"""Reader: takes items of known types from bytes, one after another.

Spec    Protocol/SPEC.md, section 6 (Messages)
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from . import cbor
from .cbor import ARRAY, BYTES, MAP, NEGATIVE, OTHER, TEXT, UINT
from .errors import Unreadable

T = TypeVar("T")


class Range(NamedTuple):
    """The integers that a type holds."""

    least: int
    most: int


_BYTE = Range(0, 255)


class Reader:
    """Reads items one after another; ``at`` and ``depth`` are the place."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.depth = 0

    def skip(self) -> bytes:
        """The bytes of an item that is stepped over; its levels add to those around it."""
        start = self.at
        self.at = cbor.skip(self.data, self.at, self.depth)
        return self.data[start : self.at]

    def item(self) -> bytes:
        """The bytes of an item that has levels of its own."""
        start = self.at
        self.at = cbor.skip(self.data, self.at)
        return self.data[start : self.at]

    def _wrong(self, head: cbor.Head, wanted: str) -> Unreadable:
        name = "unsupported" if head.major == cbor.TAG else "typeMismatch"
        return Unreadable(name, f"{head.describe()} where {wanted} belongs", self.at)

    def _head(self, wanted: str, *majors: int) -> cbor.Head:
        """The next head, passed over, if it is of one of these major types."""
        head = cbor.read_head(self.data, self.at)
        if head.major not in majors:
            raise self._wrong(head, wanted)
        self.at = head.end
        return head

    def is_null(self) -> bool:
        """Whether null comes next."""
        head = cbor.read_head(self.data, self.at)
        return head.major == OTHER and head.info == 22

    def boolean(self) -> bool:
        """A Boolean."""
        start = self.at
        head = self._head("a Boolean", OTHER)
        if head.info not in (20, 21):
            self.at = start
            raise self._wrong(head, "a Boolean")
        return head.info == 21

    def _number(self) -> int | float:
        start = self.at
        head = self._head("a number", UINT, NEGATIVE, OTHER)
        if head.major == UINT:
            return head.argument
        if head.major == NEGATIVE:
            return -1 - head.argument
        if (form := cbor.FLOAT_FORMATS.get(head.info)) is None:
            self.at = start
            raise self._wrong(head, "a number")
        (value,) = struct.unpack(form, self.data[start + 1 : head.end])
        return float(value)

    def integer(self, bounds: Range) -> int:
        """An integer, also one that is written as a float."""
        start = self.at
        number = self._number()
        if isinstance(number, float) and (not math.isfinite(number) or number % 1):
            raise Unreadable("outOfRange", f"{number} is no integer", start)
        if not bounds.least <= number <= bounds.most:
            raise Unreadable("outOfRange", f"{number} is not in {tuple(bounds)}", start)
        return int(number)

    def real(self, width: int) -> float:
        """A float of 4 or 8 bytes, however it is written."""
        start = self.at
        number = self._number()
        if width == 4 and math.isfinite(number):
            try:
                (number,) = struct.unpack(">f", struct.pack(">f", number))
            except OverflowError:
                raise Unreadable("outOfRange", f"{number} is no Float", start) from None
        return float(number)

    def text(self) -> str:
        """Text."""
        head = self._head("text", TEXT)
        self.at += head.argument
        return cbor.read_text(self.data, head)

    def byte_string(self) -> bytes:
        """Bytes; also as an array, and as base64 text."""
        head = cbor.read_head(self.data, self.at)
        if head.major == ARRAY:
            return bytes(self.array(lambda reader: reader.integer(_BYTE)))
        if head.major == TEXT:  # what a front that comes from JSON makes of bytes
            start = self.at
            try:
                return base64.b64decode(self.text(), validate=True)
            except (binascii.Error, ValueError):
                raise Unreadable("typeMismatch", "text that is no base64", start) from None
        head = self._head("a byte string", BYTES)
        self.at += head.argument
        return self.data[head.end : self.at]

    def array(self, read: Callable[[Reader], T]) -> list[T]:
        """An array whose elements ``read`` reads."""
        elements = [read(self) for _ in range(self.enter("an array", ARRAY))]
        self.depth -= 1
        return elements

    def enter(self, wanted: str, major: int) -> int:
        """Begins a container: how many it holds. The caller takes the level off."""
        head = self._head(wanted, major)
        if self.depth >= cbor.DEPTH_MAX:
            raise Unreadable("depthExceeded", f"more than {cbor.DEPTH_MAX} levels", self.at)
        self.depth += 1
        return head.argument

    def map(self, take: Callable[[str], bool], wanted: str) -> None:
        """Hands each key to ``take``, which reads the value and says whether it did.

        A key whose value was read may not come again; the value of another is stepped over.
        """
        seen: set[str] = set()
        for _ in range(self.enter(wanted, MAP)):
            start = self.at
            key = self.text()
            if key in seen:
                raise Unreadable("duplicateKey", f"{key!r} comes twice", start)
            if take(key):
                seen.add(key)
            else:
                self.skip()
        self.depth -= 1
