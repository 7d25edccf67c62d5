"""CBOR: what the library is too lax for, and bombs."""

from __future__ import annotations

import math
import random
import time
import tracemalloc
import unittest
from typing import Any

import cbor2

from napkin_front import values
from napkin_front.cbor import DEPTH_MAX, LENGTHS_MAX
from napkin_front.errors import Unreadable
from napkin_front.values import Single, Unsendable

_, _, ARRAY_ITEMS_MAX, MAP_PAIRS_MAX = LENGTHS_MAX.values()
STRING_BYTES_MAX = 16 * 1024 * 1024


def name_of(data: bytes) -> str:
    """The error of reading these bytes, or nothing."""
    try:
        values.read(Any, data)
    except Unreadable as error:
        return error.name
    return ""


class ReadingTests(unittest.TestCase):
    def test_what_the_library_accepts_and_the_protocol_does_not(self) -> None:
        for text, name in [
            ("9f01ff", "indefiniteLength"),
            ("bf616101ff", "indefiniteLength"),
            ("7f6161ff", "indefiniteLength"),
            ("5f4161ff", "indefiniteLength"),
            ("0000", "trailingBytes"),
            ("a2616101616102", "duplicateKey"),
            ("82a2616101616102a0", "duplicateKey"),
            ("c11a514b67b0", "unsupported"),  # a date
            ("c249010000000000000000", "unsupported"),  # a big number
            ("d81c80", "unsupported"),  # a shared value
            ("f7", "typeMismatch"),
            ("f820", "typeMismatch"),
            ("a10101", "typeMismatch"),
        ]:
            with self.subTest(text):
                data = bytes.fromhex(text)
                # The library alone says nothing, which is why the walk is needed.
                cbor2.loads(data)
                self.assertEqual(name_of(data), name)

    def test_what_is_not_well_formed(self) -> None:
        for text, name in [
            ("", "truncated"),
            ("18", "truncated"),
            ("6161"[:2], "truncated"),
            ("8201", "truncated"),
            ("a16161", "truncated"),
            ("fb000000", "truncated"),
            ("1c", "reserved"),
            ("f800", "reserved"),
            ("62c328", "invalidUTF8"),
            ("a162c32801", "invalidUTF8"),
            ("63eda080", "invalidUTF8"),  # a surrogate
        ]:
            with self.subTest(text):
                self.assertEqual(name_of(bytes.fromhex(text)), name)

    def test_keys_of_different_maps_may_be_the_same(self) -> None:
        value = {"a": {"a": [{"a": 1}, {"a": 2}]}, "b": {"a": 3}}
        self.assertEqual(values.read(Any, values.dumps(value)), value)

    def test_levels_at_the_limit(self) -> None:
        for levels, fits in ((DEPTH_MAX - 1, True), (DEPTH_MAX, True), (DEPTH_MAX + 1, False)):
            for open_, close in (("81", "80"), ("a16161", "a0")):
                data = bytes.fromhex(open_ * (levels - 1) + close)
                self.assertEqual(name_of(data), "" if fits else "depthExceeded")

    def test_lengths_at_the_limit(self) -> None:
        for limit, head, element in [
            (STRING_BYTES_MAX, 0x5A, b"\x00"),
            (STRING_BYTES_MAX, 0x7A, b"a"),
            (ARRAY_ITEMS_MAX, 0x9A, b"\x00"),
        ]:
            for count in (limit - 1, limit, limit + 1):
                data = bytes([head]) + count.to_bytes(4, "big") + element * count
                self.assertEqual(name_of(data), "" if count <= limit else "lengthExceeded")
        for count in (MAP_PAIRS_MAX - 1, MAP_PAIRS_MAX, MAP_PAIRS_MAX + 1):
            pairs = b"".join(b"\x68" + b"%08x" % key + b"\x00" for key in range(count))
            data = b"\xba" + count.to_bytes(4, "big") + pairs
            self.assertEqual(name_of(data), "" if count <= MAP_PAIRS_MAX else "lengthExceeded")

    def test_bombs_cost_neither_time_nor_memory(self) -> None:
        bombs = [
            b"\x81" * 1_000_000,
            b"\xa1\x61a" * 300_000,
            b"\xc1" * 1_000_000,
            b"\x9b\x7f" + b"\xff" * 7,
            b"\x5b" + b"\xff" * 8,
            b"\xbb" + b"\xff" * 8,
            b"\x9f" * 1_000_000,
            b"\x9a\x00\x10\x00\x00" * 1000,
        ]
        for bomb in bombs:
            tracemalloc.start()
            began = time.perf_counter()
            self.assertIn(
                name_of(bomb), ("depthExceeded", "truncated", "indefiniteLength", "unsupported")
            )
            elapsed = time.perf_counter() - began
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            self.assertLess(elapsed, 0.5)
            self.assertLess(peak, 80 * 1024)

    def test_random_bytes_give_a_value_or_unreadable(self) -> None:
        source = random.Random(2)
        read = 0
        for _ in range(20_000):
            data = source.randbytes(source.randrange(1, 6))
            try:
                value = values.read(Any, data)
            except Unreadable:
                continue
            read += 1
            try:
                again = values.read(Any, values.dumps(value))
            except Unsendable:
                continue  # an integer below those of Swift
            self.assertTrue(same(again, value), f"{data.hex()}: {value!r} became {again!r}")
        self.assertGreater(read, 1000)

    def test_every_cut_of_an_item_is_truncated(self) -> None:
        data = values.dumps({"a": [1, 70000, -3.5, "ü", b"xy", None, True], "b": {"c": {}}})
        for cut in range(len(data)):
            self.assertEqual(name_of(data[:cut]), "truncated", f"cut at {cut}")


