// TestDirectories: the directories of an app under test.
//
// Ownership  owned by the session, which removes them when it ends.

import Foundation
import NapkinCore
import NapkinTransport

struct TestDirectories {
    private let parent: URL
    let presence = StateCell<[AttachedFront]>([])

    /// Creates both. Traps if the machine has no directory for temporary files.
    init() {
        parent = FileManager.default.temporaryDirectory
            .appendingPathComponent("napkin-test-\(UUID().uuidString)")
        for name in [Self.data, Self.cache] {
            do {
                try FileManager.default.createDirectory(
                    at: parent.appendingPathComponent(name), withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            } catch {
                preconditionFailure("no directory for a session under test: \(error)")
            }
        }
    }

    private static let data = "data"
    private static let cache = "cache"

    /// Returns the context for the session's root.
    func context(
        of app: String, _ configuration: Configuration, _ clock: AnyClock
    ) -> SessionContext {
        SessionContext(
            name: "test", id: "test",
            dataDirectory: parent.appendingPathComponent(Self.data).path,
            cacheDirectory: parent.appendingPathComponent(Self.cache).path,
            configuration: configuration, logger: Logger(label: app), clock: clock,
            presence: presence)
    }

    func remove() {
        // A test's programs end with it.
        let programs = parent.appendingPathComponent(Self.data).path + "/programs/test.held"
        for name in HeldFiles.names(in: programs) {
            HeldFiles("\(programs)/\(name)\(HeldFiles.suffix)")?.end(grace: .zero)
        }
        // A test may have removed it already.
        try? FileManager.default.removeItem(at: parent)
    }
}
