"""Values: Swift's types as Python's, and the way between them and CBOR.

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

Spec    Protocol/SPEC.md, section 6 (Messages)
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import re
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, NamedTuple, TypeAlias, TypeVar, overload

from . import cbor
from .errors import Unreadable
from .reader import Range, Reader

T = TypeVar("T")


class Width(NamedTuple):
    """How wide a float is."""

    bytes: int


Int8 = Annotated[int, Range(-(2**7), 2**7 - 1)]
Int16 = Annotated[int, Range(-(2**15), 2**15 - 1)]
Int32 = Annotated[int, Range(-(2**31), 2**31 - 1)]
Int64 = Annotated[int, Range(-(2**63), 2**63 - 1)]
UInt8 = Annotated[int, Range(0, 2**8 - 1)]
UInt16 = Annotated[int, Range(0, 2**16 - 1)]
UInt32 = Annotated[int, Range(0, 2**32 - 1)]
UInt64 = Annotated[int, Range(0, 2**64 - 1)]
Float32 = Annotated[float, Width(4)]
_INT = Range(-(2**63), 2**63 - 1)


class Item(bytes):
    """One item as its bytes, unread; no bytes for none. It has levels of its own."""

    @property
    def value(self) -> Any:
        """The item as plain data; ``None`` also for no bytes."""
        return cbor.loads(self) if self else None

    def read(self, shape: Any) -> Any:
        """The item as a type of the table above."""
        return read(shape, self)


NOTHING = Item()
"""No item: the arguments, or the result, of a method that has none."""


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


@overload
def read(shape: type[T], data: bytes) -> T: ...
@overload
def read(shape: Any, data: bytes) -> Any: ...
def read(shape: Any, data: bytes) -> Any:
    """Reads one item as a type of the table above; ``Unreadable`` says what is wrong, and where."""
    reader = Reader(data)
    value = read_next(shape, reader)
    if reader.at != len(data):
        rest = len(data) - reader.at
        raise Unreadable("trailingBytes", f"{rest} bytes follow the item", reader.at)
    return value


def field_key(field: dataclasses.Field[Any]) -> str:
    """The key of a dataclass's field: its metadata's ``key``, else its name in camel case."""
    key = field.metadata.get("key")
    return key or re.sub(r"(?<=[a-z0-9])_([a-z0-9])", lambda hit: hit[1].upper(), field.name)


def read_next(shape: Any, reader: Reader) -> Any:
    """Reads the next item as a type of the table above."""
    return _reading(shape)(reader)


_Reading: TypeAlias = Callable[[Reader], Any]


@functools.lru_cache(maxsize=1024)
def _reading(shape: Any) -> _Reading:
    """How a type is read."""
    origin, arguments = typing.get_origin(shape), typing.get_args(shape)
    if origin is Annotated:
        mark = arguments[1]
        if isinstance(mark, Range):
            return lambda reader: reader.integer(mark)
        if isinstance(mark, Width):
            return lambda reader: reader.real(mark.bytes)
        return _reading(arguments[0])
    if origin in (types.UnionType, typing.Union) and type(None) in arguments:
        (inner,) = (kind for kind in arguments if kind is not type(None))
        return functools.partial(_read_optional, _lazily(inner))
    if origin is list:
        return lambda reader: reader.array(_lazily(arguments[0]))
    if origin is dict and arguments[0] is str:
        return functools.partial(_read_dictionary, _lazily(arguments[1]))
    simple: dict[Any, _Reading] = {
        bool: Reader.boolean,
        int: lambda reader: reader.integer(_INT),
        float: lambda reader: reader.real(8),
        str: Reader.text,
        bytes: Reader.byte_string,
        Item: lambda reader: Item(reader.item()),
        Any: lambda reader: Item(reader.skip()).value,
    }
    if shape in simple:
        return simple[shape]
    if isinstance(shape, type):
        if hasattr(shape, "read_from"):
            return typing.cast(_Reading, shape.read_from)
        if issubclass(shape, enum.Enum):
            return functools.partial(_read_raw, shape)
        if issubclass(shape, Cases):
            return functools.partial(_read_case, shape)
        if dataclasses.is_dataclass(shape):
            return functools.partial(_read_structure, shape)
    raise TypeError(f"{shape!r} is no type that crosses; the table in {__name__} has them")


def _lazily(shape: Any) -> _Reading:
    """For types that contain themselves."""
    return lambda reader: _reading(shape)(reader)


def _read_optional(inner: _Reading, reader: Reader) -> Any:
    if reader.is_null():
        reader.at += 1
        return None
    return inner(reader)


def _read_dictionary(inner: _Reading, reader: Reader) -> dict[str, Any]:
    table: dict[str, Any] = {}

    def take(key: str) -> bool:
        table[key] = inner(reader)
        return True

    reader.map(take, "a dictionary")
    return table


def _read_raw(shape: type[enum.Enum], reader: Reader) -> enum.Enum:
    start = reader.at
    raw = read_next(type(next(iter(shape)).value), reader)
    try:
        return shape(raw)
    except ValueError:
        raise Unreadable("unknownCase", f"{raw!r} is no {shape.__name__}", start) from None


def _read_case(shape: type[Cases], reader: Reader) -> Cases:
    start = reader.at
    found: list[Cases] = []

    def take(key: str) -> bool:
        if (case := shape.cases.get(key)) is None:
            return False
        found.append(_read_structure(case, reader))
        return True

    reader.map(take, f"a {shape.__name__}")
    if len(found) != 1:
        raise Unreadable("unknownCase", f"{len(found)} cases of {shape.__name__}, not one", start)
    return found[0]


@functools.lru_cache(maxsize=1024)
def _fields(shape: Any) -> dict[str, tuple[str, Any, bool]]:
    """The fields of a dataclass by key: name, type, and whether there is a default."""
    hints = typing.get_type_hints(shape, include_extras=True)
    return {
        field_key(field): (field.name, hints[field.name], not _is_mandatory(field, hints))
        for field in dataclasses.fields(shape)
    }


def _is_mandatory(field: dataclasses.Field[Any], hints: dict[str, Any]) -> bool:
    if type(None) in typing.get_args(hints[field.name]):
        return False
    missing = dataclasses.MISSING
    return field.default is missing and field.default_factory is missing


def _read_structure(shape: Any, reader: Reader) -> Any:
    start, fields = reader.at, _fields(shape)
    given: dict[str, Any] = {}

    def take(key: str) -> bool:
        if key not in fields:
            return False
        name, kind, may_be_absent = fields[key]
        if may_be_absent and kind is not Item and reader.is_null():
            reader.at += 1
        else:
            given[name] = read_next(kind, reader)
        return True

    reader.map(take, f"a {shape.__name__}")
    for key, (name, kind, may_be_absent) in fields.items():
        if name in given:
            continue
        if not may_be_absent:
            raise Unreadable("missingField", f"{shape.__name__} without {key}", start)
        if type(None) in typing.get_args(kind):
            given[name] = None
    value = shape(**given)
    if hasattr(value, "check"):
        value.check()
    return value


def write(value: Any, shape: Any = None) -> bytes:
    """One item for a value of the table above; ``shape`` where the value alone does not tell."""
    if isinstance(value, Item):
        return bytes(value)
    return cbor.dumps(plain(value, shape))


def plain(value: Any, shape: Any = None) -> Any:
    """The value as ``cbor.dumps`` takes it."""
    origin, arguments = typing.get_origin(shape), typing.get_args(shape)
    if origin in (types.UnionType, typing.Union):
        inner = next((kind for kind in arguments if kind is not type(None)), None)
        return None if value is None else plain(value, inner)
    if origin is Annotated and arguments[1:] == (Width(4),):
        return cbor.Single(float(value))
    if shape is float:
        return float(value)
    if isinstance(value, Cases):
        return {value.case_name: _plain_structure(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Item):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type | cbor.Single):
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
    pairs = ((key, getattr(value, name), kind) for key, (name, kind, _) in fields)
    return {key: plain(element, kind) for key, element, kind in pairs if element is not None}


def pack(arguments: tuple[Any, ...]) -> bytes:
    """Arguments of a method as a payload: nothing, the one's item, or an array of several."""
    match arguments:
        case ():
            return b""
        case (only,):
            return write(only)
        case _:
            return write(list(arguments))


def unpack(payload: bytes) -> Item:
    """A payload of arguments, or a result, checked: one item, or no bytes."""
    if payload:
        cbor.check(payload)
    return Item(payload)
