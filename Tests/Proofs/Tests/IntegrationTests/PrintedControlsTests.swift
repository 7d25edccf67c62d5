// PrintedControlsTests: whatever peers call themselves and say, no control of theirs is printed.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PrintedControlsTests {
    private static let app = "transcription"
    private static let recorder = "transcription.recorder"

    /// Two names, since a client's has at most 128 bytes: the controls of ASCII and what turns text
    /// around, and the controls of Unicode's first 256 characters with its own line breaks.
    private static let names = [
        [
            0...0x1F, 0x7F...0x7F, 0x061C...0x061C, 0x200E...0x200F, 0x202A...0x202E,
            0x2066...0x2069,
        ],
        [0x80...0x9F, 0x2028...0x2029],
    ].map { ranges in
        let scalars = ranges.joined().compactMap { Unicode.Scalar(UInt32($0)) }
        return "\u{1B}[2J" + String(String.UnicodeScalarView(scalars)) + "\nforged line"
    }
    /// Every control in a JSON string, each as an escape.
    private static let json =
        "\""
        + names.joined().unicodeScalars.map { "\\u" + String(format: "%04x", $0.value) }
        .joined() + "\""

    private func expectHarmless(
        _ text: String, has mark: String? = nil, at location: SourceLocation = #_sourceLocation
    ) {
        let controls = text.unicodeScalars.filter { scalar in
            let properties = scalar.properties
            return scalar != "\n"
                && (properties.isBidiControl
                    || [.control, .lineSeparator, .paragraphSeparator].contains(
                        properties.generalCategory))
        }
        let codes = controls.map { String($0.value, radix: 16) }
        #expect(codes.isEmpty, "\(text)", sourceLocation: location)
        #expect(!text.contains("\nforged line"), "\(text)", sourceLocation: location)
        if let mark { #expect(text.contains(mark), "\(text)", sourceLocation: location) }
    }

    /// A front of a session under a name of its own, which stays until it is released.
    private func stranger(_ place: Workplace, called name: String) throws -> RawPeer {
        let ticket = try RawPeer.ticket(at: place.socket, app: Self.app)
        let peer = try RawPeer(
            welcomedAt: "\(place.directory)/\(Self.app).sock",
            Item.hello(client: name, ticket: ticket))
        peer.send(RawPeer.attach())
        guard try peer.readFrame().kind == 33 else { throw Failure("not attached") }
        return peer
    }

    /// A session whose fronts, states and errors have every control.
    private struct Scene {
        let place: Workplace
        let daemon: Child
        let front: ControlFront
        let strangers: [RawPeer]
    }

    private func scene() async throws -> Scene {
        let place = Workplace(app: Self.app)
        let daemon = try await place.daemon(["--log-level", "trace"])
        let front = try await place.front()
        try await front.mounts(Self.recorder)
        let strangers = try Self.names.map { try stranger(place, called: $0) }
        try await choose(front)
        return Scene(place: place, daemon: daemon, front: front, strangers: strangers)
    }

    /// Makes a state of the controls.
    private func choose(_ front: ControlFront) async throws {
        let reply = try await front.call(Self.recorder, "didChoose(source:)", "[\(Self.json)]")
        #expect(reply.isOK)
    }

    @Test
    func `in listings, in errors of peers, in traces, and on a front of any kind`()
        async throws
    {
        let scene = try await scene()
        let place = scene.place
        let table = try await place.run(["ls"])
        #expect(table.status == 0)
        expectHarmless(table.lines.joined(separator: "\n"), has: #"\u{1B}[2J\0\u{01}"#)
        // A heading, the front of this test and the two strangers.
        #expect(table.lines.count == 4)
        let json = try await place.run(["ls", "--json"])
        expectHarmless(json.lines.joined(separator: "\n"), has: #"\u202e"#)
        let fronts = try JSON.array(json.lines.joined()).first?["fronts"] as? [[String: Any]]
        let clients = fronts?.compactMap { $0["client"] as? String } ?? []
        #expect(Set(clients).isSuperset(of: Self.names))
        let others = [
            ["tree"], ["tree", "--json"], ["tree", "--inventory"], ["apps"], ["apps", "--json"],
            ["top", "--count", "1", "--interval", "0.1"], ["schema", Self.app], ["ping"],
            ["top", "--count", "1", "--interval", "0.1", "--json"], ["version"],
        ]
        for command in others {
            let result = try await place.run(command)
            #expect(result.status == 0, "\(command): \(result.errors)")
            expectHarmless(result.lines.joined(separator: "\n"))
            expectHarmless(result.errors)
        }
        expectHarmless(scene.daemon.errorText)
        let failed = try await place.run(["send", Self.app, Self.recorder, "didTapRecord()"])
        #expect(failed.status == 1)
        expectHarmless(failed.errors, has: #"\u{1B}[2J"#)
        try await inMessages(scene)
    }

    private func inMessages(_ scene: Scene) async throws {
        let (place, front) = (scene.place, scene.front)
        let text = try place.client(["trace", Self.app, "--values"])
        try await text.errors { $0.contains("tracing") }
        let json = try place.client(["trace", Self.app, "--values", "--json"])
        _ = try await json.line { $0.contains("tracing") }
        try await choose(front)
        let (_, traced) = try await text.line { $0.contains(" reply ") }
        #expect(!traced.isEmpty)
        _ = try await json.line { $0.contains(#""kind":"reply""#) }
        expectHarmless(text.lines.joined(separator: "\n"), has: #"\u{202E}"#)
        expectHarmless(json.lines.joined(separator: "\n"), has: #"\u202e"#)
        for line in json.lines { _ = try JSON.object(line) }
        expectHarmless(front.child.lines.joined(separator: "\n"), has: #"\u202e"#)
        let source = front.screen.value(Self.recorder, "present(source:)") ?? ""
        #expect(try JSON.text(Self.names.joined()) == source)
        let plain = try place.client(["attach", Self.app, "--plain"])
        _ = try await plain.line { $0.contains("forged line") }
        expectHarmless(plain.lines.joined(separator: "\n"), has: "\u{FFFD}")
        expectHarmless(scene.daemon.errorText)
    }

    @Test func `in the daemon's log and its errors`() async throws {
        let place = Workplace(apps: [])
        let name = Self.names[0].replacing("\0", with: "").replacing("/", with: "")
        let socket = "\(place.directory)/\(name)"
        let daemon = try Child(
            Product.path("napkind"),
            ["--socket", socket, "--state-dir", place.state, "--log-level", "info"],
            environment: place.environment)
        try await daemon.errors { $0.contains("] ready") }
        expectHarmless(daemon.errorText, has: #"\u{1B}[2J\u{01}"#)
        #expect(daemon.errorText.filter { $0 == "\n" }.count == 1)
        let other = try Child(
            Product.path("napkind"), ["--socket", socket, "--state-dir", place.state],
            environment: place.environment)
        #expect(await other.exit() == 69)
        expectHarmless(await other.allErrors())
        let wrong = try Child(Product.path("napkind"), ["--log-level", name])
        #expect(await wrong.exit() == 64)
        expectHarmless(await wrong.allErrors(), has: #"\u{1B}"#)
    }
}
