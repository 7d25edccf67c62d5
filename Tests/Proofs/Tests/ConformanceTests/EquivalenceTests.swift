// EquivalenceTests: random sequences give the same transcript over every link, and as recorded.

import ConformanceCases
import Foundation
import NapkinCore
import NapkinTesting
import ProofSupport
import Testing

extension AllLinks {
    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(20)))
    struct EquivalenceTests {
        /// Sequences in all; NAPKIN_SEQUENCES says otherwise.
        nonisolated static let count =
            ProcessInfo.processInfo.environment["NAPKIN_SEQUENCES"].flatMap(Int.init) ?? 10_000
        /// What the first sequence is drawn from, and the next from the next number; NAPKIN_SEED.
        nonisolated static let seed =
            ProcessInfo.processInfo.environment["NAPKIN_SEED"].flatMap(UInt64.init)
            ?? TranscriptDigests.firstSeed

        /// A page with a process of its own has no children, which the sequences open.
        nonisolated static let kinds: [LinkKind] = [.loopback, .sockets]

        @Test func `random sequences give the same transcript over both links, as it was recorded`()
            async throws
        {
            var setups: [SessionSetup] = []
            for kind in Self.kinds {
                setups.append(try await SessionSetup(kind, "equivalence"))
            }
            let recorded = try TranscriptDigests()
            var digests: [String] = []
            var steps = 0
            var times = setups.map { _ in Duration.zero }
            var lines = 0
            for number in 0..<UInt64(Self.count) {
                let sequence = Sequence(seed: Self.seed + number)
                steps += sequence.steps.count
                var expected: [[String]] = []
                times[0] += try await ContinuousClock().measure {
                    expected = try await sequence.transcript(in: setups[0])
                }
                lines += expected.reduce(0) { $0 + $1.count }
                digests.append(TranscriptDigests.digest(of: expected))
                if let known = recorded.digest(of: Self.seed + number), known != digests.last {
                    Issue.record(
                        """
                        NAPKIN_SEED=\(Self.seed + number) NAPKIN_SEQUENCES=1: not what was \
                        recorded of \(sequence.steps): \(expected)
                        """)
                    return
                }
                for (index, setup) in setups.enumerated().dropFirst() {
                    var seen: [[String]] = []
                    times[index] += try await ContinuousClock().measure {
                        seen = try await sequence.transcript(in: setup)
                    }
                    guard seen != expected else { continue }
                    let index = zip(expected, seen).enumerated().first { $1.0 != $1.1 }?.offset ?? 0
                    Issue.record(
                        """
                        NAPKIN_SEED=\(Self.seed + number) NAPKIN_SEQUENCES=1: step \(index) of \
                        \(sequence.steps)
                        \(setups[0].kind.rawValue): \(expected[index])
                        \(setup.kind.rawValue): \(seen[index])
                        """)
                    return
                }
            }
            for setup in setups { await setup.end() }
            if TranscriptDigests.writes { try TranscriptDigests.write(digests) }
            print(
                "equivalence: \(Self.count) sequences, \(steps) steps, \(lines) lines: "
                    + "the same over "
                    + zip(Self.kinds, times).map { "\($0.rawValue) (\($1))" }
                    .joined(separator: ", "))
        }
    }
}

/// Steps drawn from a seed, the same for each link.
struct Sequence {
    /// One thing that a user, a front or the clock does.
    enum Step {
        case open(String, Side)
        case close(Side)
        case swap(String, Side)
        case show(String, title: String)
        case count(String, to: Int)
        case flash(String, Int)
        case ask(String, Int)
        case openChild(of: String, String)
        case closeChild(of: String)
        case closeItself(String)
        case tick
        case attachOther
        case detachOther
        case loseConnection
    }

    let steps: [Step]

