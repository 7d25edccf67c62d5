// AttendanceStateMachine: the fronts that a session knows: who is here, and who may come back.
//
// Layer      sans-I/O core. No sockets, clocks, locks, tasks or logging here.
// Isolation  value; owned by one session. Time is a parameter.
// Invariant  a front has at most one connection; at most `departedMax` fronts that are away are
//            known, none for longer than `departedMilliseconds`; a number is given once.
// Spec       Protocol/SPEC.md, section 9 (Resume)

/// Tells a front that returns from one that is new, and forgets who stays away.
public struct AttendanceStateMachine: Hashable, Sendable {
    /// What to do with a front that asks to be attached.
    public enum AttachAction: Equatable, Sendable {
        /// It is new, under this number.
        case admit(front: UInt64)
        /// It is known: go on with its seat, in place of another connection that it may have.
        case resume(front: UInt64)
    }

    private enum Presence: Hashable, Sendable {
        case here(connection: UInt64)
        case away(since: UInt64)
    }

    private struct Known: Hashable, Sendable {
        var front: UInt64
        var presence: Presence
    }

    /// The life of the tree.
    private let epoch: UInt32
    private let departedMax: Int
    private let departedMilliseconds: UInt64
    /// The known fronts; those that are away in the order in which they left.
    private var known: [Known] = []
    /// The newest `departedMax` fronts that somebody has detached: they must not come back.
    private var dismissed: [UInt64] = []
    /// The number that was given last.
    public private(set) var newest: UInt64 = 0

    /// A session in a new epoch.
    public init(
        epoch: UInt32, departedMax: Int = Limits.departedFrontsMax,
        departedMilliseconds: UInt64 = UInt64(Limits.departedFrontSeconds) * 1000
    ) {
        self.epoch = epoch
        self.departedMax = departedMax
        self.departedMilliseconds = departedMilliseconds
    }

    /// Fronts whose records are kept, here or away.
    public var fronts: [UInt64] { known.map(\.front) }

    /// A front asks to be attached on a connection of that number, which the driver gives.
    public mutating func attachReceived(
        previous: SessionIdentity?, on connection: UInt64
    ) -> AttachAction {
        guard let previous, previous.epoch == epoch,
            let index = known.firstIndex(where: { $0.front == previous.front })
        else {
            newest += 1
            known.append(Known(front: newest, presence: .here(connection: connection)))
            return .admit(front: newest)
        }
        known[index].presence = .here(connection: connection)
        return .resume(front: previous.front)
    }

    /// Whether that front has been detached by somebody, and is to be told so instead of being
    /// attached. Ask first, also of those whose events are not resumed: they come back as well.
    public func isDismissed(_ identity: SessionIdentity?) -> Bool {
        guard let identity, identity.epoch == epoch else { return false }
        return dismissed.contains(identity.front)
    }

    /// A front's connection has ended. Returns whether the front is away now: no other connection
    /// had taken over.
    public mutating func connectionEnded(
        _ connection: UInt64, of front: UInt64, at now: UInt64
    ) -> Bool {
        let here = Known(front: front, presence: .here(connection: connection))
        guard let index = known.firstIndex(of: here) else { return false }
        known.remove(at: index)
        known.append(Known(front: front, presence: .away(since: now)))
        return true
    }

    /// A front has left for good.
    public mutating func detachReceived(from front: UInt64) {
        known.removeAll { $0.front == front }
    }

    /// Somebody has detached a front, here or away: its record is forgotten, and it is not to come
    /// back under this number. Returns whether there was such a front.
    public mutating func frontDismissed(_ front: UInt64) -> Bool {
        guard known.contains(where: { $0.front == front }) else { return false }
        known.removeAll { $0.front == front }
        dismissed.append(front)
        dismissed.removeFirst(max(0, dismissed.count - departedMax))
        return true
    }

    /// When the connection of a front that is away has ended; `nil` for any other.
    public func departure(of front: UInt64) -> UInt64? {
        guard case .away(let since) = known.first(where: { $0.front == front })?.presence else {
            return nil
        }
        return since
    }

    /// Forgets the fronts that have been away for too long, or that are too many; returns them.
    /// Call it when a front has gone away, and at `nextDeadline`.
    public mutating func timerFired(at now: UInt64) -> [UInt64] {
        let away = known.compactMap { one -> (front: UInt64, since: UInt64)? in
            if case .away(let since) = one.presence { (one.front, since) } else { nil }
        }
        let excess = max(0, away.count - departedMax)
        var forgotten = Set(away.prefix(excess).map(\.front))
        for one in away where now >= one.since + departedMilliseconds {
            forgotten.insert(one.front)
        }
        known.removeAll { forgotten.contains($0.front) }
        return forgotten.sorted()
    }

    /// When the next front is to be forgotten; `nil` while none is away.
    public var nextDeadline: UInt64? {
        known.compactMap { one -> UInt64? in
            if case .away(let since) = one.presence { since + departedMilliseconds } else { nil }
        }.min()
    }
}
