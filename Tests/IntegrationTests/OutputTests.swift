// OutputTests: a client whose output nobody can take says so, with its status.

import Testing

@Suite(.timeLimit(.minutes(3)))
struct OutputTests {
    @Test(arguments: ["apps", "apps --json", "ls", "attach rib-house --control", "version"])
    func `a command whose output goes to a full disk fails`(command: String) async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        let daemon = try await place.daemon()
        let program = try Product.path("napkin-client")
        let socket = command == "version" ? "" : "--socket '\(place.socket)'"
        let child = try Child(
            "/bin/sh", ["-c", "exec '\(program)' \(command) \(socket) > /dev/full"])
        #expect(await child.exit() == 74)
        expectAdvice(
            await child.allErrors(), from: "napkin-client", ["standard output"])
        _ = daemon
    }
}
