// FeatureNode+Mark: what a node had presented at some time, and the way back to it.

extension FeatureNode {
    /// What a node had presented when a stretch first touched it.
    package struct Mark {
        package let states: [State]
        fileprivate let logs: [(method: MethodID, next: UInt64)]
    }

    /// The number by which the recorder knows the node's router; `nil` while it knows none.
    package var routerNumber: UInt32? {
        guard let number = owner?.number, number != 0 else { return nil }
        return number
    }

    /// Continues logs that the node had in a former worker.
    package func startLogs(at starts: [MethodID: UInt64]) {
        logs = NodeLogs(startingAt: starts)
    }

    /// Returns what the node has presented so far.
    package func mark() -> Mark {
        Mark(states: states, logs: logs.entries.map { ($0.method, $0.window.next) })
    }

    /// Forgets what is beyond a log's limits: nothing of it is taken back any more.
    package func trimLog(_ method: MethodID) { logs.trim(method) }

    /// Takes back what the node has presented since then, but for effects. A state that fronts may
    /// have been told of is sent again as it was.
    package func reset(to mark: Mark) {
        let dropped = states
        states = mark.states
        logs.withdraw(to: mark.logs)
        guard let stage, isMounted else { return }
        for state in states {
            let changed = dropped.first { $0.method == state.method }
            if let changed, changed.payload != state.payload {
                stage.stateChanged(of: self, state.method)
            }
        }
    }
}
