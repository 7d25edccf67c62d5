"""Contracts: schemas as text, read and written, and the hash of a feature.

A front names the contracts that it was built with, so that a worker that means something else can
refuse it. They are read from the text of an app's schema, which ``napkin-client schema APP`` prints
and an app's lock file has.

Spec    Protocol/SPEC.md, section 13 (Schema)
"""

from __future__ import annotations

import re

from .methods import fnv1a
from .schema import (
    AppSchema,
    CaseSchema,
    Delivery,
    FeatureSchema,
    FieldSchema,
    MethodSchema,
    ParameterSchema,
    TypeSchema,
    types_used,
)

COLUMN = 32
"""Where the second column begins, in Unicode scalars."""


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
            throws = "throws" if method.is_throwing else ""
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
    return [_line(level, _word(field.key), field.type) for field in fields or []]


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
        else:
            raise ValueError("it belongs to nothing")

    def _begin(self, left: str, right: str | None) -> None:
        word, name = left.split(" ", 1)
        self._feature = self._type = None
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
            method = MethodSchema(key, Delivery(delivery), [], is_throwing=right == "throws")
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
            kind.fields.append(FieldSchema(key, right))
        elif kind.cases is None:
            raise ValueError(f"a type of kind {kind.kind} has no parts")
        elif level == 1:
            value = _unquoted(right) if kind.kind == "raw" else None
            kind.cases.append(CaseSchema(key, value=value))
        else:
            case = kind.cases[-1]
            case.fields = [*(case.fields or []), FieldSchema(key, right)]


def _unquoted(text: str) -> str:
    if not text.startswith('"'):
        return text
    return re.sub(r"\\(?:u\{([0-9a-f]+)\}|(.))", _unmarked, text[1:-1])


def _unmarked(mark: re.Match[str]) -> str:
    return chr(int(mark[1], 16)) if mark[1] else mark[2]
