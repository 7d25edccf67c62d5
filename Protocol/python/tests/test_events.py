"""Events: each of their outcomes, over a real socket."""

from __future__ import annotations

import asyncio
import dataclasses

from napkin_front import (
    EventFault,
    Front,
    Node,
    NotExecuted,
    Unreadable,
    values,
)
from napkin_front.connection import Frame, Kind
from napkin_front.outcomes import FaultCode
from napkin_front.values import method_number

from .front_case import ROOT, FrontCase, stay, title
from .worker import Peer, mount, transition


class EventTests(FrontCase):
    async def test_a_value(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            event = await peer.event()
            self.assertEqual(event.payload.hex(), "820a6162")
            self.assertEqual(event.method, method_number("order(_:of:)"))
            self.assertEqual((event.node, event.epoch), (1, 1))
            # What the handler presented is shown before its reply.
            peer.state("present(title:)", "ordered")
            peer.reply(event, 3)
            peer.reply(await peer.event())
            peer.reply(await peer.event())
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            result = await front.event("a.root", "order(_:of:)", 10, "b", result=int)
            self.assertEqual((result, title(front)), (3, "ordered"))
            assert front.tree.root is not None
            self.assertIsNone(await front.event(front.tree.root, "go()"))
            with self.assertRaisesRegex(Unreadable, "truncated"):
                await front.event("a.root", "go()", result=int | None)  # nothing is not null

        await self.run_front(script, body)

    async def test_a_fault(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            for code in [*FaultCode, "ofALaterVersion"]:
                peer.fault(await peer.event(), code, "in words")
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            for code in [*FaultCode, FaultCode.FAILED]:
                with self.assertRaisesRegex(EventFault, "in words") as caught:
                    await front.event("a.root", "go()")
                self.assertEqual(caught.exception.code, code)

        await self.run_front(script, body)

    async def test_an_error_of_the_method(self) -> None:
        @dataclasses.dataclass
        class Refusal:
            price: int

        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            fault = {"code": "failed", "message": "dear", "error": values.write({"price": 5})}
            event = await peer.event()
            peer.send(Frame(Kind.FAULT, values.write(fault), sequence=event.sequence))
            event = await peer.event()
            fault["error"] = "no bytes"
            peer.send(Frame(Kind.FAULT, values.write(fault), sequence=event.sequence))
            await peer.expect(Kind.GOODBYE)

        async def body(front: Front) -> None:
            with self.assertRaisesRegex(EventFault, "dear") as caught:
                await front.event("a.root", "go()")
            assert caught.exception.error is not None
            self.assertEqual(values.read(Refusal, caught.exception.error), Refusal(5))
            call = asyncio.create_task(front.event("a.root", "go()"))
            await front.until(lambda tree: not front.is_connected)
            call.cancel()

        await self.run_front([script, stay], body)

    async def test_not_executed_while_there_is_no_connection(self) -> None:
        gate = asyncio.Event()

        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            peer.end()

        async def late(peer: Peer) -> None:
            await gate.wait()
            await stay(peer)

        async def body(front: Front) -> None:
            await front.until(lambda tree: not front.is_connected)
            with self.assertRaisesRegex(NotExecuted, "no connection"):
                await front.event("a.root", "go()")
            gate.set()
            await front.until(lambda tree: front.is_connected)

        await self.run_front([script, late], body)

    async def test_events_beyond_the_window_wait_in_the_order_of_their_calls(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT, window=3)
            held = [await peer.event() for _ in range(3)]
            for number in range(17):
                peer.reply(held.pop(0), number)
                held.append(await peer.event())
            self.assertEqual([event.payload for event in held], [bytes([n]) for n in (17, 18, 19)])
            for event in held:
                peer.reply(event, event.payload[0])
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            events = [asyncio.create_task(front.event("a.root", "go(_:)", n)) for n in range(20)]
            self.assertEqual(await asyncio.gather(*events), list(range(20)))

        await self.run_front(script, body)

    async def test_a_cancelled_event_gives_its_credit_back_when_it_is_answered(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT, window=1)
            first = await peer.event()
            peer.state("present(title:)", "has it")
            peer.send(Frame(Kind.PING))
            await peer.expect(Kind.PONG)
            self.assertEqual((await peer.expect(Kind.CANCEL_EVENT)).sequence, first.sequence)
            peer.reply(first, 1)
            peer.reply(await peer.event(), 2)
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            first = asyncio.create_task(front.event("a.root", "go()"))
            waiting = asyncio.create_task(front.event("a.root", "never()"))
            await front.until(lambda tree: title(front) == "has it")
            first.cancel()
            waiting.cancel()
            self.assertEqual(await front.event("a.root", "go()"), 2)
            results = await asyncio.gather(first, waiting, return_exceptions=True)
            self.assertEqual([type(result) for result in results], [asyncio.CancelledError] * 2)

        await self.run_front(script, body)

    async def test_a_node_that_is_gone_is_not_sent_to(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT, mount(2, "a.child", 1))
            peer.send(transition({"unmount": 2}, mount(3, "a.child", 1)))
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            old = front.tree.find("a.child")
            assert old is not None
            await front.until(lambda tree: tree.nodes.get(3) is not None)
            targets: list[tuple[Node | str, str]] = [
                (old, "not mounted any more"),
                ("a.nothing", "a.root, a.child is"),
            ]
            for target, words in targets:
                with self.assertRaisesRegex(EventFault, words) as caught:
                    await front.event(target, "go()")
                self.assertEqual(caught.exception.code, FaultCode.GONE)

        await self.run_front(script, body)

    async def test_a_wrong_number_of_arguments_is_a_mistake_of_the_program(self) -> None:
        async def body(front: Front) -> None:
            with self.assertRaisesRegex(TypeError, "takes 1 arguments, 2 are given"):
                await front.event("a.root", "go(_:)", 1, 2)

        await self.run_front(stay, body)

    async def test_cancellation_and_deadline_cancel_the_handler(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            for flags in (0, 1):
                event = await peer.event()
                cancel = await peer.expect(Kind.CANCEL_EVENT)
                self.assertEqual((cancel.sequence, cancel.flags), (event.sequence, flags))
                peer.fault(event, "cancelled", "nobody waits for this")
            peer.reply(await peer.event(), 3)
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            call = asyncio.create_task(front.event("a.root", "go()"))
            await asyncio.sleep(0)
            call.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await call
            with self.assertRaisesRegex(EventFault, "deadline of 0.01 s") as caught:
                await front.event("a.root", "go()", deadline=0.01)
            self.assertEqual(caught.exception.code, FaultCode.DEADLINE_EXCEEDED)
            # An answer in time; those of the others changed nothing.
            self.assertEqual(await front.event("a.root", "go()", result=int, deadline=60), 3)
            self.assertEqual(front.lost, 0)

        await self.run_front(script, body)

    async def test_cancelled_while_there_is_no_connection(self) -> None:
        gate = asyncio.Event()

        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            await peer.event()
            peer.end()

        async def late(peer: Peer) -> None:
            await gate.wait()
            await peer.attach(ROOT, is_resumed=True)
            event = await peer.event()
            self.assertEqual((await peer.expect(Kind.CANCEL_EVENT)).sequence, event.sequence)
            peer.reply(event)
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            call = asyncio.create_task(front.event("a.root", "go()"))
            await front.until(lambda tree: not front.is_connected)
            call.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await call
            gate.set()
            await front.until(lambda tree: front.is_connected)

        await self.run_front([script, late], body)
