"""Tree: transitions in every order, states, and what does not fit."""

from __future__ import annotations

import unittest

from napkin_front.errors import Unreadable
from napkin_front.screen import ShownNode, ShownTree
from napkin_front.tree import BATCH_BYTES_MAX, MORE, SNAPSHOT
from napkin_front.values import method_number, write

from .worker import Operation, mount


def unmount(number: int) -> Operation:
    return {"unmount": number}


class TreeCase(unittest.TestCase):
    def setUp(self) -> None:
        self.tree = ShownTree()
        self.apply(mount(1, "root"), mount(2, "left", 1), mount(3, "leaf", 2), flags=SNAPSHOT)

    def apply(self, *operations: Operation, flags: int = 0) -> list[tuple[str, int]]:
        changes = self.tree.transition(write(operations), flags)
        return [(what, node.number) for what, node in changes]

    def signs(self, *operations: Operation, flags: int = 0) -> list[int]:
        changes = self.apply(*operations, flags=flags)
        return [number if what == "mounted" else -number for what, number in changes]

    def node(self, number: int) -> ShownNode:
        node = self.tree.nodes[number]
        assert isinstance(node, ShownNode)
        return node


class TreeTests(TreeCase):
    def test_a_swap_is_one_batch(self) -> None:
        self.assertEqual(self.signs(unmount(2), mount(4, "right", 1)), [-2, 4])
        self.assertEqual(self.tree.features, ["root", "right"])

    def test_an_unmount_takes_what_is_below(self) -> None:
        self.assertEqual(self.signs(unmount(2), unmount(3), unmount(77)), [-2])
        self.assertIsNone(self.tree.nodes.get(3))

    def test_a_snapshot_replaces_everything(self) -> None:
        old = self.tree.nodes.get(2)
        self.assertEqual(
            self.signs(mount(1, "root"), mount(2, "new", 1), flags=SNAPSHOT), [-1, 1, 2]
        )
        self.assertIsNot(self.tree.nodes.get(2), old)
        self.assertEqual(self.signs(flags=SNAPSHOT), [-1])
        self.assertEqual((self.tree.root, list(self.tree)), (None, []))

    def test_what_does_not_fit_is_left_out(self) -> None:
        strays = [mount(4, "lost", 99), mount(5, "lost", 4), mount(2, "twice", 1), mount(9, "root")]
        self.assertEqual(self.signs(*strays, mount(6, "right", 1)), [6])
        self.assertEqual(self.tree.features, ["root", "left", "leaf", "right"])

    def test_the_newest_state_of_each_method_is_kept_in_the_first_order(self) -> None:
        self.apply(mount(4, "news", 1, title="a", count=1))
        node = self.tree.find("news")
        assert node is not None
        self.tree.state(4, method_number("present(title:)"), write("b"))
        self.tree.state(4, method_number("present(on:off:)"), write([1, 2]))
        self.assertEqual(node.state("present(title:)", str), "b")
        self.assertEqual(node.state("present(count:)"), 1)
        self.assertEqual(node.state("present(on:off:)", list[int]), [1, 2])
        self.assertIsNone(node.state("present(never:)"))
        keys = ["present(title:)", "present(count:)", "present(on:off:)"]
        self.assertEqual(list(node.states), [method_number(key) for key in keys])
        self.assertFalse(self.tree.state(99, 1, b""))

    def test_the_topmost_of_several_nodes_of_a_feature_is_found(self) -> None:
        self.apply(mount(7, "leaf", 1))
        found = self.tree.find("leaf")
        assert found is not None
        self.assertEqual(found.number, 7)
        self.assertIsNone(self.tree.find("nothing"))

    def test_changes_say_what_happened(self) -> None:
        changes = self.apply(unmount(3), mount(3, "leaf", 2))
        self.assertEqual(changes, [("unmounted", 3), ("mounted", 3)])

    def test_a_tree_may_be_deeper_than_the_interpreter_can_call(self) -> None:
        deep = [mount(number, "deep", number - 1) for number in range(4, 5004)]
        self.assertEqual(len(self.apply(*deep)), 5000)
        self.assertEqual(len(self.tree.features), 5003)
        self.assertEqual(self.signs(unmount(1)), [-1])
        self.assertEqual(self.tree.nodes, {})


class PartsTests(TreeCase):
    def test_states_between_parts_go_to_their_mounts(self) -> None:
        first = [mount(1, "root"), mount(2, "leaf", 1)]
        self.assertEqual(self.apply(*first, flags=SNAPSHOT | MORE), [])
        self.assertEqual(self.tree.features, ["root", "left", "leaf"], "nothing is shown yet")
        self.assertFalse(self.tree.state(2, 7, write("large")))
        self.assertFalse(self.tree.state(3, 7, write("gone")), "all that was there goes")
        self.assertEqual(self.signs(mount(3, "late", 1)), [-1, 1, 2, 3])
        self.assertEqual(self.tree.features, ["root", "leaf", "late"])
        self.assertEqual(self.node(2).states, {7: write("large")})
        self.assertEqual(self.node(3).states, {})
        self.assertTrue(self.tree.state(2, 7, b""), "the parts are over")

    def test_a_state_of_what_stays_is_shown_at_once(self) -> None:
        self.assertEqual(self.apply(mount(4, "late", 1), flags=MORE), [])
        self.assertTrue(self.tree.state(1, 7, write("now")))
        self.assertEqual(self.node(1).states, {7: write("now")})

    def test_parts_that_will_not_go_on_are_forgotten(self) -> None:
        self.apply(mount(4, "late", 1), flags=MORE)
        self.tree.forget()
        self.assertEqual(self.signs(mount(1, "root"), flags=SNAPSHOT), [-1, 1])

    def test_a_snapshot_within_another_transition_is_a_violation(self) -> None:
        self.apply(mount(4, "late", 1), flags=MORE)
        with self.assertRaises(Unreadable):
            self.apply(mount(1, "root"), flags=SNAPSHOT)

    def test_parts_and_states_have_a_limit_together(self) -> None:
        large = bytes(BATCH_BYTES_MAX // 16)
        self.apply(mount(4, "late", 1), flags=MORE)
        for _ in range(15):
            self.tree.state(4, 7, large)
        with self.assertRaises(Unreadable):
            self.tree.state(4, 7, large)

    def test_a_part_that_cannot_be_read_shows_nothing(self) -> None:
        with self.assertRaises(Unreadable):
            self.tree.transition(write([unmount(2), {"mount": 0}]), 0)
        self.assertEqual(self.tree.features, ["root", "left", "leaf"])
