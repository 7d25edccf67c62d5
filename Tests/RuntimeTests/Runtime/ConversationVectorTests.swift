// ConversationVectorTests: golden conversations, of which the library is napkind and the worker.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

/// One step: a frame, or the end of a connection.
private struct Step {
    let connection: UInt64
    let from: String?
    let to: String?
    let ends: String?
    let bytes: [UInt8]

    init(_ value: JSONValue) throws {
        let fields = try #require(value.object)
        connection = try #require(fields["connection"]?.unsigned)
        from = fields["from"]?.text
        to = fields["to"]?.text
        ends = fields["ends"]?.text
        bytes = try fields["frame"].map(Vector.bytes) ?? []
    }

    /// Gives the step's frame to a body.
    func read<T>(_ body: (Frame) throws -> T) throws -> T {
        try bytes.withUnsafeBytes { bytes in
            var rest = bytes
            var decoder = FrameDecoder(limit: Limits.controlFrameBytesMax)
            return try body(try #require(try decoder.next(&rest)))
        }
    }
}

/// napkind's side of a connection: what it answers, and whether what it is said to send is what
/// the library writes.
private struct Napkind {
    private var machine = ConnectionStateMachine(
        role: .acceptor(.napkind, server: "napkind 1.0", pid: 4711))
    private var welcome: Welcome?

    init() { #expect(machine.connected() == nil) }

    mutating func play(_ step: Step) throws {
        if step.from == "front" {
            let action = try step.read { machine.frameReceived($0.header, $0.payload) }
            guard case .decideAdmission = action else { return #expect(action == .deliver) }
            guard case .welcome(let sent) = machine.admissionDecided(nil) else {
                return #expect(Bool(false), "the front is not welcome")
            }
            welcome = sent
        } else if let sent = welcome.take() {
            #expect(try FrameHeader(.welcome).encoded(sent) == step.bytes)
        } else {
            let again = try step.read { frame in
                try frame.header.encoded(try frame.payload.decode(Redirect.self))
            }
            #expect(again == step.bytes)
        }
    }
}

extension RuntimeTests {
    /// A session whose root asks, waits for the latch, and counts how often it began to.
    private func setup(_ latch: Latch, _ runs: Peak) async -> SessionSetup {
        let setup = await SessionSetup()
        await setup.root.interactor.teach("ask") { interactor in
            await interactor.presenter.tell("one moment")
            return try await interactor.presenter.confirm("sure?") ? "yes" : "no"
        }
        await setup.root.interactor.teach("wait") { _ in
            await MainActor.run { runs.note(runs.value + 1) }
            await latch.wait()
            return "done"
        }
        return setup
    }

    @Test(arguments: Vector.all(.conversations))
    func `a golden conversation is what napkind and a worker say`(_ vector: Vector) async throws {
        let (latch, runs) = (Latch(), Peak())
        let setup = await setup(latch, runs)
        var daemons: [UInt64: Napkind] = [:]
        var peers: [UInt64: FramePeer] = [:]
        for (index, value) in try #require(vector["steps"]?.array).enumerated() {
            let step = try Step(value)
            if step.to == "napkind" || daemons[step.connection] != nil {
                guard step.ends == nil else { continue }
                try daemons[step.connection, default: Napkind()].play(step)
                continue
            }
            if peers[step.connection] == nil {
                peers[step.connection] = try FramePeer { setup.admit($0) }
            }
            let peer = try #require(peers[step.connection])
            switch (step.from, step.ends) {
            case ("front", _):
                peer.send(step.bytes)
            case ("worker", _):
                let sent = try #require(await peer.next(), "step \(index + 1)")
                #expect(sent.bytes == step.bytes, "step \(index + 1): \(sent)")
            case (_, "worker"):
                #expect(await peer.next() == nil)
            default:
                #expect(await settles { runs.value == 1 })
                peer.channel.close()
                #expect(await settles { setup.session.fronts.isEmpty })
                latch.open()
            }
        }
        #expect(runs.value == 1)
        await setup.end()
    }
}

/// The highest of the numbers that it was told.
@MainActor
private final class Peak {
    private(set) var value = 0
    func note(_ number: Int) { value = max(value, number) }
}
