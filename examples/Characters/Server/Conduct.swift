// Conduct: how the server behaves: quick or slow, sound or garbage.
//
// Layer      executable.
// Isolation  any thread (Mutex); a conduct is a value.

import Synchronization

/// What every answer goes through.
struct Conduct: Codable, Equatable, Sendable {
    /// Seconds. Chosen: longer is a mistake in the unit.
    static let delayMax = 3600.0

    var delay = 0.0
    var isGarbage = false
}

/// The conduct of a server that runs.
final class Behaviour: Sendable {
    private let conduct: Mutex<Conduct>

    init(_ conduct: Conduct) { self.conduct = Mutex(conduct) }

    var now: Conduct {
        get { conduct.withLock { $0 } }
        set { conduct.withLock { $0 = newValue } }
    }
}
