"""Blobs: values that are read in parts."""

from __future__ import annotations

import asyncio

from napkin_front import Front, values
from napkin_front.connection import Frame, Kind
from napkin_front.errors import Unreadable
from napkin_front.session import READ_BLOB

from .front_case import ROOT, FrontCase
from .worker import SECONDS_MAX, FakeWorker, Peer

FILM = bytes(range(256)) * 600  # 153,600 bytes: two parts, and a shorter one


class BlobTests(FrontCase):
    async def test_parts_come_in_order_until_the_end(self) -> None:
        asked: list[list[int]] = []

        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            for _ in range(3):
                event = await peer.event()
                self.assertEqual(event.method, READ_BLOB)
                asked.append(values.read(list[int], event.payload))
                offset = asked[-1][1]
                peer.reply(event, FILM[offset : offset + 65536])
            await peer.expect(Kind.DETACH)

        async with (
            FakeWorker(script) as worker,
            Front("app", socket=worker.socket) as front,
            asyncio.timeout(SECONDS_MAX),
        ):
            tree = await front.until(lambda tree: list(tree))
            (node,) = list(tree)
            blob = {"id": 7, "byteCount": len(FILM)}
            film = b"".join([part async for part in front.read(node, blob)])
            self.assertEqual(film, FILM)
            self.assertEqual([part async for part in front.read(node, blob, len(FILM))], [])
        self.assertEqual(asked, [[7, 0], [7, 65536], [7, 131072]])

    async def test_a_blob_that_is_gone_or_too_short_is_told(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            peer.reply(await peer.event(), b"short")
            event = await peer.event()
            fault = values.write({"code": "gone", "message": "the blob is not offered any more"})
            peer.send(Frame(Kind.FAULT, fault, sequence=event.sequence))
            await peer.expect(Kind.DETACH)

        async with (
            FakeWorker(script) as worker,
            Front("app", socket=worker.socket) as front,
            asyncio.timeout(SECONDS_MAX),
        ):
            (node,) = list(await front.until(lambda tree: list(tree)))
            blob = {"id": 7, "byteCount": len(FILM)}
            with self.assertRaisesRegex(Unreadable, "no part of the blob at 0"):
                await anext(front.read(node, blob))
            with self.assertRaisesRegex(Exception, "not offered any more"):
                await anext(front.read(node, blob))
