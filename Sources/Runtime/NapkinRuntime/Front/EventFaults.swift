// EventFaults: the faults of events that did not arrive, and the conversion of received faults.

import NapkinCoding
import NapkinCore
import NapkinProtocol

extension RemoteFault {
    static var eventNotSent: RemoteFault {
        RemoteFault(.notExecuted, "the connection to the worker was lost before the event was sent")
    }

    static var eventUnanswered: RemoteFault {
        RemoteFault(.unknown, "the connection to the worker was lost before the event was answered")
    }

    static var eventSuspect: RemoteFault {
        RemoteFault(
            .unknown,
            "the worker died \(Limits.deathsInRowMax) times in a row while this event was under "
                + "way: the event may have run, and is not sent again")
    }

    static func unencodable(_ error: CBORError) -> RemoteFault {
        RemoteFault(.unimplemented, "the arguments cannot be encoded: \(error)")
    }

    /// Converts a received fault; an unknown code from a later version counts as `failed`.
    init(_ fault: Fault) {
        self.init(
            Code(rawValue: fault.code) ?? .failed, fault.message,
            error: fault.error.map { Payload($0) }, receipt: fault.receipt)
    }
}
