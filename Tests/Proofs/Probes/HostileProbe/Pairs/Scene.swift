// Scene: a session and those who are on it, while deeds are done.
//
// Invariant  returns from each deed when it has happened in the worker.

import NapkinProtocol
import ProofSupport

/// Does deeds, and ends what they have left in one of two ways.
final class Scene {
    private let inspector: Inspector
    private var session: String
    private let names: [String]
    private var front: Companion?
    /// One that reads nothing.
    private var sluggard: Companion?
    /// Looks that napkind has not answered.
    private var looks: [UInt64] = []

    init(_ inspector: Inspector, names: [String]) {
        self.inspector = inspector
        self.names = names
        session = names[0]
    }

    func perform(_ deed: Deed) throws {
        let front = try self.front ?? attached()
        switch deed {
        case .trace: try trace()
        case .watch: try watch()
        case .top: try top(front)
        case .openAsk: try ask(front)
        case .answeredAsk:
            front.answer(try ask(front))
            try front.next { $0.kind == .reply }
        case .workflow:
            front.open("questions://wait")
            try front.next { $0.kind == .workflowStep || $0.kind == .workflowEnded }
        case .takeOver:
            self.front = try attached(Attach(takesOver: true, takesDeltas: true))
            try front.ends()
            // It was a front like any other.
            try sluggard.take()?.ends()
        case .rename: try rename()
        case .detach:
            let query = Query.detach(session: session, front: front.identity.front)
            let count = try inspector.ask(query, as: Int.self)
            guard count == 1 else { throw Failure("\(count) were detached") }
            try left()?.ends()
        case .lostFront: left()?.vanish()
        case .comeBack:
            front.vanish()
            let back = try Companion(try inspector.open(session), as: front)
            guard back.isResumed else { throw Failure("a front was forgotten") }
            self.front = back
        case .kill: try end()
        case .refusedEvent:
            try front.calls(Method.fail, node: .max, .fault)
            try front.calls(Method.unknown, .fault)
        case .waitingEvent:
            front.call(Method.wait)
            try front.settles()
        case .slowFront: try slow(front)
        }
    }

    private func left() -> Companion? {
        defer { front = nil }
        return front
    }

    private func attached(_ attach: Attach = Attach(takesDeltas: true)) throws -> Companion {
        let made = try Companion(try inspector.open(session), attach: attach)
        front = made
        return made
    }

    // MARK: - Looking

    private func trace() throws {
        func query(_ tracer: UInt64?) -> Query {
            .trace(session: session, tracer: tracer, feature: nil, values: true)
        }
        let batch = try inspector.ask(query(nil), as: TraceBatch.self)
        looks.append(inspector.begin(query(batch.tracer)))
    }

    private func watch() throws {
        func query(_ digest: UInt64?) -> Query {
            .watch(
                app: Payloads.app, session: session, digest: digest, milliseconds: 1,
                inventory: false)
        }
        let look = try inspector.ask(query(nil), as: TreeSample.self)
        looks.append(inspector.begin(query(look.digest)))
    }

    private func top(_ front: Companion) throws {
        let look = inspector.begin(.top(app: Payloads.app, session: session))
        try front.measures()
        try inspector.end(of: look)
    }

    // MARK: - Doing

    /// Has the app ask; returns the number of the question.
    @discardableResult
    private func ask(_ front: Companion) throws -> UInt64 {
        front.call(Method.empty)
        return try front.next { $0.kind == .ask }.header.sequence
    }

    private func rename() throws {
        let other = names[session == names[0] ? 1 : 0]
        let renaming = try inspector.ask(.rename(session: session, to: other), as: Renaming.self)
        session = renaming.session
        try front?.next { $0.kind == .renamed }
    }

    /// Somebody does not read, until more waits for him than a socket takes.
    private func slow(_ front: Companion) throws {
        sluggard?.vanish()
        sluggard = try Companion(
            try inspector.open(session), attach: Attach(declinesAsks: true, takesDeltas: true))
        try front.calls(Method.pile)
        try front.calls(Method.pile)
        try front.calls(Method.write)
        try front.calls(Method.tear)
    }

    // MARK: - Ending

    /// The session is killed, and everybody told.
    func end() throws {
        // There is none where the last deed was this one.
        _ = try inspector.kill(session)
        try left()?.ends()
        try sluggard.take()?.ends()
        try looked()
    }

    /// The last front leaves; one that comes after it lets go what waits.
    func leave() throws {
        try left()?.detaches()
        sluggard.take()?.vanish()
        let last = try attached()
        try last.calls(Method.release)
        try left()?.detaches()
        try looked()
    }

    private func looked() throws {
        for look in looks { try inspector.end(of: look) }
        looks = []
    }
}
