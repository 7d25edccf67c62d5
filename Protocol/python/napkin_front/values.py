"""Values: Swift's types as Python's, and the way between them and payloads.

==========================  ====================================================
Swift                       Python
==========================  ====================================================
``Bool``, ``String``        ``bool``, ``str``
``Int``, ``UInt32``, …      ``int`` (64 bits), ``UInt32``, … of this module
``Double``, ``Float``       ``float``, ``Float32``
``[UInt8]``                 ``bytes``
``T?``                      ``T | None``
``[T]``, ``[String: T]``    ``list[T]``, ``dict[str, T]``
structure                   dataclass; ``is_read_only`` travels as ``isReadOnly``
enumeration with raw value  ``enum.Enum`` with these values
other enumeration           ``Cases``, a subclass for each case
anything                    ``Item`` (its bytes), ``Any`` (plain data)
==========================  ====================================================

A dataclass's field with a default may be absent or null. Unknown keys are stepped over.

Spec    Protocol/SPEC.md, section 3 (Identifiers) and section 6 (Messages)
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import enum
import functools
import math
import re
import struct
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, TypeVar, overload

import cbor2

from . import cbor
from .cbor import ARRAY, BYTES, DEPTH_MAX, MAP, OTHER
from .errors import NapkinError, Unreadable

T = TypeVar("T")

Int8 = Annotated[int, range(-(2**7), 2**7)]
Int16 = Annotated[int, range(-(2**15), 2**15)]
Int32 = Annotated[int, range(-(2**31), 2**31)]
Int64 = Annotated[int, range(-(2**63), 2**63)]
UInt8 = Annotated[int, range(2**8)]
UInt16 = Annotated[int, range(2**16)]
UInt32 = Annotated[int, range(2**32)]
UInt64 = Annotated[int, range(2**64)]
Float32 = Annotated[float, 4]


class Unsendable(NapkinError, ValueError):
    """A value that the protocol has no form for; the text says what to send instead."""


class Item(bytes):
    """One item as its bytes, unread; no bytes for none. It has levels of its own."""

    @property
    def value(self) -> Any:
        """The item as plain data; ``None`` also for no bytes."""
        return read(Any, self) if self else None

    def read(self, shape: Any) -> Any:
        """The item as a type of the table above."""
        return read(shape, self)


NOTHING = Item()
"""No item: the arguments, or the result, of a method that has none."""


@dataclasses.dataclass(frozen=True, slots=True)
class Single:
    """A float that is written in four bytes, for a Swift ``Float``."""

    value: float


class Cases:
    """The base of an enumeration whose cases have arguments.

    Subclass it once for the enumeration, and that once for each case, as a dataclass with the
    case's name; an argument without a label is ``_0``, ``_1``, …::

        class Move(Cases): ...

        @dataclass
        class Turn(Move, case="turn"):
            _0: int
    """

    case_name: ClassVar[str]
    cases: ClassVar[dict[str, type[Cases]]]

    def __init_subclass__(cls, case: str | None = None) -> None:
        if case is None:
            cls.cases = {}
        else:
            cls.case_name = case
            cls.cases[case] = cls


@functools.lru_cache(maxsize=4096)
def method_number(key: str) -> int:
    """The number of a method's key, such as ``present(sections:)``: 32-bit FNV-1a."""
    return fnv1a(key.encode(), 0x811C9DC5, 0x01000193, 32)


def fnv1a(data: bytes, offset: int, prime: int, bits: int) -> int:
    """The hash FNV-1a of that many bits."""
    value = offset
    for byte in data:
        value = (value ^ byte) * prime % (1 << bits)
    return value


def argument_count(key: str) -> int:
    """How many arguments the method with that key takes: one for each colon."""
    return key.count(":")


@overload
def read(shape: type[T], data: bytes) -> T: ...
@overload
def read(shape: Any, data: bytes) -> Any: ...
def read(shape: Any, data: bytes) -> Any:
    """Reads one item as a type of the table above; ``Unreadable`` says what is wrong, and where."""
    return cbor.read(shape, data, ValueReader)


