"""Schema: a contract as data: features, their methods, and the types that these name.

Spec    Protocol/SPEC.md, section 13 (Schema)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

NESTING_MAX = 64
"""Levels of a reference that are taken apart; what is deeper is a name."""


class Delivery(StrEnum):
    """How a method's calls travel: section 7 (Delivery classes)."""

    STATE = "state"
    EFFECT = "effect"
    EVENT = "event"
    ASK = "ask"


@dataclass
class ParameterSchema:
    """A parameter of a method; its type is a reference."""

    label: str
    name: str
    type: str


@dataclass
class MethodSchema:
    """A method of a contract."""

    key: str
    delivery: Delivery
    parameters: list[ParameterSchema]
    result: str | None = None
    is_throwing: bool = field(kw_only=True)


@dataclass
class FieldSchema:
    """A field of a structure, or a value of a case."""

    key: str
    type: str


@dataclass
class CaseSchema:
    """A case: its values, or the raw value that stands for it."""

    key: str
    fields: list[FieldSchema] | None = None
    value: str | None = None


@dataclass
class TypeSchema:
    """A type by its name. ``kind`` is struct, enum or raw; anything else is opaque."""

    name: str
    kind: str
    fields: list[FieldSchema] | None = None
    cases: list[CaseSchema] | None = None
    raw: str | None = None

    @property
    def references(self) -> Iterator[str]:
        """The references in its parts."""
        for fields in [self.fields, *(case.fields for case in self.cases or [])]:
            yield from (part.type for part in fields or [])
        if self.raw is not None:
            yield self.raw


@dataclass
class FeatureSchema:
    """A feature's contract."""

    feature: str
    presents: list[MethodSchema]
    listens: list[MethodSchema]
    arguments: str | None = None
    types: list[TypeSchema] | None = None

    @property
    def references(self) -> Iterator[str]:
        """The references in its methods and arguments."""
        if self.arguments is not None:
            yield self.arguments
        for method in [*self.presents, *self.listens]:
            yield from (parameter.type for parameter in method.parameters)
            if method.result is not None:
                yield method.result


@dataclass
class AppSchema:
    """An app's contracts; the types of its features stand beside them."""

    app: str
    features: list[FeatureSchema]
    types: list[TypeSchema]


@dataclass(frozen=True)
class Named:
    """A reference to a scalar or to a type of the schema."""

    name: str


@dataclass(frozen=True)
class Maybe:
    """``T?``."""

    of: Reference


@dataclass(frozen=True)
class Array:
    """``[T]`` and ``Set<T>``."""

    of: Reference


@dataclass(frozen=True)
class Table:
    """``[K: V]``."""

    key: Reference
    value: Reference


@dataclass(frozen=True)
class ByteString:
    """``[UInt8]``."""


Reference = Named | Maybe | Array | Table | ByteString


def reference(text: str, levels: int = NESTING_MAX) -> Reference:
    """Takes a reference apart; what makes no sense is a name, which nothing has."""
    text = text.strip(" ")
    if levels == 0:
        return Named(text)
    if text.endswith("?"):
        return Maybe(reference(text[:-1], levels - 1))
    if text.startswith("Set<") and text.endswith(">"):
        return Array(reference(text[4:-1], levels - 1))
    if not (text.startswith("[") and text.endswith("]")):
        return Named(text)
    inner = text[1:-1].strip(" ")
    if (colon := _colon(inner)) is not None:
        key, value = inner[:colon], inner[colon + 1 :]
        return Table(reference(key, levels - 1), reference(value, levels - 1))
    return ByteString() if inner == "UInt8" else Array(reference(inner, levels - 1))


def _colon(text: str) -> int | None:
    """Where the key of a map ends, if there is one."""
    depth = 0
    for index, letter in enumerate(text):
        if letter in "[<(":
            depth += 1
        elif letter in "]>)":
            depth -= 1
        elif letter == ":" and depth == 0:
            return index
    return None


def names(part: Reference) -> Iterator[str]:
    """The names in a reference."""
    match part:
        case Named(name):
            yield name
        case Maybe(of) | Array(of):
            yield from names(of)
        case Table(key, value):
            yield from names(key)
            yield from names(value)


def types_used(feature: FeatureSchema, types: Iterable[TypeSchema]) -> list[TypeSchema]:
    """Those of the types that a feature names, in one step or several."""
    known = {kind.name: kind for kind in reversed(list(types))}
    used: dict[str, TypeSchema] = {}
    waiting = list(feature.references)
    while waiting:
        for name in names(reference(waiting.pop())):
            if name in known and name not in used:
                used[name] = known[name]
                waiting += known[name].references
    return list(used.values())
