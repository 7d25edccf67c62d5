"""What programs import from this package; ``__init__`` gives it when it is asked for."""

from .comparison import Breaks, ContractChange, contract_changes
from .contracts import FeatureSchema, read_contracts
from .errors import ConnectionFailure, EventFault, NapkinError, Refused, Unreadable
from .front import Front, default_socket
from .outcomes import Disconnected, FaultCode, NotExecuted, OutcomeUnknown, RefusalCode, Unreachable
from .screen import (
    Appended,
    Arrived,
    Asked,
    AskEnded,
    Change,
    Effect,
    Lost,
    Mounted,
    Presented,
    Retrying,
    Unmounted,
)
from .screen import ShownNode as Node
from .screen import ShownTree as Tree
from .values import Cases, Float32, Item, Single, Unsendable, method_number

__all__ = [
    "Appended",
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