class ValueReader(cbor.Reader):
    """Reads the types of the table above, too."""

    def read(self, shape: Any) -> Any:
        """The next item as a type of the table, or as a shape of a message."""
        return _reading(shape)(self) if shape is not None else None

    def plain(self) -> Any:
        """The next item as plain data."""
        start = self.at
        major = self.data[start] >> 5 if start < len(self.data) else OTHER
        if major == ARRAY:
            return [self.plain() for _ in self.parts(ARRAY)]
        if major == MAP:
            return self.pairs(lambda key: Any)
        if (value := self.scalar()) is ...:
            raise self.wrong("a value", start)
        return value

    def pairs(self, shapes: Callable[[str], Any]) -> dict[str, Any]:
        """A map; each value is read as its key's shape, and passed over where there is none."""
        table: dict[str, Any] = {}
        for _ in self.parts(MAP):
            start, key = self.at, super().read(str)
            if key in table:
                raise Unreadable("duplicateKey", f"{key[:64]!r} comes twice", start)
            if (shape := shapes(key)) is None:
                self.skip()
            else:
                table[key] = self.read(shape)
        return table

    def message(self, shape: Any) -> Any:
        """The next item as a shape of a message."""
        return super().read(shape)

    def is_null(self) -> bool:
        """Whether null comes next."""
        return self.data.startswith(b"\xf6", self.at)

    def item(self) -> Item:
        """The bytes of an item that has levels of its own."""
        return Item(super().read(bytes))

    def real(self, width: int) -> float:
        """A float of 4 or 8 bytes, however it is written."""
        start, number = self.at, self.scalar()
        if type(number) not in (int, float):
            raise self.wrong("a number", start)
        if width == 4 and math.isfinite(number):
            try:
                (number,) = struct.unpack(">f", struct.pack(">f", number))
            except OverflowError:
                raise Unreadable("outOfRange", f"{number} is no Float", start) from None
        return float(number)

    def byte_string(self) -> bytes:
        """Bytes; also as an array, and as base64 text."""
        start = self.at
        major = self.data[start] >> 5 if start < len(self.data) else BYTES
        if major == ARRAY:
            return bytes(self.message([range(256)]))
        value = self.scalar()
        if isinstance(value, str):  # what a front that comes from JSON makes of bytes
            try:
                return base64.b64decode(value, validate=True)
            except (binascii.Error, ValueError):
                raise Unreadable("typeMismatch", "text that is no base64", start) from None
        if not isinstance(value, bytes):
            raise self.wrong("a byte string", start)
        return value

    def raw(self, shape: type[enum.Enum]) -> enum.Enum:
        """A raw value of an enumeration."""
        start, raw = self.at, self.read(type(next(iter(shape)).value))
        try:
            return shape(raw)
        except ValueError:
            raise Unreadable("unknownCase", f"{raw!r} is no {shape.__name__}", start) from None

    def case(self, shape: type[Cases]) -> Cases:
        """A case with its arguments."""
        start, found = self.at, list(self.pairs(shape.cases.get).values())
        if len(found) != 1:
            what = f"{len(found)} cases of {shape.__name__}, not one"
            raise Unreadable("unknownCase", what, start)
        return typing.cast(Cases, found[0])

    def structure(self, shape: Any) -> Any:
        """A dataclass."""
        start, fields = self.at, _fields(shape)
        table = self.pairs(lambda key: fields[key].shape if key in fields else None)
        given = {fields[key].name: value for key, value in table.items() if value is not _ABSENT}
        for key, field in fields.items():
            if field.name not in given and field.is_mandatory:
                raise Unreadable("missingField", f"{shape.__name__} without {key}", start)
            if field.name not in given and field.is_optional:
                given[field.name] = None
        value = shape(**given)
        if hasattr(value, "check"):
            value.check()
        return value


