// C5Error: an error's conformance in an extension is on the main actor, by the module's default.
//
// Settings   front

import NapkinCore

nonisolated enum LoadError: Error {
    case offline(String)
}

extension LoadError: CustomStringConvertible {
    var description: String { "nobody answers" }
}

nonisolated func load() throws(LoadError) { throw .offline("porch") }

@concurrent
nonisolated func problem() async -> String? {
    do {
        try load()
        return nil
    } catch {
        // expected-error@+1: main actor-isolated conformance of 'LoadError' to
        return "\(error)"
    }
}
