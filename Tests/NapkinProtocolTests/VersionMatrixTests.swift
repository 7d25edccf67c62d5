// VersionMatrixTests: fronts and daemons of different minor versions, all against all.

import NapkinProtocol
import Testing

/// A peer that speaks these versions, and what two of them make of it.
struct Meeting: CustomTestStringConvertible, Sendable {
    var initiator: ClosedRange<ProtocolVersion>
    var acceptor: ClosedRange<ProtocolVersion>
    /// `nil` where they have none in common.
    var agreed: ProtocolVersion?

    var testDescription: String { "\(initiator) meets \(acceptor)" }

    init(
        _ initiator: ClosedRange<ProtocolVersion>, _ acceptor: ClosedRange<ProtocolVersion>,
        _ agreed: ProtocolVersion?
    ) {
        (self.initiator, self.acceptor, self.agreed) = (initiator, acceptor, agreed)
    }
}

struct VersionMatrixTests {
    private static func minor(_ number: UInt16) -> ProtocolVersion { ProtocolVersion(1, number) }

    /// Today's, and one and two minor versions older.
    private static let now = minor(0)...minor(2)
    private static let before = minor(0)...minor(1)
    private static let first = minor(0)...minor(0)
    /// Of the next minor: it has let go of the first.
    private static let next = minor(1)...minor(3)

    static let meetings = [
        Meeting(now, now, minor(2)),
        Meeting(now, before, minor(1)),
        Meeting(now, first, minor(0)),
        Meeting(before, now, minor(1)),
        Meeting(before, before, minor(1)),
        Meeting(before, first, minor(0)),
        Meeting(first, now, minor(0)),
        Meeting(first, before, minor(0)),
        Meeting(first, first, minor(0)),
        Meeting(next, now, minor(2)),
        Meeting(now, next, minor(2)),
        Meeting(next, before, minor(1)),
        Meeting(before, next, minor(1)),
        Meeting(next, first, nil),
        Meeting(first, next, nil),
    ]

    @Test(arguments: meetings) func `both sides end with the same version`(meeting: Meeting) {
        let hello = Hello(
            role: .front, client: "front 1", oldest: meeting.initiator.lowerBound,
            newest: meeting.initiator.upperBound)
        var front = HandshakeStateMachine(role: .initiator(hello))
        var daemon = HandshakeStateMachine(
            role: .acceptor(server: "napkind 1", pid: 7), supported: meeting.acceptor)
        #expect(daemon.connected() == nil)
        #expect(front.connected() == .sendHello(hello))
        guard let agreed = meeting.agreed else {
            let refusal = Refusal(.version, refusal(of: meeting))
            #expect(daemon.helloReceived(hello) == .refuse(refusal))
            #expect(front.refusalReceived(refusal) == .refused(refusal))
            #expect(!front.isEstablished && !daemon.isEstablished)
            return
        }
        let welcome = Welcome(version: agreed, server: "napkind 1", pid: 7)
        #expect(daemon.helloReceived(hello) == .sendWelcome(welcome, to: hello))
        #expect(front.welcomeReceived(welcome) == .established(welcome))
        #expect(front.isEstablished && daemon.isEstablished)
    }

    /// It names both, and says who is to be updated: the older.
    private func refusal(of meeting: Meeting) -> String {
        let (front, daemon) = (meeting.initiator, meeting.acceptor)
        let older = front.upperBound < daemon.lowerBound ? "front 1" : "and restart napkind 1"
        return "napkind 1 speaks protocol \(daemon.lowerBound) to \(daemon.upperBound), "
            + "front 1 speaks \(front.lowerBound) to \(front.upperBound): update \(older)"
    }

    @Test func `this implementation speaks the first version and its own`() {
        #expect(ProtocolVersion.oldest == Self.minor(0))
        #expect(ProtocolVersion.current == Self.minor(5))
        #expect(ProtocolVersion.comparesContracts == Self.minor(1))
        #expect(ProtocolVersion.resumesEvents == Self.minor(2))
        #expect(ProtocolVersion.opensURLs == Self.minor(3))
        #expect(ProtocolVersion.namesSessions == Self.minor(4))
        #expect(ProtocolVersion.inspects == Self.minor(5))
    }
}
