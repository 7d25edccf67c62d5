// Record: the changes that one stretch has made to one session, in their stored form.
//
// Spec       Protocol/LEDGER.md, Records

package import NapkinCoding
import NapkinCore

/// A value that is stored as one CBOR item.
package protocol LedgerItem: Codable, DirectlyCodable {}

extension LedgerItem {
    package func encoded() throws(CBORError) -> [UInt8] {
        var writer = CBORWriter()
        try writer.write(self)
        return writer.copyBytes()
    }

    package init(decoding bytes: [UInt8]) throws(CBORError) {
        self = try Self.read(bytes)
    }

    /// Reads a stored item. Its strings may be longer than those of a message: an answer is a whole
    /// frame.
    static func read(_ bytes: [UInt8]) throws(CBORError) -> Self {
        let limits = CBORLimits(stringBytesMax: RecordFraming.recordBytesMax)
        return try bytes.withUnsafeBufferPointer { (buffer) throws(CBORError) in
            var reader = CBORReader(UnsafeRawBufferPointer(buffer), limits: limits)
            let item = try reader.read(Self.self)
            try reader.expectEnd()
            return item
        }
    }
}

/// The changes of one session that become durable together.
///
/// The parts apply in the order of the fields. Absent means none.
@Message
package struct Record: Equatable, LedgerItem {
    /// The session's number.
    package var session: UInt64
    /// The title; present in the session's first record, and after its name has changed.
    package var title: SessionTitle?
    /// Whether the session has ended; nothing follows.
    package var isEnded: Bool?
    package var fronts: [FrontChange]?
    package var attached: [AttachedNode]?
    /// The routers that were detached, each with all below it.
    package var detached: [UInt32]?
    package var states: [StateChange]?
    package var logs: [LogOffset]?
    /// The tabs that were selected.
    package var tabs: [SelectedTab]?
    /// The events that have changed something and have not ended.
    package var begun: [BegunEvent]?
    package var answers: [EventAnswer]?
    /// The timers that have fired or were cancelled.
    package var passed: [TimerChange]?
    /// The timers that were scheduled, each in place of one with its node and name.
    package var timers: [TimerImage]?
    /// The jobs that were posted.
    package var jobs: [JobImage]?
    package var jobChanges: [JobChange]?
    /// The session's own inputs that have changed something and have not ended.
    package var inputs: [BegunInput]?
    /// The ids of own inputs that have ended.
    package var over: [UInt64]?

    private enum CodingKeys: String, CodingKey {
        case session = "s"
        case title = "t"
        case isEnded = "e"
        case fronts = "f"
        case attached = "n"
        case detached = "x"
        case states = "d"
        case logs = "l"
        case tabs = "c"
        case begun = "b"
        case answers = "a"
        case passed = "y"
        case timers = "k"
        case jobs = "p"
        case jobChanges = "j"
        case inputs = "h"
        case over = "o"
    }

    /// Whether it may change when the session's next timer or job is due.
    var changesDueTimes: Bool {
        passed != nil || timers != nil || jobs != nil || jobChanges != nil || detached != nil
    }

    /// Whether it changes the tree or a state.
    var changesTree: Bool {
        states != nil || attached != nil || detached != nil || tabs != nil
    }

    /// Whether it contains nothing but the positions of logs.
    var hasOnlyLogs: Bool {
        guard logs != nil else { return false }
        var rest = self
        rest.logs = nil
        return rest.isEmpty
    }

    /// Whether it contains no change.
    package var isEmpty: Bool {
        states == nil && answers == nil && title == nil && isEnded == nil && fronts == nil
            && attached == nil && detached == nil && logs == nil && tabs == nil
            && begun == nil
            && !changesDueTimes && inputs == nil && over == nil
    }
}

extension Optional {
    /// Adds to a record's list, which is absent while it is empty.
    mutating func add<Item>(_ items: [Item]) where Wrapped == [Item] {
        guard !items.isEmpty else { return }
        if self?.append(contentsOf: items) == nil { self = items }
    }
}

/// Identifies a session.
@Message
package struct SessionTitle: Equatable {
    /// Its name for people.
    package var name: String
    /// Its name for the app, which names files.
    package var id: String
    /// The epoch of its tree, which survives with it.
    package var epoch: UInt32
}

/// A front has been attached for the first time, or has been forgotten.
@Message
package struct FrontChange: Equatable {
    package var front: UInt64
    /// Absent for a front that is forgotten; otherwise the number of the newest event that the
    /// front has sent and whose answer nobody will request again.
    package var started: UInt64?
    /// The trace in which the front acts.
    package var traceparent: String?

    private enum CodingKeys: String, CodingKey {
        case front = "f"
        case started = "q"
        case traceparent = "w"
    }
}

/// A router as it was attached.
@Message
package struct AttachedNode: Equatable {
    package var number: UInt32
    /// The parent's number; 0 for the root.
    package var parent: UInt32
    package var slot: String
    package var feature: String
    /// The encoded arguments of its feature.
    package var arguments: [UInt8]
    /// The front whose page it is.
    package var front: UInt64?

    private enum CodingKeys: String, CodingKey {
        case number = "n"
        case parent = "p"
        case slot = "o"
        case feature = "i"
        case arguments = "g"
        case front = "f"
    }
}

