// WorkerQueries: answers tools' queries about a worker's sessions.
//
// Ownership  owned by the worker; keeps the remainders of answers that do not fit into one frame.
// Spec       Protocol/TOOLS.md, sections 1 (Queries) and 5 (Observing)

import Glibc
import NapkinCoding
import NapkinCore
import NapkinHost
import NapkinLedger
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Describes, watches and measures sessions, and forwards requests to change them.
@MainActor
final class WorkerQueries {
    /// The pause after a sample, in multiples of its time. Chosen: samples take a tenth of the
    /// loop.
    private static let watchRestFactor: UInt64 = 9
    /// The number of sessions whose fronts are asked for figures at the same time. Chosen: they all
    /// answer within the time of one.
    private static let measuredTogether = 64

    private unowned let worker: WorkerHost
    private let answers = LongAnswers()
    private let ledger: LedgerQueries

    init(of worker: WorkerHost) {
        self.worker = worker
        ledger = LedgerQueries(of: worker)
    }

    /// Answers a query that napkind passes on, or continues an answer.
    func piece(of query: Query) async throws(Refusal) -> AnswerPiece {
        if case .more(_, _, let cursor) = query { return try answers.piece(at: cursor) }
        return try answers.firstPiece(of: try await answer(query))
    }

    /// Returns the encoded answer to a query that napkind passes on.
    private func answer(_ query: Query) async throws(Refusal) -> LongAnswer {
        switch query {
        case .logLevel(_, let word):
            return LongAnswer(try Payload(answer: try LogLevel.change(to: word)))
        case .apps, .status, .cluster, .more, .control, .crashes:
            throw Refusal(.badRequest, "a worker does not answer this query")
        case .release(_, let receipt):
            let count = FlightRecorder.quarantine.release(receipt)
            return LongAnswer(try Payload(answer: count))
        case .sessions:
            return listing()
        case .tree(_, let name):
            return trees(of: name)
        case .kill(let name, _):
            return LongAnswer(try Payload(answer: await worker.kill(name)))
        case .schema:
            return LongAnswer(try Payload(answer: schema))
        case .detach(let name, let front):
            let count = worker.sessions[name]?.host.detach(front) ?? 0
            await worker.journal?.waitUntilDurable(unlessFull: true)
            return LongAnswer(try Payload(answer: count))
        case .rename(let name, let newName):
            return LongAnswer(try Payload(answer: try await worker.rename(name, to: newName)))
        case .watch(_, let name, let digest, let interval, let inventory):
            return try await watch(name, digest, every: interval, withInventory: inventory == true)
        case .top(_, let name):
            return LongAnswer(try Payload(answer: await figures(of: name)))
        case .ledger(_, let name, let request):
            return try await ledger.answer(name, request)
        case .trace(let name, let tracer, let feature, let values):
            let batch = try await host(name).trace(
                tracer, feature: feature, values: values == true)
            return LongAnswer(try Payload(answer: batch))
        }
    }

    /// Returns the host of the session with that name, or all hosts.
    private func hosts(_ name: String?) -> [SessionHost] {
        guard let name else { return worker.sessions.values.map(\.host) }
        return worker.sessions[name].map { [$0.host] } ?? []
    }

    private func host(_ name: String) throws(Refusal) -> SessionHost {
        if let session = worker.sessions[name] { return session.host }
        throw Refusal(
            .workerUnavailable,
            "session '\(name)' has no tree: attach to it, then try again")
    }

    /// Returns the trees of one session or of all, and the remnants of ended sessions.
    private func trees(of name: String?) -> LongAnswer {
        let hosts = hosts(name) + ended(name)
        return LongAnswer(of: hosts) { [self] (host) throws(Refusal) in
            try Payload(answer: tree(of: host)).bytes
        }
    }

    /// Returns the ended sessions that have remnants, with that name or all.
    private func ended(_ name: String?) -> [SessionHost] {
        worker.forgetEnded()
        return worker.endedSessions.filter { name ?? $0.name == $0.name }
    }

    private func tree(of host: SessionHost, withInventory: Bool = true) -> SessionTree {
        var tree = host.tree(withInventory: withInventory)
        tree.queues?.tickets = worker.tickets.count
        tree.queues?.controlRequests = worker.control?.openRequests ?? 0
        guard let session = worker.sessions[host.name], session.host === host else { return tree }
        tree.programs = HeldInfo.all(in: worker.programs(of: session.id ?? host.name))
        return tree
    }

    /// Returns the descriptions of all sessions.
    private func listing() -> LongAnswer {
        let memory = ProcessFigures(of: getpid())?.bytes
        let names = Set(worker.sessions.keys).union(worker.journal?.sessions.names ?? [])
        return LongAnswer(of: names.sorted()) { [self] (name) throws(Refusal) in
            try Payload(answer: describe(name, workerBytes: memory)).bytes
        }
    }

