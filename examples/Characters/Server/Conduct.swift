// Conduct: how the server behaves: quick or slow, sound or garbage.
//
// Isolation  any thread (Mutex); a conduct is a value.

import Synchronization

/// The behaviour that applies to every answer.
struct Conduct: Codable, Equatable, Sendable {
    /// The longest delay in seconds. Chosen: more is a mistake in the unit.
    static let delayMax = 3600.0

    var delay = 0.0
    var isGarbage = false
}

/// The conduct of a running server.
final class Behaviour: Sendable {
    private let conduct: Mutex<Conduct>

    init(_ conduct: Conduct) { self.conduct = Mutex(conduct) }

    var now: Conduct {
        get { conduct.withLock { $0 } }
        set { conduct.withLock { $0 = newValue } }
    }
}
