// HandlerCounts: counts the changes that handlers have made to a session, by method.
//
// Invariant  at most `crossingsMax` methods have a row.

import NapkinCore

/// The changes made by the handlers of one method.
package struct HandlerCount: Equatable, Sendable {
    enum Handler: Equatable, Sendable {
        case event(UInt32)
        /// The handler of a timer or a job.
        case scheduled(String)
        case none
    }

    package let feature: String
    fileprivate let handler: Handler
    /// The method's key, or a handler of timers or jobs; `-` for changes made by neither.
    package let method: String
    package var records: UInt64 = 0
    package var bytes: UInt64 = 0
    /// The number of times that a handler has waited after a change.
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
    ///   - isBegun: whether the handler continues after it.
    ///   - name: the name of a handler that has no row yet.
    mutating func add(
        _ handler: HandlerCount.Handler, of feature: String, isBegun: Bool, bytes: Int,
        name: () -> String
    ) {
        find(handler, of: feature, name: name)
        rows[0].add(isBegun: isBegun, bytes: bytes)
    }

    /// Moves a method's row to the front, where the next record looks first.
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
        // The row for all other handlers does not count toward the limit.
        if handler != .none, rows.count >= Limits.crossingsMax {
            return find(.none, of: "-") { "-" }
        }
        let row = HandlerCount(feature: feature, handler: handler, method: name())
        rows.insert(row, at: 0)
    }
}
