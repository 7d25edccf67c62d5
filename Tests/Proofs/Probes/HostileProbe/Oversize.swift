// Oversize: payloads that make a frame exactly so long, by one long text each.
//
// Spec       Protocol/SPEC.md, sections 5 (Framing) and 6 (Messages)

import NapkinCoding
import NapkinProtocol
import ProofSupport

/// A frame's payload, made of a text of any length.
struct Oversize: Sendable {
    /// For people: which field of what is long.
    let name: String
    let kind: FrameKind
    private let make: @Sendable (String) -> [UInt8]

    init(_ name: String, _ kind: FrameKind, _ make: @escaping @Sendable (String) -> [UInt8]) {
        self.name = name
        self.kind = kind
        self.make = make
    }

    init(_ query: String, _ make: @escaping @Sendable (String) -> Query) {
        self.init("query \(query)", .query) { Payloads.encoded(make($0)) }
    }

    /// The frame whose length field says `length`.
    func frame(_ length: Int, sequence: UInt64) throws -> [UInt8] {
        let wanted = length + FrameHeader.lengthByteCount - FrameHeader.byteCount
        let rest = wanted - make("").count
        // The head of an empty text has one byte, that of a longer one three, or five.
        let text = rest - (rest - 2 > Int(UInt16.max) ? 4 : 2)
        let payload = make(Self.text(max(0, text)))
        guard payload.count == wanted else {
            throw Failure("there is no \(name) of \(length) bytes")
        }
        return Self.frame(FrameHeader(kind, sequence: sequence), payload)
    }

    /// So many letters, a kilobyte at a time: one by one takes seconds.
    private static func text(_ count: Int) -> String {
        let kilobyte = String(repeating: "a", count: 1024)
        return String(repeating: kilobyte, count: count / 1024)
            + String(repeating: "a", count: count % 1024)
    }

    /// Any frame, also one that no writer would write.
    static func frame(_ header: FrameHeader, _ payload: [UInt8], length: Int? = nil) -> [UInt8] {
        var writer = CBORWriter()
        FrameHeader.finish(frameAt: header.begin(in: &writer), in: &writer)
        var bytes = writer.copyBytes()
        bytes.reserveCapacity(bytes.count + payload.count)
        let length = length ?? bytes.count - FrameHeader.lengthByteCount + payload.count
        for index in 0..<FrameHeader.lengthByteCount {
            bytes[index] = UInt8(truncatingIfNeeded: length >> (8 * index))
        }
        bytes += payload
        return bytes
    }

    /// The kinds whose payload nobody reads, or only as one text.
    private static func plain(_ kinds: [FrameKind]) -> [Oversize] {
        kinds.map { kind in Oversize("\(kind)", kind) { Payloads.encoded($0) } }
    }

    /// Whoever says it.
    static let hello = Oversize("hello.client", .hello) {
        Payloads.hello(ticket: nil, client: $0)
    }

    /// What fronts and tools send to napkind.
    static let requests =
        [
            Oversize("open.app", .open) { Payloads.encoded(Open(app: $0)) },
            Oversize("open.session", .open) {
                Payloads.encoded(Open(app: Payloads.app, session: $0))
            },
            Oversize("tree") { .tree(app: nil, session: $0) },
            Oversize("tree.app") { .tree(app: $0, session: nil) },
            Oversize("sessions") { .sessions(app: $0) },
            Oversize("more") { .more(app: $0, session: nil, cursor: 1) },
            Oversize("kill") { .kill(session: $0) },
            Oversize("schema") { .schema(app: $0) },
            Oversize("detach") { .detach(session: $0, front: nil) },
            Oversize("rename") { .rename(session: $0, to: "b") },
            Oversize("rename.to") { .rename(session: Payloads.app, to: $0) },
            Oversize("watch.app") {
                .watch(app: $0, session: nil, digest: nil, milliseconds: nil, inventory: nil)
            },
            Oversize("watch") {
                .watch(
                    app: Payloads.app, session: $0, digest: nil, milliseconds: nil, inventory: nil)
            },
            Oversize("top.app") { .top(app: $0, session: nil) },
            Oversize("top") { .top(app: Payloads.app, session: $0) },
            Oversize("trace") { .trace(session: $0, tracer: nil, feature: nil, values: nil) },
            Oversize("trace.feature") {
                .trace(session: Payloads.app, tracer: nil, feature: $0, values: nil)
            },
        ] + plain([.ping, .pong, .goodbye, .answer, .attach, .event])

    /// What workers send to napkind.
    static let registrations =
        [
            Oversize("register.app", .register) {
                Payloads.encoded(Register(app: $0, pid: 1, socket: "/s", sessions: []))
            },
            Oversize("register.socket", .register) {
                Payloads.encoded(Register(app: Payloads.app, pid: 1, socket: $0, sessions: []))
            },
            Oversize("register.sessions", .register) {
                Payloads.encoded(Register(app: Payloads.app, pid: 1, socket: "/s", sessions: [$0]))
            },
        ] + plain([.answer, .refused, .redirect, .admit, .drain])

    /// What comes to a worker before the attach.
    static let arrivals =
        [
            Oversize("attach.contracts", .attach) {
                Payloads.encoded(Attach(contracts: [$0: 1]))
            }
        ] + plain([.contract, .event, .ping, .pong, .goodbye, .detach])

    /// What attached fronts send.
    static let visits =
        [
            Oversize("openURL", .openURL) { Payloads.encoded(OpenURL(url: $0)) },
            Oversize("openURL.place", .openURL) {
                Payloads.encoded(OpenURL(url: "questions://\($0)"))
            },
        ]
        + plain([
            .event, .cancelEvent, .askReply, .received, .cancelWorkflow, .measured, .detach, .ping,
            .pong, .contract, .attach, .state, .transition, .ask, .reply, .fault, .goodbye,
            .refused, .query,
        ])
}
