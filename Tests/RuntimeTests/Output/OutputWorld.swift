// OutputWorld: a session with two fronts and a journal, as small as its output allows.
//
// Invariant  everything that is presented has a number, which is also the value of a state; what a
//            front has been sent is judged by these numbers alone.

import NapkinLedger
import NapkinProtocol
import TestSupport

/// What is wrong with a world that must be caught.
enum OutputFlaw: String, CaseIterable {
    /// What is for one front is queued before what all were owed earlier.
    case overtakesShared
    /// At the end of the turn nobody looks whether a front waits for something else.
    case writesToAll
    /// What a slow front was owed with all others is forgotten at the end of the turn.
    case forgetsTheSlow
    /// A front that has taken a part of what all are owed is owed all of it again.
    case forgetsThePart
    /// A front that attaches is owed what was presented before.
    case owesThePast
    /// An answer goes into the buffer although something waits before it.
    case answersAtOnce
    /// What a running handler presents does not wait for its end.
    case sendsWhatMayFail
    /// An effect that was taken back still waits.
    case keepsFailedEffects
    /// The number of an item that was taken back is not used again.
    case skipsFailedItems
    /// What is provisional overtakes the mount of its node.
    case overtakesMounts
    /// Every state overtakes what waits for the journal.
    case overtakesWithAll
    /// Output is held for the groups that are written, and not for the one that collects.
    case forgetsTheOpenGroup
    /// Output leaves when the group before the one that it waits for is durable.
    case opensEarly
    /// A connection whose output waits is not told that more is durable.
    case sleepsOn
    /// Items are sent after everything else.
    case sendsItemsLast
}

/// What a session presents.
enum Presented: String {
    case state, item, effect, ownState, ownEffect, answer
    /// In a durable session.
    case mount, provisional
}

enum OutputMove: Hashable {
    case presents(Presented)
    case joins
    case handlerBegins
    case handlerReturns
    case handlerFails
    /// The end of the turn, for what all fronts are owed.
    case endsTurn
    /// The same, for one connection.
    case writes(Int)
    case slows(Int)
    case drains(Int)
    /// The store has written a group.
    case commits
}

struct OutputScope: CustomStringConvertible {
    var presents: Int
    var kinds: [Presented]
    var handlers = 0
    var slows = 0
    /// Whether the second front attaches while something is presented.
    var joins = false
    var isDurable = false
    var flaw: OutputFlaw?

    var description: String {
        "\(presents) of \(kinds.map(\.rawValue)), \(handlers) handlers, slow \(slows) times"
            + (joins ? ", a front joins" : "") + (isDurable ? ", durable" : "")
    }
}

struct OutputWorld: SearchedWorld {
    /// A frame on its way to a front. It has `Frame.byteCount` bytes, of which the fifth is its
    /// kind, as in frames of the protocol.
    struct Frame: Hashable {
        static let byteCount = 8
        var kind: FrameKind
        /// The state or log.
        var key: StateKey
        var number: UInt8

        init(_ kind: FrameKind, _ key: StateKey, _ number: UInt8) {
            (self.kind, self.key, self.number) = (kind, key, number)
        }

        init(_ kind: FrameKind, _ number: UInt8) {
            self.init(kind, StateKey(node: 0, method: 0), number)
        }

        init(_ bytes: ArraySlice<UInt8>) {
            let bytes = Array(bytes)
            kind = FrameKind(rawValue: bytes[4]) ?? .hello
            key = StateKey(node: UInt32(bytes[5]), method: UInt32(bytes[6]))
            number = bytes[7]
        }

        var bytes: [UInt8] {
            [0, 0, 0, 0, kind.rawValue, UInt8(key.node), UInt8(key.method), number]
        }
    }

    struct Front: Hashable {
        var output = Output()
        /// The connection's.
        var buffer: [UInt8] = []
        var isSlow = false
        var needsFlush = false
        var isListed = false
        // What the front has been sent.
        var hasTree = false
        var hasMount = false
        var wasSlow = false
        var shown: [StateKey: UInt8] = [:]
        var itemCount = 0
        /// The effects, answers and transitions that it has not been sent.
        var due: [Frame] = []
    }

    /// What had been presented before the running handler, which may take its part back.
    struct Mark: Hashable {
        var newest: UInt8
        var effects: [[UInt8]] = []
    }

    static let state = StateKey(node: 1, method: 1)
    static let log = StateKey(node: 1, method: 2)
    static let ownState = StateKey(node: 2, method: 1)
    static let provisional = StateKey(node: 3, method: 1)

