// ObservedCall: an event's call that reports its times to a session's observer.
//
// Ownership  holds no observer, and no observer holds it: it asks its front's session each time,
//            since the observer may have gone. Never reused for another event.

import NapkinCoding
import NapkinCore
import NapkinLedger
import NapkinProtocol
import NapkinTransport

/// Measures one event. Created instead of an `EventCall`, which therefore need not check for an
/// observer.
@MainActor
final class ObservedCall: EventCall {
    let crossing: FigureTable.Crossing
    private let front: FrontSeat
    let nodeID: UInt32
    /// When the turn began in which the event was read.
    private let arrived: UInt64
    private var began: UInt64?

    init(
        node: FeatureNode, front: FrontSeat, _ header: FrameHeader,
        crossing: FigureTable.Crossing, arrived: UInt64
    ) {
        self.crossing = crossing
        self.front = front
        self.arrived = arrived
        nodeID = node.id
        super.init(node: node, front: front, header)
    }

    override func launch(_ handling: consuming Handling) {
        began = MeasuringClock.nanoseconds
        super.launch(handling)
    }

    override func succeed(_ encode: PayloadEncoder) {
        guard !isAnswered else { return }
        var answer = answer()
        let wantsValues = front.stage.observer?.wantsValues == true
        super.succeed { (writer) throws(CBORError) in
            let start = writer.count
            try encode(&writer)
            answer.bytes = writer.count - start
            guard wantsValues else { return }
            answer.value = writer.withUnsafeBytes { Array($0[start...]) }
        }
        front.stage.observer?.answered(answer, to: front)
    }

    override func succeed() {
        guard !isAnswered else { return }
        let answer = answer()
        super.succeed()
        front.stage.observer?.answered(answer, to: front)
    }

    override func fail(_ error: any Error) {
        guard !isAnswered else { return }
        var answer = answer()
        answer.record = nil
        answer.outcome = RemoteFault(reporting: error).code.rawValue
        super.fail(error)
        front.stage.observer?.answered(answer, to: front)
    }

    /// A call that never began was refused: all of its time was spent in the queue.
    private func answer() -> ObservedAnswer {
        let now = MeasuringClock.nanoseconds
        var answer = ObservedAnswer(
            front: front.id, node: nodeID, crossing: crossing, arrived: arrived,
            began: began ?? now, ended: now)
        answer.traceparent = front.machine.attach.trace?.text
        if let recorder = front.stage.recorder, recorder.mustRecord(front.id, header.sequence) {
            answer.record = recorder.journal.open
        }
        return answer
    }
}

/// How a call ended. It refers to nothing else: an answer that waits keeps nothing alive.
struct ObservedAnswer {
    let front: UInt64
    let node: UInt32
    let crossing: FigureTable.Crossing
    let arrived: UInt64
    let began: UInt64
    let ended: UInt64
    var outcome: String?
    var bytes = 0
    var traceparent: String?
    var value: [UInt8]?
    /// The record with the answer, if the event has changed something durable.
    var record: UInt64?
}
