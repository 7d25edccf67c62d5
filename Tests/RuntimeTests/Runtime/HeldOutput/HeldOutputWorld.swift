// HeldOutputWorld: a worker with its store and two fronts, as small as `HeldOutput` allows.
//
// Invariant  every stretch that a handler has is one bit; what a front was shown is a set of bits.

import NapkinLedger
import NapkinProtocol
import TestSupport

/// What is wrong with a world that must be caught.
enum HeldOutputFlaw: String, CaseIterable {
    /// Output leaves when the group before the one that it waits for is durable.
    case opensEarly
    /// Only answers are held back, states are not.
    case holdsAnswersOnly
    /// Output waits for the groups that were sealed, and not for the one that collects.
    case forgetsTheOpenGroup
    /// The store says that a group is durable, and a crash takes it back.
    case losesASync
    /// The next group is written before the one before it is durable, and overtakes it.
    case overtakes
    /// A connection whose output waits is not told that more is durable.
    case sleepsOn
    /// A handler that had changed something and waited runs again after a crash.
    case runsAgain
    /// What a handler that throws has presented is sent all the same.
    case showsFailures
}

/// What may happen next.
enum HeldOutputMove: Hashable {
    /// A handler runs its next stretch to its end.
    case runs(Int)
    /// It changes its node, presents that, and throws.
    case throwsUp(Int)
    /// The end of a turn, for one connection.
    case flushes(Int)
    /// The end of a turn, for the journal.
    case seals
    /// The store has written a group.
    case writes
    /// The process dies; the group that is being written is there afterwards, or not.
    case crashes(keeping: Bool)
}

/// What is searched: who calls what.
struct HeldOutputScope: CustomStringConvertible {
    /// The front, the node and the stretches of each handler.
    var handlers: [(front: Int, node: Int, stretches: Int)]
    var crashes: Int
    /// Whether a commit is over when it returns (`.process`).
    var isInline = false
    var flaw: HeldOutputFlaw?

    var description: String {
        let each = handlers.map { "front \($0.front), node \($0.node), \($0.stretches)" }
        let way = isInline ? "inline" : "on the store's thread"
        return "\(each.joined(separator: "; ")); \(crashes) crashes, \(way)"
    }

    /// The bit of a handler's stretch.
    func bit(_ handler: Int, _ stretch: Int) -> UInt16 { 1 << (2 * handler + stretch) }
}

struct HeldOutputWorld: SearchedWorld {
    /// A frame on its way to a front.
    private struct Frame: Hashable {
        /// The stretches that it shows or answers; those whose loss would make it untrue.
        var shows: UInt16
        /// The handler that it answers.
        var answers: Int?
        var bytes: Int { answers == nil ? 2 : 3 }
    }

    private struct Front: Hashable {
        var output: [Frame] = []
        var held = HeldOutput()
        var needsFlush = false
        var shown: UInt16 = 0
        /// The newest state that it has.
        var newest: UInt16 = 0
        var answered: Set<Int> = []
    }

    private enum Life: Hashable {
        case waiting(done: Int)
        case ended
    }

    /// What a record says: stretches, and handlers that have ended.
    private struct Stored: Hashable {
        var bits: UInt16 = 0
        var ended: Set<Int> = []

        mutating func add(_ other: Stored) {
            bits |= other.bits
            ended.formUnion(other.ended)
        }
    }

    private var groups = GroupStateMachine(after: 0)
    private var collecting = Stored()
    /// Groups that are being written, the oldest first; more than one only by a flaw.
    private var writing: [Stored] = []
    private var durable = Stored()
    /// What a crash takes from `durable`, by a flaw.
    private var unsynced: Stored?
    private var state: UInt16 = 0
    private var fronts = [Front(), Front()]
    private var handlers: [Life]
    private var crashes: Int
    private(set) var failure: String?

    init(_ scope: HeldOutputScope) {
        handlers = scope.handlers.map { _ in .waiting(done: 0) }
        crashes = scope.crashes
    }

