"""A front for napkin over processes: attach to a session of napkind, show it, send its events.

Start with ``Front``. The modules, from the bytes up: ``frames``, ``cbor``, ``values``,
``messages``, ``methods``, ``handshake`` and ``tree`` touch no socket; ``calls``, ``connection``
and ``front`` are asyncio's; ``ribhouse`` and ``control`` are programs.
"""

from .cbor import Single
from .changes import Arrived, Asked, AskEnded, Change, Effect, Lost, Presented, Retrying
from .connection import default_socket
from .errors import (
    ConnectionFailure,
    Disconnected,
    EventFault,
    FaultCode,
    NapkinError,
    NotExecuted,
    OutcomeUnknown,
    RefusalCode,
    Refused,
    Unreachable,
    Unreadable,
    Unsendable,
)
from .front import Front
from .methods import contract_hash, method_number
from .tree import Mounted, Node, Tree, Unmounted
from .values import Cases, Float32, Item

__all__ = [
    "Arrived",
    "AskEnded",
    "Asked",
    "Cases",
    "Change",
    "ConnectionFailure",
    "Disconnected",
    "Effect",
    "EventFault",
    "FaultCode",
    "Float32",
    "Front",
    "Item",
    "Lost",
    "Mounted",
    "NapkinError",
    "Node",
    "NotExecuted",
    "OutcomeUnknown",
    "Presented",
    "RefusalCode",
    "Refused",
    "Retrying",
    "Single",
    "Tree",
    "Unmounted",
    "Unreachable",
    "Unreadable",
    "Unsendable",
    "contract_hash",
    "default_socket",
    "method_number",
]
