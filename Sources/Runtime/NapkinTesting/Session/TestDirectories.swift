// TestDirectories: the directories and clocks of an app under test.
//
// Ownership  owned by the session, which removes them when it ends.

import Foundation
import NapkinCore
import NapkinTransport

struct TestDirectories {
    private let parent: String
    let presence = StateCell<[AttachedFront]>([])
    let clock = ManualClock()
    let wall: ManualWallClock

    /// Creates both. Traps if the machine has no directory for temporary files.
    init() {
        wall = ManualWallClock(clock)
        parent =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("napkin-test-\(UUID().uuidString)").path
        for path in [data, cache] {
            do {
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            } catch {
                preconditionFailure("no directory for a session under test: \(error)")
            }
        }
    }

    private var data: String { parent + "/data" }
    private var cache: String { parent + "/cache" }

    /// Returns the context for the session's root.
    func context(of app: String, _ configuration: Configuration) -> SessionContext {
        SessionContext(
            name: "test", id: "test", dataDirectory: data, cacheDirectory: cache,
            configuration: configuration, logger: Logger(label: app), clock: AnyClock(clock),
            wallClock: WallClock { [wall] in wall.unixTime }, presence: presence)
    }

    func remove() {
        // A test's held programs end with the test.
        let programs = data + "/programs/test.held"
        for name in HeldFiles.names(in: programs) {
            HeldFiles("\(programs)/\(name)\(HeldFiles.suffix)")?.end(grace: .zero)
        }
        // A test may have removed it already.
        try? FileManager.default.removeItem(atPath: parent)
    }
}
