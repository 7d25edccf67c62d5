// UserPackageTests: an app's own package, whose contract imports what it may not.

import Foundation
import Testing

/// C6 for users: SwiftPM puts the modules of all targets into one directory, so that a module which
/// a target does not depend on is found there when it happens to have been built. The option that
/// this project builds itself with, too, makes it an error every time.
@Suite(.timeLimit(.minutes(10)))
struct UserPackageTests {
    private static let option = ["--explicit-target-dependency-import-check", "error"]

    private func manifest(_ body: String) -> String {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(\(body))
        """
    }

    /// A library with a core and a daemon's side, and an app that uses both.
    private func app() throws -> Scratch {
        let place = try Scratch()
        try place.write(
            manifest(
                """
                name: "lib", products: [
                    .library(name: "Core", targets: ["Core"]),
                    .library(name: "DaemonSide", targets: ["DaemonSide"]),
                ], targets: [
                    .target(name: "Core"), .target(name: "DaemonSide", dependencies: ["Core"]),
                ]
                """), to: "lib/Package.swift")
        try place.write("public struct Core {}", to: "lib/Sources/Core/Core.swift")
        try place.write("import Core", to: "lib/Sources/DaemonSide/DaemonSide.swift")
        try place.write(
            manifest(
                """
                name: "app", dependencies: [.package(path: "../lib")], targets: [
                    .target(
                        name: "AppContract",
                        dependencies: [.product(name: "Core", package: "lib")]),
                    .target(
                        name: "App", dependencies: [
                            "AppContract", .product(name: "DaemonSide", package: "lib"),
                        ]),
                ]
                """), to: "app/Package.swift")
        try place.write("import Core", to: "app/Sources/AppContract/Contract.swift")
        try place.write(
            "import AppContract\nimport DaemonSide", to: "app/Sources/App/App.swift")
        return place
    }

    @Test func `C6: a contract's target cannot import what it does not depend on`() async throws {
        let place = try app()
        defer { place.remove() }
        let arguments =
            ["build", "--package-path", place.directory.appendingPathComponent("app").path]
            + Self.option
        let (status, output) = try await Compiler.run("swift", arguments)
        #expect(status == 0, "\(output)")
        // The module of the daemon's side is there now, and the contract's compiler would find it.
        try place.write(
            "import Core\nimport DaemonSide", to: "app/Sources/AppContract/Contract.swift")
        let (refusal, words) = try await Compiler.run("swift", arguments)
        #expect(refusal != 0)
        #expect(
            words.contains(
                "Target AppContract imports another target (DaemonSide) in the package without "
                    + "declaring it a dependency"), "\(words)")
    }
}
