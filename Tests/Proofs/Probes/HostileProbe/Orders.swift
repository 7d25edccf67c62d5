// Orders: valid messages in an order that makes no sense, against a real daemon and worker.
//
// Spec       Protocol/FUZZING.md (Hostile order)

import ArgumentParser
import Glibc
import NapkinProtocol
import ProofSupport

struct Orders: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "orders",
        abstract: "Sends well-formed messages in every wrong order, and checks each answer.",
        discussion: """
            Starts a napkind of its own (QuestionDaemon), attaches two fronts that behave, \
            and then draws sequences of 1 to 8 messages on eight connections to the worker and \
            three to napkind: tickets used twice, events of stale epochs and dead nodes, answers \
            to questions of others, frames that only the other side may send, more events than \
            the window allows, fronts that return as themselves, as others and twice. \
            Protocol/SPEC.md says what must follow: an answer, a fault, or a \
            goodbye and the end. Silence is none, and nothing follows a goodbye.

            After each interval everybody leaves; then the sessions, fronts, handlers and open \
            descriptors must be what they were, in the same processes, whose memory may have \
            grown by --growth at most since the first interval.

            The same seed draws the same messages; a violation is printed with the seed, the \
            number of its sequence and the last frames of its connection.

            Example:
              HostileProbe orders --count 100000 --seed 7

            Exit status: 0 everything held; 1 something did not; 64 a wrong option.
            """)

    @Option(help: "How many sequences to send.")
    var count = 20000

    @Option(help: "What to draw from; a random one, which is printed, unless given.")
    var seed: UInt64?

    @Option(help: "Sequences between two looks at memory, descriptors and sessions.")
    var interval = 10000

    @Option(help: "KiB that each process may grow after the first interval.")
    var growth = 4096

    @Option(help: "The daemon that hosts the app `questions`; beside this program unless given.")
    var daemon: String?

    func validate() throws {
        guard count > 0 else { throw ValidationError("--count must be at least 1") }
        guard interval > 0 else { throw ValidationError("--interval must be at least 1") }
        guard growth > 0 else { throw ValidationError("--growth must be at least 1") }
    }

    func run() throws {
        let seed = self.seed ?? .random(in: 1 ... .max)
        print("seed       \(seed)")
        let counter = Counter()
        try DaemonProcess.attacked(
            daemon, at: { "in sequence \(counter.sequence) of seed \(seed):\n" },
            by: { try attack($0, seed, counter) })
    }

    private func attack(_ process: DaemonProcess, _ seed: UInt64, _ counter: Counter) throws {
        let siege = try Siege(process, seed: seed)
        let start = World.now
        var last: Standing?
        while counter.sequence < count {
            counter.sequence += 1
            let sequence = counter.sequence
            try siege.sequence()
            guard sequence.isMultiple(of: interval) || sequence == count else { continue }
            let standing = try siege.standing()
            last = standing
            print("\(sequence)\t\(Int(World.now - start)) s\t\(standing.text)")
            fflush(nil)
            try check(siege.baseline, standing)
        }
        let seconds = World.now - start
        let counts = siege.world.counts
        print(counts.text)
        if let first = siege.baseline, let last {
            print("memory     first: \(first.text)\n           last:  \(last.text)")
        }
        print(
            "held       \(counts.sequences) sequences, \(counts.messages) messages in "
                + "\(Int(seconds)) s; slowest good call \(Int(siege.slowest * 1000)) ms")
    }

    private func check(_ first: Standing?, _ now: Standing) throws {
        guard let first else { return }
        let processes = [
            ("napkind", first.daemon, now.daemon), ("the worker", first.worker, now.worker),
        ]
        for (name, before, after) in processes
        where after.residentKiB - before.residentKiB > growth {
            throw Failure(
                "\(name) has grown from \(before.residentKiB) to "
                    + "\(after.residentKiB) KiB; \(growth) KiB more are allowed")
        }
    }
}

/// How many sequences have begun.
private final class Counter {
    var sequence = 0
}
