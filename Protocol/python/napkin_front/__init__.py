"""A front for napkin over processes: attach to a session of napkind, show it, send its events."""

import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .public import *  # noqa: F403


def __getattr__(name: str) -> Any:
    # Only for a name that is asked for: the core, ``session``, needs nothing of it.
    if importlib.util.find_spec(f"{__name__}.{name}") is not None:
        raise AttributeError(f"{name} is a module; import it")
    return getattr(importlib.import_module(".public", __name__), name)
