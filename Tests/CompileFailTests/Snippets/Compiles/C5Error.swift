// C5Error: `nonisolated` at the extension as well.
//
// Settings   front

import NapkinCore

nonisolated enum LoadError: Error {
    case offline(String)
}

nonisolated extension LoadError: CustomStringConvertible {
    var description: String { "nobody answers" }
}

nonisolated func load() throws(LoadError) { throw .offline("porch") }

@concurrent
nonisolated func problem() async -> String? {
    do {
        try load()
        return nil
    } catch {
        return "\(error)"
    }
}
