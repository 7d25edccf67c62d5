// SessionImage: the recorded contents of one session; records turn an old image into a new one.
//
// Invariant  every node's parent is in the image, or 0; numbers are never given twice.
// Spec       Protocol/LEDGER.md, Images

package import NapkinCoding
import NapkinCore

/// A session as it is recorded.
@Message
package struct SessionImage: Equatable, LedgerItem, MandatoryFields {
    package var session: UInt64
    package var title: SessionTitle
    /// The greatest number that a router has had.
    package var newestNode: UInt32 = 0
    /// The greatest number that a front has had.
    package var newestFront: UInt64 = 0
    /// The routers, in the order of their numbers: a parent comes before its children.
    package var nodes: [NodeImage] = []
    package var fronts: [FrontImage] = []
    /// The session's timers and jobs; absent while it has never had any.
    package var own: OwnImage?
}

/// A router and, if it is durable, its interactor's state.
@Message
package struct NodeImage: Equatable {
    package var place: AttachedNode
    package var state: [UInt8]?
    /// The positions of its logs.
    package var logs: [LogOffset]?
    /// The number of the state's description.
    package var schema: UInt64?
    /// The selected tab, once one has been selected.
    package var tab: String?
}

/// The recorded facts about a front's events.
@Message
package struct FrontImage: Equatable, MandatoryFields {
    package var front: UInt64
    /// The number of the newest event that was recorded.
    package var started: UInt64
    /// Answers up to this event may have been forgotten.
    package var forgotten: UInt64
    /// The answers, in the order of the events' numbers.
    package var answers: [EventAnswer] = []
    package var begun: [BegunEvent] = []
    /// The trace in which the front acts.
    package var traceparent: String?
    /// The bytes of the answers' frames.
    private var bytes: Int = 0

    private enum CodingKeys: String, CodingKey {
        case front, started, forgotten, answers, begun, traceparent
    }

    package init(front: UInt64, started: UInt64, forgotten: UInt64) {
        self.front = front
        self.started = started
        self.forgotten = forgotten
    }
}

/// The session's timers and jobs.
@Message
package struct OwnImage: Equatable, MandatoryFields {
    /// The greatest number that a timer or a job has had.
    package var newestInput: UInt64 = 0
    package var timers: [TimerImage] = []
    package var jobs: [JobImage] = []
    package var inputs: [BegunInput] = []
}

/// A record that does not fit the image before it.
package struct ImageError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
}

extension SessionImage {
    /// Reads a stored image. Errors: also `custom`, if no records could have made the image.
    package init(decoding bytes: [UInt8]) throws(CBORError) {
        self = try Self.read(bytes)
        nodes.sort { $0.place.number < $1.place.number }
        if let defect { throw CBORError(.custom, "an image \(defect)") }
        for index in fronts.indices { fronts[index].countBytes() }
    }

    /// The defect of an image that was read: with it, later records would be refused, or worse.
    private var defect: String? {
        guard title.epoch > 0 else { return "of a tree without an epoch" }
        var known: Set<UInt32> = [0]
        for place in nodes.map(\.place) {
            guard known.contains(place.parent) else {
                return "in which router \(place.number) comes before its parent"
            }
            guard known.insert(place.number).inserted, place.number <= newestNode else {
                return "in which router \(place.number) occurs twice, or is too new"
            }
        }
        var fronts: Set<UInt64> = []
        for front in self.fronts {
            guard fronts.insert(front.front).inserted, front.front <= newestFront else {
                return "in which front \(front.front) occurs twice, or is too new"
            }
            let events = front.answers.map(\.sequence)
            guard zip(events, events.dropFirst()).allSatisfy(<=), events.last ?? 0 <= front.started
            else { return "in which the answers of front \(front.front) have no order" }
        }
        return isWithinNumbers ? nil : "with numbers after which there are no others"
    }

    /// Whether numbers are left for new routers, fronts and inputs.
    private var isWithinNumbers: Bool {
        newestNode < UInt32.max / 2 && newestFront < UInt64.max / 2
    }

