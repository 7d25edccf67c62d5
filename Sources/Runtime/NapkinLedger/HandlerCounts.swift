// HandlerCounts: how handlers have changed a session, by their methods.
//
// Invariant  at most `crossingsMax` methods have a row.

import NapkinCore

/// What the handlers of one method have changed.
package struct HandlerCount: Equatable, Sendable {
    enum Handler: Equatable, Sendable {
        case event(UInt32)
        /// The handler of a timer or a job.
        case own(String)
        case none
    }

    package let feature: String
    fileprivate let handler: Handler
    /// The method's key, or a handler of timers or jobs; `-` for what neither has changed.
    package let method: String
    package var records: UInt64 = 0
    package var bytes: UInt64 = 0
    /// How often a handler had changed something and then waited.
    package var begun: UInt64 = 0

    fileprivate mutating func add(isBegun: Bool, bytes: Int) {
        records += 1
        self.bytes += UInt64(bytes)
        if isBegun { begun += 1 }
    }
}

/// The counts of a session since its worker began.
struct HandlerCounts {
    /// The newest is the first.
    private var rows: [HandlerCount] = []

    /// The counts, in the order of features and methods.
    var sorted: [HandlerCount] {
        rows.sorted { ($0.feature, $0.method) < ($1.feature, $1.method) }
    }

    /// Counts a record.
    ///
    /// - Parameters:
    ///   - isBegun: whether the handler goes on after it.
    ///   - name: the name of a handler that has no row yet.
    mutating func add(
        _ handler: HandlerCount.Handler, of feature: String, isBegun: Bool, bytes: Int,
        name: () -> String
    ) {
        find(handler, of: feature, name: name)
        rows[0].add(isBegun: isBegun, bytes: bytes)
    }

    /// Moves the row of a method to the first place, where the next record looks for it.
    private mutating func find(
        _ handler: HandlerCount.Handler, of feature: String, name: () -> String
    ) {
        var index = 0
        while index < rows.count {
            if rows[index].handler == handler, rows[index].feature == feature {
                if index > 0 { rows.swapAt(0, index) }
                return
            }
            index += 1
        }
        // The row of all others is beyond the limit.
        if handler != .none, rows.count >= Limits.crossingsMax {
            return find(.none, of: "-") { "-" }
        }
        let row = HandlerCount(feature: feature, handler: handler, method: name())
        rows.insert(row, at: 0)
    }
}
