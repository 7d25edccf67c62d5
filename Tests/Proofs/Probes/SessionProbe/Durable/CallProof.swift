// CallProof: a worker of a durable session is killed at each of its system calls.
//
// Spec       Protocol/SPEC.md, section 9.4 (Durable sessions)

import CProofs
import Glibc
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import ProofSupport

/// A script of events is run again and again, each time in a session of its own: at its Nth system
/// call, over all of its threads, the worker is killed, for each N or for some.
@MainActor
final class CallProof {
    static let events = 200
    /// Events under way at a time.
    static let callers = 4
    /// Events that are sent when the worker has died. Chosen: each plan comes, more or less.
    static let afterwards = 12

    private let daemon: DaemonProcess
    private let count: Int
    private let seed: UInt64
    private let watchdog: Watchdog
    private let victims: Victims
    private var session = ""
    private var witness: BookWitness
    private var points: [String] = []

    /// - Parameter count: points for each app; all of them if there are no more than so many.
    init(_ daemon: DaemonProcess, count: Int, seed: UInt64, watchdog: Watchdog) {
        self.daemon = daemon
        self.count = count
        self.seed = seed
        self.watchdog = watchdog
        victims = Victims(daemon)
        witness = BookWitness(of: BookApp.id, session, in: daemon.place)
    }

    func run() async throws {
        watchdog.report = { [unowned self] in "in \(session)\n" + witness.history.newest }
        for app in DeathProof.apps {
            // Without a kill: how many there are.
            let total = try await point(0, of: app)
            let taken = min(count, total)
            // Each stretch of the script has its point; which one of it, the seed says.
            let offset = Int(seed % UInt64(max(1, total / taken)))
            for index in 0..<taken {
                let number = 1 + index * total / taken + offset
                do {
                    _ = try await point(number, of: app)
                } catch {
                    throw Failure("\(app), killed at call \(number) of \(total): \(error)")
                }
                if index % 100 == 99 {
                    print("so far     \(app) at \(index + 1) of \(taken)")
                    fflush(nil)
                }
            }
            points.append("\(app) at \(taken) of \(total) system calls")
        }
        print("killed     \(points.joined(separator: ", "))")
    }

    /// Runs the script; the worker is killed at that system call, or at the end of the script.
    ///
    /// Returns how many system calls the worker has begun.
    private func point(_ number: Int, of app: String) async throws -> Int {
        session = "call-\(number)"
        witness = BookWitness(of: app, session, in: daemon.place)
        let front = BookFront(1, of: app, session: session, at: daemon.address, witness)
        try await front.front.attach()
        let pid = try await victims.mortal(of: app, session, witness)
        try await front.isBack()
        let tracer = try Child(OwnProgram.link, ["trace", "\(pid)", "\(number)"])
        _ = try await tracer.line { $0 == "attached" }
        try await script(on: front, tracer)
        witness.history.noted("worker \(pid) is dead")
        kill(pid, SIGKILL)
        let lines = await tracer.result().lines
        try await front.isBack()
        let found = witness.history.violations(try await front.recovered())
        if let first = found.first { throw Failure("\(found.count) violations: \(first)") }
        await front.front.detach()
        let _: Bool = try await daemon.query(.kill(session: session))
        watchdog.reset()
        guard let calls = lines.last.flatMap({ Int($0) }), calls > 0 else {
            throw Failure("the tracer says \(lines): \(tracer.errorText)")
        }
        return calls
    }

    /// Sends the script's events; a few more once the worker has died.
    private func script(on front: BookFront, _ tracer: Child) async throws {
        var random = Randomness(seed: seed)
        var rest = (0..<Self.events).map { _ in
            (History.Plan.allCases[random.below(History.Plan.allCases.count)], random.below(3000))
        }[...]
        var hasDied = false
        func send() async throws {
            while let (plan, pause) = rest.popFirst() {
                if !hasDied, tracer.hasEnded {
                    hasDied = true
                    rest = rest.prefix(Self.afterwards)
                }
                if !front.front.isConnected { try await front.isBack() }
                try await front.send(plan, pausing: pause)
            }
        }
        let callers = (0..<Self.callers).map { _ in Task { try await send() } }
        for caller in callers { try await caller.value }
    }
}

/// The other program: the one that follows a worker and kills it.
enum TracerMain {
    /// - Parameter arguments: the process, and the number of the call.
    static func run(_ arguments: [String]) -> Int32 {
        let numbers = arguments.compactMap { Int($0) }
        guard numbers.count == 2 else { return EX_USAGE }
        let calls = napkin_kill_at_call(Int32(numbers[0]), numbers[1]) {
            print("attached")
            fflush(nil)
        }
        print(calls)
        return calls < 0 ? EX_OSERR : 0
    }
}
