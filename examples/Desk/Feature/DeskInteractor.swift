// DeskInteractor: runs the programs, and says what becomes of them.
//
// Ownership  the programs are held: they go on when this ends, and the next one finds them.
// Invariant  a run is in the state before its program starts; a program has its run's token, so
//            that one whose run was never kept is not taken for another's.

import DeskContract
import Glibc
import NapkinCore
import NapkinSystem

/// The routes from the root.
@MainActor
protocol DeskRouting: LaunchRouting {
    func routeToRun(_ id: Int, for front: AttachedFront) async
}

@Durable
final actor DeskInteractor: PresentableInteractable {
    @Message
    struct State: DurableState {
        var table: RunTable = RunTable()
        var book: QuestionBook = QuestionBook()
        var lists: KeptLists = KeptLists()
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any DeskPresentable
    /// The runs, with what their programs have done so far.
    nonisolated let current = StateCell<[Run]>([])
    nonisolated let questionsNow = StateCell<[Question]>([])
    nonisolated let programs: HeldPrograms
    let session: SessionContext
    var state = State()
    @Volatile private weak var router: (any DeskRouting)?
    /// The terminals of the programs that run, by the programs' keys.
    @Volatile private var consoles: [String: RunConsole] = [:]
    /// What programs have printed last, by the runs whose programs are followed.
    @Volatile private var followed: [Int: Follower] = [:]
    @Volatile private var isTicking = false
    /// When the timer fires.
    @Volatile private var planned: Double?

    private struct Follower {
        let attempt: Int
        var line = ""
        var progress: Double?
    }

    init(presenter: any DeskPresentable, session: SessionContext) {
        self.presenter = presenter
        self.session = session
        programs = HeldPrograms(of: session)
    }

    func wire(router: any DeskRouting) { self.router = router }

    var now: Double { session.wallClock.unixTime }

    func didBecomeActive() async { await changed() }

    /// Starts what may run, and shows what has changed.
    func changed() async {
        let days = Double(session.configuration[DeskApp.days])
        state.table.forget(endedBefore: now - days * 86_400)
        state.table.start()
        let keys = Set(state.table.entries.map(\.key))
        for key in programs.keys where !keys.contains(key) { programs.remove(key) }
        for entry in state.table.entries
        where entry.run.isActive && followed[entry.run.id]?.attempt != entry.run.attempt {
            followed[entry.run.id] = Follower(attempt: entry.run.attempt)
            // By its number: one whose output ends the worker is not followed any more.
            task(name: "run \(entry.run.id)") { await self.follow(entry) }
        }
        plan()
        tick()
        show()
        let runs = current.value
        await presenter.present(
            running: runs.count(where: \.isActive), waiting: runs.count { $0.state == .waiting })
        await presenter.present(questions: state.book.shown)
    }

    /// Shows the runs on the pages of those who look at them.
    private func show() {
        current.value = state.table.runs.map { run in
            guard run.isActive, let follower = followed[run.id] else { return run }
            return measured(run, follower)
        }
        questionsNow.value = state.book.questions
    }

    private func measured(_ run: Run, _ follower: Follower) -> Run {
        var run = run
        run.progress = Run.progress(in: follower.line) ?? follower.progress
        run.last = Run.shown(follower.line)
        if let key = state.table.known(run.id)?.key, let program = programs[key] {
            run.seconds = program.duration / .seconds(1)
            // What an editor or the like draws are no lines.
            if let screen = consoles[key]?.screen.value, screen.isAlternate {
                run.last = screen.title
            }
        }
        followed[run.id]?.progress = run.progress
        return run
    }

    /// Follows the times while something runs.
    private func tick() {
        guard !isTicking, state.table.runs.contains(where: \.isActive) else { return }
        isTicking = true
        task(name: "tick") {
            for await _ in self.session.clock.every(.seconds(1)) {
                self.show()
                if !self.current.value.contains(where: \.isActive) { break }
            }
            self.isTicking = false
        }
    }

    // MARK: - A run's program

    private func follow(_ entry: RunEntry) async {
        var end = entry.run
        end.state = .failed
        do {
            let program = try await program(of: entry)
            draw(program, of: entry)
            defer { consoles[entry.key] = nil }
            // Somebody may have wanted something meanwhile, or waits for its output.
            obey(entry.run.id)
            show()
            for try await line in program.lines() {
                // It is read when it is shown: there may be a million a second.
                followed[end.id]?.line = line.text
            }
            switch try await program.end {
            case .ended(.exited(let status)): end.status = status
            case .ended(.signalled(let signal)): end.status = 128 + signal
            case .keeperKilled, .machineRestarted, .removed: end.state = .lost
            }
            if end.status == 0 { end.state = .succeeded }
        } catch is CancellationError {
            // The program goes on, and the next worker follows it.
            return
        } catch {
            followed[end.id]?.line = "\(error)"
        }
        if let follower = followed.removeValue(forKey: end.id) {
            let state = end.state
            end = measured(end, follower)
            end.state = state
        }
        state.table.end(end, at: now)
        await changed()
        if let run = state.table.known(end.id)?.run { await announce(run) }
    }

    /// The program of a run that is to run: an earlier worker may have started it.
    private func program(of entry: RunEntry) async throws -> HeldProgram {
        if let program = programs[entry.key] { return program }
        let order = entry.run.order
        var variables = state.table.variables(of: entry)
        variables["DESK_RUN"] = "\(entry.run.id)"
        if !order.hasPipes { variables["TERM"] = "xterm-256color" }
        return try await programs.start(
            entry.key, "/bin/sh", ["-c", order.command], environment: variables,
            in: order.directory,
            terminal: order.hasPipes ? nil : TerminalSize(rows: order.rows, columns: order.columns),
            keeping: max(1, session.configuration[DeskApp.outputBytes]))
    }

    /// Has a run's program do what its state says. One that is being started does so afterwards.
    func obey(_ id: Int) {
        guard let entry = state.table.known(id), let program = programs[entry.key] else {
            return
        }
        switch entry.run.state {
        case .paused: program.signal(SIGSTOP)
        case .running: program.signal(SIGCONT)
        case .ending:
            program.terminate()
            program.signal(SIGCONT)
        default: break
        }
    }

    /// Draws a program's terminal, and answers what it asks of it, also while nobody looks.
    private func draw(_ program: HeldProgram, of entry: RunEntry) {
        guard !entry.run.order.hasPipes else { return }
        do {
            let console = try RunConsole(of: program, entry.run.order)
            consoles[entry.key] = console
            task(name: "screen") { await console.follow() }
        } catch {
            session.logger.error("no screen", metadata: ["error": "\(error)"])
        }
    }

    /// The program of a run's attempt, unless there is a newer one.
    func program(of run: Run) -> HeldProgram? {
        state.table.known(run.id).flatMap { $0.run.attempt == run.attempt ? programs[$0.key] : nil }
    }

    /// Its terminal, as it is or was at last; `nil` for pipes, or while it starts.
    func console(of run: Run) async -> RunConsole? {
        guard let order = state.table.known(run.id)?.run.order, !order.hasPipes,
            let program = program(of: run)
        else { return nil }
        if let console = consoles[program.key] { return console }
        // One whose output cannot be read has no screen.
        guard program.currentEnd != nil, let console = try? RunConsole(of: program, order)
        else { return nil }
        await console.follow()
        return console
    }

    // MARK: - A person's list

    /// Returns the list as the front's person left it.
    func list(of front: AttachedFront) -> RunListInteractor.State {
        var list = state.lists[front.name]
        if let run = list.run, state.table.known(run) == nil { list.run = nil }
        return list
    }

    /// Keeps the list under the name that the front gives. A read-only front changes nothing here.
    func keep(_ list: RunListInteractor.State, of front: AttachedFront) {
        guard let name = front.name, !front.isReadOnly else { return }
        state.lists.keep(list, of: name)
    }

    // MARK: - News

    /// Says on every page what has failed.
    private func announce(_ run: Run) async {
        guard run.state == .failed || run.state == .lost else { return }
        let news = "run \(run.id) \(run.state.rawValue): \(run.order.command)"
        await presenter.announce(news)
        tell(news)
    }

    /// Tells somebody elsewhere, if nobody looks at a page.
    func tell(_ news: String) {
        let notifier = session.configuration[DeskApp.notifier]
        let isWatched = session.attachedFronts.contains(where: \.isAskable)
        guard !isWatched, !notifier.isEmpty else { return }
        task(name: "notifier") {
            do {
                _ = try await runProgram(notifier, [news]) { for try await _ in $0 {} }
            } catch is CancellationError {
                // The worker ends.
            } catch {
                self.session.logger.warning("nobody was told", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Opens a run on the page of that front, without a number on each front's page.
    func open(_ id: Int, for number: UInt64?) async throws {
        _ = try state.table.entry(id)
        let addressed = session.attachedFronts.filter { number == nil || $0.id == number }
        guard !addressed.isEmpty else {
            throw DeepLinkError(.unknown, "there is no such front to open run \(id) on; see `ls`")
        }
        for front in addressed { await router?.routeToRun(id, for: front) }
    }
}

extension DeskInteractor: SchedulingInteractable {
    /// One timer for all that has a time: the next of them.
    private func plan() {
        let due = [state.table.due, state.book.due].compactMap(\.self).min()
        guard due != planned else { return }
        planned = due
        guard let due else { return cancel("due") }
        do {
            try schedule("due", atUnixTime: due, "")
        } catch {
            session.logger.error("no timer", metadata: ["error": "\(error)"])
        }
    }

    func timerFired(_ name: String, _ payload: String) async throws {
        planned = nil
        state.table.pass(to: now)
        state.book.pass(to: now)
        await changed()
    }
}
