"""A front for napkin over processes; ``public`` has what programs import from here."""

import importlib.util


def __getattr__(name: str) -> object:
    if importlib.util.find_spec(f"{__name__}.{name}"):
        raise AttributeError(f"{name} is a module; import it")
    return getattr(importlib.import_module(".public", __name__), name)
