// LedgerQueries: serves tools that work with a worker's journal while it is used.
//
// Invariant  a session that is being rewound admits no front, and none of its changes is recorded.
// Spec       Protocol/TOOLS.md, section 4 (What is stored); Protocol/LEDGER.md, "Tools"

import NapkinCore
import NapkinHost
import NapkinLedger
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Describes, moves and rewinds stored sessions.
@MainActor
final class LedgerQueries {
    private unowned let worker: WorkerHost
    /// Sessions that are being loaded, part by part.
    private var loads = SessionLoads()

    init(of worker: WorkerHost) { self.worker = worker }

    private var app: any App.Type { worker.app }

    /// The worker's name in listings.
    private var workerName: String {
        WorkerID(app: app.id, number: worker.options.number).fileName
    }

    func answer(
        _ name: String?, _ request: LedgerRequest
    ) async throws(Refusal) -> LongAnswer {
        guard let journal = worker.journal else {
            throw Refusal(.badRequest, "\(app.id) stores nothing")
        }
        do {
            switch request {
            case .journals:
                throw Refusal(.badRequest, "a worker does not answer this query")
            case .list:
                let listed = try await journal.tools.list()
                return LongAnswer(try Payload(answer: listed.map(entry)))
            case .verify:
                return LongAnswer(try Payload(answer: try await verify(journal)))
            case .copy(let path):
                try await journal.tools.copy(to: path)
                return LongAnswer(try Payload(answer: true))
            case .show(let record):
                let session = try await show(name ?? "", at: record, journal)
                return LongAnswer(try Payload(answer: session))
            case .export:
                return LongAnswer(Payload(try await export(name ?? "", journal)))
            case .load(let offset, let bytes, let isLast, let isNamed):
                let file = try loads.add(
                    bytes, at: offset, isLast: isLast, of: name ?? "", now: Loop.shared.now)
                if let file { try await adopt(file, as: name ?? "", isNamed: isNamed, journal) }
                return LongAnswer(try Payload(answer: true))
            case .rewind(let record, let confirmed):
                let rewind = try await rewind(name ?? "", to: record, confirmed: confirmed, journal)
                return LongAnswer(try Payload(answer: rewind))
            }
        } catch let error as Refusal {
            throw error
        } catch let error as StoreError {
            throw Refusal(Self.code(of: error), "\(error)".shortened(to: Limits.refusalBytesMax))
        } catch {
            throw Refusal(.badRequest, "\(error)".shortened(to: Limits.refusalBytesMax))
        }
    }

    private static func code(of error: StoreError) -> Refusal.Code {
        switch error.code {
        case .exists: .badRequest
        case .full, .busy: .overloaded
        case .damaged, .version, .unreachable, .takenOver, .failed: .workerUnavailable
        }
    }

    // MARK: - Reading

    private func entry(_ listed: JournalTools.Listed) -> LedgerEntry {
        LedgerEntry(
            session: listed.session.name, app: app.id, worker: workerName, id: listed.session.id,
            bytes: listed.bytes, record: listed.newest,
            level: app.durability == .machine ? "machine" : "process",
            isRunning: worker.sessions[listed.session.name] != nil,
            takenBack: FlightRecorder.takenBack[listed.session.name])
    }

    private func verify(_ journal: Journal) async throws -> LedgerReport {
        let check = try await journal.tools.verify(problemsMax: LedgerLimits.problemsMax)
        var report = LedgerReport(worker: workerName)
        (report.sessions, report.groups) = (check.sessions, check.groups)
        (report.records, report.bytes) = (check.records, check.bytes)
        report.problems = check.problems.map { $0.shortened(to: Limits.refusalBytesMax) }
        return report
    }

    private func history(
        of name: String, _ journal: Journal
    ) async throws -> SessionHistory {
        guard let history = try await journal.tools.history(of: name) else {
            throw Self.nothing(of: name)
        }
        return history
    }

    private static func nothing(of name: String) -> Refusal {
        Refusal(
            .unknownSession,
            "nothing of session '\(name)' is stored: `napkin-client ledger ls` lists what is")
    }

