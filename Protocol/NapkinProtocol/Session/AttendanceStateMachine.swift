// AttendanceStateMachine: a session's connected fronts, and the absent ones that may return.
//
// Isolation  value; owned by one session. Time is a parameter.
// Invariant  a front has at most one connection; at most `departedMax` fronts that have left are
//            known, none for longer than `departedMilliseconds`; no number is given twice.
// Spec       Protocol/SPEC.md, section 9 (Resume)

/// Distinguishes returning fronts from new ones, and forgets fronts that stay away.
public struct AttendanceStateMachine: Hashable, Sendable {
    /// The action to take for a front that asks to be attached.
    public enum AttachAction: Equatable, Sendable {
        /// The front is new, and has this number.
        case admit(front: UInt64)
        /// The front is known: continue with its seat, and replace any other connection that it
        /// has.
        case resume(front: UInt64)
    }

    private enum Presence: Hashable, Sendable {
        case here(connection: UInt64)
        case away(since: UInt64)
    }

    private struct Known: Hashable, Sendable {
        var front: UInt64
        var presence: Presence
        /// Whether the worker left the front rather than the reverse: all restored fronts may come
        /// back at once.
        var isRestored = false
    }

    /// The epoch of the tree.
    private let epoch: UInt32
    private let departedMax: Int
    private let departedMilliseconds: UInt64
    /// The known fronts; fronts that are away are in the order in which they left.
    private var known: [Known] = []
    /// The newest `departedMax` fronts that somebody has detached, which must not come back.
    private var dismissed: [UInt64] = []
    /// The last number given to a front.
    public private(set) var newest: UInt64 = 0

    /// Creates the attendance of a session in a new epoch.
    public init(
        epoch: UInt32, departedMax: Int = Limits.departedFrontsMax,
        departedMilliseconds: UInt64 = UInt64(Limits.departedFrontSeconds) * 1000
    ) {
        self.epoch = epoch
        self.departedMax = departedMax
        self.departedMilliseconds = departedMilliseconds
    }

    /// The session has been restored with these fronts, which count as away from now on.
    ///
    /// - Parameter newest: the greatest number ever given to a front.
    public mutating func restored(_ fronts: [UInt64], newest: UInt64, at now: UInt64) {
        known = fronts.map { Known(front: $0, presence: .away(since: now), isRestored: true) }
        self.newest = newest
    }

    /// The fronts whose records are kept, connected or away.
    public var fronts: [UInt64] { known.map(\.front) }

    /// A front asks to be attached on a connection, which the driver has numbered.
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
        known[index] = Known(front: previous.front, presence: .here(connection: connection))
        return .resume(front: previous.front)
    }

    /// Returns whether somebody has detached this front, so that it must be refused instead of
    /// attached. Check this first, even if the front's events cannot be resumed: it is still a
    /// returning front.
    public func isDismissed(_ identity: SessionIdentity?) -> Bool {
        guard let identity, identity.epoch == epoch else { return false }
        return dismissed.contains(identity.front)
    }

    /// A front's connection has ended. Returns whether the front is away now, that is, whether no
    /// other connection has replaced this one.
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

    /// Somebody has detached a front, connected or away: its record is forgotten, and it must not
    /// come back under this number. Returns whether there was such a front.
    public mutating func frontDismissed(_ front: UInt64) -> Bool {
        guard known.contains(where: { $0.front == front }) else { return false }
        known.removeAll { $0.front == front }
        dismissed.append(front)
        dismissed.removeFirst(max(0, dismissed.count - departedMax))
        return true
    }

    /// Returns when the connection of a front that is away ended; `nil` for any other front.
    public func departure(of front: UInt64) -> UInt64? {
        guard case .away(let since) = known.first(where: { $0.front == front })?.presence else {
            return nil
        }
        return since
    }

    /// Forgets and returns the fronts that have been away for too long or exceed the limit. Call it
    /// when a front has gone away, and at `nextDeadline`.
    public mutating func timerFired(at now: UInt64) -> [UInt64] {
        var forgotten: Set<UInt64> = []
        var left: [UInt64] = []
        for one in known {
            guard case .away(let since) = one.presence else { continue }
            if now >= since + departedMilliseconds { forgotten.insert(one.front) }
            if !one.isRestored { left.append(one.front) }
        }
        forgotten.formUnion(left.prefix(max(0, left.count - departedMax)))
        known.removeAll { forgotten.contains($0.front) }
        return forgotten.sorted()
    }

    /// The time when the next front is to be forgotten; `nil` if none is away.
    public var nextDeadline: UInt64? {
        known.compactMap { one -> UInt64? in
            if case .away(let since) = one.presence { since + departedMilliseconds } else { nil }
        }.min()
    }
}
