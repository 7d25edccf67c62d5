// BookFront: a front of a durable session; it reports what it sends, is told and is shown.

import Foundation
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTesting
import ProofSupport

/// What the fronts of one session have met, and the amounts that are new.
@MainActor
final class BookWitness {
    /// How long what was acknowledged may take to happen. Chosen: less than a watchdog's patience.
    static let patience = Duration.seconds(15)

    var history = History()
    private let log: String
    private var amount: Int64 = 0

    /// For a session of an app in that workplace.
    init(of app: String, _ session: String, in place: Workplace) {
        log = "\(place.directory)/data/napkin/\(app)/\(session).log"
    }

    /// What was performed so far, in order.
    func performed() -> [History.Performance] {
        // There is no file before the first job.
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            return .init(amount: words.last.flatMap { Int64($0) } ?? -1, key: "\(words[0])")
        }
    }

    func nextAmount() -> Int64 {
        amount += 1
        return amount
    }
}

@MainActor
final class BookFront {
    /// How long a worker may take to answer. Chosen: less than a watchdog's patience.
    private static let patience = Duration.seconds(25)

    let number: Int
    let front: TestFront
    private let witness: BookWitness
    private var listener: (any BookPresentableListener)?
    private var page: (any PagePresentableListener)?
    private var pageShown: History.Page?
    /// Whether it is to be like a front that was killed: what it hears no longer counts.
    private(set) var isDead = false

    init(
        _ number: Int, of app: String, session: String, at address: DaemonAddress,
        _ witness: BookWitness
    ) {
        self.number = number
        self.witness = witness
        let registry = ViewRegistry()
        front = TestFront(
            by: DaemonRoute(address),
            options: FrontOptions(app: app, session: session, client: "book-front"),
            registry: registry)
        front.front.delays = Backoff(milliseconds: [0, 5, 20])
        registry.register(Book.self) { [unowned self] context in
            listener = context.listener
            page = nil
            pageShown = nil
            return BookView(self)
        }
        registry.register(Page.self) { [unowned self] context in
            page = context.listener
            return PageView(self, context.arguments.number)
        }
    }

    /// What the session has, when its timers have fired and its jobs are done; read after whatever
    /// was said to this front before.
    func recovered() async throws -> History.Recovered {
        let deadline = ContinuousClock.now + BookWitness.patience
        while true {
            let performed = witness.performed()
            let (entries, interrupted) = (try await open.entries(), try await interrupted())
            let recovered = History.Recovered(
                entries: entries, interrupted: interrupted, page: pageShown, performed: performed)
            // A job that was performed between the two looks may be seen by one of them only.
            let isStill = witness.performed() == performed
            if isStill && witness.history.awaited(in: recovered).isEmpty || .now > deadline {
                return recovered
            }
        }
    }

    func interrupted() async throws -> Int { try await open.interrupted() }

    /// Returns when a worker answers. Throws when none does for a long time.
    func isBack() async throws {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            do {
                _ = try await interrupted()
                return
            } catch let fault as RemoteFault where fault.code == .notExecuted {
                // Between two connections nothing can be sent.
                if case .failed(let error) = front.end { throw error }
                try Failure.unless(.now < deadline, "no worker answers front \(number)")
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }

    private var open: any BookPresentableListener {
        get throws {
            guard let listener else { throw Failure("front \(number) has no view to send with") }
            return listener
        }
    }

    /// Sends an event; returns when it has ended for this front.
    func send(_ plan: History.Plan, pausing pause: Int) async throws {
        _ = front.journal.take()
        let (amount, listener) = (witness.nextAmount(), try open)
        // There may be no page yet.
        let plan = page == nil && (plan == .marks || plan == .marksFails) ? .turns : plan
        witness.history.sent(amount, by: number, plan)
        do {
            let place = try await perform(plan, amount, pause, listener)
            if !isDead { witness.history.ended(amount, .value(place: place)) }
        } catch let fault as RemoteFault {
            if !isDead { failed(amount, fault) }
        }
    }

    private func failed(_ amount: Int64, _ fault: RemoteFault) {
        switch fault.code {
        case .failed: witness.history.ended(amount, .failed)
        case .interrupted: witness.history.ended(amount, .interrupted)
        case .notExecuted: witness.history.ended(amount, .notExecuted)
        case .gone: witness.history.ended(amount, .gone)
        case .unknown: witness.history.ended(amount, .unknown)
        default:
            witness.history.violate("\(amount) ended with \(fault)", of: [amount])
        }
    }

    private func perform(
        _ plan: History.Plan, _ amount: Int64, _ pause: Int,
        _ listener: any BookPresentableListener
    ) async throws -> Int? {
        switch plan {
        case .once: return try await listener.once(amount)
        case .twice: return try await listener.twice(amount, pausing: pause)
        case .later: return try await listener.later(amount, pausing: pause)
        case .aside: try await listener.aside(amount)
        case .fails: try await listener.fails(amount)
        case .failsLater: try await listener.failsLater(amount, pausing: pause)
        case .turns: return try await listener.turns(amount)
        case .marks: return try await page?.marks(amount)
        case .marksFails: try await page?.marksFails(amount)
        case .reminds: try await listener.reminds(amount, after: Int64(pause / 1000))
        case .posts: witness.history.posted(amount, key: try await listener.posts(amount))
        }
        return nil
    }

    /// Ends like a process that is killed: nobody is told, and what it has sent stays unanswered.
    func die() async {
        isDead = true
        witness.history.noted("front \(number) died")
        await front.disconnect()
        await front.detach()
    }

    fileprivate func showed(_ entries: [Int64]) {
        if isDead { return }
        if let epoch = front.front.attached?.epoch {
            witness.history.attached(number, epoch: epoch, count: front.attachments)
        }
        witness.history.showed(entries, on: number)
    }

    fileprivate func showed(_ shown: History.Page) {
        if isDead { return }
        pageShown = shown
        witness.history.showed(shown, on: number)
    }

    fileprivate func flashed(_ amount: Int64) {
        if !isDead { witness.history.flashed(amount, on: number) }
    }
}

@MainActor
private final class BookView: BookPresentable {
    private unowned let front: BookFront

    init(_ front: BookFront) { self.front = front }

    func present(entries: [Int64]) async { front.showed(entries) }
    func flash(_ amount: Int64) async { front.flashed(amount) }
}

@MainActor
private final class PageView: PagePresentable {
    private unowned let front: BookFront
    private let number: Int64

    init(_ front: BookFront, _ number: Int64) { (self.front, self.number) = (front, number) }

    func present(marks: [Int64]) async { front.showed(.init(number: number, marks: marks)) }
}