    /// Throws if a record is older than the oldest that is stored.
    private static func check(
        _ record: UInt64, in history: SessionHistory, of name: String
    ) throws(Refusal) {
        guard record < history.oldest else { return }
        throw Refusal(
            .badRequest,
            "session '\(name)' has records as far back as \(history.oldest), and none of "
                + "\(record) is kept: `napkin-client ledger show \(name)` lists them")
    }

    private func show(
        _ name: String, at record: UInt64?, _ journal: Journal
    ) async throws -> LedgerSession {
        let history = try await history(of: name, journal)
        if let record {
            try Self.check(record, in: history, of: name)
            guard record <= journal.durable else {
                throw Refusal(
                    .badRequest,
                    "there is no record \(record) yet: the newest of session '\(name)' is "
                        + "\(history.newest)")
            }
        }
        let image = try await history.image(at: record ?? .max)
        guard let listed = try await journal.tools.list().first(where: { $0.session.name == name })
        else { throw Refusal(.unknownSession, "session '\(name)' has ended meanwhile") }
        let missing = worker.sessions[name]?.host.ledger?.tree.unattached ?? []
        let nodes = image.nodes.map { node in
            var listed = LedgerSession.Node(
                number: node.place.number, parent: node.place.parent, slot: node.place.slot,
                feature: node.place.feature, front: node.place.front,
                arguments: node.place.arguments, state: node.state)
            if missing.contains(where: { $0.number == listed.number }) { listed.isMissing = true }
            return listed
        }
        let fronts = image.fronts.map { front in
            LedgerSession.Front(
                front: front.front, started: front.started, answers: front.answers.count,
                answerBytes: front.answers.reduce(0) { $0 + $1.frame.count },
                begun: front.begun.map(\.sequence), traceparent: front.traceparent)
        }
        return LedgerSession(
            entry: entry(listed), epoch: journal.epoch(of: image.title), oldest: history.oldest,
            nodes: nodes,
            fronts: fronts, records: Self.described(history.entries[...], of: history),
            timers: Self.timers(of: image), jobs: Self.jobs(of: image))
    }

    private static func timers(of image: SessionImage) -> [LedgerSession.Timer]? {
        guard !image.timers.isEmpty else { return nil }
        return image.timers.map { timer in
            LedgerSession.Timer(
                node: timer.node, name: timer.name, due: timer.due, interval: timer.interval,
                attempts: Int(timer.attempts ?? 0), failure: timer.failure)
        }
    }

    private static func jobs(of image: SessionImage) -> [LedgerSession.Job]? {
        guard !image.jobs.isEmpty else { return nil }
        return image.jobs.map { job in
            LedgerSession.Job(
                node: job.node, key: "\(JobKey(bytes: job.key))", due: job.due,
                attempts: Int(job.attempts), failure: job.failure)
        }
    }

    private static func described(
        _ entries: ArraySlice<SessionHistory.Entry>, of history: SessionHistory
    ) -> [LedgerRecord] {
        let names = InputNames(of: history)
        return entries.suffix(LedgerLimits.recordsShownMax).map { entry in
            LedgerRecord(
                record: entry.group, bytes: entry.bytes, changes: entry.record.changes(names))
        }
    }

    // MARK: - Moving

    private func export(_ name: String, _ journal: Journal) async throws -> [UInt8] {
        guard let file = try await journal.tools.export(name, of: app.id) else {
            throw Self.nothing(of: name)
        }
        guard file.count <= LedgerLimits.exportBytesMax else {
            throw Refusal(
                .overloaded,
                "session '\(name)' takes \(file.count) bytes, more than "
                    + "\(LedgerLimits.exportBytesMax): use `napkin-client ledger backup`")
        }
        return file
    }

