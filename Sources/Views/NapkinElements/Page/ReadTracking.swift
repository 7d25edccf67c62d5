// ReadTracking: asks for a redraw when something changes that the last drawing has read.
//
// Invariant  asks at most once after a drawing, and not for what it has not read.
// Spec       SE-0395 (Observation)

internal import Observation

/// What the last drawing has read.
package final class ReadTracking {
    /// Read by every drawing and changed before the next, which ends the tracking of the former:
    /// what never changes would otherwise keep an observer of every drawing.
    @Observable
    final class Turn {
        fileprivate var number = 0
    }

    private let turn = Turn()
    private var isEnding = false
    private let changed: () -> Void

    /// - Parameter changed: called before the new value is there, so it only marks the page as due.
    package init(_ changed: @escaping () -> Void) {
        self.changed = changed
    }

    /// Draws, and tracks what is read meanwhile in place of what was read before.
    package func during<T>(_ draw: () -> T) -> T {
        isEnding = true
        turn.number &+= 1
        isEnding = false
        return withObservationTracking {
            _ = turn.number
            return draw()
        } onChange: { [weak self] in
            // SAFETY: what a body reads belongs to the main actor, and so does who changes it.
            // Checked at run time.
            MainActor.assumeIsolated {
                if let self, !self.isEnding { self.changed() }
            }
        }
    }
}
