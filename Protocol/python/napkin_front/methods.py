"""Methods: the numbers by which they travel, and the hash of a feature's contract.

Spec    Protocol/SPEC.md, section 3 (Identifiers) and section 13 (Schema)
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from .errors import Unsendable

if TYPE_CHECKING:
    from .messages import FeatureSchema, MethodSchema


def _fnv1a(data: bytes, offset: int, prime: int, bits: int) -> int:
    value = offset
    for byte in data:
        value = ((value ^ byte) * prime) % (1 << bits)
    return value


@functools.lru_cache(maxsize=4096)
def method_number(key: str) -> int:
    """The number of a method's key, such as ``present(sections:)``: 32-bit FNV-1a."""
    return _fnv1a(key.encode(), 0x811C9DC5, 0x01000193, 32)


def argument_count(key: str) -> int:
    """How many arguments the method with that key takes: one for each colon."""
    return key.count(":")


def method_names(keys: Iterable[str]) -> Mapping[int, str]:
    """Keys by their numbers; ``Unsendable`` when two keys share one."""
    names: dict[int, str] = {}
    for key in keys:
        if names.setdefault(method_number(key), key) != key:
            other = names[method_number(key)]
            raise Unsendable(f"{key} and {other} have the same number; rename one of them")
    return names


def contract_text(schema: FeatureSchema) -> str:
    """What a contract's hash is taken of; compare it when a worker speaks of a mismatch."""
    methods = sorted([*schema.presents, *schema.listens], key=lambda method: method.key.encode())
    return "".join(f"{line}\n" for line in [schema.feature, *map(_line, methods)])


def _line(method: MethodSchema) -> str:
    types = ",".join(parameter.type for parameter in method.parameters)
    result = (method.result or "-") + (" throws" if method.is_throwing else "")
    return f"{method.delivery} {method.key} {types} {result}"


def contract_hash(contract: FeatureSchema | str) -> int:
    """The hash by which worker and front see that they mean the same: 64-bit FNV-1a.

    Takes a schema, or the text that ``contract_text`` makes of one.
    """
    text = contract if isinstance(contract, str) else contract_text(contract)
    return _fnv1a(text.encode(), 0xCBF29CE484222325, 0x100000001B3, 64)
