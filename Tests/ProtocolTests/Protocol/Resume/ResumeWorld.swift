// ResumeWorld: fronts, their connections and a worker, as one value.

import NapkinProtocol
import TestSupport
import Testing

/// What goes over a connection.
enum Wired: Hashable {
    case attach(SessionIdentity?)
    case event(EventFrame)
    case received(UInt64)
    case attached(SessionIdentity, isResumed: Bool)
    case answer(AnswerFrame)
}

/// How a call ended.
enum Outcome: Hashable {
    case open
    case value
    case unknown
    case notExecuted
}

/// One connection. Each end notices by itself that it is broken, and until then takes what is on
/// its way.
struct Wire: Hashable {
    /// Counted per front, so that equal situations have equal numbers.
    let id: UInt64
    var toWorker: [Wired] = []
    var toFront: [Wired] = []
    var isOpenAtWorker = true
    /// As whom the worker has attached this end.
    var front: UInt64?
}

struct FrontModel: Hashable {
    var end: FrontEnd
    var calls: UInt8 = 0
    var outcomes: [Outcome] = []
    var wire: Wire?
    /// Those that the front knows to be broken, and the worker does not.
    var oldWires: [Wire] = []
    var wires: UInt64 = 0
}

/// What a worker keeps of one front.
struct RecordModel: Hashable {
    let front: UInt64
    /// The index of the front's model.
    let owner: Int
    var end: WorkerEnd
    /// The connection that the front has.
    var wire: UInt64?
    /// Events whose handlers have started and not finished, in the order of their start.
    var running: [EventFrame] = []
}

struct WorkerModel: Hashable {
    var epoch: UInt32
    var attendance: AttendanceStateMachine
    var records: [RecordModel] = []
    /// What handlers have done to the session, per front: the calls, in order.
    var applied: [[UInt8]]
}

/// How far a search goes.
struct ResumeScope: Sendable, CustomTestStringConvertible {
    /// Calls of each front.
    var calls: [UInt8]
    var window = 2
    /// Connections that are lost, in all; workers that die; records and fronts that give up.
    var cuts = 0
    var crashes = 0
    var expiries = 0
    var flaw: Flaw?

    var testDescription: String {
        let what =
            calls.count == 1 ? "\(calls[0]) calls" : "\(calls) calls of \(calls.count) fronts"
        let faults = "\(cuts) losses, \(crashes) crashes, \(expiries) expiries"
        return "\(what), \(window) at a time, \(faults)"
    }
}

/// The whole situation. Equal situations are equal values.
struct ResumeWorld: SearchedWorld {
    var fronts: [FrontModel]
    var worker: WorkerModel
    /// What the handlers of workers that have died had done.
    var past: [[UInt8]]
    var cuts: Int
    var crashes: Int
    var expiries: Int
    /// What an invariant, or a machine, has found to be wrong.
    var failure: String?

    /// Every front is attached, and nothing has been said yet.
    init(_ scope: ResumeScope) {
        let count = scope.calls.count
        var attendance = AttendanceStateMachine(epoch: 1)
        fronts = []
        worker = WorkerModel(
            epoch: 1, attendance: attendance, applied: Array(repeating: [], count: count))
        for index in 0..<count {
            var model = FrontModel(end: FrontEnd(flaw: scope.flaw))
            var wire = Wire(id: UInt64(index * 16))
            _ = attendance.attachReceived(previous: model.end.connected(), on: wire.id)
            let front = attendance.newest
            wire.front = front
            model.wires = 1
            model.wire = wire
            _ = model.end.attachedReceived(
                Attached(
                    SessionIdentity(front: front, epoch: 1), window: scope.window,
                    isResumed: false))
            fronts.append(model)
            var end = WorkerEnd(front, flaw: scope.flaw)
            end.attached()
            worker.records.append(
                RecordModel(front: front, owner: index, end: end, wire: wire.id))
        }
        worker.attendance = attendance
        past = Array(repeating: [], count: count)
        (cuts, crashes, expiries) = (scope.cuts, scope.crashes, scope.expiries)
    }

    mutating func fail(_ what: String) { failure = failure ?? what }

    // MARK: - Invariants

    /// What holds in every situation.
    mutating func check(_ scope: ResumeScope) {
        for index in fronts.indices {
            let done = past[index] + worker.applied[index]
            // What is called later by a front whose record expired is another front's.
            let isOrdered = expiries == scope.expiries
            var place = 1
            while place < done.count {
                if isOrdered, done[place] < done[place - 1] {
                    fail("front \(index): \(done) ran, not in order")
                }
                if done[..<place].contains(done[place]) {
                    fail("front \(index): \(done) ran, one twice")
                }
                place += 1
            }
            for (call, outcome) in fronts[index].outcomes.enumerated() {
                let call = UInt8(call)
                switch outcome {
                case .value:
                    if !done.contains(call) { fail("call \(call) of \(index) was lost") }
                case .notExecuted:
                    if done.contains(call) { fail("call \(call) of \(index) did run") }
                case .unknown:
                    let isExcused = expiries < scope.expiries || crashes < scope.crashes
                    if !isExcused { fail("call \(call) of \(index) ended as unknown") }
                case .open: break
                }
            }
        }
    }

    /// What holds where nothing happens any more by itself.
    mutating func checkEnd(_ scope: ResumeScope) {
        for (index, front) in fronts.enumerated() {
            if front.calls < scope.calls[index] || front.outcomes.contains(.open) {
                fail("front \(index) is stuck after \(front.outcomes)")
            }
        }
    }
}
