// Wording: the screen's words for problems, ages and policies.

import CharactersContract

/// The contract's values in words. Another front may use others.
nonisolated enum Wording {
    /// Returns what has gone wrong, and what can be done.
    static func text(_ problem: Problem) -> String {
        switch problem {
        case .offline(let server):
            "Offline: nobody answers at \(server). Start characters-server."
        case .notFound(let name):
            "Not found: the server has no \(name)."
        case .badData(let reason):
            "Bad data: the server's answer cannot be used (\(reason))."
        case .timeout(let seconds):
            "Too slow: the server has not answered in \(seconds) s."
        case .settings(let reason):
            "The worker cannot use its settings: \(reason). Correct them and restart napkind."
        }
    }

    /// Says how old a cached answer is.
    static func text(staleSeconds seconds: Int64) -> String {
        let minutes = seconds / 60
        return "From the cache, \(minutes == 0 ? "\(seconds) s" : "\(minutes) min") old."
    }

    static func text(_ policy: CachePolicy) -> String {
        switch policy {
        case .localFirst: "cache first"
        case .remoteFirst: "server first"
        case .none: "server only"
        }
    }

    /// Returns the next policy, around in a circle.
    static func next(_ policy: CachePolicy) -> CachePolicy {
        let all = CachePolicy.allCases
        let index = all.firstIndex(of: policy).map { ($0 + 1) % all.count } ?? 0
        return all[index]
    }
}
