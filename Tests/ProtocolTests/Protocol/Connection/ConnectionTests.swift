// ConnectionTests: what a connection takes from whom and when, and how it ends.

import NapkinProtocol
import Testing

struct ConnectionTests {
    private static let hello = Hello(role: .front, client: "test 1")
    private static let welcome = Welcome(version: .current, server: "server", pid: 7)

    /// A connection of these two that stands; `isAttached` where that makes a difference.
    private func standing(_ local: Party, _ peer: Party, isAttached: Bool) -> WireEnd.Stream? {
        let stream: WireEnd.Stream
        switch (local, peer) {
        case (.worker, .front), (.napkind, .front), (.napkind, .tool), (.napkind, .worker):
            guard let role = PeerRole(rawValue: peer.rawValue) else { return nil }
            stream = WireEnd.Stream(.acceptor(local, server: "server", pid: 7))
            stream.take(
                Transcript.frame(
                    FrameHeader(.hello), value: Hello(role: role, client: "test 1")))
        case (.worker, .child) where isAttached:
            stream = WireEnd.Stream(.acceptor(local, server: "server", pid: 7))
            stream.take(
                Transcript.frame(
                    FrameHeader(.hello), value: Hello(role: .child, client: "test 1")))
        case (.child, .worker) where isAttached:
            stream = WireEnd.Stream(
                .initiator(Hello(role: .child, client: "test 1"), towards: peer))
            stream.take(Transcript.frame(FrameHeader(.welcome), value: Self.welcome))
        case (.front, .worker), (.front, .napkind), (.tool, .napkind), (.worker, .napkind):
            guard let role = PeerRole(rawValue: local.rawValue) else { return nil }
            stream = WireEnd.Stream(
                .initiator(Hello(role: role, client: "test 1"), towards: peer))
            stream.take(Transcript.frame(FrameHeader(.welcome), value: Self.welcome))
        default: return nil
        }
        if isAttached, let opening = FrameKindSet.opening(from: peer, to: local) {
            stream.take(Transcript.frame(FrameHeader(opening)))
            if local == .worker { stream.machine.attachedSent() }
        }
        return stream
    }

