// Build: the build that this test is a part of: its modules and its macro plug-in.

import Foundation

/// Found from the path of the running test, so that each configuration and each scratch path tests
/// what it has built itself.
struct Build {
    /// Where the modules are that this test was compiled with.
    let modules: URL
    /// The executable with the macros.
    let plugin: URL

    /// What a contract may see, and so may the snippets: the core, what it exports, and
    /// NapkinFoundation.
    static let contractModules = ["NapkinCore", "NapkinCoding", "NapkinFoundation", "Logging"]

    init() throws {
        let places =
            CommandLine.arguments + [Bundle.main.bundlePath, Bundle.main.executablePath ?? ""]
        for place in places {
            var directory = URL(fileURLWithPath: place).standardizedFileURL
            while directory.path != "/" {
                directory.deleteLastPathComponent()
                if let build = Self(in: directory) {
                    self = build
                    return
                }
            }
        }
        throw Failure("no directory above \(places) has the modules of this build")
    }

    private init?(in directory: URL) {
        func exists(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path) }
        modules = directory.appendingPathComponent("Modules")
        guard exists(modules.appendingPathComponent("CompileFailTests.swiftmodule")) else {
            return nil
        }
        let plugin = ["NapkinMacros-tool", "NapkinMacros"].map(directory.appendingPathComponent)
            .first { FileManager.default.isExecutableFile(atPath: $0.path) && exists($0) }
        guard let plugin else { return nil }
        self.plugin = plugin
    }

    /// Links to the modules that a contract may see, in a directory that has no others.
    func linkContractModules(in directory: URL) throws {
        for name in Self.contractModules {
            let file = "\(name).swiftmodule"
            try FileManager.default.createSymbolicLink(
                at: directory.appendingPathComponent(file),
                withDestinationURL: modules.appendingPathComponent(file))
        }
    }
}

/// What a test could not do.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
