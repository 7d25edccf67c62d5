// ConcurrentCase: fronts that act at the same time, and what must hold whatever came first.

import NapkinCore
import NapkinTesting
import ProofSupport

/// One session. Fronts send at any time; who comes, goes, loses its connection, and when the
/// session dies, is one thing after another.
@MainActor
final class ConcurrentCase {
    /// A call, from its begin to its end.
    private struct Call {
        let note: Note
        let begunIn: Int
        var endedIn = -1
        /// `nil` for unknown.
        var outcome: SessionModel.Outcome?
    }

    private let session: TestSession
    private let seed: UInt64
    private var viewers: [Viewer?] = [nil, nil, nil]
    private var calls: [Call] = []
    private var lives = 0
    private var number = 0
    /// Those in whose place a front has left.
    private var departures: Set<Int> = []
    /// The end of what changes who is there.
    private var turn: Task<Void, any Error>?

    init(_ session: TestSession, seed: UInt64) {
        self.session = session
        self.seed = seed
    }

    /// Runs the fronts to their end; returns how many calls there were.
    func run() async throws -> Int {
        var random = Randomness(seed: seed)
        for place in viewers.indices {
            viewers[place] = try await Viewer(session, in: place, isReadOnly: false)
        }
        let seeds = viewers.indices.map { _ in random.next() }
        let kills = random.percent(30)
        let tasks = viewers.indices.map { place in
            Task { try await self.act(place, seeds[place], mayKill: kills && place == 2) }
        }
        for task in tasks { try await task.value }
        try await check()
        return calls.count
    }

    private func act(_ place: Int, _ seed: UInt64, mayKill: Bool) async throws {
        var random = Randomness(seed: seed)
        var sent: [Task<Void, Never>] = []
        for _ in 0..<3 + random.below(5) {
            switch random.below(10) {
            case 0..<5:
                for _ in 0...random.below(4) {
                    let wish = Wish.allCases[random.below(Wish.allCases.count)]
                    sent.append(Task.immediate { await self.send(from: place, wish) })
                }
            case 5: for task in sent { await task.value }
            case 6:
                // It comes back by itself.
                let byte = random.below(300)
                let direction: Wire.Direction = random.percent(50) ? .toFront : .toSession
                try await alone { self.viewers[place]?.front.wire.cut(after: byte, direction) }
            case 7:
                try await alone {
                    await self.viewers[place]?.front.disconnect()
                    await self.viewers[place]?.front.reconnect()
                }
            case 8:
                try await alone {
                    self.departures.insert(place)
                    await self.viewers[place]?.front.detach()
                    try self.viewers[place]?.screen.check()
                    self.viewers[place] = try await Viewer(
                        self.session, in: place, isReadOnly: false)
                }
            default:
                guard mayKill else { continue }
                try await alone { try await self.kill() }
            }
        }
        for task in sent { await task.value }
    }

    /// One after another, in the order in which they ask.
    private func alone(_ body: @escaping @MainActor () async throws -> Void) async throws {
        let former = turn
        let mine = Task { @MainActor in
            try await former?.value
            try await body()
        }
        turn = mine
        try await mine.value
    }

    private func kill() async throws {
        // A front that is just coming back would come back to the tree that goes.
        for viewer in viewers.compactMap(\.self) { await viewer.front.breakAndReturn() }
        await session.restart {
            self.lives += 1
            for viewer in self.viewers { viewer?.screen.forget() }
            return await TallyApp.makeRoot(session.context)
        }
    }

    private func send(from place: Int, _ wish: Wish) async {
        guard let viewer = viewers[place] else { return }
        number += 1
        let index = calls.count
        let note = Note(writer: place, number: number, wish: wish)
        calls.append(Call(note: note, begunIn: lives))
        let outcome = await viewer.call(note)
        calls[index].outcome = outcome
        calls[index].endedIn = lives
    }

    // MARK: - What must hold

    private func check() async throws {
        for viewer in viewers.compactMap(\.self) { await viewer.front.breakAndReturn() }
        var journals: [Int: [Int]] = [:]
        for place in viewers.indices {
            let numbers = try await session.interactor.applied(by: place, from: 0)
            try Failure.unless(
                zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 },
                "front \(place): applied in the order \(numbers)")
            journals[place] = numbers
        }
        for call in calls { try check(call, journals) }
        let places = calls.compactMap { call in
            if case .value(let place) = call.outcome { "\(call.endedIn) \(place)" } else { nil }
        }
        try Failure.unless(Set(places).count == places.count, "two events have one place")
        try await checkScreens(journals.values.reduce(0) { $0 + $1.count })
    }

    private func check(_ call: Call, _ journals: [Int: [Int]]) throws {
        let isApplied = journals[call.note.writer]?.contains(call.note.number) == true
        let holds =
            switch call.outcome {
            case .value: call.note.wish != .fail && isApplied == (call.endedIn == lives)
            case .failed: call.note.wish == .fail && isApplied == (call.endedIn == lives)
            // Sent through a view of a front, or a node, that has gone.
            case .gone, .notExecuted: !isApplied
            // The tree that may have applied it has gone meanwhile, or the front has left.
            case nil:
                call.begunIn < call.endedIn ? !isApplied : departures.contains(call.note.writer)
            case .refused: false
            }
        try Failure.unless(holds, "\(call) in life \(lives), applied: \(isApplied)")
    }

    private func checkScreens(_ total: Int) async throws {
        let leaf = calls.count { call in
            guard call.endedIn == lives, case .value = call.outcome else { return false }
            return call.note.wish == .swap
        }
        var screens: [String] = []
        for viewer in viewers.compactMap(\.self) {
            try await viewer.sync()
            try viewer.screen.check()
            screens.append(viewer.front.shown)
            try Failure.unless(
                viewer.screen.applied == total, "\(viewer.screen.applied) shown of \(total)")
            if departures.isEmpty {
                try Failure.unless(
                    viewer.screen.leaf == leaf, "leaf \(viewer.screen.leaf) shown, not \(leaf)")
            }
        }
        try Failure.unless(Set(screens).count == 1, "screens differ:\n\(screens)")
    }
}

extension TestFront {
    /// Breaks the connection that stands; no other break is due when it is back.
    fileprivate func breakAndReturn() async {
        // One that is coming is waited for: cut with its snapshot on the way, it would seem back.
        if !isConnected { await shows(moreThan: attachments) }
        let shown = attachments
        wire.cut()
        await shows(moreThan: shown)
    }
}