    /// The index at which the router with this number is, or would be.
    private func place(of number: UInt32) -> Int {
        var range = nodes.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if nodes[middle].place.number < number {
                range = (middle + 1)..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }

    package func index(of number: UInt32) -> Int? {
        let index = place(of: number)
        return index < nodes.count && nodes[index].place.number == number ? index : nil
    }

    func feature(of number: UInt32) -> FeatureID? {
        index(of: number).map { FeatureID(rawValue: nodes[$0].place.feature) }
    }

    /// Returns the routers with these numbers and all below them, including newly attached ones.
    func below(_ numbers: [UInt32], and attached: [AttachedNode]) -> Set<UInt32> {
        guard !numbers.isEmpty else { return [] }
        var gone = Set(numbers)
        // A parent is attached before its children.
        for place in nodes.map(\.place) + attached where gone.contains(place.parent) {
            gone.insert(place.number)
        }
        return gone
    }

    /// Applies the next record of this session.
    ///
    /// Throws `ImageError` if it is not the next one; the image is then of no use.
    package mutating func apply(_ record: Record) throws(ImageError) {
        if let title = record.title { self.title = title }
        for change in record.fronts ?? [] { apply(change) }
        for node in record.attached ?? [] {
            guard index(of: node.number) == nil else {
                throw ImageError(description: "router \(node.number) is attached twice")
            }
            newestNode = max(newestNode, node.number)
            nodes.insert(NodeImage(place: node), at: place(of: node.number))
        }
        for number in record.detached ?? [] { detach(number) }
        for change in record.states ?? [] { try apply(change) }
        for log in record.logs ?? [] { note(log) }
        for tab in record.tabs ?? [] {
            if let index = index(of: tab.number) { nodes[index].tab = tab.tab }
        }
        for event in record.begun ?? [] { note(event) }
        for answer in record.answers ?? [] { keep(answer) }
        applyInputs(record)
        guard isWithinNumbers else {
            throw ImageError(description: "no numbers are left after \(newestNode) routers")
        }
    }

    private mutating func apply(_ change: FrontChange) {
        fronts.removeAll { $0.front == change.front }
        guard let started = change.started else { return }
        newestFront = max(newestFront, change.front)
        var front = FrontImage(front: change.front, started: started, forgotten: started)
        front.traceparent = change.traceparent
        fronts.append(front)
    }

    private mutating func detach(_ number: UInt32) {
        var gone: Set = [number]
        // A parent is attached before its children.
        nodes.removeAll { node in
            let isGone = gone.contains(node.place.number) || gone.contains(node.place.parent)
            if isGone { gone.insert(node.place.number) }
            return isGone
        }
        detachInputs(of: gone)
    }

    private mutating func apply(_ change: StateChange) throws(ImageError) {
        guard let index = index(of: change.number) else {
            throw ImageError(
                description: "a state of router \(change.number), which does not exist")
        }
        if let schema = change.schema { nodes[index].schema = schema }
        if let whole = change.whole {
            nodes[index].state = whole
            return
        }
        guard let delta = change.delta, let old = nodes[index].state else {
            throw ImageError(description: "no state before the change of router \(change.number)")
        }
        do throws(CBORError) {
            nodes[index].state = try delta.withUnsafeBufferPointer { (delta) throws(CBORError) in
                try CBORDelta.apply(UnsafeRawBufferPointer(delta), to: old, bytesMax: .max)
            }
        } catch {
            throw ImageError(
                description: "the change of router \(change.number)'s state: \(error.detail)")
        }
    }

    /// Whether exactly this offset of a log is recorded.
    func recordsOffset(of log: LogOffset) -> Bool { offset(of: log) == log }

    /// Returns the present offset of a log; `nil` if its router has left.
    func offset(of log: LogOffset) -> LogOffset? {
        index(of: log.number).flatMap { nodes[$0].logs?.first { $0.method == log.method } }
    }

    private mutating func note(_ log: LogOffset) {
        guard let index = index(of: log.number) else { return }
        var logs = (nodes[index].logs ?? []).filter { $0.method != log.method }
        logs.append(log)
        nodes[index].logs = logs
    }

    private mutating func note(_ event: BegunEvent) {
        guard let index = fronts.firstIndex(where: { $0.front == event.front }) else { return }
        fronts[index].started = max(fronts[index].started, event.sequence)
        if !fronts[index].begun.contains(event) { fronts[index].begun.append(event) }
    }

    private mutating func keep(_ answer: EventAnswer) {
        guard let index = fronts.firstIndex(where: { $0.front == answer.front }) else { return }
        fronts[index].keep(answer)
    }
}

extension FrontImage {
    mutating func keep(_ answer: EventAnswer) {
        started = max(started, answer.sequence)
        if !begun.isEmpty { begun.removeAll { $0.sequence == answer.sequence } }
        let place = answers.lastIndex { $0.sequence < answer.sequence }.map { $0 + 1 } ?? 0
        answers.insert(answer, at: place)
        bytes += answer.frame.count
        // By halves, so that an answer costs the same however many answers are kept.
        if answers.count > Limits.answersKeptMax || bytes > Limits.answersKeptBytesMax {
            forgetOldest(answers.count / 2)
        }
    }

    fileprivate mutating func countBytes() {
        bytes = answers.reduce(0) { $0 + $1.frame.count }
    }

    private mutating func forgetOldest(_ count: Int) {
        guard count > 0 else { return }
        forgotten = max(forgotten, answers[count - 1].sequence)
        answers.removeFirst(count)
        countBytes()
    }

    /// Forgets answers that the front has received and will not ask for again: those to events
    /// before `oldest`.
    package mutating func confirm(forgotten: UInt64, keepingFrom oldest: UInt64) {
        self.forgotten = max(self.forgotten, forgotten)
        var count = 0
        while count < answers.count, answers[count].sequence < oldest {
            bytes -= answers[count].frame.count
            count += 1
        }
        answers.removeFirst(count)
    }
}
