// ObservedCall: an event's call while somebody looks, who is told when what happened.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread.
// Ownership  keeps the observer until it has answered; never used for another event.

import NapkinCoding
import NapkinCore
import NapkinProtocol

/// Takes the times of one event. Made instead of an `EventCall`, which then has nothing to ask.
@MainActor
final class ObservedCall: EventCall {
    let crossing: FigureTable.Crossing
    let front: FrontLink
    let nodeID: UInt32
    /// The turn in which it was read.
    let arrived: UInt64
    private var began: UInt64?
    private let observer: SessionObserver

    init(
        node: FeatureNode, front: FrontLink, sequence: UInt64, crossing: FigureTable.Crossing,
        arrived: UInt64, observer: SessionObserver
    ) {
        self.crossing = crossing
        self.front = front
        self.arrived = arrived
        self.observer = observer
        nodeID = node.id
        super.init(node: node, front: front, sequence: sequence)
    }

    override func launch(_ handler: consuming @escaping Handler) {
        began = MeasuringClock.nanoseconds
        super.launch(handler)
    }

    override func succeed(_ encode: PayloadEncoder) {
        guard !isAnswered else { return }
        var end = end()
        let wantsValues = observer.wantsValues
        super.succeed { (writer) throws(CBORError) in
            let start = writer.count
            try encode(&writer)
            end.bytes = writer.count - start
            guard wantsValues else { return }
            end.value = writer.withUnsafeBytes { Array($0[start...]) }
        }
        observer.answered(self, end)
    }

    override func succeed() {
        guard !isAnswered else { return }
        let end = end()
        super.succeed()
        observer.answered(self, end)
    }

    override func fail(_ error: any Error) {
        guard !isAnswered else { return }
        var end = end()
        end.outcome = RemoteFault(reporting: error).code.rawValue
        super.fail(error)
        observer.answered(self, end)
    }

    /// One that never began was refused: then all of it was the queue.
    private func end() -> End {
        let now = MeasuringClock.nanoseconds
        return End(began: began ?? now, ended: now)
    }

    /// How the call ended.
    struct End {
        var began: UInt64
        var ended: UInt64
        var outcome: String?
        var bytes = 0
        var value: [UInt8]?
    }
}