_ABSENT = object()


class _Field(typing.NamedTuple):
    """A field of a dataclass: how its value is read, and whether it must be there."""

    name: str
    shape: Any
    kind: Any
    is_mandatory: bool
    is_optional: bool


@dataclasses.dataclass(frozen=True)
class _Absentable:
    """A type in whose place null is as nothing."""

    of: Any


_Reading: typing.TypeAlias = Callable[[ValueReader], Any]


@functools.lru_cache(maxsize=1024)
def _reading(shape: Any) -> _Reading:
    """How a type is read."""
    origin, arguments = typing.get_origin(shape), typing.get_args(shape)
    if isinstance(shape, range):
        return lambda reader: reader.message(shape)
    if isinstance(shape, _Absentable):
        return functools.partial(_read_optional, _lazily(shape.of), _ABSENT)
    if origin is Annotated:
        kind, mark = arguments[0], arguments[1]
        if isinstance(mark, range):
            return lambda reader: reader.message(mark)
        return (lambda reader: reader.real(mark)) if mark == 4 else _reading(kind)
    if origin in (types.UnionType, typing.Union) and type(None) in arguments:
        (inner,) = (kind for kind in arguments if kind is not type(None))
        return functools.partial(_read_optional, _lazily(inner), None)
    if origin is list:
        inner = _lazily(arguments[0])
        return lambda reader: [inner(reader) for _ in reader.parts(ARRAY)]
    if origin is dict and arguments[0] is str:
        return lambda reader: reader.pairs(lambda key: arguments[1])
    simple: dict[Any, _Reading] = {
        bool: lambda reader: reader.message(bool),
        int: lambda reader: reader.message(range(-(2**63), 2**63)),
        float: lambda reader: reader.real(8),
        str: lambda reader: reader.message(str),
        bytes: ValueReader.byte_string,
        Item: ValueReader.item,
        Any: ValueReader.plain,
    }
    if shape in simple:
        return simple[shape]
    if isinstance(shape, type):
        if hasattr(shape, "read_from"):
            return typing.cast(_Reading, shape.read_from)
        if issubclass(shape, enum.Enum):
            return lambda reader: reader.raw(shape)
        if issubclass(shape, Cases) and not dataclasses.is_dataclass(shape):
            return lambda reader: reader.case(shape)
        if dataclasses.is_dataclass(shape):
            return lambda reader: reader.structure(shape)
    raise TypeError(f"{shape!r} is no type that crosses; the table in {__name__} has them")


def _lazily(shape: Any) -> _Reading:
    """For types that contain themselves."""
    return lambda reader: _reading(shape)(reader)


def _read_optional(inner: _Reading, absent: Any, reader: ValueReader) -> Any:
    if reader.is_null():
        reader.at += 1
        return absent
    return inner(reader)


@functools.lru_cache(maxsize=1024)
def _fields(shape: Any) -> dict[str, _Field]:
    """The fields of a dataclass by key."""
    hints = typing.get_type_hints(shape, include_extras=True)
    fields, missing = {}, dataclasses.MISSING
    for field in dataclasses.fields(shape):
        kind = hints[field.name]
        is_optional = type(None) in typing.get_args(kind)
        has_default = field.default is not missing or field.default_factory is not missing
        may_be_absent = is_optional or has_default
        # A null item is an item.
        read_as = _Absentable(kind) if may_be_absent and kind is not Item else kind
        fields[field_key(field)] = _Field(field.name, read_as, kind, not may_be_absent, is_optional)
    return fields


def field_key(field: dataclasses.Field[Any]) -> str:
    """The key of a dataclass's field: its metadata's ``key``, else its name in camel case."""
    key = field.metadata.get("key")
    return key or re.sub(r"(?<=[a-z0-9])_([a-z0-9])", lambda hit: hit[1].upper(), field.name)


