"""Contracts: what a front says of its own to a worker that has another, and their text."""

from __future__ import annotations

import pathlib
import unittest

from napkin_front import (
    Breaks,
    ConnectionFailure,
    Front,
    RefusalCode,
    Refused,
    contract_changes,
    read_contracts,
    ribhouse,
    values,
)
from napkin_front.connection import Frame, Kind
from napkin_front.contracts import FeatureSchema, Maybe, Named, app_text, read_app, reference

from .front_case import ROOT, FrontCase
from .worker import FakeWorker, Peer

CONTRACTS = read_contracts(
    """
app a
feature a.root
  state present(title:)
    title                       Title
feature a.other

struct Title
  text                          String
struct Unused
"""
)
LOCK = pathlib.Path(__file__).parents[3] / "examples" / "RibHouse" / "schema.lock"


def wanted(*features: str) -> Frame:
    return Frame(Kind.CONTRACT_WANTED, values.write(list(features)))


class ContractWantedTests(FrontCase):
    async def test_a_worker_that_has_another_contract_is_told_the_fronts(self) -> None:
        async def script(peer: Peer) -> None:
            attach = await peer.frame()
            peer.send(wanted("a.root"))
            contract = await peer.expect(Kind.CONTRACT)
            self.assertEqual(values.read(list[FeatureSchema], contract.payload), CONTRACTS[:1])
            peer.decoder.feed(attach.encode())  # for what comes next, as if it came now
            await peer.attach(ROOT)
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            self.assertTrue(front.is_connected)

        await self.run_front(script, body, contracts=CONTRACTS)

    async def test_what_may_not_be_asked_is_a_violation(self) -> None:
        async def of_nobody(peer: Peer) -> None:
            await peer.expect(Kind.ATTACH)
            peer.send(wanted("a.root", "a.stranger"))
            await peer.is_told_of_a_violation()

        async def twice(peer: Peer) -> None:
            await peer.expect(Kind.ATTACH)
            peer.send(wanted("a.root"), wanted("a.root"))
            await peer.expect(Kind.CONTRACT)
            await peer.is_told_of_a_violation()

        async def late(peer: Peer) -> None:
            await peer.expect(Kind.ATTACH)
            attached = {"app": "a", "session": "a", "front": 1, "epoch": 1, "window": 1}
            payload = values.write(attached | {"isResumed": False})
            peer.send(Frame(Kind.ATTACHED, payload), wanted("a.root"))
            await peer.is_told_of_a_violation()

        for script in (of_nobody, twice, late):
            with self.subTest(script.__name__):
                async with FakeWorker(script) as worker:
                    with self.assertRaisesRegex(ConnectionFailure, "broke the protocol"):
                        await Front("app", socket=worker.socket, contracts=CONTRACTS).attach()

    async def test_a_refusal_after_the_contract_is_one(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.expect(Kind.ATTACH)
            peer.send(wanted("a.other"))
            await peer.expect(Kind.CONTRACT)
            peer.goodbye(RefusalCode.CONTRACT_MISMATCH)

        async with FakeWorker(script) as worker:
            with self.assertRaises(Refused) as caught:
                await Front("app", socket=worker.socket, contracts=CONTRACTS).attach()
            self.assertEqual(caught.exception.code, RefusalCode.CONTRACT_MISMATCH)


class ContractTextTests(unittest.TestCase):
    def test_a_feature_has_the_types_that_it_names(self) -> None:
        types = [[kind.name for kind in schema.types or []] for schema in CONTRACTS]
        self.assertEqual(types, [["Title"], []])

    def test_rib_house_in_python_has_the_contract_of_its_lock_file(self) -> None:
        lock = LOCK.read_text()
        self.assertEqual(read_contracts(ribhouse.CONTRACTS), read_contracts(lock))
        lines = lock.splitlines(keepends=True)
        text = "".join(line for line in lines if not line.startswith("#")).lstrip("\n")
        # What a worker keeps is not what a front is shown.
        blocks = [block for block in text.split("\n\n") if not block.startswith("durable ")]
        text = "\n\n".join(blocks)
        self.assertEqual(app_text(read_app(lock)), text)

    def test_lines_that_make_no_sense_are_named(self) -> None:
        for text, words in [
            ("struct A\n  b\n", "line 2 .* column is missing"),
            ("feature f\n  arguments\n", "line 2 .* type is missing"),
            ("feature f\n  wish go()\n", "line 2 .* not a valid Delivery"),
            ("feature f\n    x                           Int\n", "line 2"),
            ("  a                             Int\n", "line 1 .* belongs to nothing"),
            ("union U\n", "line 1 .* begins nothing"),
            ("opaque O\n  a                             Int\n", "line 2 .* has no parts"),
            ("app\n", "line 1"),
            ("enum E\n    a                           Int\n", "line 2"),
        ]:
            with self.subTest(text), self.assertRaisesRegex(ValueError, words):
                read_app(text)

    def test_a_change_says_where_and_what_in_the_words_of_the_specification(self) -> None:
        [older] = read_contracts(
            "feature f\n  event go(_:)\n    _ stage                     Stage\n"
            'enum Stage                      String\n  lit                           "on"\n'
        )
        [newer] = read_contracts(
            "feature f\n  event go(_:)\n    _ stage                     Stage\n"
            "    ->                          Int\nenum Stage                      String\n"
        )
        changes = [(str(change), change.breaks) for change in contract_changes(older, newer)]
        self.assertEqual(
            changes,
            [
                ("Stage.lit: case removed", Breaks.OLDER),
                ("f go(_:): result Int added", Breaks.NEWER),
            ],
        )
        self.assertEqual(contract_changes(older, older), [])

    def test_of_two_types_of_one_name_the_first_counts(self) -> None:
        text = "feature f\n  event go(_:)\n    _ x                         T\n"
        int_field, text_field = (
            f"struct T\n  a                             {kind}\n" for kind in ("Int", "String")
        )
        older, newer = (
            read_app(text + types).features[0] for types in (int_field, int_field + text_field)
        )
        types = read_app(int_field + text_field).types
        newer.types = types
        pairs = [(older, newer), (newer, older)]
        self.assertEqual([contract_changes(*pair) for pair in pairs], [[], []])
        newer.types = types[::-1]
        self.assertEqual([len(contract_changes(*pair)) for pair in pairs], [1, 1])

    def test_what_is_deeper_than_64_levels_is_a_name(self) -> None:
        part, levels = reference("Int" + "?" * 5000), 0
        while isinstance(part, Maybe):
            part, levels = part.of, levels + 1
        self.assertEqual((levels, part), (64, Named("Int" + "?" * (5000 - 64))))
