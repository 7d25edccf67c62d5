"""Tree: transitions in every order, states, and what does not fit."""

from __future__ import annotations

import unittest

from napkin_front.messages import Operation
from napkin_front.methods import method_number
from napkin_front.tree import Assembly, Mounted, Tree, Unmounted
from napkin_front.values import Item, write

from .worker import mount


def unmount(number: int) -> Operation:
    return Operation(unmount=number)


class TreeTests(unittest.TestCase):
    def setUp(self) -> None:
        self.tree = Tree()
        self.tree.apply([mount(1, "root"), mount(2, "left", 1), mount(3, "leaf", 2)])

    def signs(self, *operations: Operation, is_snapshot: bool = False) -> list[int]:
        changes = self.tree.apply(operations, is_snapshot=is_snapshot)
        return [c.node.number if isinstance(c, Mounted) else -c.node.number for c in changes]

    def test_a_swap_is_one_batch(self) -> None:
        self.assertEqual(self.signs(unmount(2), mount(4, "right", 1)), [-2, 4])
        self.assertEqual(self.tree.features, ["root", "right"])

    def test_an_unmount_takes_what_is_below(self) -> None:
        self.assertEqual(self.signs(unmount(2), unmount(3), unmount(77)), [-2])
        self.assertIsNone(self.tree.node(3))

    def test_a_snapshot_replaces_everything(self) -> None:
        old = self.tree.node(2)
        self.assertEqual(
            self.signs(mount(1, "root"), mount(2, "new", 1), is_snapshot=True), [-1, 1, 2]
        )
        self.assertIsNot(self.tree.node(2), old)
        self.assertEqual(self.signs(is_snapshot=True), [-1])
        self.assertEqual((self.tree.root, list(self.tree)), (None, []))

    def test_what_does_not_fit_is_left_out(self) -> None:
        strays = [mount(4, "lost", 99), mount(5, "lost", 4), mount(2, "twice", 1), mount(9, "root")]
        self.assertEqual(self.signs(*strays, mount(6, "right", 1)), [6])
        self.assertEqual(self.tree.features, ["root", "left", "leaf", "right"])

    def test_the_newest_state_of_each_method_is_kept_in_the_first_order(self) -> None:
        self.tree.apply([mount(4, "news", 1, title="a", count=1)])
        node = self.tree.find("news")
        assert node is not None
        self.tree.present(4, method_number("present(title:)"), Item(write("b")))
        self.tree.present(4, method_number("present(on:off:)"), Item(write([1, 2])))
        self.assertEqual(node.state("present(title:)", str), "b")
        self.assertEqual(node.state("present(count:)"), 1)
        self.assertEqual(node.state("present(on:off:)", list[int]), [1, 2])
        self.assertIsNone(node.state("present(never:)"))
        keys = ["present(title:)", "present(count:)", "present(on:off:)"]
        self.assertEqual(list(node.states), [method_number(key) for key in keys])
        self.assertIsNone(self.tree.present(99, 1, Item()))

    def test_the_topmost_of_several_nodes_of_a_feature_is_found(self) -> None:
        self.tree.apply([mount(7, "leaf", 1)])
        found = self.tree.find("leaf")
        assert found is not None
        self.assertEqual(found.number, 7)
        self.assertIsNone(self.tree.find("nothing"))

    def test_changes_say_what_happened(self) -> None:
        changes = self.tree.apply([unmount(3), mount(3, "leaf", 2)])
        self.assertEqual([type(change) for change in changes], [Unmounted, Mounted])


class AssemblyTests(unittest.TestCase):
    def test_one_part_is_the_whole(self) -> None:
        assembly, part = Assembly(), [mount(1, "root")]
        self.assertEqual(assembly.part(part, is_snapshot=True, has_more=False), (part, True))
        self.assertFalse(assembly.state(1, 7, Item(b"")), "nothing is under way")

    def test_states_between_parts_go_to_their_mounts(self) -> None:
        assembly = Assembly()
        root, leaf, late = mount(1, "root"), mount(2, "leaf", 1), mount(3, "late", 1)
        self.assertIsNone(assembly.part([root, leaf], is_snapshot=True, has_more=True))
        self.assertTrue(assembly.state(2, 7, Item(write("large"))))
        self.assertTrue(assembly.state(9, 7, Item(write("gone"))), "all that was there goes")
        whole = assembly.part([late], is_snapshot=False, has_more=False)
        self.assertEqual(whole, ([root, leaf, late], True))
        self.assertEqual([state.value.value for state in leaf.states], ["large"])
        self.assertEqual(assembly.part([], is_snapshot=False, has_more=False), ([], False))

    def test_a_state_of_what_stays_is_shown_at_once(self) -> None:
        assembly = Assembly()
        self.assertIsNone(assembly.part([mount(2, "leaf", 1)], is_snapshot=False, has_more=True))
        self.assertFalse(assembly.state(1, 7, Item(write("now"))))