    // MARK: - Moves

    func moves(_ scope: HeldOutputScope) -> [HeldOutputMove] {
        var moves: [HeldOutputMove] = []
        for (index, life) in handlers.enumerated() where life != .ended {
            moves += [.runs(index), .throwsUp(index)]
        }
        for index in fronts.indices where fronts[index].needsFlush { moves.append(.flushes(index)) }
        var copy = groups
        if copy.turnEnded() != .none { moves.append(.seals) }
        if !writing.isEmpty { moves.append(.writes) }
        if crashes > 0 {
            moves.append(.crashes(keeping: false))
            if !writing.isEmpty { moves.append(.crashes(keeping: true)) }
        }
        return moves
    }

    func isFault(_ move: HeldOutputMove) -> Bool { if case .crashes = move { true } else { false } }

    func after(_ move: HeldOutputMove, _ scope: HeldOutputScope) -> HeldOutputWorld {
        var world = self
        switch move {
        case .runs(let handler): world.run(handler, scope)
        case .throwsUp(let handler): world.fail(handler, scope)
        case .flushes(let front): world.flush(front, scope)
        case .seals: world.perform(world.groups.turnEnded(), scope)
        case .writes: world.written(scope)
        case .crashes(let keeping): world.crash(keeping, scope)
        }
        return world
    }

    private mutating func run(_ handler: Int, _ scope: HeldOutputScope) {
        guard case .waiting(let done) = handlers[handler] else { return }
        let bit = scope.bit(handler, done)
        if state & bit != 0 { failure = "stretch \(done) of handler \(handler) ran twice" }
        state |= bit
        let isLast = done + 1 == scope.handlers[handler].stretches
        handlers[handler] = isLast ? .ended : .waiting(done: done + 1)
        add(Stored(bits: bit, ended: isLast ? [handler] : []))
        present(state)
        if isLast { answer(handler, bit, scope) }
    }

    private mutating func fail(_ handler: Int, _ scope: HeldOutputScope) {
        guard case .waiting(let done) = handlers[handler] else { return }
        if scope.flaw == .showsFailures { present(state | scope.bit(handler, done)) }
        // The fault is recorded; what came before the wait stays.
        handlers[handler] = .ended
        add(Stored(ended: [handler]))
        answer(handler, done == 1 ? scope.bit(handler, 0) : 0, scope)
    }

    private mutating func add(_ record: Stored) {
        collecting.add(record)
        groups.recordAdded()
    }

    private mutating func present(_ bits: UInt16) {
        for index in fronts.indices { send(Frame(shows: bits), to: index) }
    }

    private mutating func answer(_ handler: Int, _ bits: UInt16, _ scope: HeldOutputScope) {
        send(Frame(shows: bits, answers: handler), to: scope.handlers[handler].front)
    }

    private mutating func send(_ frame: Frame, to front: Int) {
        fronts[front].output.append(frame)
        fronts[front].needsFlush = true
    }

    /// What `FrontOutput` does at the end of a turn.
    private mutating func flush(_ index: Int, _ scope: HeldOutputScope) {
        let needed = groups.needed
        perform(groups.turnEnded(), scope)
        fronts[index].needsFlush = false
        if scope.flaw == .holdsAnswersOnly, fronts[index].output.allSatisfy({ $0.answers == nil }) {
            return leave(fronts[index].output.count, index)
        }
        let end = fronts[index].output.reduce(0) { $0 + $1.bytes }
        let forgets = scope.flaw == .forgetsTheOpenGroup && needed > 0
        let group = forgets ? needed - 1 : groups.needed
        let early: GroupNumber = scope.flaw == .opensEarly ? 1 : 0
        var bytes = fronts[index].held.turnEnded(
            upTo: end, needed: group, durable: groups.durable + early
        ).count
        var count = 0
        while bytes > 0 {
            bytes -= fronts[index].output[count].bytes
            count += 1
        }
        leave(count, index)
    }

