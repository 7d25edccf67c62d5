// SizeSiege: one run of the sizes, and what must be true all the time.

import NapkinProtocol
import ProofSupport

/// A daemon, its worker, one front that behaves, and many that do not.
final class SizeSiege {
    private static let session = "sizes"
    /// Connections with unfinished frames, each to napkind and the worker. Chosen.
    private static let unfinished = 20
    /// Bytes of its heap that a process may have more in use in the end. Chosen.
    private static let growthMax = 128 * 1024
    /// Bytes of the heap that unfinished frames of one process may take in another one. A worker
    /// keeps 32 MiB of them, in arrays that have grown to twice that at most; napkind takes no
    /// frame above 64 KiB. The rest is for what goes with so many connections.
    private static let workerBytesMax = 72 * 1024 * 1024
    private static let daemonBytesMax = 8 * 1024 * 1024
    /// C0, DEL, C1, the ends of lines and the marks that turn a line's direction.
    private static let controls =
        (0x00...0x1F).map { $0 } + (0x7F...0x9F).map { $0 } + [
            0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066,
            0x2067, 0x2068, 0x2069, 0xFEFF,
        ]

    private let process: AttackedDaemon
    private let options: Sizes
    private let inspector: Inspector
    private let resident: Companion
    private let worker: Int32
    private var sent = 0

    init(_ process: AttackedDaemon, _ options: Sizes) throws {
        self.process = process
        self.options = options
        try Self.raceWithStart(process)
        inspector = try Inspector(process.socket, as: .front)
        resident = try Companion(try inspector.open("resident"))
        worker = try inspector.worker()
    }

    func run() throws {
        // Twice: what is made when it is first needed is there then.
        try parts()
        let before = try Weights.settled(process, worker, inspector)
        try parts()
        let after = try Weights.settled(process, worker, inspector)
        try before.check(after, Self.growthMax, "after both passes")
        print("heap       first: \(before.text)\n           last:  \(after.text)")
        print(
            "held       door, worker, unfinished, names, races, twice: "
                + "\(sent) frames near \(options.lengths)")
    }

    private func parts() throws {
        try atDoor()
        try atWorker()
        try announced()
        try names()
        try races()
    }

    /// A call of the front that behaves is answered, by the same processes.
    private func holds(after what: @autoclosure () -> String) throws {
        do {
            try resident.calls(Method.fail, .fault)
            resident.confirms()
            let pid = try inspector.worker()
            guard pid == worker else { throw Failure("the worker is another one") }
        } catch {
            throw Failure("after \(what()): \(error)")
        }
    }

    // MARK: - Large frames

    private var lengths: [Int] { options.lengths.flatMap { [$0 - 1, $0, $0 + 1] } }

    private func atDoor() throws {
        for length in lengths {
            for role in [PeerRole.front, .tool] {
                try send(Oversize.requests, length) { try Caller(process.socket, as: role) }
            }
            try send(Oversize.registrations, length) { try Caller(process.socket, as: .worker) }
            try send([Oversize.hello], length) { try Caller(process.socket) }
        }
    }

    private func atWorker() throws {
        for length in lengths {
            try send(Oversize.arrivals, length) { try greeted() }
            try send(Oversize.visits, length) {
                let caller = try greeted()
                let attach = Payloads.encoded(Attach())
                caller.send(Oversize.frame(FrameHeader(.attach), attach))
                guard try caller.until({ $0.kind == .transition }) else {
                    throw Failure("a front was not attached")
                }
                return caller
            }
            try send([Oversize.hello], length) { try Caller(inspector.open(Self.session).socket) }
            _ = try inspector.kill(Self.session)
        }
    }

    /// A connection to the worker that has said hello.
    private func greeted() throws -> Caller {
        let redirect = try inspector.open(Self.session)
        return try Caller(redirect.socket, as: .front, ticket: redirect.ticket)
    }

    private func send(
        _ payloads: [Oversize], _ length: Int, _ connect: () throws -> Caller
    ) throws {
        for payload in payloads {
            let what = "\(payload.name) of \(length) bytes"
            do {
                let caller = try connect()
                caller.send(try payload.frame(length, sequence: 1))
                try caller.settles()
                caller.close()
            } catch {
                throw Failure("\(what): \(error)")
            }
            sent += 1
            try holds(after: what)
        }
    }

    // MARK: - Unfinished frames

    private func announced() throws {
        let length = Limits.frameBytesMax - 1024
        let part = [UInt8](repeating: 0x60, count: length - 1024)
        let frames = [FrameKind.query, .event].map { kind in
            Oversize.frame(FrameHeader(kind, sequence: 1), part, length: length)
        }
        let before = try Weights.settled(process, worker, inspector)
        var callers: [Caller] = []
        for _ in 0..<Self.unfinished {
            let caller = try Caller(process.socket, as: .tool)
            caller.send(frames[0])
            callers.append(caller)
            try holds(after: "an unfinished query")
        }
        for _ in 0..<Self.unfinished {
            let caller = try greeted()
            caller.send(Oversize.frame(FrameHeader(.attach), Payloads.encoded(Attach())))
            caller.send(frames[1])
            callers.append(caller)
            try holds(after: "an unfinished event")
        }
        let now = try Weights.settled(process, worker, inspector)
        let limits = [Self.daemonBytesMax, Self.workerBytesMax]
        for ((name, growth), limit) in zip(before.growths(to: now), limits) where growth > limit {
            throw Failure("\(name) keeps \(growth) bytes of frames that are not finished")
        }
        for caller in callers { caller.close() }
        _ = try inspector.kill(Self.session)
    }

