// Stranger: does with one session whatever can be done, while processes are killed or not.
//
// Invariant  all that a visit has begun has ended when it returns.

import Glibc
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import ProofSupport

/// One who comes and goes.
@MainActor
final class Stranger {
    /// What is done on a visit.
    enum Deed: String, CaseIterable {
        case apply, vote, trace, watch, top, rename, dismiss, takeOver, kill, cut, stall, half
    }

    private let daemon: DaemonProcess
    private let names: [String]
    private var random: Randomness
    /// Whether daemon and worker may die meanwhile.
    private let mayLose: Bool
    private var session: String
    private var tool: DaemonConnection?
    private var front: TestFront?
    private var screen: TallyScreen?
    private var number = 0
    /// What has been begun and waits for something.
    private var pending: [Task<Void, Never>] = []
    private var violation: String?
    /// Whether the front is sent nothing.
    private var isStalled = false
    private(set) var visits = 0
    private(set) var deeds: [Deed: Int] = [:]
    /// Calls, and those that ended as unknown or not run.
    private(set) var calls = 0
    private(set) var doubtful = 0
    /// Places in the trees that were seen: none is given twice.
    private var places: [UInt32: Set<Int>] = [:]

    init(_ number: Int, _ daemon: DaemonProcess, mayLose: Bool, seed: UInt64) {
        self.daemon = daemon
        self.mayLose = mayLose
        names = ["stranger-\(number)", "renamed-\(number)"]
        session = names[0]
        random = Randomness(seed: seed)
    }

    /// Comes, does up to eight things, and leaves; nothing is left then.
    func visit() async throws {
        visits += 1
        do {
            try await come()
            for _ in 0...random.below(8) {
                let deed = Deed.allCases[random.below(Deed.allCases.count)]
                deeds[deed, default: 0] += 1
                try await perform(deed)
            }
        } catch {
            try expected(error)
        }
        await leave()
        if let violation { throw Failure("\(names[0]): \(violation)") }
        if let violation = screen?.violation { throw Failure("\(names[0]): \(violation)") }
    }

    /// Throws what may not have happened.
    private func expected(_ error: FrontError) throws {
        // What was asked of a session that is not there, or is another's.
        if error.code == .refused { return }
        try Failure.unless(mayLose, "\(names[0]): \(error)")
    }

    // MARK: - Coming and going

    private func come() async throws(FrontError) {
        tool = try await DaemonConnection.connect(
            to: daemon.address, client: "stranger", role: .front)
        try await attach(takesOver: false)
    }

    private func attach(takesOver: Bool) async throws(FrontError) {
        let screen = TallyScreen { [weak self] question in
            guard self?.random.percent(50) == true else {
                // Open until the visit ends.
                try await Task.sleep(for: .milliseconds(self?.random.below(50) ?? 0))
                throw RemoteFault(.refused, "a stranger does not answer")
            }
            return TallyInteractor.answer(to: question)
        }
        let front = TestFront(
            by: DaemonRoute(daemon.address),
            options: FrontOptions(
                app: TallyApp.id, session: session, client: "stranger", takesOver: takesOver),
            registry: screen.registry)
        screen.epoch = { [unowned front] in front.front.attached?.epoch }
        self.screen = screen
        self.front = front
        isStalled = false
        try await front.attach()
    }

    private func leave() async {
        await dismiss(front)
        front = nil
        for name in names {
            // There is none, or no daemon.
            let _: Bool? = try? await tool?.query(.kill(session: name))
        }
        for task in pending { await task.value }
        pending = []
        tool?.close()
        tool = nil
        session = names[0]
    }

    /// Has a front leave, also one that is sent nothing.
    private func dismiss(_ front: TestFront?) async {
        front?.release()
        await front?.detach()
        front?.wire.cut()
    }

    // MARK: - Deeds

