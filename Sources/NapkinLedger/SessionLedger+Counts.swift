// SessionLedger+Counts: how handlers have changed a session, by their methods.
//
// Layer      ledger.
// Isolation  @MainActor: the loop thread.
// Invariant  at most `HandlerCount.rowsMax` methods have a row.

import NapkinCore

/// What the handlers of one method have changed.
package struct HandlerCount: Equatable, Sendable {
    /// Methods that are counted by themselves; others are counted as what no event has changed.
    /// Source: Protocol/SPEC.md, section 12 (Limits), `crossingsMax`.
    static let rowsMax = 512

    package struct Key: Hashable, Sendable {
        package var feature: String
        package var method: UInt32?
    }

    package var feature: String
    /// The method's key; `-` for what no event has changed.
    package var method: String
    package var records: UInt64 = 0
    package var bytes: UInt64 = 0
    /// How often a handler had changed something and then waited.
    package var begun: UInt64 = 0

    fileprivate mutating func add(_ record: Record, bytes: Int) {
        records += 1
        self.bytes += UInt64(bytes)
        if record.begun != nil { begun += 1 }
    }
}

extension SessionLedger {
    /// The counts since the worker began, in the order of features and methods.
    package var handlerCounts: [HandlerCount] {
        counts.values.sorted { ($0.feature, $0.method) < ($1.feature, $1.method) }
    }

    /// Counts the record of a stretch.
    func count(_ event: Event?, _ record: Record, bytes: Int) {
        guard bytes > 0 else { return }
        let feature = event.flatMap { image.index(of: $0.node) }.map {
            image.nodes[$0].place.feature
        }
        var key = HandlerCount.Key(
            feature: feature ?? "-", method: feature == nil ? nil : event?.method)
        if counts[key]?.add(record, bytes: bytes) != nil { return }
        if counts.count >= HandlerCount.rowsMax {
            key = HandlerCount.Key(feature: "-", method: nil)
        }
        counts[key, default: HandlerCount(feature: key.feature, method: name(of: key))]
            .add(record, bytes: bytes)
    }

    private func name(of key: HandlerCount.Key) -> String {
        guard let method = key.method else { return "-" }
        return session?.method(FeatureID(rawValue: key.feature), method) ?? "\(method)"
    }
}
