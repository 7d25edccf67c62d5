// ImportTable: which directory may import what.

/// One row a target. A target that is not here may import nothing, so that a new one says first
/// what it must not see.
struct ImportRow: Sendable {
    /// Where the row holds; a `*` stands for one directory's name.
    let directory: String
    /// Names of modules; `*Contract` stands for every module whose name ends so.
    let allowed: Set<String>
}

enum ImportTable {
    /// The parts of the system that hide no input and output.
    private static let language: Set = ["Observation", "Synchronization"]
    /// For what the language lacks: `memcmp` in the coder, a recursive mutex in the core.
    private static let cLibrary: Set = ["Glibc", "Musl", "Darwin"]
    private static let system = language.union(cLibrary).union(["Dispatch"])
    private static let wire: Set = ["NapkinCoding", "NapkinProtocol"]
    private static let runtime = wire.union(["NapkinCore", "NapkinTransport", "NapkinRuntime"])
    private static let foundation: Set = ["Foundation", "FoundationEssentials"]

    static let rows = [
        // Pure: no clock, no socket, no task, no Foundation.
        ImportRow(directory: "Protocol/NapkinCoding", allowed: cLibrary),
        // Swift by name: its SPI has the normalization of names.
        ImportRow(directory: "Protocol/NapkinProtocol", allowed: ["NapkinCoding", "Swift"]),
        ImportRow(
            directory: "Sources/Runtime/NapkinCore",
            allowed: language.union(cLibrary).union(["NapkinCoding", "Logging"])),
        ImportRow(
            directory: "Sources/Runtime/NapkinFoundation",
            allowed: ["FoundationEssentials", "NapkinCoding"]),
        // The only one that speaks C with libuv, and the only one that knows the executors' SPI.
        ImportRow(
            directory: "Sources/Runtime/NapkinTransport",
            allowed: system.union(["CLibuv", "_Concurrency"])),
        // The only one that speaks C with SQLite and libpq.
        ImportRow(
            directory: "Sources/Runtime/NapkinLedger",
            allowed: system.union([
                "CPostgres", "CSQLite", "NapkinCoding", "NapkinCore", "NapkinTransport",
            ])),
        ImportRow(
            directory: "Sources/Runtime/NapkinRuntime",
            allowed: system.union(runtime).union(["NapkinLedger"])),
        // What runs beside an app, by the field's packages; the only one that knows libvterm.
        ImportRow(
            directory: "Sources/Runtime/NapkinSystem",
            allowed: system.union([
                "CVterm", "NapkinCore", "NapkinTransport", "Subprocess", "SystemPackage",
            ])),
        // The compiler's plug-in.
        ImportRow(
            directory: "Sources/Runtime/NapkinMacros",
            allowed: [
                "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder",
                "SwiftSyntaxMacros", "SwiftParser",
            ]),
        // Foundation begins here. Daemon and front do not see each other.
        ImportRow(
            directory: "Sources/Runtime/NapkinHost",
            allowed: system.union(foundation).union(runtime).union([
                "ArgumentParser", "Logging",
            ])),
        ImportRow(
            directory: "Sources/Runtime/NapkinDaemon",
            allowed: system.union(foundation).union(runtime).union([
                "NapkinHost", "NapkinLedger", "ArgumentParser", "Logging",
            ])),
        ImportRow(
            directory: "Sources/Runtime/NapkinWorker",
            allowed: system.union(foundation).union(runtime).union([
                "NapkinHost", "NapkinLedger", "ArgumentParser", "Logging", "Yams",
            ])),
        ImportRow(
            directory: "Sources/Runtime/NapkinFront",
            allowed: system.union(foundation).union(runtime).union(["Logging"])),
        // Views, for any screen: none is known here.
        ImportRow(
            directory: "Sources/Views/NapkinElements",
            allowed: system.union([
                "NapkinCoding", "NapkinCore", "NapkinFront", "NapkinProtocol", "NapkinTransport",
            ])),
        ImportRow(
            directory: "Sources/Views/NapkinTerminal",
            allowed: system.union(foundation).union([
                "CNcurses", "NapkinCore", "NapkinElements", "NapkinFront", "NapkinTransport",
            ])),
        // The only one that speaks HTTP. It knows no terminal.
        ImportRow(
            directory: "Sources/Views/NapkinWeb",
            allowed: language.union([
                "FoundationEssentials", "NapkinCoding", "NapkinCore", "NapkinElements",
                "NapkinFront", "NapkinTransport", "NIOCore", "NIOHTTP1", "NIOPosix",
                "NIOWebSocket",
            ])),
        ImportRow(
            directory: "Sources/Runtime/NapkinTesting",
            allowed: system.union(foundation).union(runtime).union([
                "NapkinFront", "NapkinLedger",
            ])),
        // The tutorial's files are an app's; the documentation's home itself has no code.
        ImportRow(
            directory: "Sources/Napkin/Napkin.docc",
            allowed: [
                "NapkinCore", "NapkinElements", "NapkinTerminal", "NapkinTesting", "Observation",
                "Testing", "*Contract", "*Feature", "*Front",
            ]),
        ImportRow(directory: "Sources/Napkin", allowed: []),
        // What `napkin-client new` writes: an app, as its author would write it.
        ImportRow(
            directory: "Sources/Client/NapkinClient/Templates",
            allowed: [
                "NapkinClient", "NapkinCore", "NapkinElements", "NapkinFront", "NapkinTerminal",
                "NapkinTesting", "NapkinWorker", "Observation", "Testing", "*Contract", "*Feature",
                "*Front",
            ]),
        // The commands, for the project's client and for an app's: they know no app.
        ImportRow(
            directory: "Sources/Client/NapkinClient",
            allowed: system.union(foundation).union(runtime).union([
                "NapkinElements", "NapkinFront", "NapkinLedger", "NapkinTerminal", "NapkinWeb",
                "ArgumentParser",
            ])),
        // The executables: composition roots.
        ImportRow(directory: "Sources/Client/napkin-client", allowed: ["NapkinClient"]),
        ImportRow(directory: "daemon", allowed: ["NapkinDaemon"]),
        // An app, as its author would write it.
        ImportRow(
            directory: "examples/*/Contract",
            allowed: ["FoundationEssentials", "NapkinCore", "NapkinFoundation"]),
        ImportRow(
            directory: "examples/*/Feature",
            allowed: system.union(foundation).union([
                "NapkinCore", "NapkinSystem", "*Contract", "*Networking",
            ])),
        // What a feature asks of the world, and the world's end of it: nothing of ours in either.
        ImportRow(
            directory: "examples/*/Networking",
            allowed: system.union(foundation).union(["NIOCore", "NIOHTTP1", "NIOPosix"])),
        ImportRow(
            directory: "examples/*/Server",
            allowed: system.union(foundation).union([
                "ArgumentParser", "FlyingFox", "FlyingSocks",
            ])),
        ImportRow(
            directory: "examples/*/Front",
            allowed: system.union(foundation).union([
                "NapkinCore", "NapkinElements", "NapkinFront", "NapkinTerminal", "*Contract",
            ])),
        ImportRow(directory: "examples/*/Worker", allowed: ["NapkinWorker", "*Feature"]),
        ImportRow(
            directory: "examples/*/Client",
            allowed: system.union(foundation).union([
                "NapkinClient", "NapkinCore", "NapkinFront", "NapkinSystem", "*Contract", "*Front",
            ])),
    ]

    /// How many files may say `import CLibuv`.
    static let libuvFilesMax = 9

    static func row(for path: String) -> ImportRow? {
        let parts = path.split(separator: "/").dropLast()
        return rows.first { row in
            let pattern = row.directory.split(separator: "/")
            return pattern.count <= parts.count
                && zip(pattern, parts).allSatisfy { $0 == "*" || $0 == $1 }
        }
    }
}

extension ImportRow {
    func allows(_ module: String) -> Bool {
        allowed.contains(module)
            || allowed.contains { $0.hasPrefix("*") && module.hasSuffix($0.dropFirst()) }
    }
}
