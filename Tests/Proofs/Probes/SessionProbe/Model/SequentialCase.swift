// SequentialCase: steps one after another, each held against the model.

import NapkinCore
import NapkinFront
import NapkinTesting
import ProofSupport

/// One session, from its launch to its end.
@MainActor
final class SequentialCase {
    enum Step {
        case attach(Int, isReadOnly: Bool)
        case detach(Int)
        case send(Int, Wish)
        /// Events that are on their way while the connection breaks at this byte.
        case sendWhileCut(Int, [Wish], Wire.Direction, byte: Int)
        /// The interactor presents without having been asked to.
        case present(Wish)
        case cut(Int)
        case reattach(Int)
        case kill
    }

    private let session: TestSession
    private let steps: [Step]
    private var model = SessionModel()
    private var viewers: [Viewer?] = [nil, nil, nil]
    private var number = 0
    /// Of the step that is being done.
    private var position = 0
    /// Whether a connection broke under events, which may have asked.
    private var isUncertain = false

    init(_ session: TestSession, seed: UInt64) {
        self.session = session
        var random = Randomness(seed: seed)
        steps =
            [.attach(0, isReadOnly: false)]
            + (0..<3 + random.below(7)).map { _ in Self.step(&random) }
    }

    private static func step(_ random: inout Randomness) -> Step {
        // One of them is there more often than not.
        let place = random.percent(50) ? 0 : random.below(3)
        let wish = Wish.allCases[random.below(Wish.allCases.count)]
        switch random.below(100) {
        case 0..<16: return .attach(place, isReadOnly: random.percent(15))
        case 16..<21: return .detach(place)
        case 21..<48: return .send(place, wish)
        case 48..<63:
            let wishes = (0...random.below(6)).map { _ in
                Wish.allCases[random.below(Wish.allCases.count)]
            }
            let direction: Wire.Direction = random.percent(50) ? .toFront : .toSession
            return .sendWhileCut(place, wishes, direction, byte: random.below(400))
        case 63..<73: return .present(wish)
        case 73..<83: return .cut(place)
        case 83..<93: return .reattach(place)
        default: return .kill
        }
    }

    /// Runs the steps; returns how many calls and looks there were.
    func run() async throws -> (steps: Int, calls: Int) {
        for (index, step) in steps.enumerated() {
            position = index
            do {
                try await perform(step)
                for viewer in viewers.compactMap(\.self) { try viewer.screen.check() }
            } catch {
                throw Failure("step \(index) of \(steps): \(error)")
            }
        }
        do {
            try await look()
        } catch {
            throw Failure("after \(steps): \(error)")
        }
        return (steps.count, number)
    }

    /// For a case in which nothing happens any more.
    var standing: String { "step \(position) of \(steps)" }

    private func perform(_ step: Step) async throws {
        switch step {
        case .attach(let place, let isReadOnly):
            guard [.absent, .left].contains(model.fronts[place].presence) else { return }
            viewers[place] = try await Viewer(session, in: place, isReadOnly: isReadOnly)
            model.attached(place, isReadOnly: isReadOnly)
        case .detach(let place):
            guard [.here, .away].contains(model.fronts[place].presence) else { return }
            try await look()
            await viewers[place]?.front.detach()
            model.detached(place)
            try await workerKnows()
        case .send(let place, let wish): try await send(from: place, [wish])
        case .sendWhileCut(let place, let wishes, let direction, let byte):
            try await send(from: place, wishes, cut: (direction, byte))
        case .present(let wish):
            let note = note(writer: 9, wish)
            let expected = model.applied(note)
            let seen = await outcome { try await self.session.interactor.apply(note) }
            try expect(seen, expected, note)
        case .cut(let place):
            guard model.fronts[place].presence == .here else { return }
            try await look()
            await viewers[place]?.front.disconnect()
            model.lost(place)
            try await workerKnows()
        case .reattach(let place):
            guard model.fronts[place].presence == .away else { return }
            await viewers[place]?.front.reconnect()
            model.returned(place)
        case .kill:
            try await look()
            await session.restart {
                for viewer in viewers { viewer?.screen.forget() }
                return await TallyApp.makeRoot(session.context)
            }
            model.killed()
            isUncertain = false
        }
    }

