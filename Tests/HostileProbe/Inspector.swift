// Inspector: a tool that asks the daemon how things stand.
//
// Layer      test executable.
// Isolation  none of its own; one thread.

import NapkinProtocol

/// One connection to napkind that keeps to the protocol.
final class Inspector {
    private let wire: Wire
    private var sequence: UInt64 = 0

    init(_ path: String) throws {
        wire = try Wire(path)
        var frames = FrameBytes()
        frames.append(
            FrameHeader(.hello), Payloads.hello(role: .tool, ticket: nil, client: "inspector 1"))
        wire.send(frames.take())
        _ = try receive(.welcome, as: Welcome.self)
    }

    func ask<T: Decodable>(_ query: Query, as type: T.Type) throws -> T {
        var bytes: [UInt8] = []
        var next: Query? = query
        while let query = next {
            send(query)
            try receive { header, payload in
                guard header.kind == .answer else {
                    throw Violation(description: "a tool got \(header.kind) instead of an answer")
                }
                bytes += payload
                next = header.node == 0 ? nil : query.continued(from: header.node)
            }
        }
        return try bytes.withUnsafeBytes { try Payloads.decoded(type, $0) }
    }

    /// Reads one frame.
    private func receive(
        _ body: (FrameHeader, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var isDone = false
        while !isDone {
            let arrival = try wire.read { header, payload in
                try body(header, payload)
                isDone = true
            }
            guard arrival == .frames else {
                throw Violation(description: "napkind left a tool without an answer")
            }
        }
    }

    /// Ends a session, and whatever was on the way to it; whether there was a tree.
    func kill(_ session: String) throws -> Bool {
        send(.kill(session: session))
        return try receive(.answer, as: Bool.self, insteadOfRefusal: false)
    }

    private func send(_ query: Query) {
        sequence += 1
        var frames = FrameBytes()
        frames.append(FrameHeader(.query, sequence: sequence), Payloads.encoded(query))
        wire.send(frames.take())
    }

    private func receive<T: Decodable>(
        _ kind: FrameKind, as type: T.Type, insteadOfRefusal substitute: T? = nil
    ) throws -> T {
        var value: T?
        while value == nil {
            let arrival = try wire.read { header, payload in
                if header.kind == .refused, let substitute {
                    value = substitute
                    return
                }
                guard header.kind == kind else {
                    throw Violation(description: "a tool got \(header.kind) instead of \(kind)")
                }
                value = try Payloads.decoded(type, payload)
            }
            guard arrival == .frames else { break }
        }
        guard let value else {
            throw Violation(description: "napkind left a tool without its \(kind)")
        }
        return value
    }

    /// The worker's process.
    func worker() throws -> Int32 {
        let app = try ask(.apps, as: [AppInfo].self).first { $0.app == Payloads.app }
        guard let app, let pid = app.pid else { throw Violation(description: "no worker runs") }
        guard app.crashes == 0 else { throw Violation(description: "the worker has died") }
        return pid
    }
}
