"""Contracts: schemas of features, as data and as text, and their hash.

A front names the contracts that it was built with, so that a worker that means something else can
refuse it. They are read from the text of an app's schema, which ``napkin-client schema APP`` prints
and an app's lock file has.

Spec    Protocol/SPEC.md, section 13 (Schema)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from .values import Unsendable, fnv1a, method_number

COLUMN = 32
"""Where the second column begins, in Unicode scalars."""
BY_DEFAULT = " = default"
"""What follows the type of a field that has a default."""
NESTING_MAX = 64
"""Levels of a reference that are taken apart; what is deeper is a name."""


class Delivery(StrEnum):
    """How a method's calls travel: section 7 (Delivery classes)."""

    STATE = "state"
    EFFECT = "effect"
    LOG = "log"
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
    error: str | None = field(default=None, kw_only=True)


@dataclass
class FieldSchema:
    """A field of a structure, or a value of a case."""

    key: str
    type: str
    has_default: bool | None = None

    @property
    def may_be_missing(self) -> bool:
        """Whether a reader does without it."""
        return bool(self.has_default) or isinstance(reference(self.type), Maybe)


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
            yield from filter(None, [method.result, method.error])


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


def contract_hash(schema: FeatureSchema) -> int:
    """The number that stands for a feature's schema: 64-bit FNV-1a over its text."""
    return fnv1a(contract_text(schema).encode(), 0xCBF29CE484222325, 0x100000001B3, 64)


# Writing. Python sorts text by its scalars, as the specification does.


def contract_text(schema: FeatureSchema) -> str:
    """A feature and its types, without empty lines: what ``contract_hash`` is taken of."""
    types = sorted(schema.types or [], key=lambda kind: kind.name)
    blocks = [_feature_lines(schema), *map(_type_lines, types)]
    return "".join(f"{line}\n" for block in blocks for line in block)


def app_text(schema: AppSchema) -> str:
    """An app's schema as text: a lock file."""
    features = sorted(schema.features, key=lambda feature: feature.feature)
    types = sorted(schema.types, key=lambda kind: kind.name)
    blocks = [
        [f"app {_word(schema.app)}"],
        *map(_feature_lines, features),
        *map(_type_lines, types),
    ]
    return "\n".join("".join(f"{line}\n" for line in block) for block in blocks)


def _feature_lines(schema: FeatureSchema) -> list[str]:
    lines = [f"feature {_word(schema.feature)}"]
    if schema.arguments is not None:
        lines.append(_line(1, "arguments", schema.arguments))
    for side in (schema.presents, schema.listens):
        for method in sorted(side, key=lambda method: method.key):
            throws = f"throws {method.error or ''}".rstrip() if method.is_throwing else ""
            lines.append(_line(1, f"{method.delivery} {method.key}", throws))
            for part in method.parameters:
                label = "" if part.label == part.name else f"{part.label} "
                lines.append(_line(2, label + part.name, part.type))
            if method.result is not None:
                lines.append(_line(2, "->", method.result))
    return lines


def _type_lines(kind: TypeSchema) -> list[str]:
    match kind.kind:
        case "struct":
            return [f"struct {kind.name}", *_field_lines(1, kind.fields)]
        case "enum":
            lines = [f"enum {kind.name}"]
            for case in kind.cases or []:
                lines += [_line(1, _word(case.key)), *_field_lines(2, case.fields)]
            return lines
        case "raw" if kind.cases is not None:
            values = [_line(1, _word(case.key), _quoted(case.value or "")) for case in kind.cases]
            return [_line(0, f"enum {kind.name}", kind.raw or ""), *values]
        case "raw":
            return [_line(0, f"raw {kind.name}", kind.raw or "")]
    return [f"opaque {kind.name}"]


def _field_lines(level: int, fields: list[FieldSchema] | None) -> list[str]:
    return [
        _line(level, _word(field.key), field.type + (BY_DEFAULT if field.has_default else ""))
        for field in fields or []
    ]


def _line(level: int, left: str, right: str = "") -> str:
    left = "  " * level + left
    return f"{left.ljust(COLUMN - 2)}  {right}" if right else left


def _word(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9_.-]+", text) else _quoted(text)


def _quoted(text: str) -> str:
    marked = re.sub(r'["\\]', r"\\\g<0>", text)
    return '"' + re.sub(r"[\0-\x1f\x7f]", lambda hit: f"\\u{{{ord(hit[0]):x}}}", marked) + '"'


# Reading

_WORD = r'"(?:[^"\\]|\\.)*"|\S+'
_COLUMNS = re.compile(rf"( *)((?:{_WORD})(?: (?:{_WORD}))*)(?:  +(.*\S))? *")
"""Indentation, first column, second column."""


