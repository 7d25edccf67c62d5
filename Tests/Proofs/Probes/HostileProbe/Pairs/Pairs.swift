// Pairs: each pair of what can be done with a session, again and again: nothing may be left of it.

import ArgumentParser
import Glibc
import NapkinProtocol
import ProofSupport

struct Pairs: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pairs",
        abstract: "Does each two things after one another with sessions, and looks for leaks.",
        discussion: """
            Starts a napkind of its own (QuestionDaemon). A cycle attaches a front, does two \
            things, and ends: the fronts leave for good, or the session is killed, in turn. After \
            --cycles of one pair, in the second half of them, neither process may have more bytes \
            of its heap in use than 16 KiB and 8 bytes for each cycle; nor may it in all. \
            Descriptors and processes must be what they were.

            A part of the pairs is done by --part: four processes do all of them.

            Example:
              HostileProbe pairs --cycles 10000 --part 1/4

            Exit status: 0 nothing was left; 1 something was; 64 a wrong option.
            """)

    /// Chosen: some seconds at most.
    private static let warmUpsMax = 30, warmUpCycles = 100, warmUpBytes = 1024
    /// Seconds until whoever keeps words for a peer that does not read has given that up.
    private static let patience = UInt32(Limits.handshakeSeconds) + 1

    @Option(help: "Cycles of each pair.")
    var cycles = 10

    @Option(help: "Which part of the pairs, of how many: 1/4.")
    var part = "1/1"

    private var parts: (index: Int, count: Int)? {
        let numbers = part.split(separator: "/").map { Int($0) }
        guard numbers.count == 2, let index = numbers[0], let count = numbers[1],
            index > 0, index <= count
        else { return nil }
        return (index, count)
    }

    func validate() throws {
        guard cycles > 3 else { throw ValidationError("--cycles must be at least 4") }
        guard parts != nil else { throw ValidationError("--part is a number of a number: 1/4") }
    }

    func run() throws {
        try AttackedDaemon.attacked { try cycle($0) }
    }

    private func cycle(_ process: AttackedDaemon) throws {
        let start = ContinuousClock.now
        let inspector = try Inspector(process.socket, as: .front)
        let scene = Scene(inspector, names: ["pairs", "renamed"])
        let (index, count) = parts ?? (1, 1)
        let pairs = Pair.all.enumerated().filter { $0.offset % count == index - 1 }.map(\.element)
        // Each once, so that what is made when it is first needed is there.
        for pair in pairs { try cycle(pair, 2, scene) }
        let worker = try inspector.worker()
        try warmUp(scene, process, worker, inspector)
        var looks = [try Weights.settled(process, worker, inspector)]
        for pair in pairs {
            looks.append(try grows(pair, scene, process, worker, inspector))
        }
        let middle = looks[looks.count / 2]
        guard let last = looks.last else { return }
        try check("all pairs", middle, last, cycles * pairs.count / 2)
        print("heap       first: \(looks[0].text)\n           last:  \(last.text)")
        let time = ContinuousClock.now - start
        print("held       \(cycles) cycles of \(pairs.count) pairs in \(time)")
    }

    /// Goes on until nothing grows, or for long: caches of the runtime fill, and then are full.
    /// Each process was seen to take 164 KiB more in its first thousand cycles, whatever they were,
    /// and nothing in the next thousands. A leak goes on, and is seen later.
    private func warmUp(
        _ scene: Scene, _ process: AttackedDaemon, _ worker: Int32, _ inspector: Inspector
    ) throws {
        var before = try Weights.settled(process, worker, inspector)
        for _ in 0..<Self.warmUpsMax {
            try cycle(Pair(first: .workflow, second: .kill), Self.warmUpCycles, scene)
            let after = try Weights.settled(process, worker, inspector)
            if before.growths(to: after).allSatisfy({ $0.bytes < Self.warmUpBytes }) { return }
            before = after
        }
    }

    /// Does the cycles of one pair; the second half of them may not make anything grow.
    private func grows(
        _ pair: Pair, _ scene: Scene, _ process: AttackedDaemon, _ worker: Int32,
        _ inspector: Inspector
    ) throws -> Weights {
        let early = cycles / 4 * 2
        try cycle(pair, early, scene)
        let before = try Weights.settled(process, worker, inspector)
        try cycle(pair, cycles - early, scene)
        var after = try Weights.settled(process, worker, inspector)
        if before.growths(to: after).contains(where: { $0.bytes > allowed(cycles - early) }) {
            sleep(Self.patience)
            after = try Weights.settled(process, worker, inspector)
        }
        try check("\(pair)", before, after, cycles - early)
        return after
    }

    private func cycle(_ pair: Pair, _ count: Int, _ scene: Scene) throws {
        do {
            for number in 1...count {
                try scene.perform(pair.first)
                try scene.perform(pair.second)
                // The session goes on to the next cycle, in which it is killed.
                if number.isMultiple(of: 2) { try scene.end() } else { try scene.leave() }
            }
        } catch {
            throw Failure("\(pair): \(error)")
        }
    }

    private func check(_ what: String, _ before: Weights, _ after: Weights, _ cycles: Int) throws {
        try before.check(after, allowed(cycles), what)
    }

    private func allowed(_ cycles: Int) -> Int { 16 * 1024 + 8 * cycles }
}