    // MARK: - Names

    private func names() throws {
        for control in Self.controls {
            guard let scalar = Unicode.Scalar(UInt32(control)) else { continue }
            try refused(Open(app: Payloads.app, session: "a\(scalar)b"), "U+\(control)")
            try refused(Open(app: "a\(scalar)b"), "U+\(control)")
            try introduced(as: "a\(scalar)b")
        }
        for length in (Limits.nameBytesMax - 1)...(Limits.nameBytesMax + 1) {
            let name = String(repeating: "n", count: length)
            try introduced(as: name)
            let open = Open(app: Payloads.app, session: name)
            if length > Limits.nameBytesMax {
                try refused(open, "\(length) bytes")
            } else {
                let redirect = try inspector.open(name)
                let front = try Companion(redirect)
                try front.calls(Method.fail, .fault)
                try front.detaches()
                _ = try inspector.kill(name)
            }
        }
        try holds(after: "names")
    }

    private func refused(_ open: Open, _ what: String) throws {
        let caller = try Caller(process.socket, as: .front)
        caller.send(Oversize.frame(FrameHeader(.open, sequence: 1), Payloads.encoded(open)))
        guard
            try caller.until({ header in
                guard header.kind != .redirect else {
                    throw Failure("a name with \(what) was taken")
                }
                return header.kind == .refused
            })
        else { throw Failure("a name with \(what) ended the connection") }
    }

    /// A client of any name is let in or not, and listed so that it can be read.
    private func introduced(as client: String) throws {
        let caller = try Caller(try inspector.open(Self.session).socket)
        let ticket = try inspector.open(Self.session).ticket
        caller.send(
            Oversize.frame(FrameHeader(.hello), Payloads.hello(ticket: ticket, client: client)))
        caller.send(Oversize.frame(FrameHeader(.attach), Payloads.encoded(Attach())))
        let isAttached = try caller.until { $0.kind == .transition }
        guard
            isAttached || client.utf8.count > Limits.nameBytesMax
                || client.contains(where: {
                    $0.unicodeScalars.contains { !$0.properties.isAlphabetic }
                })
        else { throw Failure("a client of \(client.utf8.count) bytes is out") }
        let listed = try inspector.ask(.sessions(app: Payloads.app), as: [SessionInfo].self)
            .first { $0.session == Self.session }?.fronts.count
        guard listed == (isAttached ? 1 : listed) else {
            throw Failure("\(listed ?? 0) fronts are listed, not 1")
        }
        _ = try inspector.kill(Self.session)
    }

    // MARK: - Races

    /// Many ask for the worker before there is one.
    private static func raceWithStart(_ process: AttackedDaemon) throws {
        let inspectors = try (0..<16).map { _ in try Inspector(process.socket, as: .front) }
        let opens = inspectors.map { $0.beginOpen("start") }
        let callers = try zip(inspectors, opens).map { inspector, open in
            let redirect = try inspector.redirect(of: open)
            return try Caller(redirect.socket, as: .front, ticket: redirect.ticket)
        }
        let attach = Oversize.frame(FrameHeader(.attach), Payloads.encoded(Attach()))
        for caller in callers { caller.send(attach) }
        for caller in callers {
            guard try caller.until({ $0.kind == .transition }) else {
                throw Failure("one of those who came first is not attached")
            }
        }
        _ = try inspectors[0].kill("start")
    }

    /// Attaches and a kill of their session, in one write each.
    private func races() throws {
        let attach = Oversize.frame(FrameHeader(.attach), Payloads.encoded(Attach()))
        for race in 0..<options.races {
            let redirects = try (0..<8).map { _ in try inspector.open(Self.session) }
            let callers = try redirects.map { try Caller($0.socket) }
            var kill: UInt64?
            for (index, (caller, redirect)) in zip(callers, redirects).enumerated() {
                if index == race % 8 { kill = inspector.begin(.kill(session: Self.session)) }
                let hello = Payloads.hello(ticket: redirect.ticket)
                caller.send(Oversize.frame(FrameHeader(.hello), hello) + attach)
            }
            if let kill { try inspector.end(of: kill) }
            for caller in callers { _ = try caller.until { $0.kind == .transition } }
            _ = try inspector.kill(Self.session)
            for caller in callers { _ = try caller.until { _ in false } }
            let left = try inspector.ask(.sessions(app: Payloads.app), as: [SessionInfo].self).map(
                \.session)
            guard left == ["resident"] else {
                throw Failure("after a race the sessions are \(left)")
            }
        }
        try holds(after: "races")
    }
}
