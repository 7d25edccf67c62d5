// RawPeer frames: what a stranger may send and is answered, without any code of ours behind it.

import ProofSupport

extension RawPeer {
    /// The next whole frame: its kind and its payload.
    func readFrame() throws -> (kind: UInt8, payload: [UInt8]) {
        let (kind, _, payload) = try readNumberedFrame()
        return (kind, payload)
    }

    /// The next whole frame with its sequence.
    func readNumberedFrame() throws -> (kind: UInt8, sequence: UInt64, payload: [UInt8]) {
        let length = try readExactly(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        let rest = try readExactly(length)
        let sequence = rest[12..<20].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return (rest[0], sequence, Array(rest[24...]))
    }

    /// A frame by the book: Protocol/SPEC.md, section 5 (Framing).
    static func frame(
        _ kind: UInt8, node: UInt32 = 0, epoch: UInt32 = 0, sequence: UInt64 = 0,
        method: UInt32 = 0, payload: [UInt8] = []
    ) -> [UInt8] {
        var bytes = little(UInt32(24 + payload.count)) + [kind, 0, 0, 0]
        bytes += little(node) + little(epoch) + little(sequence) + little(method)
        return bytes + payload
    }

    private static func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    /// A front's first request: where its session lives, which is created if need be.
    static func open(_ app: String, session: String? = nil, creates: Bool = true) -> [UInt8] {
        let session = session.map { [("session", Item.text($0))] } ?? []
        let open = Item.map([("app", .text(app))] + session + [("creates", .truth(creates))])
        return frame(16, sequence: 1, payload: open.bytes)
    }

    /// The first frame of a front that a worker has welcomed.
    static func attach(contracts: Item = .map([])) -> [UInt8] {
        let attach = Item.map([
            ("isReadOnly", .truth(false)), ("contracts", contracts), ("wantsSchema", .truth(false)),
        ])
        return frame(32, payload: attach.bytes)
    }

    /// Connects and says hello; throws where that is not welcome.
    convenience init(welcomedAt path: String, _ hello: [UInt8] = Item.hello()) throws {
        try self.init(path)
        send(hello)
        let kind = try readFrame().kind
        guard kind == 2 else { throw Failure("a frame of the kind \(kind) and no welcome") }
    }

    /// What napkind gives a front for a session, which it creates.
    func ticket(app: String, session: String? = nil) throws -> String {
        send(Self.open(app, session: session))
        let (kind, payload) = try readFrame()
        // After the key: a head of two bytes (text of 32 bytes), then the text.
        guard kind == 17, let key = payload.firstRange(of: Array("ticket".utf8)) else {
            throw Failure("no ticket: \(String(decoding: payload, as: UTF8.self))")
        }
        return String(decoding: payload[(key.upperBound + 2)...].prefix(32), as: UTF8.self)
    }

    static func ticket(at socket: String, app: String, session: String? = nil) throws -> String {
        try RawPeer(welcomedAt: socket).ticket(app: app, session: session)
    }
}

/// Just enough CBOR to say hello: RFC 8949.
indirect enum Item {
    case number(Int)
    case hash(UInt64)
    case truth(Bool)
    case text(String)
    case list([Item])
    case map([(String, Item)])

    var bytes: [UInt8] {
        switch self {
        case .number(let value): return head(0, value)
        case .hash(let value):
            return [0x1B] + (0..<8).reversed().map { UInt8(value >> ($0 * 8) & 255) }
        case .truth(let value): return [value ? 0xF5 : 0xF4]
        case .text(let text): return head(3, text.utf8.count) + text.utf8
        case .list(let items): return items.reduce(into: head(4, items.count)) { $0 += $1.bytes }
        case .map(let entries):
            return entries.reduce(into: head(5, entries.count)) { bytes, entry in
                bytes += Item.text(entry.0).bytes + entry.1.bytes
            }
        }
    }

    private func head(_ major: UInt8, _ value: Int) -> [UInt8] {
        if value < 24 { return [major << 5 | UInt8(value)] }
        if value < 256 { return [major << 5 | 24, UInt8(value)] }
        if value < 65536 { return [major << 5 | 25, UInt8(value >> 8), UInt8(value & 255)] }
        return [major << 5 | 26] + (0..<4).reversed().map { UInt8(value >> ($0 * 8) & 255) }
    }

    static func hello(
        major: Int = 1, minor: Int = 0, role: String = "front", client: String = "stranger 1",
        ticket: String? = nil
    ) -> [UInt8] {
        let version = Item.map([("major", .number(major)), ("minor", .number(minor))])
        var entries: [(String, Item)] = [
            ("oldest", version), ("newest", version), ("role", .text(role)),
            ("client", .text(client)),
        ]
        if let ticket { entries.append(("ticket", .text(ticket))) }
        return RawPeer.frame(1, payload: Item.map(entries).bytes)
    }
}
