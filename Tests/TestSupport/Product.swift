// Product: where the built executables are.

import Foundation

package enum Product {
    /// The executable of that name in the directory `NAPKIN_PRODUCTS`, beside the test bundle, or
    /// beside this program.
    package static func path(_ name: String) throws -> String {
        let bundle = [Bundle.main.bundlePath, Bundle.main.executablePath ?? ""]
        let chosen = ProcessInfo.processInfo.environment["NAPKIN_PRODUCTS"].map { "\($0)/\(name)" }
        for place in [chosen].compactMap(\.self) + CommandLine.arguments + bundle {
            var directory = URL(fileURLWithPath: place)
            while directory.path != "/" {
                directory.deleteLastPathComponent()
                let candidate = directory.appendingPathComponent(name).path
                if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
            }
        }
        throw Failure("\(name) has not been built; run `swift build` first")
    }

    /// Copies an executable. A child that inherited the open copy would keep it from running.
    package static func copy(_ name: String, to path: String) throws {
        let original = try Self.path(name)
        try Spawned.alone {
            try FileManager.default.copyItem(atPath: original, toPath: path)
        }
    }
}
