"""Values: Swift's types, read and written."""

from __future__ import annotations

import enum
import unittest
from dataclasses import dataclass, field
from typing import Any

from napkin_front import values
from napkin_front.errors import Unreadable
from napkin_front.values import Cases, Float32, Item, UInt8


class Size(enum.Enum):
    """An enumeration with raw values."""

    SMALL = "small"
    LARGE = "large"


@dataclass
class Dish:
    """A structure."""

    dish_name: str
    size: Size
    weight: Float32
    price: float
    spice_level: UInt8 | None = None
    side_dishes: list[Dish] = field(default_factory=list)


class Move(Cases):
    """An enumeration whose cases have arguments."""


@dataclass
class Stay(Move, case="stay"):
    """One without."""


@dataclass
class Turn(Move, case="turn"):
    """One with an argument that has no label."""

    _0: int
    is_fast: bool | None = None


DISH = {
    "dishName": "Brisket",
    "size": "large",
    "weight": values.Single(0.5),
    "price": 12.0,
    "sideDishes": [],
}


class ValueTests(unittest.TestCase):
    def error_of(self, shape: Any, value: Any) -> str:
        with self.assertRaises(Unreadable) as caught:
            values.read(shape, values.dumps(value))
        return caught.exception.name

    def test_a_structure_travels_in_camel_case_and_keeps_its_widths(self) -> None:
        dish = Dish("Brisket", Size.LARGE, 0.5, 12)
        self.assertEqual(values.write(dish), values.dumps(DISH))
        self.assertEqual(values.read(Dish, values.write(dish)), dish)

    def test_structures_contain_themselves(self) -> None:
        side = Dish("Slaw", Size.SMALL, 0.25, 3.5, 2)
        dish = Dish("Brisket", Size.LARGE, 0.5, 12.0, side_dishes=[side, side])
        self.assertEqual(values.read(Dish, values.write(dish)), dish)

    def test_keys_may_be_absent_null_unknown_or_in_another_order(self) -> None:
        table: dict[str, Any] = dict(reversed(DISH.items()))
        del table["sideDishes"]
        table |= {"spiceLevel": None, "since": [1, {"x": None}]}
        dish = values.read(Dish, values.dumps(table))
        self.assertEqual(dish, Dish("Brisket", Size.LARGE, 0.5, 12.0))

    def test_what_is_wrong_has_a_name(self) -> None:
        self.assertEqual(self.error_of(Dish, {"size": "small"}), "missingField")
        self.assertEqual(self.error_of(Dish, DISH | {"price": "12"}), "typeMismatch")
        self.assertEqual(self.error_of(Dish, DISH | {"price": True}), "typeMismatch")
        self.assertEqual(self.error_of(Dish, DISH | {"size": "huge"}), "unknownCase")
        self.assertEqual(self.error_of(Dish, DISH | {"spiceLevel": 256}), "outOfRange")
        self.assertEqual(self.error_of(Dish, DISH | {"spiceLevel": -1}), "outOfRange")
        self.assertEqual(self.error_of(Dish, []), "typeMismatch")
        self.assertEqual(self.error_of(int, 2**63), "outOfRange")
        self.assertEqual(self.error_of(int, 1.5), "outOfRange")
        self.assertEqual(self.error_of(bool, 1), "typeMismatch")
        self.assertEqual(self.error_of(Move, {"stay": {}, "turn": {"_0": 1}}), "unknownCase")
        self.assertEqual(self.error_of(Move, {"turn": {}}), "missingField")

    def test_the_place_of_a_mistake_is_named(self) -> None:
        with self.assertRaisesRegex(Unreadable, r"text where a number belongs .* at byte 3"):
            values.read(dict[str, int], values.dumps({"a": "b"}))

    def test_cases(self) -> None:
        for move, plain in [
            (Stay(), {"stay": {}}),
            (Turn(-1), {"turn": {"_0": -1}}),
            (Turn(2, True), {"turn": {"_0": 2, "isFast": True}}),
        ]:
            self.assertEqual(values.write(move), values.dumps(plain))
            self.assertEqual(values.read(Move, values.write(move)), move)

    def test_collections_of_everything(self) -> None:
        table: dict[str, list[Move | None]] = {"a": [Stay(), None, Turn(1)], "b": []}
        data = values.write(table)
        self.assertEqual(values.read(dict[str, list[Move | None]], data), table)

    def test_an_item_is_read_when_it_is_wanted(self) -> None:
        data = values.dumps({"any": [1, 2]})
        item = values.read(dict[str, Item], data)["any"]
        self.assertEqual(item.hex(), "820102")
        self.assertEqual((item.value, item.read(list[int])), ([1, 2], [1, 2]))
        self.assertIsNone(Item().value)
        self.assertEqual(values.write(item), item)

    def test_a_type_that_cannot_cross_is_a_mistake_of_the_program(self) -> None:
        with self.assertRaisesRegex(TypeError, "no type that crosses"):
            values.read(set[int], b"\x80")
