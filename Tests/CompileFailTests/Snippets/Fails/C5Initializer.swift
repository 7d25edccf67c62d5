// C5Initializer: a helper with a main-actor initializer, created outside of the main actor.
//
// Settings   front

import NapkinCore

final class Stopwatch {
    private(set) var seconds: Int
    init(from seconds: Int = 0) { self.seconds = seconds }
}

nonisolated struct Board {
    // expected-error@+1: main actor-isolated default value in a nonisolated context
    var stopwatch = Stopwatch()
}

nonisolated func start() -> Stopwatch {
    // expected-error@+1: call to main actor-isolated initializer 'init(from:)' in a synchronous
    Stopwatch(from: 1)
}