    /// Frames leave the worker: what they show is durable, or this must not be.
    private mutating func leave(_ count: Int, _ index: Int) {
        for frame in fronts[index].output.prefix(count) {
            if frame.shows & ~durable.bits != 0 {
                failure = "front \(index) is shown \(frame.shows) of \(durable.bits)"
            }
            fronts[index].shown |= frame.shows
            guard let handler = frame.answers else {
                fronts[index].newest = frame.shows
                continue
            }
            if !durable.ended.contains(handler) {
                failure = "front \(index) has an answer of handler \(handler), not durable"
            }
            if !fronts[index].answered.insert(handler).inserted {
                failure = "handler \(handler) was answered twice"
            }
        }
        fronts[index].output.removeFirst(count)
    }

    private mutating func perform(_ action: GroupStateMachine.Action, _ scope: HeldOutputScope) {
        guard case .write = action else { return }
        writing.append(collecting)
        collecting = Stored()
        if scope.isInline { written(scope) }
    }

    private mutating func written(_ scope: HeldOutputScope) {
        let group = writing.removeFirst()
        unsynced = scope.flaw == .losesASync ? group : nil
        if scope.flaw == .overtakes, collecting != Stored() {
            // The newer group is durable, and the older one is what a crash takes.
            durable.add(collecting)
            unsynced = group
        }
        durable.add(group)
        let action = groups.written()
        if scope.flaw != .sleepsOn {
            for index in fronts.indices where !fronts[index].output.isEmpty {
                fronts[index].needsFlush = true
            }
        }
        perform(action, scope)
    }

    /// What is stored is all that the next worker knows.
    private mutating func crash(_ keeping: Bool, _ scope: HeldOutputScope) {
        crashes -= 1
        if keeping, let group = writing.first { durable.add(group) }
        if let unsynced {
            durable.bits &= ~unsynced.bits
            durable.ended.subtract(unsynced.ended)
        }
        for (index, front) in fronts.enumerated() {
            if front.shown & ~durable.bits != 0 {
                failure = "front \(index) has seen \(front.shown), and \(durable.bits) is left"
            }
            if !front.answered.isSubset(of: durable.ended) {
                failure = "an answer of front \(index) is lost"
            }
        }
        (writing, collecting, unsynced) = ([], Stored(), nil)
        groups = GroupStateMachine(after: groups.durable)
        state = durable.bits
        for index in fronts.indices {
            fronts[index].output = []
            fronts[index].held = HeldOutput()
        }
        present(state)
        for handler in handlers.indices { resume(handler, scope) }
    }

    /// The front sends its event again.
    private mutating func resume(_ handler: Int, _ scope: HeldOutputScope) {
        let front = scope.handlers[handler].front
        let isBegun = durable.bits & scope.bit(handler, 0) != 0
        if durable.ended.contains(handler) {
            handlers[handler] = .ended
            if !fronts[front].answered.contains(handler) { answer(handler, 0, scope) }
        } else if isBegun, scope.flaw != .runsAgain {
            handlers[handler] = .ended
            add(Stored(ended: [handler]))
            answer(handler, scope.bit(handler, 0), scope)
        } else {
            handlers[handler] = .waiting(done: 0)
        }
    }

    // MARK: - The end

    /// Nothing is left to do: everybody has been told.
    mutating func checkEnd(_ scope: HeldOutputScope) {
        for (index, handler) in scope.handlers.enumerated()
        where !fronts[handler.front].answered.contains(index) {
            failure = "handler \(index) was never answered"
        }
        for (index, front) in fronts.enumerated() {
            if !front.output.isEmpty { failure = "front \(index) still waits" }
            if front.newest != state { failure = "front \(index) shows \(front.newest)" }
        }
        if durable.bits != state { failure = "\(durable.bits) is stored of \(state)" }
    }
}