def pack(arguments: tuple[Any, ...]) -> bytes:
    """Arguments of a method as a payload: nothing, the one's item, or an array of several."""
    match arguments:
        case ():
            return b""
        case (only,):
            return write(only)
        case _:
            return write(list(arguments))


def write(value: Any, shape: Any = None) -> bytes:
    """One item for a value of the table above; ``shape`` where the value alone does not tell."""
    return bytes(value) if isinstance(value, Item) else dumps(plain(value, shape))


def plain(value: Any, shape: Any = None) -> Any:
    """The value as ``dumps`` takes it."""
    origin, arguments = typing.get_origin(shape), typing.get_args(shape)
    if origin in (types.UnionType, typing.Union):
        inner = next((kind for kind in arguments if kind is not type(None)), None)
        return None if value is None else plain(value, inner)
    if origin is Annotated and arguments[1:] == (4,):
        return Single(float(value))
    if shape is float:
        return float(value)
    if isinstance(value, Cases):
        return {value.case_name: _plain_structure(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type | Single):
        return _plain_structure(value)
    if isinstance(value, list | tuple):
        return [plain(element, arguments[0] if arguments else None) for element in value]
    if isinstance(value, dict):
        inner = arguments[1] if len(arguments) == 2 else None
        return {key: plain(element, inner) for key, element in value.items()}
    return value


def _plain_structure(value: Any) -> dict[str, Any]:
    shape: Any = type(value)
    fields = _fields(shape).items()
    pairs = ((key, getattr(value, field.name), field.kind) for key, field in fields)
    return {key: plain(element, kind) for key, element, kind in pairs if element is not None}


def dumps(value: Any, depth: int = 0) -> bytes:
    """One item in definite lengths: integers as short as they go, floats in eight bytes.

    Takes plain data, tuples, ``Item`` and ``Single``; ``Unsendable`` for anything else.
    """
    match value:
        case Item():
            return bytes(value)
        case None | bool() | bytes():
            return cbor2.dumps(value)
        case float():  # the library writes NaN and the infinities in two bytes
            return b"\xfb" + struct.pack(">d", value)
        case int():
            if not -(2**63) <= value < 2**64:
                raise Unsendable(f"{value} fits no integer of Swift's; send it as text")
            return cbor2.dumps(int(value))
        case str():
            if any("\ud800" <= letter <= "\udfff" for letter in value):
                raise Unsendable(f"{value!r} has a lone surrogate, which UTF-8 cannot carry")
            return cbor2.dumps(str(value))
        case Single():
            try:
                return b"\xfa" + struct.pack(">f", value.value)
            except (OverflowError, struct.error):
                raise Unsendable(f"{value.value!r} is no float of 32 bits") from None
        case list() | tuple() | dict() if depth >= DEPTH_MAX:
            raise Unsendable(f"more than {DEPTH_MAX} levels; send a flatter value")
        case list() | tuple():
            return _start(ARRAY, value) + b"".join(dumps(part, depth + 1) for part in value)
        case dict():
            if strange := [key for key in value if not isinstance(key, str)]:
                raise Unsendable(f"a key is text, not {type(strange[0]).__name__}")
            parts = (part for pair in value.items() for part in pair)
            return _start(MAP, value) + b"".join(dumps(part, depth + 1) for part in parts)
    raise Unsendable(
        f"{type(value).__name__} has no form in CBOR here; give plain data, or a dataclass, an "
        "Enum or Cases to values.write"
    )


def _start(major: int, parts: typing.Sized) -> bytes:
    head = cbor2.dumps(len(parts))
    return bytes([head[0] | major << 5]) + head[1:]


def unpack(payload: bytes) -> Item:
    """A payload of arguments, or a result, checked: one item, or no bytes."""
    if payload:
        check(payload)
    return Item(payload)


def check(data: bytes) -> None:
    """Refuses bytes that are not exactly one well-formed item."""
    cbor.read(bytes, data)
