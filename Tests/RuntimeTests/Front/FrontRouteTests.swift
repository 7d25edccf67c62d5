// FrontRouteTests: the way of fronts to napkind, alone and together.

import NapkinCore
import NapkinProtocol
import NapkinTransport
import Testing

@testable import NapkinFront

@MainActor
@Suite(.serialized, .timeLimit(.minutes(10)))
struct FrontRouteTests {
    private func connect(_ session: String, at place: Place) async -> Refusal.Code? {
        let options = FrontOptions(app: "prompts", session: session, client: "test")
        let route = DaemonRoute(DaemonAddress(socket: place.socket))
        do throws(FrontError) {
            try await route.connect(options).channel.close()
            return nil
        } catch {
            return error.refusal ?? .overloaded
        }
    }

    @Test func `fronts that come together share one connection to napkind`() async throws {
        let place = try Place()
        place.unknown = ["s3"]
        let fronts = (0..<5).map { number in
            Task.immediate { await connect("s\(number)", at: place) }
        }
        var failures: [Refusal.Code?] = []
        for front in fronts { failures.append(await front.value) }
        // One that is refused keeps no other one out.
        #expect(failures == [nil, nil, nil, .unknownSession, nil])
        #expect(place.connections == 1)
        #expect(await connect("later", at: place) == nil)
        #expect(place.connections == 2)
    }

    @Test func `a tool that cannot follow a session to its machine says so`() async throws {
        let place = try Place()
        place.machine = MachineAddress(host: "ssh://-oProxyCommand=true")
        let daemon = try await DaemonConnection.connect(
            to: DaemonAddress(socket: place.socket), client: "test", role: .tool)
        defer { daemon.close() }
        let error = await #expect(throws: FrontError.self) {
            let _: Bool = try await daemon.query(.kill(session: "lunch"))
        }
        #expect(
            error?.message == "session 'lunch' is on another machine: napkind names a machine that "
                + "ssh cannot reach: 'ssh://-oProxyCommand=true'")
    }
}
