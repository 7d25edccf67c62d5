// Variables: the environment that a program is started with.
//
// Layer      benchmark.
// Isolation  none of its own; nobody changes the environment meanwhile.
// Source     environ(7)

import Glibc

enum Variables {
    /// This process's, with more in them.
    static func ours(with more: [String: String]) -> [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let parts = String(cString: entry).split(separator: "=", maxSplits: 1)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            next += 1
        }
        return variables.merging(more) { $1 }
    }
}
