// FrontProcess: a front in a process of its own, made to be killed.

import Foundation
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import ProofSupport

/// The other side: sends events and says of each how it ended, until its input is closed.
///
/// A line each: `value NUMBER EPOCH`, `failed NUMBER EPOCH`, `notExecuted NUMBER EPOCH`,
/// `unknown NUMBER EPOCH`, `violation TEXT`, and in the end `end CALLS`.
@MainActor
enum FrontMain {
    /// - Parameter arguments: socket, writer, seed.
    static func run(_ arguments: [String]) async -> Int32 {
        do {
            guard arguments.count == 3, let writer = Int(arguments[1]),
                let seed = UInt64(arguments[2])
            else { throw Failure("a front needs a socket, a writer and a seed") }
            return try await run(arguments[0], writer, seed)
        } catch {
            say("violation \(error)")
            return 1
        }
    }

    private static func run(_ socket: String, _ name: Int, _ seed: UInt64) async throws -> Int32 {
        let screen = TallyScreen { TallyInteractor.answer(to: $0) }
        let front = TestFront(
            by: DaemonRoute(DaemonAddress(socket: socket)),
            options: FrontOptions(app: TallyApp.id, client: "front \(name)"),
            registry: screen.registry)
        screen.epoch = { front.front.attached?.epoch }
        try await front.attach()
        // Chosen: some hundred events a second from each front, while processes start and end.
        let writer = Writer(name, on: front, screen, seed: seed, pause: .milliseconds(10))
        writer.progressed = { number, outcome in
            _ = front.journal.take()
            say("\(outcome.rawValue) \(number) \(front.front.attached?.epoch ?? 0)")
            if let violation = screen.violation { say("violation \(violation)") }
        }
        writer.start(callers: 4)
        await withCheckedContinuation { isClosed in
            Thread.detachNewThread {
                var byte: UInt8 = 0
                while read(0, &byte, 1) > 0 {}
                isClosed.resume()
            }
        }
        await writer.finish()
        say("end \(writer.outcomes.count)")
        await front.detach()
        return screen.violation == nil ? 0 : 1
    }

    /// In the kernel's hands when this returns: a kill does not take it back.
    private static func say(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }
}

/// Our side of it.
@MainActor
final class FrontProcess {
    let writer: Int
    private let process: Child
    /// How many lines of it have been taken in.
    private var known = 0
    /// Numbers of events that were applied, by the epoch of the tree.
    private(set) var applied: [UInt32: [Int]] = [:]
    private(set) var notExecuted: Set<Int> = []
    private(set) var counts: [String: Int] = [:]
    private var calls: Int?
    private var violation: String?

    init(_ writer: Int, socket: String, seed: UInt64) throws {
        self.writer = writer
        process = try Child(OwnProgram.link, ["front", socket, "\(writer)", "\(seed)"])
    }

    /// Calls that have ended with a value, or the feature's own error.
    var answered: Int { counts["value", default: 0] + counts["failed", default: 0] }

    /// Returns when the process has had so many calls answered; throws when it ends before.
    func answers(_ count: Int) async throws {
        takeIn()
        while answered < count, violation == nil {
            _ = try await process.line(from: known) { _ in true }
            takeIn()
        }
        if let violation { throw Failure("front \(writer): \(violation)") }
    }

    /// Kills it; returns when all that it said has been taken in.
    func kill() async {
        process.signal(SIGKILL)
        _ = await process.result()
        takeIn()
    }

    /// Has it end its calls and leave; throws when it does not.
    func end() async throws {
        process.closeInput()
        let (status, _) = await process.result()
        takeIn()
        if let violation { throw Failure("front \(writer): \(violation)") }
        let ended = counts.values.reduce(0, +)
        try Failure.unless(
            status == 0 && calls == ended,
            "front \(writer): \(ended) of \(calls ?? -1) calls ended; status \(status)")
    }

    /// Takes in what it has said by now.
    func takeIn() {
        let lines = process.lines
        for line in lines[known...] { said(line) }
        known = lines.count
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
}