    var all = SharedOutput()
    var groups = GroupStateMachine(after: 0)
    var fronts = [Front(), Front()]
    /// The values that each state has had, and the log.
    var values: [StateKey: [UInt8]] = [:]
    var items: [UInt8] = []
    /// The number of the mount of the third node.
    var mount: UInt8?
    var newest: UInt8 = 0
    /// The group of everything that was presented in a handler that has returned.
    var group: [UInt8: UInt64] = [:]
    /// While a handler runs.
    var mark: Mark?
    var presents: Int
    var handlers: Int
    var slows: Int
    var failure: String?

    init(_ scope: OutputScope) {
        (presents, handlers, slows) = (scope.presents, scope.handlers, scope.slows)
        for index in scope.joins ? 0..<1 : 0..<2 {
            join(index, scope)
            write(index, scope)
        }
    }

    // MARK: - Moves

    func isFault(_ move: OutputMove) -> Bool { if case .slows = move { true } else { false } }

    func moves(_ scope: OutputScope) -> [OutputMove] {
        var moves: [OutputMove] = []
        let mayPresent = !scope.isDurable || mark != nil
        for kind in scope.kinds where presents > 0 && (mayPresent || kind == .answer) {
            let isPossible =
                switch kind {
                // A handler answers when it has returned.
                case .answer: mark == nil
                case .mount: mount == nil
                case .provisional: mount != nil
                default: true
                }
            if isPossible { moves.append(.presents(kind)) }
        }
        if mark != nil { return moves + [.handlerReturns, .handlerFails] }
        if handlers > 0, scope.isDurable { moves.append(.handlerBegins) }
        if scope.joins, !fronts[1].isListed { moves.append(.joins) }
        if !all.isEmpty { moves.append(.endsTurn) }
        for (index, front) in fronts.enumerated() where front.isListed {
            if front.needsFlush { moves.append(.writes(index)) }
            if front.isSlow { moves.append(.drains(index)) }
            if !front.isSlow, slows > 0 { moves.append(.slows(index)) }
        }
        if groups.isWriting { moves.append(.commits) }
        return moves
    }

    func after(_ move: OutputMove, _ scope: OutputScope) -> OutputWorld {
        var world = self
        switch move {
        case .presents(let kind): world.present(kind, scope)
        case .joins: world.join(1, scope)
        case .handlerBegins:
            world.handlers -= 1
            world.mark = Mark(newest: newest)
        case .handlerReturns: world.handlerEnded()
        case .handlerFails:
            world.takeBack(scope)
            world.handlerEnded()
        case .endsTurn: world.endTurn(scope)
        case .writes(let front): world.write(front, scope)
        case .slows(let front):
            world.slows -= 1
            world.fronts[front].isSlow = true
            world.fronts[front].wasSlow = true
        case .drains(let front):
            world.fronts[front].isSlow = false
            world.flush(front, scope)
        case .commits:
            _ = world.groups.written()
            for index in fronts.indices
            where !fronts[index].buffer.isEmpty && scope.flaw != .sleepsOn {
                world.fronts[index].needsFlush = true
            }
        }
        return world
    }

    private mutating func handlerEnded() {
        guard let mark else { return }
        groups.recordAdded()
        if newest > mark.newest {
            for number in (mark.newest + 1)...newest { group[number] = groups.needed }
        }
        self.mark = nil
        // Its answer, which is recorded with it.
        for index in fronts.indices where fronts[index].isListed { fronts[index].needsFlush = true }
    }

    /// A handler has failed: what it has presented never was, but for mounts and what is
    /// provisional.
    private mutating func takeBack(_ scope: OutputScope) {
        guard let mark else { return }
        items.removeAll { $0 > mark.newest }
        for key in [Self.state, Self.ownState] { values[key]?.removeAll { $0 > mark.newest } }
        for index in fronts.indices {
            fronts[index].due.removeAll { mark.effects.contains($0.bytes) }
            guard scope.flaw != .keepsFailedEffects else { continue }
            for frame in mark.effects { fronts[index].output.withdraw(effect: frame) }
        }
    }

    /// Nothing is left to do: everybody has been sent everything.
    mutating func checkEnd(_ scope: OutputScope) {
        for (index, front) in fronts.enumerated() where front.isListed {
            if !front.due.isEmpty || front.itemCount != items.count || !front.output.isEmpty {
                failure = "front \(index) is still owed something"
            }
            for key in keys(of: index) where front.shown[key] ?? 0 != values[key]?.last ?? 0 {
                failure = "front \(index) does not show the newest of \(key)"
            }
        }
    }

    /// The states that a front shows.
    func keys(of front: Int) -> [StateKey] {
        [Self.state, Self.provisional] + (front == 0 ? [Self.ownState] : [])
    }
}