    private func perform(_ deed: Deed) async throws(FrontError) {
        guard let tool, let front else { return }
        if front.end != nil {
            await dismiss(front)
            try await attach(takesOver: false)
        }
        switch deed {
        case .apply:
            let calls = (0...random.below(20)).compactMap { _ in apply() }
            // While nothing is held they end by themselves.
            if !isStalled { for call in calls { await call.value } }
        case .vote: vote()
        case .trace: try await trace(tool)
        case .watch: try await watch(tool)
        case .top: begin { let _: Figures = try await tool.query(self.figures) }
        case .rename: try await rename(tool)
        case .dismiss: let _: Int = try await tool.query(.detach(session: session, front: nil))
        case .takeOver:
            let former = self.front
            do throws(FrontError) {
                try await attach(takesOver: true)
            } catch {
                await dismiss(former)
                throw error
            }
            await dismiss(former)
        case .kill: let _: Bool = try await tool.query(.kill(session: session))
        case .cut: front.wire.cut(after: random.below(2000), .toFront)
        case .stall:
            if isStalled { front.release() } else { front.hold() }
            isStalled.toggle()
            for _ in 0...random.below(40) { _ = apply() }
        case .half: try await half(tool)
        }
    }

    private var figures: Query { .top(app: TallyApp.id, session: session) }

    /// Begins what may wait, and ends in any way.
    @discardableResult
    private func begin(
        _ body: @escaping @MainActor () async throws -> Void
    ) -> Task<Void, Never> {
        let task = Task {
            do {
                try await body()
            } catch let error as FrontError {
                if error.code != .refused, !self.mayLose { self.violation = "\(error)" }
            } catch {
                self.violation = "\(error)"
            }
        }
        pending.append(task)
        return task
    }

    private func apply() -> Task<Void, Never>? {
        guard let listener = screen?.listener, let front else { return nil }
        number += 1
        calls += 1
        let wish = Wish.allCases[random.below(Wish.allCases.count)]
        let note = Note(writer: 1, number: number, wish: wish)
        return begin {
            do {
                let place = try await listener.apply(note)
                let epoch = front.front.attached?.epoch ?? 0
                if !self.places[epoch, default: []].insert(place).inserted {
                    self.violation = "place \(place) of epoch \(epoch) was given twice"
                }
            } catch let fault as RemoteFault {
                self.ended(fault)
            }
        }
    }

    private func vote() {
        guard let listener = screen?.listener else { return }
        number += 1
        calls += 1
        let question = number
        begin {
            do { _ = try await listener.vote(question) } catch let fault as RemoteFault {
                self.ended(fault)
            }
        }
    }

    /// A call has ended without a value.
    private func ended(_ fault: RemoteFault) {
        switch fault.code {
        case .failed, .noFront, .refused, .cancelled, .gone: break
        case .unknown, .notExecuted: doubtful += 1
        default: violation = "a call ended with \(fault)"
        }
    }

    private func trace(_ tool: DaemonConnection) async throws(FrontError) {
        func query(_ tracer: UInt64?) -> Query {
            .trace(session: session, tracer: tracer, feature: nil, values: true)
        }
        let batch: TraceBatch = try await tool.query(query(nil))
        let next = query(batch.tracer)
        begin { let _: TraceBatch = try await tool.query(next) }
    }

    private func watch(_ tool: DaemonConnection) async throws(FrontError) {
        func query(_ digest: UInt64?) -> Query {
            .watch(
                app: TallyApp.id, session: session, digest: digest, milliseconds: nil,
                inventory: true)
        }
        let sample: TreeSample = try await tool.query(query(nil))
        let next = query(sample.digest)
        begin { let _: TreeSample = try await tool.query(next) }
    }

    private func rename(_ tool: DaemonConnection) async throws(FrontError) {
        let other = names[session == names[0] ? 1 : 0]
        let renaming: Renaming = try await tool.query(.rename(session: session, to: other))
        session = renaming.session
    }

    /// Writes the beginning of a frame to napkind or to the worker, and leaves it at that.
    private func half(_ tool: DaemonConnection) async throws(FrontError) {
        let redirect = try await tool.open(Open(app: TallyApp.id, session: session))
        let path = random.percent(50) ? redirect.socket : daemon.socket
        var writer = CBORWriter()
        let start = FrameHeader(.hello).begin(in: &writer)
        writer.append([UInt8](repeating: 0, count: 3000))
        FrameHeader.finish(frameAt: start, in: &writer)
        let bytes = writer.copyBytes().prefix(random.below(3028))
        do {
            let channel = try await Channel.connect(to: path)
            Array(bytes).withUnsafeBytes { channel.write($0) }
            channel.close()
        } catch {
            throw FrontError(.disconnected, "\(path): \(error)")
        }
    }
}
