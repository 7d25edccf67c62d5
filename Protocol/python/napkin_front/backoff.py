"""Backoff: how long a front waits before it tries to come back.

Spec    Protocol/SPEC.md, section 9 (Resume)
"""

from __future__ import annotations

import random
from collections.abc import Iterator

SECONDS = (0.0, 0.05, 0.2, 1.0)
"""Before each try; the last one for all further tries."""


def delays() -> Iterator[float]:
    """How long to wait before each try, each but the first with up to a half more at random."""
    attempt = 0
    while True:
        base = SECONDS[min(attempt, len(SECONDS) - 1)]
        yield base * (1 + random.random() / 2)
        attempt += 1
