// SlowFrontWorkload: what a front that is stopped costs the worker, and another front.
//
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

import Glibc
import Histogram
import NapkinCore
import NapkinTransport

/// States are presented all the time. In turn: nobody is slow, for half of the time each before
/// and after; and in between a front is stopped for the whole of it.
@MainActor
struct SlowFrontWorkload {
    let states: Int
    let seconds: Int
    let processor: Int?

    func report() async throws -> Report {
        try await Daemon().run(measure)
    }

    private func measure(_ daemon: Daemon) async throws -> Report {
        let notes = CrowdNotes()
        let fast = CrowdFront(daemon.socket, session: "one", notes)
        await fast.attach()
        let worker = try await daemon.workerPID(of: CrowdApp.id)
        let slow = try StoppableFront(daemon.socket)
        try await slow.says("shown")
        var without = Report.histogram()
        // What is allocated once, with both fronts awake, is not the stopped one's.
        _ = try await storm(fast, states / 10, seconds * 100)
        try await storm(fast, states / 2, seconds * 500).add(to: &without)
        let before = try Placement.residentKiB(of: worker)
        slow.signal(SIGSTOP)
        let with = try await storm(fast, states, seconds * 1000)
        let after = try Placement.residentKiB(of: worker)
        slow.signal(SIGCONT)
        try await storm(fast, states / 2, seconds * 500).add(to: &without)
        // Numbers begin anew with each storm.
        _ = try await fast.listener?.push(states + 1)
        try await slow.says("newest \(states + 1)")
        slow.end()
        await fast.detach()
        var report = Report(workload: "slow-front", processor: processor)
        report.add("states", Double(states))
        report.add("seconds", Double(seconds))
        report.add(without, prefix: "without_")
        report.add(with, prefix: "with_")
        report.add(
            "ratio_p99",
            Double(with.valueAtPercentile(99)) / Double(without.valueAtPercentile(99)))
        report.add("worker_growth_kib", Double(after - before))
        return report
    }

    /// Has states presented, and measures another front's events meanwhile.
    private func storm(
        _ front: CrowdFront, _ count: Int, _ milliseconds: Int
    ) async throws -> Histogram<UInt32> {
        guard let listener = front.listener else { throw BenchError("nothing is shown") }
        var histogram = Report.histogram()
        let storm = Storm()
        let task = Task {
            defer { storm.isOver = true }
            _ = try await listener.storm(count, milliseconds: milliseconds)
        }
        while !storm.isOver {
            let start = Placement.now()
            _ = try await listener.ping()
            histogram.record(Placement.now() - start)
            // So that the storm, and not this, is what the worker is busy with. Chosen.
            try await Task.sleep(for: .microseconds(200))
        }
        try await task.value
        return histogram
    }

    @MainActor
    private final class Storm {
        var isOver = false
    }
}

extension Histogram<UInt32> {
    fileprivate func add(to target: inout Histogram<UInt32>) {
        for value in recordedValues() { target.record(value.value, count: value.count) }
    }
}

/// A front in a process of its own: this program, started again.
@MainActor
final class StoppableFront: ChannelDelegate {
    private let line: Channel
    private var process: ChildProcess?
    private var text = ""
    private var hasEnded = false
    private var waiter: (word: String, continuation: CheckedContinuation<Void, Never>)?

    init(_ socket: String) throws {
        let (ours, theirs) = try Channel.pair()
        defer { close(theirs) }
        line = ours
        process = try ChildProcess(
            .init(
                executable: OwnProgram.link, arguments: ["front-peer", socket],
                descriptors: [0: theirs])
        ) { [weak self] _ in self?.ended() }
        line.delegate = self
        line.startReading()
    }

    /// Returns when the front has said that line.
    func says(_ word: String) async throws {
        while !text.split(separator: "\n").contains(Substring(word)) {
            if hasEnded { throw BenchError("the other front ended before it said '\(word)'") }
            await withCheckedContinuation { waiter = (word, $0) }
        }
    }

    func signal(_ number: Int32) { process?.kill(number) }

    /// It ends with its line.
    func end() { line.close() }

    private func changed() {
        waiter.take()?.continuation.resume()
    }

    private func ended() {
        hasEnded = true
        changed()
    }

    func channel(_ channel: Channel, didRead bytes: UnsafeRawBufferPointer) {
        text += String(decoding: bytes, as: UTF8.self)
        changed()
    }
    func channelDidReachEnd(_ channel: Channel) { ended() }
    func channelDidDrain(_ channel: Channel) {}
    func channel(_ channel: Channel, didFailWith error: TransportError) { ended() }
    func channelDidClose(_ channel: Channel) {}
}

/// The other side: says when it shows the session, and each newest number that ends a storm.
@MainActor
final class FrontPeer: ChannelDelegate {
    private let line: Channel
    private var over: CheckedContinuation<Void, Never>?

    private init() throws {
        line = try Channel.adopt(descriptor: 0)
        line.delegate = self
        line.startReading()
    }

    static func run(_ socket: String) async -> Int32 {
        do {
            try await FrontPeer().run(socket)
            return EX_OK
        } catch {
            // When standard error is closed there is nobody left to tell.
            try? StandardStream.error.write(PrintableText(line: "napkin-bench: \(error)"))
            return EX_SOFTWARE
        }
    }

    private func run(_ socket: String) async throws {
        let front = CrowdFront(socket, session: "one", CrowdNotes())
        front.whenPresented = { [unowned self] number in say("newest \(number)") }
        await front.attach()
        say("shown")
        await withCheckedContinuation { over = $0 }
        await front.detach()
    }

    private func say(_ word: String) {
        Array((word + "\n").utf8).withUnsafeBytes { line.write($0) }
    }

    func channel(_ channel: Channel, didRead bytes: UnsafeRawBufferPointer) {}
    func channelDidReachEnd(_ channel: Channel) { over.take()?.resume() }
    func channelDidDrain(_ channel: Channel) {}
    func channel(_ channel: Channel, didFailWith error: TransportError) { over.take()?.resume() }
    func channelDidClose(_ channel: Channel) { over.take()?.resume() }
}
