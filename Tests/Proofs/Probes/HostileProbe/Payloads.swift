// Payloads: what the probe's frames carry, encoded once.
//
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding
import NapkinProtocol

/// Well-formed payloads of every kind.
enum Payloads {
    static let app = "questions"
    static let desk = "questions.desk"
    static let note = "questions.note"

    static let yes = encoded(true)
    static let maybe = encoded("maybe")
    static let emptyContract = encoded([String]())

    /// A payload that a frame of that kind may have, whoever sends it.
    static func any(_ kind: FrameKind) -> [UInt8] { ofKind[kind] ?? [] }

    private static let ofKind: [FrameKind: [UInt8]] = [
        .hello: hello(ticket: nil),
        .welcome: encoded(Welcome(version: .current, server: "probe", pid: 1)),
        .refused: encoded(Refusal(.overloaded, "no")),
        .goodbye: encoded(Refusal(.overloaded, "enough")),
        .query: encoded(Query.sessions(app: app)),
        .answer: yes,
        .open: encoded(Open(app: app)),
        .redirect: encoded(Redirect(socket: "/s", ticket: ticketless, app: app, session: app)),
        .attach: encoded(Attach()),
        .attached: encoded(
            Attached(app: app, session: app, front: 1, epoch: 1, window: 1, isResumed: false)),
        .transition: unmountTwice,
        .state: yes,
        .effect: yes,
        .fault: encoded(Fault(code: "failed", message: "no")),
        .ask: encoded("Empty the desk?"),
        .askReply: yes,
        .detach: yes,
        .schema: emptyContract,
        .contractWanted: encoded([desk]),
        .contract: emptyContract,
        .openURL: encoded(OpenURL(url: "app://place")),
        .register: encoded(Register(app: app, pid: 1, socket: "/s", sessions: [])),
        .admit: encoded(Admit(ticket: ticketless, session: app, pid: 1)),
        .drain: yes,
    ]

    /// [{"unmount": 1}, {"unmount": 1}]
    private static let unmountTwice = encoded([["unmount": 1], ["unmount": 1]])

    /// Has the form of a ticket.
    static let ticketless = "00000000000000000000000000000000"

    static func hello(
        role: PeerRole = .front, ticket: String?, newest: ProtocolVersion = .current,
        oldest: ProtocolVersion = .oldest, client: String = "hostile 1"
    ) -> [UInt8] {
        encoded(
            Hello(oldest: oldest, newest: newest, role: role, client: client, ticket: ticket))
    }

    static func encoded(_ value: some Encodable) -> [UInt8] {
        var writer = CBORWriter()
        do {
            try writer.write(value)
        } catch {
            preconditionFailure("a payload of the probe cannot be encoded: \(error)")
        }
        return writer.copyBytes()
    }

    static func decoded<T: Decodable>(
        _ type: T.Type, _ bytes: UnsafeRawBufferPointer
    ) throws(CBORError) -> T {
        var reader = CBORReader(bytes)
        let value = try reader.read(type)
        try reader.expectEnd()
        return value
    }

    static func operations(
        _ bytes: UnsafeRawBufferPointer
    ) throws(CBORError) -> [Transition.Operation] {
        var reader = CBORReader(bytes)
        let transition = try Transition(from: &reader)
        try reader.expectEnd()
        return transition.operations
    }
}
