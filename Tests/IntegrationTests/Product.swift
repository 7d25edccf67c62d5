// Product: where the built executables are.

import Foundation

enum Product {
    /// The executable of that name beside the test bundle.
    static func path(_ name: String) throws -> String {
        let bundle = [Bundle.main.bundlePath, Bundle.main.executablePath ?? ""]
        let places = CommandLine.arguments + bundle
        for place in places {
            var directory = URL(fileURLWithPath: place)
            while directory.path != "/" {
                directory.deleteLastPathComponent()
                let candidate = directory.appendingPathComponent(name).path
                if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
            }
        }
        throw Failure("\(name) has not been built; run `swift build` first")
    }
}

/// What a test could not do.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