    @Test(arguments: [false, true])
    func `each party may say what the specification's table says, and nothing else`(
        isAttached: Bool
    ) throws {
        var passed: Set<FrameKind> = []
        for local in Party.allCases {
            for peer in Party.allCases {
                for kind in FrameKind.allCases {
                    guard let stream = standing(local, peer, isAttached: isAttached) else {
                        continue
                    }
                    #expect(stream.machine.isEstablished)
                    stream.take(Transcript.frame(FrameHeader(kind, sequence: 9)))
                    let action = try #require(stream.taken.last?.action)
                    let opening = FrameKindSet.opening(from: peer, to: local)
                    let talk = FrameKindSet.talk(from: peer, to: local)
                    let mayTalk = opening == nil || isAttached
                    let isEarly = !isAttached && peer == .worker && kind == .contractWanted
                    switch kind {
                    case .ping: #expect(action == .answerPing(9))
                    case .pong: #expect(action == .deliver)
                    case .goodbye:
                        #expect(
                            action
                                == .end(
                                    .close(
                                        .refused(
                                            Refusal(
                                                .shuttingDown, "the other side said goodbye")))))
                    case _ where kind == opening && !isAttached,
                        _ where mayTalk && talk.contains(kind), _ where isEarly && local == .front:
                        #expect(action == .deliver, "\(kind) from \(peer) to \(local)")
                        passed.insert(kind)
                    default:
                        let place =
                            mayTalk ? "where none is due" : "before the front was attached"
                        let what = "a frame of the kind \(kind) from a \(peer), \(place)"
                        let refusal = Refusal(.protocolViolation, what)
                        #expect(action == .end(.say(.goodbye, refusal)))
                        #expect(!stream.machine.isOpen)
                    }
                }
            }
        }
        // Nothing was forgotten in the table: what nobody may say belongs to the handshake.
        let rest = Set(FrameKind.allCases).subtracting(passed)
        let handshake: Set<FrameKind> = [.hello, .welcome, .ping, .pong, .goodbye]
        // A child is attached without any.
        let setUp: Set<FrameKind> = [.contract, .contractWanted]
        #expect(isAttached ? rest == handshake.union(setUp) : passed.count == 11)
    }

    @Test func `between attach and attached a front says no more than it is asked`() {
        for (kind, isDelivered) in [(FrameKind.contract, true), (.event, false), (.attach, false)] {
            let stream = standing(.worker, .front, isAttached: false)
            stream?.take(Transcript.frame(FrameHeader(.attach)))
            stream?.take(Transcript.frame(FrameHeader(kind)))
            #expect((stream?.taken.last?.action == .deliver) == isDelivered)
        }
    }

    @Test func `nothing but the handshake comes first`() {
        for kind in FrameKind.allCases where kind != .hello && kind != .refused {
            let stream = WireEnd.Stream(.acceptor(.napkind, server: "server", pid: 7))
            stream.take(Transcript.frame(FrameHeader(kind)))
            guard case .end(.say(.refused, let refusal)) = stream.taken.last?.action else {
                Issue.record("a \(kind) frame came first")
                continue
            }
            #expect(refusal.code == .protocolViolation)
            #expect(refusal.message.hasSuffix("arrived before the handshake was done"))
        }
    }

    @Test(arguments: [-1, 0, 1]) func `a frame's limit grows with the handshake`(offset: Int) {
        let stream = WireEnd.Stream(.acceptor(.napkind, server: "server", pid: 7))
        #expect(stream.machine.frameLimit == Limits.handshakeFrameBytesMax)
        var length = UInt32(Limits.handshakeFrameBytesMax + offset).littleEndian
        withUnsafeBytes(of: &length) { stream.take(Array($0)) }
        #expect((stream.broken != nil) == (offset > 0))
        func limit(_ local: Party, _ peer: Party) -> Int? {
            standing(local, peer, isAttached: false)?.machine.frameLimit
        }
        for peer in [Party.tool, .front, .worker] {
            #expect(limit(.napkind, peer) == 65_536 && limit(peer, .napkind) == 65_536)
        }
        #expect(limit(.worker, .front) == 16_777_216 && limit(.front, .worker) == 16_777_216)
    }

    @Test func `an initiator sends as much with its hello as later`() {
        let hello = Hello(role: .front, client: "front")
        for (party, limit) in [(Party.napkind, 65_536), (.worker, 16_777_216)] {
            var machine = ConnectionStateMachine(role: .initiator(hello, towards: party))
            #expect(machine.connected() == hello)
            #expect(machine.outputLimit == limit && machine.frameLimit == 4096)
        }
        let role = ConnectionStateMachine.Role.acceptor(.worker, server: "server", pid: 7)
        #expect(ConnectionStateMachine(role: role).outputLimit == 4096)
    }

    @Test func `a peer that is not admitted hears why, and nothing it sent is looked at`() {
        var machine = ConnectionStateMachine(role: .acceptor(.worker, server: "server", pid: 7))
        #expect(machine.connected() == nil)
        let bytes = Transcript.frame(FrameHeader(.hello), value: Self.hello)
        let action = bytes.dropFirst(FrameHeader.byteCount).withUnsafeBytes {
            machine.frameReceived(FrameHeader(.hello), $0)
        }
        #expect(action == .decideAdmission(Self.hello))
        let refusal = Refusal(.badTicket, "no")
        #expect(machine.admissionDecided(refusal) == .end(.say(.refused, refusal)))
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(machine.frameReceived(FrameHeader(.attach), empty) == .ignore)
        #expect(machine.outputFlushed(hasPendingOutput: false) == .close(.refused(refusal)))
        #expect(machine.closed() == .none)
    }

    // MARK: - Ending

    private func tool() -> ConnectionStateMachine {
        standing(.napkind, .tool, isAttached: false)?.machine
            ?? ConnectionStateMachine(role: .acceptor(.napkind, server: "", pid: 0))
    }

    @Test func `a farewell is written before the connection is closed, or its deadline passes`() {
        let refusal = Refusal(.overloaded, "enough")
        var written = tool()
        #expect(written.refused(refusal) == .say(.goodbye, refusal))
        #expect(written.outputFlushed(hasPendingOutput: true) == .awaitOutput)
        #expect(written.refused(refusal) == .none)
        #expect(written.violationFound("late") == .none)
        #expect(written.outputWritten() == .close(.refused(refusal)))
        var unread = tool()
        #expect(unread.violationFound("odd") == .say(.goodbye, Refusal(.protocolViolation, "odd")))
        #expect(unread.outputFlushed(hasPendingOutput: true) == .awaitOutput)
        #expect(unread.deadlinePassed() == .close(.violated("odd")))
        #expect(unread.deadlinePassed() == .none)
    }

    @Test func `a peer that has finished still gets what is under way`() {
        var idle = tool()
        #expect(idle.peerFinished(hasPendingOutput: false) == .close(.peerClosed))
        var busy = tool()
        #expect(busy.peerFinished(hasPendingOutput: true) == .awaitOutput)
        #expect(!busy.isOpen)
        #expect(busy.outputWritten() == .close(.peerClosed))
        var stranger = ConnectionStateMachine(role: .acceptor(.napkind, server: "", pid: 0))
        _ = stranger.connected()
        #expect(stranger.peerFinished(hasPendingOutput: true) == .close(.peerClosed))
    }

    @Test func `a connection ends once, whatever ends it first`() {
        let ends: [(String, (inout ConnectionStateMachine) -> ConnectionStateMachine.EndAction)] = [
            ("closed", { $0.closed() }),
            ("failed", { $0.transportFailed("broken") }),
            ("reset", { $0.transportFailed(nil) }),
            ("finished", { $0.peerFinished(hasPendingOutput: false) }),
        ]
        for (first, end) in ends {
            for (second, again) in ends {
                var machine = tool()
                guard case .close = end(&machine) else {
                    Issue.record("\(first) does not close")
                    continue
                }
                #expect(again(&machine) == .none, "\(second) after \(first)")
                #expect(machine.outputWritten() == .none)
            }
        }
    }

    @Test func `nothing is delivered after the end, whatever ended it`() {
        let refusal = Refusal(.overloaded, "enough")
        let ends: [(inout ConnectionStateMachine) -> ConnectionStateMachine.EndAction] = [
            { $0.closed() }, { $0.refused(refusal) }, { $0.violationFound("odd") },
            { $0.transportFailed(nil) }, { $0.peerFinished(hasPendingOutput: true) },
        ]
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        for end in ends {
            var machine = tool()
            #expect(machine.frameReceived(FrameHeader(.query), empty) == .deliver)
            #expect(end(&machine) != .none)
            for kind in [FrameKind.query, .pong, .ping, .goodbye, .event] {
                #expect(machine.frameReceived(FrameHeader(kind), empty) == .ignore)
            }
        }
    }

    @Test func `a handshake that does not come is refused`() {
        var machine = ConnectionStateMachine(role: .acceptor(.napkind, server: "server", pid: 7))
        _ = machine.connected()
        let refusal = Refusal(.protocolViolation, "no handshake within 5 s")
        #expect(machine.deadlinePassed() == .say(.refused, refusal))
        var standing = tool()
        #expect(standing.deadlinePassed() == .none)
    }
}
