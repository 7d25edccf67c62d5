// DeskInteractor+Events: what people and scripts may do.

import DeskContract
import NapkinCore
import NapkinSystem

extension DeskInteractor: DeskPresentableListener {
    func run(_ order: Order, environment: [String: String]) async throws(DeskError) -> Int {
        let bytes = environment.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard bytes <= Order.environmentBytesMax else {
            throw .order(
                "the environment has \(bytes) bytes, and may have \(Order.environmentBytesMax): "
                    + "start it with `env -u NAME`, without the largest variables")
        }
        let token = String(UInt32.random(in: .min ... .max), radix: 36)
        let run = try state.table.accept(order, environment, token: token, at: now)
        await changed()
        return run.id
    }

    func act(_ verb: Verb, on runs: [String]) async throws(DeskError) -> [Int] {
        try mayChange()
        var done: [Int] = []
        for word in runs {
            let ids = try state.table.ids(word, for: verb)
            var refusal: DeskError?
            for id in ids {
                do throws(DeskError) {
                    try state.table.act(verb, on: id, at: now)
                    done.append(id)
                } catch {
                    refusal = error
                }
            }
            // Of a group, those that can.
            if let refusal, !ids.contains(where: { done.contains($0) }) { throw refusal }
        }
        for id in done { obey(id) }
        await changed()
        return done
    }

    func runs(_ words: String) async throws(DeskError) -> [Run] {
        RunFilter(words: words).runs(among: current.value)
    }

    func search(_ words: String) async throws(DeskError) -> Found {
        try await OutputSearch(words).found(in: state.table.entries.reversed(), programs)
    }

    func end(of word: String) async throws(DeskError) -> Run {
        let id = try state.table.id(word)
        for await runs in current.values {
            guard let run = runs.first(where: { $0.id == id }) else { break }
            if run.hasEnded { return run }
        }
        throw .unknown(word)
    }

    func output(
        of word: String, from place: Piece, waits: Bool
    ) async throws(DeskError) -> Piece {
        let id = try state.table.id(word)
        for await runs in current.values {
            guard let run = runs.first(where: { $0.id == id }) else { break }
            let entry = try state.table.entry(id)
            let attempt = entry.run.attempt
            // Another attempt is read from its beginning.
            let offset = place.attempt == attempt ? place.offset : 0
            if let program = programs[entry.key],
                let next = await piece(of: program, from: offset, waits: waits)
            {
                return Piece(
                    attempt: attempt, offset: next.offset, bytes: next.bytes, rest: next.rest)
            }
            if run.hasEnded || !waits {
                return Piece(attempt: attempt, offset: offset, isEnd: true)
            }
        }
        throw .unknown(word)
    }

    /// Returns what a program has printed next; `nil` at its end, or if nothing is there to wait
    /// for.
    private func piece(
        of program: HeldProgram, from offset: UInt64, waits: Bool
    ) async -> HeldOutput.Piece? {
        do {
            for try await piece in program.output(from: offset, waits: waits) { return piece }
        } catch {
            // The caller has gone, or the program cannot be watched.
        }
        return nil
    }

    func screen(of word: String) async throws(DeskError) -> String {
        let run = try state.table.entry(state.table.id(word)).run
        guard let screen = await console(of: run)?.screen.value else {
            throw .order("run \(run.id) has no screen: `desk log \(run.id)` has what it printed")
        }
        return screen.text
    }

    func number(of word: String) async throws(DeskError) -> Int { try state.table.id(word) }

    func type(_ text: String, into word: String) async throws(DeskError) {
        try mayChange()
        let id = try state.table.id(word)
        let entry = try state.table.entry(id)
        guard entry.run.isActive, let program = programs[entry.key] else {
            throw .notNow(id, entry.run.state)
        }
        let bytes = text.utf8.map { $0 == 10 && !entry.run.order.hasPipes ? 13 : $0 }
        guard program.write(bytes) == bytes.count else { throw .unread(id) }
    }

    /// Does something in the terminal of a run.
    func give(_ input: ConsoleInput, to console: RunConsole, of id: Int) async throws(DeskError) {
        if case .resize(let rows, let columns) = input {
            // It is the page's own doing.
            guard AttachedFront.caller?.isReadOnly != true else { return }
            state.table.resize(id, rows: rows, columns: columns)
        }
        try mayChange()
        let isTaken = await console.take(input)
        guard isTaken || state.table.known(id)?.run.isActive != true else {
            throw .unread(id)
        }
    }

    func setWidth(_ width: Int, of queue: String) async throws(DeskError) {
        try Order(command: "true", queue: queue).check()
        let widths = state.table.widths
        guard 0...RunTable.widthMax ~= width,
            widths[queue] != nil || widths.count < RunTable.queuesMax
        else {
            throw .order(
                "a queue is 0 to \(RunTable.widthMax) wide, and \(RunTable.queuesMax) of them have "
                    + "a width")
        }
        state.table.widths[queue] = width
        await changed()
    }

    func ask(_ question: Question) async throws(DeskError) -> Int {
        let asked = try state.book.ask(question, at: now)
        await changed()
        tell("question \(asked.id): \(asked.text)")
        return asked.id
    }

    func answer(_ id: Int, _ choice: String) async throws(DeskError) {
        let front = AttachedFront.caller
        let person = front.map { $0.name ?? "\($0.client), front \($0.id)" } ?? "somebody"
        try state.book.answer(id, choice, by: person, at: now)
        await changed()
    }

    func answered(_ id: Int) async throws(DeskError) -> Question {
        for await questions in questionsNow.values {
            guard let question = questions.first(where: { $0.id == id }) else { break }
            if question.answer != nil { return question }
        }
        return try state.book.question(id)
    }

    func questions() async throws(DeskError) -> [Question] { state.book.questions }

    /// Pages may be used by fronts that are here to look, and end here when they change something.
    private func mayChange() throws(DeskError) {
        if AttachedFront.caller?.isReadOnly == true { throw .readOnly }
    }
}
