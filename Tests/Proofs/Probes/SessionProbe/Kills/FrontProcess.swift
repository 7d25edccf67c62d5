// FrontProcess: a front in a process of its own, made to be killed.
//
// Ownership  the process's line is closed by its end.

import Glibc
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import ProofSupport

/// The other side: sends events and says of each how it ended, until its line is closed.
///
/// A line each: `value NUMBER EPOCH`, `failed NUMBER EPOCH`, `notExecuted NUMBER EPOCH`,
/// `unknown NUMBER EPOCH`, `violation TEXT`, and in the end `end CALLS`.
@MainActor
final class FrontMain: ChannelDelegate {
    private let line: Channel
    private var closed: CheckedContinuation<Void, Never>?
    private var isClosed = false

    private init() throws {
        line = try Channel.adopt(descriptor: 0)
        line.delegate = self
        line.startReading()
    }

    /// - Parameter arguments: socket, writer, seed.
    static func run(_ arguments: [String]) async -> Int32 {
        do {
            guard arguments.count == 3, let writer = Int(arguments[1]),
                let seed = UInt64(arguments[2])
            else { throw Failure("a front needs a socket, a writer and a seed") }
            return try await FrontMain().run(arguments[0], writer, seed)
        } catch {
            print("front: \(error)")
            return 1
        }
    }

    private func run(_ socket: String, _ name: Int, _ seed: UInt64) async throws -> Int32 {
        let screen = TallyScreen { TallyInteractor.answer(to: $0) }
        let front = TestFront(
            by: DaemonRoute(DaemonAddress(socket: socket)),
            options: FrontOptions(app: TallyApp.id, client: "front \(name)"),
            registry: screen.registry)
        screen.epoch = { front.front.attached?.epoch }
        try await front.attach()
        // Chosen: some hundred events a second from each front, while processes start and end.
        let writer = Writer(name, on: front, screen, seed: seed, pause: .milliseconds(10))
        writer.progressed = { [unowned self] number, outcome in
            _ = front.journal.take()
            say("\(outcome.rawValue) \(number) \(front.front.attached?.epoch ?? 0)")
            if let violation = screen.violation { say("violation \(violation)") }
        }
        writer.start(callers: 4)
        if !isClosed { await withCheckedContinuation { closed = $0 } }
        await writer.finish()
        say("end \(writer.outcomes.count)")
        await front.detach()
        return screen.violation == nil ? 0 : 1
    }

    /// In the kernel's hands when this returns: a kill does not take it back.
    private func say(_ text: String) {
        Array((text + "\n").utf8).withUnsafeBytes { line.write($0) }
    }

    private func ended() {
        isClosed = true
        closed?.resume()
        closed = nil
    }

    func channel(_ channel: Channel, didRead bytes: UnsafeRawBufferPointer) {}
    func channelDidReachEnd(_ channel: Channel) { ended() }
    func channelDidDrain(_ channel: Channel) {}
    func channel(_ channel: Channel, didFailWith error: TransportError) { ended() }
    func channelDidClose(_ channel: Channel) { ended() }
}

/// Our side of it.
@MainActor
final class FrontProcess: ChannelDelegate {
    let writer: Int
    private var process: ChildProcess?
    private let line: Channel
    private var partial: [UInt8] = []
    private(set) var status: ChildProcess.ExitStatus?
    private var isAtEnd = false
    private var waiters: [(isMet: () -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    /// Numbers of events that were applied, by the epoch of the tree.
    private(set) var applied: [UInt32: [Int]] = [:]
    private(set) var notExecuted: Set<Int> = []
    private(set) var counts: [String: Int] = [:]
    private(set) var calls: Int?
    private(set) var violation: String?

    init(_ writer: Int, socket: String, seed: UInt64) throws {
        self.writer = writer
        let (ours, theirs) = try Channel.pair()
        defer { close(theirs) }
        line = ours
        process = try ChildProcess(
            .init(
                executable: OwnProgram.link,
                arguments: ["front", socket, "\(writer)", "\(seed)"],
                descriptors: [0: theirs])
        ) { [weak self] status in
            self?.status = status
            self?.changed()
        }
        line.delegate = self
        line.startReading()
    }

    /// Calls that have ended with a value, or the feature's own error.
    var answered: Int { counts["value", default: 0] + counts["failed", default: 0] }

    /// Returns when the process has had so many calls answered, or has ended.
    func answers(_ count: Int) async throws {
        await until { [unowned self] in answered >= count || violation != nil || status != nil }
        if let violation { throw Failure("front \(writer): \(violation)") }
        try Failure.unless(answered >= count, "front \(writer) ended by itself: \(status as Any)")
    }

    /// Kills it; returns when all that it said has been read.
    func kill() async {
        process?.kill(9)
        await until { [unowned self] in status != nil && isAtEnd }
    }

    /// Has it end its calls and leave; throws when it does not.
    func end() async throws {
        line.shutdownOutput()
        await until { [unowned self] in status != nil && isAtEnd }
        if let violation { throw Failure("front \(writer): \(violation)") }
        let ended = counts.values.reduce(0, +)
        try Failure.unless(
            status == .exited(0) && calls == ended,
            "front \(writer): \(ended) of \(calls ?? -1) calls ended; \(status as Any)")
    }

    private func until(_ isMet: @escaping () -> Bool) async {
        if isMet() { return }
        await withCheckedContinuation { waiters.append((isMet, $0)) }
    }

    private func changed() {
        let met = waiters.filter { $0.isMet() }
        waiters.removeAll { $0.isMet() }
        for waiter in met { waiter.continuation.resume() }
    }

    private func said(_ text: String) {
        let words = text.split(separator: " ")
        let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
        switch words.first {
        case "value", "failed":
            applied[words.count > 2 ? UInt32(words[2]) ?? 0 : 0, default: []].append(number)
        case "notExecuted": notExecuted.insert(number)
        case "unknown": break
        case "end":
            calls = number
            return
        default:
            violation = violation ?? text
            return
        }
        counts[String(words[0]), default: 0] += 1
    }

    // MARK: - ChannelDelegate

    func channel(_ channel: Channel, didRead bytes: UnsafeRawBufferPointer) {
        partial += bytes
        while let end = partial.firstIndex(of: 0x0A) {
            said(String(decoding: partial[..<end], as: UTF8.self))
            partial.removeFirst(end + 1)
        }
        changed()
    }

    func channelDidReachEnd(_ channel: Channel) {
        isAtEnd = true
        channel.close()
        changed()
    }

    func channelDidDrain(_ channel: Channel) {}

    func channel(_ channel: Channel, didFailWith error: TransportError) {
        isAtEnd = true
        changed()
    }

    func channelDidClose(_ channel: Channel) {
        isAtEnd = true
        changed()
    }
}