class WritingTests(unittest.TestCase):
    def test_the_bytes_are_those_of_the_protocol(self) -> None:
        for value, text in [
            (23, "17"),
            (24, "1818"),
            (2**64 - 1, "1bffffffffffffffff"),
            (-(2**63), "3b7fffffffffffffff"),
            (1.0, "fb3ff0000000000000"),
            (math.inf, "fb7ff0000000000000"),  # the library alone would take two bytes
            (math.nan, "fb7ff8000000000000"),
            (Single(1.5), "fa3fc00000"),
            (Single(math.inf), "fa7f800000"),
            ({"b": 1, "a": [None, True]}, "a26162016161 82f6f5".replace(" ", "")),
            ((1, 2), "820102"),
            ("ü", "62c3bc"),
            (b"\x00", "4100"),
        ]:
            with self.subTest(value=value):
                self.assertEqual(values.dumps(value).hex(), text)

    def test_what_has_no_form_is_refused_with_advice(self) -> None:
        deep: Any = 1
        for _ in range(DEPTH_MAX + 1):
            deep = [deep]
        endless: list[Any] = []
        endless.append(endless)
        for value, words in [
            (2**64, "send it as text"),
            (-(2**63) - 1, "send it as text"),
            ("\ud800", "surrogate"),
            ({1: 2}, "a key is text, not int"),
            (object(), "object has no form"),
            ({1, 2}, "set has no form"),
            (Single(1e300), "32 bits"),
            (deep, "flatter"),
            (endless, "flatter"),
        ]:
            with self.subTest(words), self.assertRaisesRegex(Unsendable, words):
                values.dumps(value)

    def test_the_deepest_value_that_is_read_can_be_written(self) -> None:
        data = b"\x81" * (DEPTH_MAX - 1) + b"\x80"
        self.assertEqual(values.dumps(values.read(Any, data)), data)

    def test_arguments(self) -> None:
        self.assertEqual(values.pack(()), b"")
        self.assertEqual(values.pack((None,)), b"\xf6")
        self.assertEqual(values.pack(([1, 2],)).hex(), "820102")
        self.assertEqual(values.pack((1, 2)).hex(), "820102")


def same(left: Any, right: Any) -> bool:
    """Equality for which NaN is one value."""
    return repr(left) == repr(right)
