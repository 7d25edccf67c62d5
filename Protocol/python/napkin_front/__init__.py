"""A front for napkin over processes: attach to a session of napkind, show it, send its events.

Start with ``Front``. The modules, from the bytes up: ``frames``, ``cbor``, ``values``,
``messages``, ``schema``, ``contracts``, ``comparison``, ``methods``, ``handshake`` and ``tree``
touch no socket; ``calls``, ``connection`` and ``front`` are asyncio's;
``ribhouse`` and ``control`` are programs.
"""

from .cbor import Single
from .changes import Arrived, Asked, AskEnded, Change, Effect, Lost, Presented, Retrying
from .comparison import Breaks, ContractChange, contract_changes
from .connection import default_socket
from .contracts import read_contracts
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
from .methods import method_number
from .schema import FeatureSchema
from .tree import Mounted, Node, Tree, Unmounted
from .values import Cases, Float32, Item

__all__ = [
    "Arrived",
    "AskEnded",
    "Asked",
    "Breaks",
    "Cases",
    "Change",
    "ConnectionFailure",
    "ContractChange",
    "Disconnected",
    "Effect",
    "EventFault",
    "FaultCode",
    "FeatureSchema",
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
    "contract_changes",
    "default_socket",
    "method_number",
    "read_contracts",
]
