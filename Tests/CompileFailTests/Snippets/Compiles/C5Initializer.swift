// C5Initializer: a type on the main actor may have it as a default value; others wait for it.
//
// Settings   front

import NapkinCore

final class Stopwatch {
    private(set) var seconds: Int
    init(from seconds: Int = 0) { self.seconds = seconds }
}

struct Board {
    var stopwatch = Stopwatch()
}

nonisolated func start() async -> Stopwatch {
    await Stopwatch(from: 1)
}
