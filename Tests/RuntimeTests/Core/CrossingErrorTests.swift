// CrossingErrorTests: errors as they cross, and what is left of them on the other side.

import NapkinCore
import Testing

@Message
private enum OrderError: CrossingError, Equatable {
    case soldOut(String, left: Int)
    case closed
    case fault(RemoteFault)
}

/// The same error before `closed` was added, and with less in the other.
@Message
private enum OlderError: CrossingError, Equatable, CustomStringConvertible {
    case soldOut(String)
    case fault(RemoteFault)

    var description: String { "older" }
}

@Message
private struct LongError: CrossingError {
    var text: String

    static func fault(_ fault: RemoteFault) -> LongError { LongError(text: fault.message) }
}

@Suite("Errors that cross")
struct CrossingErrorTests {
    @Test func `an error arrives as its value`() {
        for error in [OrderError.soldOut("ribs", left: 0), .closed] {
            let fault = RemoteFault(carrying: error)
            #expect(fault.code == .failed)
            #expect(fault.message == "\(error)")
            #expect(OrderError.received(fault) == error)
        }
    }

    @Test func `who does not know the case, or its values, has the text`() {
        let closed = RemoteFault(carrying: OrderError.closed)
        #expect(OlderError.received(closed) == .fault(closed))
        #expect(OlderError.received(closed) != .fault(RemoteFault(.failed, "closed")))
        // A value that is not known is ignored, as in any message.
        let soldOut = RemoteFault(carrying: OrderError.soldOut("ribs", left: 0))
        #expect(OlderError.received(soldOut) == .soldOut("ribs"))
        let older = RemoteFault(carrying: OlderError.soldOut("ribs"))
        #expect(older.message == "older")
        #expect(OrderError.received(older) == .fault(older))
    }

    @Test func `whatever else ends a call is its fault`() {
        let gone = RemoteFault(.gone, "node 1 no longer exists")
        #expect(OrderError.received(gone) == .fault(gone))
        guard case .fault(let cancelled) = OrderError.received(CancellationError()) else {
            Issue.record("no fault")
            return
        }
        #expect(cancelled.code == .cancelled)
    }

    @Test func `a fault that a handler passes on keeps its code`() {
        let fault = RemoteFault(.noFront, "nobody was there")
        #expect(RemoteFault(carrying: OrderError.fault(fault)) == fault)
    }

    @Test(arguments: [-1, 0, 1])
    func `of an error above the limit, the text crosses`(excess: Int) {
        // The heads of the map, of its key and of a text below 64 KiB.
        let head = 1 + 5 + 3
        let text = String(repeating: "x", count: Limits.errorBytesMax - head + excess)
        let fault = RemoteFault(carrying: LongError(text: text))
        #expect((fault.error == nil) == (excess > 0))
        #expect(fault.error.map { $0.bytes.count } ?? .max >= Limits.errorBytesMax - 1)
        #expect(fault.message.utf8.count <= Limits.textBytesMax)
    }

    @Test func `a fault inside an error crosses as code and text`() throws {
        let fault = RemoteFault(.overloaded, "too much", error: Payload([0xF6]))
        let payload = try Payload { (writer) throws(CBORError) in
            try writer.write(OrderError.fault(fault))
        }
        let error: OrderError = try payload.decode()
        #expect(error == .fault(RemoteFault(.overloaded, "too much")))
    }
}