/// An interactor's new state: the whole state, or the difference from the previous one.
@Message
package struct StateChange: Equatable {
    package var number: UInt32
    package var whole: [UInt8]?
    /// Splices as in Protocol/SPEC.md, section 6 (Messages), stateDelta.
    package var delta: [UInt8]?
    /// The number of the state's description, if it has changed.
    package var schema: UInt64?

    private enum CodingKeys: String, CodingKey {
        case number = "n"
        case whole = "w"
        case delta = "d"
        case schema = "s"
    }
}

/// The offset of a log, whose items are not stored.
@Message
package struct LogOffset: Equatable {
    package var number: UInt32
    package var method: UInt32
    /// The number of the next item.
    package var next: UInt64

    private enum CodingKeys: String, CodingKey {
        case number = "n"
        case method = "m"
        case next = "q"
    }
}

/// Which of a router's tabs is selected.
@Message
package struct SelectedTab: Equatable {
    package var number: UInt32
    /// The name of the tab's slot.
    package var tab: String

    private enum CodingKeys: String, CodingKey {
        case number = "n"
        case tab = "o"
    }
}

/// An event whose handler has changed something and waits.
@Message
package struct BegunEvent: Hashable {
    package var front: UInt64
    package var sequence: UInt64
    /// The router to whose interactor it was sent.
    package var node: UInt32
    package var method: UInt32

    private enum CodingKeys: String, CodingKey {
        case front = "f"
        case sequence = "q"
        case node = "n"
        case method = "m"
    }
}

/// The answer to an event that has ended.
@Message
package struct EventAnswer: Equatable {
    package var front: UInt64
    package var sequence: UInt64
    /// The whole frame, a reply or a fault.
    package var frame: [UInt8]

    private enum CodingKeys: String, CodingKey {
        case front = "f"
        case sequence = "q"
        case frame = "r"
    }
}

/// A timer of an interactor.
@Message
package struct TimerImage: Equatable {
    /// Distinguishes it from all other timers and jobs that the session has had.
    package var id: UInt64
    /// The router to whose interactor it belongs.
    package var node: UInt32
    package var name: String
    /// When it fires next, in milliseconds since 1970.
    package var due: Int64
    /// Milliseconds between two firings; absent if it fires once.
    package var interval: Int64?
    /// -1 to skip missed firings, 0 for one firing in place of all, otherwise the greatest number
    /// of missed firings to make up for.
    package var missed: Int32
    package var payload: [UInt8]
    /// The number of times that this firing was begun after a worker may have died in it.
    package var attempts: Int32?
    /// Why it was given up.
    package var failure: String?
    /// The schedule in local time by which it repeats, as text; absent if it has none.
    package var calendar: String?

    private enum CodingKeys: String, CodingKey {
        case calendar = "c"
        case id = "i"
        case node = "n"
        case name = "t"
        case due = "u"
        case interval = "v"
        case missed = "m"
        case payload = "g"
        case attempts = "a"
        case failure = "e"
    }
}

/// A timer has fired, or was cancelled.
@Message
package struct TimerChange: Equatable {
    package var id: UInt64
    /// When it fires next; absent if it is over.
    package var due: Int64?

    private enum CodingKeys: String, CodingKey {
        case id = "i"
        case due = "u"
    }
}

/// A job of the outbox.
@Message
package struct JobImage: Equatable {
    package var id: UInt64
    package var node: UInt32
    /// The job's key: 16 bytes.
    package var key: [UInt8]
    package var payload: [UInt8]
    /// When the next attempt is due, in milliseconds since 1970.
    package var due: Int64
    /// The number of attempts that are known to have begun.
    package var attempts: Int32
    /// Why it was given up.
    package var failure: String?
    /// Whether its interactor has been told that it was given up.
    package var isTold: Bool?
    /// How often and when it is tried; absent if its interactor's type decides that.
    package var policy: JobPolicy?

    private enum CodingKeys: String, CodingKey {
        case policy = "r"
        case id = "i"
        case node = "n"
        case key = "k"
        case payload = "g"
        case due = "u"
        case attempts = "a"
        case failure = "e"
        case isTold = "o"
    }
}

/// How often and when one job is tried.
@Message
package struct JobPolicy: Equatable {
    package var most: Int32
    /// Milliseconds after the first attempt.
    package var first: Int64
    /// Milliseconds between two attempts, at most.
    package var longest: Int64

    private enum CodingKeys: String, CodingKey {
        case most = "m"
        case first = "f"
        case longest = "l"
    }
}

/// A change of a job. Absent fields are unchanged.
@Message
package struct JobChange: Equatable {
    package var id: UInt64
    /// Whether it has ended and is removed.
    package var isOver: Bool?
    package var due: Int64?
    package var attempts: Int32?
    package var failure: String?
    package var isTold: Bool?

    private enum CodingKeys: String, CodingKey {
        case id = "i"
        case isOver = "x"
        case due = "u"
        case attempts = "a"
        case failure = "e"
        case isTold = "o"
    }
}

/// One of the session's own inputs whose handler has changed something and waits.
@Message
package struct BegunInput: Hashable {
    /// The id of the timer or the job.
    package var id: UInt64
    package var node: UInt32
    /// The handler's signature.
    package var method: String
    /// The timer's name, or the job's key.
    package var name: String

    private enum CodingKeys: String, CodingKey {
        case id = "i"
        case node = "n"
        case method = "m"
        case name = "t"
    }
}