def read_contracts(text: str) -> list[FeatureSchema]:
    """The features of a schema as text, each with the types that it uses."""
    return read_app(text).features


def read_app(text: str) -> AppSchema:
    """Reads a schema as text; ``ValueError`` says which line makes no sense."""
    reader = _TextReader()
    # Not splitlines, which splits at more than line feeds.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip(" ") and not line.startswith("#"):
            try:
                reader.take(line)
            except (ValueError, IndexError, AttributeError) as error:
                raise ValueError(f"line {number} of the schema, {line!r}: {error}") from error
    for feature in reader.app.features:
        feature.types = types_used(feature, reader.app.types)
    return reader.app


class _TextReader:
    """Takes lines; what is indented belongs to what came before."""

    def __init__(self) -> None:
        self.app = AppSchema("", [], [])
        self._feature: FeatureSchema | None = None
        self._type: TypeSchema | None = None
        self._is_state = False

    def take(self, line: str) -> None:
        columns = _COLUMNS.fullmatch(line)
        if columns is None:
            raise ValueError("two columns are two spaces apart")
        level, left, right = len(columns[1]) // 2, columns[2], columns[3]
        if level == 0:
            self._begin(left, right)
        elif self._feature is not None:
            self._take_method(self._feature, level, left, right)
        elif self._type is not None:
            self._take_part(self._type, level, left, right)
        elif not self._is_state:
            raise ValueError("it belongs to nothing")

    def _begin(self, left: str, right: str | None) -> None:
        word, name = left.split(" ", 1)
        self._feature = self._type = None
        self._is_state = word == "durable"
        match word:
            case "app":
                self.app.app = _unquoted(name)
            case "feature":
                self._feature = FeatureSchema(_unquoted(name), [], [])
                self.app.features.append(self._feature)
            case "struct":
                self._type = TypeSchema(name, "struct", fields=[])
            case "enum" if right is None:
                self._type = TypeSchema(name, "enum", cases=[])
            case "enum":
                self._type = TypeSchema(name, "raw", cases=[], raw=right)
            case "durable":
                pass  # what a worker keeps is not what a front is shown
            case "raw" | "opaque":
                self._type = TypeSchema(name, word, raw=right)
            case _:
                raise ValueError(f"{word} begins nothing")
        if self._type is not None:
            self.app.types.append(self._type)

    def _take_method(self, feature: FeatureSchema, level: int, left: str, right: str) -> None:
        if right is None and (level > 1 or left == "arguments"):
            raise ValueError("a type is missing")
        if level == 1 and left == "arguments":
            feature.arguments = right
        elif level == 1:
            delivery, key = left.split(" ", 1)
            throws, _, error = (right or "").partition(" ")
            if throws not in ("", "throws"):
                raise ValueError(f"{right!r} is not 'throws'")
            method = MethodSchema(
                key, Delivery(delivery), [], is_throwing=bool(throws), error=error or None
            )
            is_event = method.delivery == Delivery.EVENT
            (feature.listens if is_event else feature.presents).append(method)
            self._method = method
        elif left == "->":
            self._method.result = right
        else:
            label, _, name = left.partition(" ")
            self._method.parameters.append(ParameterSchema(label, name or label, right))

    def _take_part(self, kind: TypeSchema, level: int, left: str, right: str) -> None:
        key = _unquoted(left)
        if right is None and not (kind.kind == "enum" and level == 1):
            raise ValueError("a second column is missing")
        if kind.fields is not None:
            kind.fields.append(_field(key, right))
        elif kind.cases is None:
            raise ValueError(f"a type of kind {kind.kind} has no parts")
        elif level == 1:
            value = _unquoted(right) if kind.kind == "raw" else None
            kind.cases.append(CaseSchema(key, value=value))
        else:
            case = kind.cases[-1]
            case.fields = [*(case.fields or []), _field(key, right)]


def _field(key: str, column: str) -> FieldSchema:
    kind = column.removesuffix(BY_DEFAULT)
    return FieldSchema(key, kind, None if kind == column else True)


def _unquoted(text: str) -> str:
    if not text.startswith('"'):
        return text
    return re.sub(r"\\(?:u\{([0-9a-f]+)\}|(.))", _unmarked, text[1:-1])


def _unmarked(mark: re.Match[str]) -> str:
    return chr(int(mark[1], 16)) if mark[1] else mark[2]


def method_names(keys: Iterable[str]) -> Mapping[int, str]:
    """Keys by their numbers; ``Unsendable`` when two keys share one."""
    names: dict[int, str] = {}
    for key in keys:
        if names.setdefault(method_number(key), key) != key:
            other = names[method_number(key)]
            raise Unsendable(f"{key} and {other} have the same number; rename one of them")
    return names
