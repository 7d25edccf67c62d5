// SessionLedger+Counts: how handlers have changed a session, by their methods.
//
// Layer      ledger.
// Isolation  @MainActor: the loop thread.
// Invariant  at most `HandlerCount.rowsMax` methods have a row.

import NapkinCore

/// What the handlers of one method have changed.
package struct HandlerCount: Equatable, Sendable {
    /// Methods that are counted by themselves; others are counted as what no input has changed.
    /// Source: Protocol/SPEC.md, section 12 (Limits), `crossingsMax`.
    static let rowsMax = 512

    package struct Key: Hashable, Sendable {
        package enum Method: Hashable, Sendable {
            case event(UInt32)
            /// The handler of a timer or a job.
            case own(String)
            case none
        }

        package var feature: String
        package var method: Method
    }

    package var feature: String
    /// The method's key, or a handler of timers or jobs; `-` for what neither has changed.
    package var method: String
    package var records: UInt64 = 0
    package var bytes: UInt64 = 0
    /// How often a handler had changed something and then waited.
    package var begun: UInt64 = 0

    fileprivate mutating func add(_ bytes: Int, isBegun: Bool) {
        records += 1
        self.bytes += UInt64(bytes)
        if isBegun { begun += 1 }
    }
}

extension SessionLedger {
    /// The counts since the worker began, in the order of features and methods.
    package var handlerCounts: [HandlerCount] {
        counts.values.sorted { ($0.feature, $0.method) < ($1.feature, $1.method) }
    }

    /// Counts the record of a stretch.
    ///
    /// - Parameter isBegun: whether the input's handler goes on after it.
    func count(_ input: Input?, bytes: Int, isBegun: Bool) {
        guard bytes > 0 else { return }
        var key = key(of: input)
        if counts[key]?.add(bytes, isBegun: isBegun) != nil { return }
        if counts.count >= HandlerCount.rowsMax { key = Self.noInput }
        counts[key, default: HandlerCount(feature: key.feature, method: name(of: key))]
            .add(bytes, isBegun: isBegun)
    }

    private static let noInput = HandlerCount.Key(feature: "-", method: .none)

    private func key(of input: Input?) -> HandlerCount.Key {
        guard let input, let feature = image.feature(of: input.node) else { return Self.noInput }
        let method: HandlerCount.Key.Method =
            switch input {
            case .event(let event): .event(event.method)
            case .own(let own): .own(own.begun.method)
            }
        return HandlerCount.Key(feature: feature.rawValue, method: method)
    }

    private func name(of key: HandlerCount.Key) -> String {
        switch key.method {
        case .none: "-"
        case .own(let handler): handler
        case .event(let method):
            session?.method(FeatureID(rawValue: key.feature), method) ?? "\(method)"
        }
    }

    /// Returns the feature and the method whose handler runs for an input.
    func describe(_ input: Input) -> String {
        let key = key(of: input)
        return key.feature == "-" ? "a feature that has gone" : "\(key.feature) \(name(of: key))"
    }
}
