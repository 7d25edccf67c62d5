// Orders: valid messages in an order that makes no sense, against a real daemon and worker.
//
// Spec       Protocol/FUZZING.md (Hostile order)

import ArgumentParser
import NapkinProtocol
import ProofSupport

struct Orders: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "orders",
        abstract: "Sends well-formed messages in every wrong order, and sees what comes of it.",
        discussion: """
            Starts a napkind of its own (QuestionDaemon), attaches two fronts that behave, and \
            then draws sequences of 1 to 8 messages on eight connections to the worker and three \
            to napkind: tickets used twice, events of stale epochs and dead nodes, answers to \
            questions of others, frames that only the other side may send, fronts that return as \
            themselves, as others and twice.

            Whoever sends what nobody may send is put out. Each other request and event has one \
            answer, or its connection ends, and nothing follows a goodbye. The fronts that behave \
            are answered all the time, and soon. After each interval everybody leaves; then \
            sessions and descriptors must be what they were, in the same processes, whose heaps \
            may have grown by 1 MiB at most since the first interval.

            The same seed draws the same messages; a violation is printed with the seed, the \
            number of its sequence and what was sent last on its connection.

            Example:
              HostileProbe orders --count 100000 --seed 7

            Exit status: 0 everything held; 1 something did not; 64 a wrong option.
            """)

    @Option(help: "How many sequences to send.")
    var count = 20000

    @Option(help: "What to draw from; a random one, which is printed, unless given.")
    var seed: UInt64?

    @Option(help: "Sequences between two looks at heaps, descriptors and sessions.")
    var interval = 10000

    /// Bytes that the heap of each process may grow after the first interval. Chosen.
    private static let growthMax = 1024 * 1024

    func validate() throws {
        guard min(count, interval) > 0 else {
            throw ValidationError("--count and --interval must be at least 1")
        }
    }

    func run() throws {
        let seed = self.seed ?? .random(in: 1 ... .max)
        print("seed       \(seed)")
        var sequence = 0
        let place = { "in sequence \(sequence) of seed \(seed):\n" }
        try AttackedDaemon.attacked(at: place) { process in
            let siege = try OrderSiege(process, seed: seed)
            let start = ContinuousClock.now
            var first: Weights?
            while sequence < count {
                sequence += 1
                try siege.sequence(sequence)
                guard sequence.isMultiple(of: interval) || sequence == count else { continue }
                let now = try siege.rest()
                print("\(sequence)\t\(ContinuousClock.now - start)\t\(now.text)")
                try first?.check(now, Self.growthMax, "after sequence \(sequence)")
                first = first ?? now
            }
            print("sent       \(siege.text)")
            print("held       \(count) sequences in \(ContinuousClock.now - start)")
        }
    }
}
