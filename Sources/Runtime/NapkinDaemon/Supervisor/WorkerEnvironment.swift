// WorkerEnvironment: a worker's environment and directory, independent of who started napkind.
//
// Spec       Protocol/MANIFEST.md, section 3 (The worker)

import Glibc
import NapkinProtocol
import NapkinTransport

/// The environment that a worker gets from the user and its manifest, not from the shell that
/// happened to start napkind.
struct WorkerEnvironment {
    let variables: [String: String]
    let directory: String

    /// The search path for programs, unless the manifest sets one.
    static let path = "/usr/local/bin:/usr/bin:/bin"
    /// Variables that belong to the user everywhere, or that a developer sets on purpose.
    static let names: Set = [
        "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "XDG_RUNTIME_DIR",
        "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_STATE_HOME",
        "XDG_CACHE_HOME", "JOURNAL_STREAM", "SWIFT_BACKTRACE", "ASAN_OPTIONS", "LSAN_OPTIONS",
        "TSAN_OPTIONS", "UBSAN_OPTIONS", "PGSERVICEFILE", "PGPASSFILE", "PGSYSCONFDIR",
    ]
    static let prefixes = ["LC_", "NAPKIN_"]
    /// Whether the Swift runtime prints a crashing worker's backtrace, unless a variable says
    /// otherwise: printing delays the next worker by half a second (a debug build) to a minute (a
    /// static one). The receipt of the death has the addresses.
    private static let backtrace = "enable=no"

    /// - Parameter own: napkind's environment.
    init(of program: AppManifest.Program, in own: [String: String]) {
        var merged = own.filter { name, _ in
            Self.names.contains(name) || Self.prefixes.contains(where: name.hasPrefix)
        }
        if ["HOME", "USER", "LOGNAME"].contains(where: { merged[$0] == nil }),
            let user = getpwuid(geteuid())?.pointee
        {
            for (name, value) in [
                ("HOME", user.pw_dir), ("USER", user.pw_name), ("LOGNAME", user.pw_name),
            ] where merged[name] == nil {
                merged[name] = value.map { String(cString: $0) }
            }
        }
        merged["PATH"] = Self.path
        if merged[Keeper.variable] == nil { merged[Keeper.variable] = Keeper.besideThis }
        merged.merge(program.environment) { $1 }
        if merged["SWIFT_BACKTRACE", default: ""].isEmpty {
            merged["SWIFT_BACKTRACE"] = Self.backtrace
        }
        variables = merged
        let home = merged["HOME"] ?? ""
        directory =
            program.directory
            ?? (home.hasPrefix("/") && access(home, X_OK) == 0 ? home : "/")
    }
}