    private func describe(_ name: String, workerBytes: Int?) -> SessionInfo {
        var info = describeState(name, workerBytes: workerBytes)
        info.takenBack = FlightRecorder.takenBack[name]
        return info
    }

    private func describeState(_ name: String, workerBytes: Int?) -> SessionInfo {
        guard let session = worker.sessions[name] else {
            var info = SessionInfo(
                stored: name, app: worker.app.id, pid: getpid(), workerBytes: workerBytes)
            info.durability = worker.journal?.durability.rawValue
            (info.defect, info.isDamaged) = worker.defects[name].map(\.summary) ?? (nil, nil)
            return info
        }
        let host = session.host
        return SessionInfo(
            session: name, app: worker.app.id, pid: getpid(),
            ageSeconds: Int((Loop.shared.now - session.startedAt) / 1000),
            nodes: host.nodeCount, fronts: host.fronts.map(\.info), away: host.away,
            workerBytes: workerBytes, durability: host.durability)
    }

    private var schema: AppSchema {
        AppSchema(app: worker.app.id, of: worker.app.features, states: worker.app.durableStates)
    }

    // MARK: - Observing

    /// Returns the trees once they differ from the asker's; without them after a while.
    private func watch(
        _ name: String?, _ seen: UInt64?, every milliseconds: UInt32?, withInventory: Bool
    ) async throws(Refusal) -> LongAnswer {
        let interval = UInt64(max(1, milliseconds ?? Limits.watchMilliseconds)) * 1_000_000
        let start = ContinuousClock.now
        while true {
            let sample = try await sample(name, withInventory: withInventory)
            if sample.digest != seen { return LongAnswer(Payload(sample.bytes)) }
            guard ContinuousClock.now - start < .seconds(Limits.inspectionHoldSeconds) else {
                return LongAnswer(
                    try Payload(answer: TreeSample(digest: sample.digest, trees: nil)))
            }
            let rest = max(interval, sample.nanoseconds * Self.watchRestFactor)
            await LoopTimer.wait(.nanoseconds(Int64(rest)))
        }
    }

    /// Returns the current trees, encoded as a `TreeSample`, and the time that this took on the
    /// loop.
    private func sample(
        _ name: String?, withInventory: Bool
    ) async throws(Refusal) -> (digest: UInt64, bytes: [UInt8], nanoseconds: UInt64) {
        // Only the inventory includes ended sessions, and every event changes it.
        let hosts = hosts(name) + (withInventory ? ended(name) : [])
        var trees: [UInt8] = []
        // Independent of the sessions' order; 0 is reserved for "no worker runs".
        var digest: UInt64 = 0x9E37_79B9_7F4A_7C15
        var count = 0
        var nanoseconds: UInt64 = 0
        var began = MeasuringClock.nanoseconds
        for host in hosts {
            let tree = tree(of: host, withInventory: withInventory)
            guard withInventory || tree.root != nil else { continue }
            let bytes = try Payload(answer: tree).bytes
            digest &+= StableHash.value(of: bytes)
            trees += bytes
            count += 1
            let elapsed = MeasuringClock.nanoseconds - began
            guard elapsed > LongAnswer.sliceNanoseconds else { continue }
            nanoseconds += elapsed
            await LoopTimer.wait(.zero)
            began = MeasuringClock.nanoseconds
        }
        nanoseconds += MeasuringClock.nanoseconds - began
        return (digest, Self.encoded(digest, trees, count), nanoseconds)
    }

    private static func encoded(_ digest: UInt64, _ trees: [UInt8], _ count: Int) -> [UInt8] {
        var writer = CBORWriter(capacity: trees.count + 64)
        writer.writeMapHeader(2)
        writer.writeKey("digest")
        writer.writeUInt(digest)
        writer.writeKey("trees")
        writer.writeArrayHeader(count)
        writer.append(trees)
        return writer.copyBytes()
    }

    /// Returns the sessions' crossing figures, summed.
    private func figures(of name: String?) async -> Figures {
        var table = FigureTable()
        // Read before waiting for the fronts.
        let now = MeasuringClock.nanoseconds
        var hosts = hosts(name)[...]
        while !hosts.isEmpty {
            let asked = hosts.prefix(Self.measuredTogether).map { host in
                Task.immediate { await host.figures() }
            }
            hosts = hosts.dropFirst(asked.count)
            for figures in asked { table.add(await figures.value) }
        }
        return Figures(
            nanoseconds: now, crossings: table.rows, omitted: table.omitted)
    }
}
