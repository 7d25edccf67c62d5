"""Types that are made as a file of vectors describes them, and their values as JSON."""

from __future__ import annotations

import base64
import dataclasses
import enum
from collections.abc import Iterator
from typing import Any, Optional

from napkin_front import values

Vector = dict[str, Any]


def types_of(table: Vector) -> dict[str, Any]:
    types: dict[str, Any] = {}
    for name, form in table.get("types", {}).items():
        match form:
            case {"raw": _, "cases": cases}:
                types[name] = enum.Enum(name, {f"CASE_{case}": case for case in cases})
            case {"struct": fields}:
                types[name] = dataclasses.make_dataclass(name, list(hinted(fields, types)))
            case {"enum": cases}:
                types[name] = type(name, (values.Cases,), {})
                for case, fields in cases.items():
                    base = type(case, (types[name],), {}, case=case)
                    made = dataclasses.make_dataclass(
                        case, list(hinted(fields, types)), bases=(base,)
                    )
                    types[name].cases[case] = made
    return types


def hinted(fields: list[list[str]], types: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for name, text in fields:
        yield name, type_named(text, types), dataclasses.field(kw_only=True)


def type_named(text: str, types: dict[str, Any]) -> Any:
    if text.endswith("?"):
        return Optional[type_named(text[:-1], types)]  # noqa: UP045
    if text == "[UInt8]":
        return bytes
    if text.startswith("[String: "):
        return dict[str, type_named(text[9:-1], types)]  # type: ignore[misc]
    if text.startswith("["):
        return list[type_named(text[1:-1], types)]  # type: ignore[misc]
    named = {"Bool": bool, "Int": int, "Double": float, "Float": values.Float32, "String": str}
    return types.get(text) or named.get(text) or getattr(values, text)


def value_as_json(value: Any) -> Any:
    match value:
        case bytes():
            return base64.b64encode(value).decode()
        case enum.Enum():
            return value.value
        case list():
            return [value_as_json(element) for element in value]
        case dict():
            return {key: value_as_json(element) for key, element in value.items()}
        case values.Cases():
            return {value.case_name: fields_as_json(value)}
    return fields_as_json(value) if dataclasses.is_dataclass(value) else value


def fields_as_json(value: Any) -> Vector:
    pairs = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
    return {name: value_as_json(element) for name, element in pairs if element is not None}