    private func note(writer: Int, _ wish: Wish) -> Note {
        number += 1
        return Note(writer: writer, number: number, wish: wish)
    }

    /// Sends events all at once, and maybe breaks the connection under them.
    private func send(
        from place: Int, _ wishes: [Wish], cut: (direction: Wire.Direction, byte: Int)? = nil
    ) async throws {
        guard let viewer = viewers[place] else { return }
        let isHere = model.fronts[place].presence == .here
        let shown = viewer.front.attachments
        if let cut, isHere {
            // What comes back with the snapshot is not what is looked at here.
            try await look()
            viewer.front.wire.cut(after: cut.byte, cut.direction)
        }
        let notes = wishes.map { note(writer: place, $0) }
        let calls = notes.map { note in Task.immediate { await viewer.call(note) } }
        var outcomes: [SessionModel.Outcome?] = []
        for call in calls { outcomes.append(await call.value) }
        if cut != nil, isHere {
            // Not all bytes were needed. What has broken may be on its way back: it breaks once.
            if viewer.front.wire.willBreak { viewer.front.wire.cut() }
            await viewer.front.shows(moreThan: shown)
        }
        for (note, seen) in zip(notes, outcomes) {
            try expect(seen, model.sent(note, from: place), note)
        }
        guard cut != nil, isHere else { return }
        try await viewer.sync()
        // Which effects arrived depends on the byte.
        model.fronts[place].flashes = []
        viewer.screen.flashed = []
        isUncertain = true
    }

    private func outcome(
        _ body: () async throws -> Int
    ) async -> SessionModel.Outcome? {
        do {
            return .value(try await body())
        } catch is Unwanted {
            return .failed
        } catch {
            return nil
        }
    }

    private func expect(
        _ seen: SessionModel.Outcome?, _ expected: SessionModel.Outcome, _ note: Note
    ) throws {
        try Failure.unless(
            seen == expected,
            "\(note) ended as \(seen.map { "\($0)" } ?? "unknown"), not as \(expected)")
    }

    // MARK: - Looking

    /// Every front shows what the model says.
    private func look() async throws {
        for (place, viewer) in viewers.enumerated() {
            guard let viewer else { continue }
            let expected = model.fronts[place]
            if expected.presence == .here { try await viewer.sync() }
            try Failure.unless(
                viewer.shown == expected.screen && viewer.front.front.tree.count == 2,
                "front \(place) (\(expected.presence)) shows \(viewer.shown), "
                    + "not \(expected.screen)")
            try Failure.unless(
                viewer.screen.flashed == expected.flashes,
                "front \(place) saw the effects \(viewer.screen.flashed), not \(expected.flashes)")
        }
        try await lookAtQuestions()
        for (writer, numbers) in model.journal {
            let applied = try await session.interactor.applied(by: writer, from: 0)
            try Failure.unless(
                applied == numbers, "writer \(writer): \(applied) applied, not \(numbers)")
        }
    }

    /// Questions end when somebody answers, or nobody can; the interactor hears of it soon.
    private func lookAtQuestions() async throws {
        // Whether a question was open in the moment of a cut depends on the byte.
        guard !isUncertain else { return }
        let expected = [model.asked, model.right, 0, model.unanswered]
        var seen: [Int] = []
        for _ in 0..<100 {
            let report = try await session.interactor.report()
            seen = [report.asked, report.right, report.wrong, report.unanswered]
            if seen == expected { return }
            try await workerKnows()
            await Task.yield()
        }
        throw Failure("asked, right, wrong, unanswered are \(seen), not \(expected)")
    }

    /// Returns when the worker's side has seen what a front did last: the others' round trips come
    /// after it.
    private func workerKnows() async throws {
        for (place, viewer) in viewers.enumerated() where model.fronts[place].presence == .here {
            try await viewer?.sync()
        }
    }
}
