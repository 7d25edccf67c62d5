// SessionLedger+Counts: how handlers have changed a session, by their methods.
//
// Invariant  at most `crossingsMax` methods have a row.

import NapkinCore

/// What the handlers of one method have changed.
package struct HandlerCount: Equatable, Sendable {
    fileprivate enum Handler: Equatable, Sendable {
        case event(UInt32)
        /// The handler of a timer or a job.
        case own(String)
        case none
    }

    package var feature: String
    fileprivate var handler: Handler
    /// The method's key, or a handler of timers or jobs; `-` for what neither has changed.
    package var method: String
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

extension SessionLedger {
    /// The counts since the worker began, in the order of features and methods.
    package var handlerCounts: [HandlerCount] {
        counts.sorted { ($0.feature, $0.method) < ($1.feature, $1.method) }
    }

    /// Counts the record of a stretch.
    ///
    /// - Parameter isBegun: whether the input's handler goes on after it.
    func count(_ input: Input?, isBegun: Bool, bytes: Int) {
        guard bytes > 0 else { return }
        let (feature, handler) = handler(of: input)
        find(feature, handler)
        counts[0].add(isBegun: isBegun, bytes: bytes)
    }

    private func handler(of input: Input?) -> (feature: String, handler: HandlerCount.Handler) {
        guard let input, let index = image.index(of: input.node) else { return ("-", .none) }
        let feature = image.nodes[index].place.feature
        return switch input {
        case .event(let event): (feature, .event(event.method))
        case .own(let own): (feature, .own(own.begun.method))
        }
    }

    /// Moves the row of a method to the first place, where the next record looks for it.
    private func find(_ feature: String, _ handler: HandlerCount.Handler) {
        var index = 0
        while index < counts.count {
            if counts[index].handler == handler, counts[index].feature == feature {
                if index > 0 { counts.swapAt(0, index) }
                return
            }
            index += 1
        }
        // The row of all others is beyond the limit.
        if handler != .none, counts.count >= Limits.crossingsMax { return find("-", .none) }
        let row = HandlerCount(feature: feature, handler: handler, method: name(feature, handler))
        counts.insert(row, at: 0)
    }

    private func name(_ feature: String, _ handler: HandlerCount.Handler) -> String {
        switch handler {
        case .none: "-"
        case .own(let handler): handler
        case .event(let method):
            session?.signature(of: method, in: FeatureID(rawValue: feature)) ?? "\(method)"
        }
    }

    /// Returns the feature and the method whose handler runs for an input.
    func describe(_ input: Input) -> String {
        let (feature, handler) = handler(of: input)
        return feature == "-" ? "a feature that has gone" : "\(feature) \(name(feature, handler))"
    }
}
