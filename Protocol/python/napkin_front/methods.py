"""Methods: the numbers by which they travel.

Spec    Protocol/SPEC.md, section 3 (Identifiers)
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping

from .errors import Unsendable


def fnv1a(data: bytes, offset: int, prime: int, bits: int) -> int:
    """The hash FNV-1a of that many bits."""
    value = offset
    for byte in data:
        value = ((value ^ byte) * prime) % (1 << bits)
    return value


@functools.lru_cache(maxsize=4096)
def method_number(key: str) -> int:
    """The number of a method's key, such as ``present(sections:)``: 32-bit FNV-1a."""
    return fnv1a(key.encode(), 0x811C9DC5, 0x01000193, 32)


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
