// AppScripts: the modules of apps' own elements, which the server serves below the page's path.
//
// Isolation  any thread (Mutex): offered on the main actor, asked for on the server's thread.
// Invariant  at most `countMax` scripts of at most `bytesMax` each; a name has the newest one.

import Synchronization

package final class AppScripts: Sendable {
    /// The number of scripts. Chosen: more than any app has.
    static let countMax = 32
    /// Bytes of a script. Chosen: many times the page's own.
    static let bytesMax = 256 * 1024

    private let known = Mutex<[String: [UInt8]]>([:])

    package init() {}

    /// Adds a script; returns whether it is served from now on.
    func offer(_ script: [UInt8], as name: String) -> Bool {
        guard script.count <= Self.bytesMax else { return false }
        return known.withLock { known in
            // Equal scripts nearly always share their memory, so that comparing is fast.
            if known[name] == script { return true }
            guard known[name] != nil || known.count < Self.countMax else { return false }
            known[name] = script
            return true
        }
    }

    /// Returns a script's address, relative to the page.
    static func path(of name: String) -> String { "./elements/\(name).js" }

    /// Returns the script at a path below the page's; `nil` if there is none.
    func script(at path: String) -> [UInt8]? {
        guard path.hasPrefix("elements/"), path.hasSuffix(".js") else { return nil }
        let name = path.dropFirst("elements/".count).dropLast(".js".count)
        return known.withLock { $0[String(name)] }
    }
}
