// ReadTracking: asks for a redraw when a value that the last drawing read changes.
//
// Invariant  asks at most once after a drawing, and only for values that it read.
// Spec       SE-0395 (Observation)

internal import Observation

package final class ReadTracking {
    /// Read by every drawing and changed before the next, which ends the former tracking. Without
    /// it, a value that never changes would keep an observer of every drawing.
    @Observable
    final class Turn {
        fileprivate var number = 0
    }

    private let turn = Turn()
    private var isEnding = false
    private let changed: () -> Void

    /// - Parameter changed: called before the value changes, so it only marks the page as due.
    package init(_ changed: @escaping () -> Void) {
        self.changed = changed
    }

    /// Draws, and tracks the values read meanwhile in place of the former ones.
    package func during<T>(_ draw: () -> T) -> T {
        isEnding = true
        turn.number &+= 1
        isEnding = false
        return withObservationTracking {
            _ = turn.number
            return draw()
        } onChange: { [weak self] in
            // SAFETY: the values that a body reads belong to the main actor, and so do their
            // writers. Checked at run time.
            MainActor.assumeIsolated {
                if let self, !self.isEnding { self.changed() }
            }
        }
    }
}
