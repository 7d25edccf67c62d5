"""What the tests of a front share: a worker that does what each of them says."""

from __future__ import annotations

import asyncio
import unittest
from collections.abc import Awaitable, Callable
from typing import Any

from napkin_front import (
    Front,
)
from napkin_front.connection import Kind

from .worker import SECONDS_MAX, FakeWorker, Peer, Script, mount

ROOT = mount(1, "a.root", title="one")


async def stay(peer: Peer) -> None:
    """Attaches and waits for the front to leave."""
    await peer.attach(ROOT)
    await peer.expect(Kind.DETACH)


async def leave_at_once(peer: Peer) -> None:
    """Attaches and dies."""
    await peer.attach(ROOT)
    peer.end()


class FrontCase(unittest.IsolatedAsyncioTestCase):
    async def asyncTearDown(self) -> None:
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        self.assertEqual({task.get_name() for task in rest if "front" in task.get_name()}, set())

    async def run_front(
        self,
        script: Script | list[Script],
        body: Callable[[Front], Awaitable[None]],
        **options: Any,
    ) -> FakeWorker:
        """Attaches a front to a worker that plays the scripts, and runs ``body`` with it."""
        scripts = script if isinstance(script, list) else [script]
        async with (
            asyncio.timeout(SECONDS_MAX),
            FakeWorker(*scripts) as worker,
            Front("app", socket=worker.socket, **options) as front,
        ):
            await body(front)
        return worker


def title(front: Front) -> str | None:
    """What the root presents."""
    root = front.tree.root
    text = None if root is None else root.state("present(title:)", str)
    assert text is None or isinstance(text, str)
    return text