    init(seed: UInt64) {
        var random = Randomness(seed: seed)
        var names = ["p0"]
        func newName() -> String {
            names.append("p\(names.count)")
            return names[names.count - 1]
        }
        var steps: [Step] = [.open("p0", .left)]
        for number in 0..<Int.random(in: 3...9, using: &random) {
            let name = names.randomElement(using: &random) ?? "p0"
            let side = Side.allCases.randomElement(using: &random) ?? .left
            switch Int.random(in: 0..<20, using: &random) {
            case 0, 1: steps.append(.open(newName(), side))
            case 2: steps.append(.close(side))
            case 3: steps.append(.swap(newName(), side))
            case 4, 5: steps.append(.show(name, title: "title \(number)"))
            case 6: steps.append(.count(name, to: Int.random(in: 1...3, using: &random)))
            case 7, 8: steps.append(.flash(name, Int.random(in: 1...3, using: &random)))
            case 9: steps.append(.ask(name, number))
            case 10, 11, 12: steps.append(.openChild(of: name, newName()))
            case 13: steps.append(.closeChild(of: name))
            case 14: steps.append(.closeItself(name))
            case 15, 16: steps.append(.tick)
            case 17: steps.append(.attachOther)
            case 18: steps.append(.detachOther)
            default: steps.append(.loseConnection)
            }
        }
        self.steps = steps
    }

    /// What the fronts note, step by step; leaves the session as it was.
    @MainActor
    func transcript(in setup: SessionSetup) async throws -> [[String]] {
        let viewer = try await setup.attach { question in question.hasSuffix("0") }
        var other: Viewer?
        var transcript: [[String]] = []
        for step in steps {
            try await perform(step, setup, viewer, &other)
            transcript.append(try await lines(of: step, viewer, other))
        }
        for side in Side.allCases { try await viewer.stand.close(side) }
        transcript.append(try await viewer.stand.notes())
        for viewer in [viewer, other].compactMap(\.self) { await setup.leave(viewer) }
        return transcript
    }

    /// What has come to both fronts by now.
    @MainActor
    private func lines(of step: Step, _ viewer: Viewer, _ other: Viewer?) async throws -> [String] {
        var lines: [String] = []
        for (name, front) in [("a", viewer), ("b", other)] {
            guard let front else { continue }
            try await front.stand.sync()
            var noted = front.journal.take()
            // Pages that count at the same moment do so in any order.
            if case .tick = step { noted.sort() }
            // How many counts of one handler arrive depends on the link; the newest always does.
            if case .count = step { noted = Array(noted.suffix(1)) }
            lines += noted.map { "\(name) \($0)" }
        }
        return lines
    }

    @MainActor
    private func perform(
        _ step: Step, _ setup: SessionSetup, _ viewer: Viewer, _ other: inout Viewer?
    ) async throws {
        switch step {
        case .open(let name, let side): try await viewer.stand.open(name, at: side)
        case .close(let side): try await viewer.stand.close(side)
        case .swap(let name, let side): try await viewer.stand.swap(name, at: side)
        case .show(let name, let title): await viewer.known(name)?.show(title: title)
        case .count(let name, let number): await viewer.known(name)?.count(to: number)
        case .flash(let name, let count): await viewer.known(name)?.flash(count)
        case .ask(let name, let number):
            guard let page = viewer.known(name) else { return }
            let outcome = await Outcome.of {
                viewer.journal.note("answer \(try await page.ask("question \(number % 2)"))")
            }
            viewer.journal.note("ask \(outcome)")
        case .openChild(let name, let child): await viewer.known(name)?.openChild(child)
        case .closeChild(let name): await viewer.known(name)?.closeChild()
        case .closeItself(let name): await viewer.known(name)?.close()
        case .tick: try await viewer.stand.tick()
        case .attachOther:
            if other == nil { other = try await setup.attach() }
        case .detachOther:
            if let viewer = other { await setup.leave(viewer) }
            other = nil
        case .loseConnection:
            await viewer.front.disconnect()
            await viewer.front.reconnect()
        }
    }
}

extension Viewer {
    /// The way to a page that this front has shown, whether or not it still does.
    func known(_ name: String) -> (any PagePresentableListener)? {
        views.all(Page.self).last { $0.arguments?.name == name }?.listener
    }
}
