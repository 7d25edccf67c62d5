// Inspector: one who asks the daemon how things stand, and has sessions opened.

import NapkinProtocol
import ProofSupport

/// One connection to napkind that keeps to the protocol.
final class Inspector {
    let path: String
    private let caller: Caller
    private var sequence: UInt64 = 0
    /// Answers that nobody has asked for yet.
    private var arrived: [UInt64: Reply] = [:]

    /// One frame of an answer, and what follows it; 0 for nothing.
    private typealias Reply = (kind: FrameKind, payload: [UInt8], cursor: UInt32)

    init(_ path: String, as role: PeerRole = .tool) throws {
        self.path = path
        caller = try Caller(path, as: role)
        caller.received = { [unowned self] header, payload in
            arrived[header.sequence] = (header.kind, Array(payload), header.node)
        }
    }

    func ask<T: Decodable>(_ query: Query, as type: T.Type) throws -> T {
        var bytes: [UInt8] = []
        var next: Query? = query
        while let query = next {
            let reply = try reply(to: begin(query))
            guard reply.kind == .answer else {
                throw Failure("a tool was refused: \(query)")
            }
            bytes += reply.payload
            next = reply.cursor == 0 ? nil : query.continued(from: reply.cursor)
        }
        return try bytes.withUnsafeBytes { try Payloads.decoded(type, $0) }
    }

    /// Ends a session, and whatever was on the way to it; whether there was a tree.
    func kill(_ session: String) throws -> Bool {
        try end(of: begin(.kill(session: session)), as: Bool.self) ?? false
    }

    /// Has a front let in to a session. Only for a front.
    func open(_ session: String) throws -> Redirect { try redirect(of: beginOpen(session)) }

    /// Has a front let in, without waiting for that.
    func beginOpen(_ session: String) -> UInt64 {
        begin(.open, Payloads.encoded(Open(app: Payloads.app, session: session)))
    }

    /// What an open that was begun has come to.
    func redirect(of sequence: UInt64) throws -> Redirect {
        try answer(to: sequence, .redirect, as: Redirect.self)
    }

    /// Asks without waiting for the answer.
    func begin(_ query: Query) -> UInt64 { begin(.query, Payloads.encoded(query)) }

    private func begin(_ kind: FrameKind, _ payload: [UInt8]) -> UInt64 {
        sequence += 1
        caller.send(FrameHeader(kind, sequence: sequence), payload)
        return sequence
    }

    /// What a query that was begun has come to; `nil` when it was refused.
    func end<T: Decodable>(of sequence: UInt64, as type: T.Type) throws -> T? {
        let (kind, payload, _) = try reply(to: sequence)
        if kind == .refused { return nil }
        return try decoded(type, kind, payload, expected: .answer)
    }

    /// Waits for what a query has come to, whatever that is.
    func end(of sequence: UInt64) throws { _ = try reply(to: sequence) }

    private func answer<T: Decodable>(
        to sequence: UInt64, _ expected: FrameKind, as type: T.Type
    ) throws -> T {
        let (kind, payload, _) = try reply(to: sequence)
        return try decoded(type, kind, payload, expected: expected)
    }

    private func decoded<T: Decodable>(
        _ type: T.Type, _ kind: FrameKind, _ payload: [UInt8], expected: FrameKind
    ) throws -> T {
        guard kind == expected else {
            throw Failure("a tool got \(kind) instead of \(expected)")
        }
        return try payload.withUnsafeBytes { try Payloads.decoded(type, $0) }
    }

    private func reply(to sequence: UInt64) throws -> Reply {
        while true {
            if let reply = arrived.removeValue(forKey: sequence) { return reply }
            guard try caller.until({ _ in true }) else {
                throw Failure("napkind left a tool without its answer")
            }
        }
    }

    /// The worker's process.
    func worker() throws -> Int32 {
        let app = try ask(.apps, as: [AppInfo].self).first { $0.app == Payloads.app }
        guard let app, let pid = app.pid else { throw Failure("no worker runs") }
        guard app.crashes == 0 else { throw Failure("the worker has died") }
        return pid
    }
}