    private func adopt(
        _ file: [UInt8], as name: String, isNamed: Bool, _ journal: Journal
    ) async throws {
        var (export, image) = try await SessionExport.read(file)
        guard export.app == app.id else {
            throw Refusal(
                .sessionOfAnotherApp, "it is a session of \(export.app), not of \(app.id)")
        }
        for text in [image.title.name, image.title.id] where !Name.isValid(text) {
            throw Refusal(.badRequest, "its name '\(text.shortened(to: 64))' is not valid")
        }
        guard isNamed || image.title.name == name else {
            throw Refusal(.badRequest, "it is session '\(image.title.name)', not '\(name)'")
        }
        try image.checkAnswers()
        guard !worker.holds(name) else {
            throw Refusal(.badRequest, "there is already a session '\(name)'")
        }
        let id = worker.ids.take(for: isNamed ? name : image.title.id)
        image.title.id = id
        // Fronts of the exported session must not mistake this one for theirs.
        image.title.epoch = .random(in: 1 ... .max)
        if isNamed { image = image.copied(as: name, id: id, epoch: image.title.epoch) }
        do {
            try await journal.tools.adopt(image, export.schemas)
        } catch {
            worker.ids.release(image.title.id)
            throw error
        }
    }

    // MARK: - Going back

    private func rewind(
        _ name: String, to record: UInt64, confirmed: Bool, _ journal: Journal
    ) async throws -> LedgerRewind {
        guard worker.rewinds[name] == nil else {
            throw Refusal(.overloaded, "session '\(name)' is being rewound: try again")
        }
        guard confirmed else { return try await plan(name, to: record, journal).rewind }
        let rewind = Task {
            defer { self.worker.rewinds[name] = nil }
            return try await self.rewound(name, to: record, journal)
        }
        worker.rewinds[name] = rewind
        return try await rewind.value
    }

    private func plan(
        _ name: String, to record: UInt64, _ journal: Journal
    ) async throws -> (rewind: LedgerRewind, history: SessionHistory) {
        let history = try await history(of: name, journal)
        try Self.check(record, in: history, of: name)
        let undone = history.entries.filter { $0.group > record }
        guard !undone.isEmpty else {
            throw Refusal(
                .badRequest,
                "session '\(name)' has no record after \(record): its newest is "
                    + "\(history.newest)")
        }
        let rewind = LedgerRewind(
            session: name, record: record, undone: Self.described(undone[...], of: history),
            count: undone.count, fronts: worker.sessions[name]?.host.fronts.count ?? 0,
            isDone: false)
        return (rewind, history)
    }

    /// Ends the session's tree, stores the older state in its place, and lets its fronts return.
    private func rewound(
        _ name: String, to record: UInt64, _ journal: Journal
    ) async throws -> LedgerRewind {
        let fronts = try await plan(name, to: record, journal).rewind.fronts
        let refusal = Refusal(
            .shuttingDown, "session '\(name)' is being rewound by `napkin-client ledger rewind`")
        let session = worker.sessions.removeValue(forKey: name)
        _ = await session?.launch?.refusal
        session?.host.dismissFronts(refusal)
        session?.host.ledger?.close()
        defer {
            worker.onChange([name])
            if let host = session?.host {
                Task { await host.end(refusal) }
                worker.endedSessions.append(host)
                worker.forgetEnded()
            }
        }
        var (rewind, history) = try await plan(name, to: record, journal)
        try await journal.tools.rewind(to: try await history.rewound(to: record))
        (rewind.isDone, rewind.fronts) = (true, fronts)
        return rewind
    }
}

extension SessionImage {
    /// Throws if an answer is not a frame that may be sent to a front.
    fileprivate func checkAnswers() throws(Refusal) {
        for answer in fronts.flatMap(\.answers) {
            let isAnswer = answer.frame.withUnsafeBytes { bytes in
                var rest = bytes
                var decoder = FrameDecoder(limit: Limits.frameBytesMax)
                // An invalid frame is reported below.
                guard let frame = try? decoder.next(&rest), rest.isEmpty else { return false }
                return [.reply, .fault].contains(frame.header.kind)
                    && frame.header.sequence == answer.sequence
            }
            guard isAnswer else {
                throw Refusal(
                    .badRequest, "its answer to event \(answer.sequence) is not a frame of one")
            }
        }
    }
}
