// Links: the ways in which a session and its fronts reach each other.

import ConformanceCases
import Foundation
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTesting
import NapkinTransport

/// A column of the matrix.
enum LinkKind: String, CaseIterable, Sendable {
    /// One process, and sockets of it.
    case loopback
    /// Two processes: this one, and a worker of a real napkind.
    case sockets
    /// Three: as above, and the page at the left in a process of its own.
    case process
}

/// One session under test.
@MainActor
final class SessionSetup {
    private enum Base {
        case here(TestSession)
        case worker(SharedDaemon, session: String)
    }

    let kind: LinkKind
    private let base: Base
    private var viewers: [Viewer] = []

    /// - Parameter name: of the session; each has a tree of its own.
    init(_ kind: LinkKind, _ name: String) async throws {
        self.kind = kind
        switch kind {
        case .loopback:
            base = .here(await TestSession.launch(ConformanceApp.self))
        case .sockets, .process:
            base = .worker(
                try await SharedDaemon.shared(),
                session: kind == .process ? name + ConformanceApp.apart : name)
        }
    }

    /// Attaches a front; returns when it shows the session.
    ///
    /// - Parameters:
    ///   - mirrored: the front whose pages it shows.
    ///   - takesOver: whether all others are detached.
    ///   - page: makes its view of a page, in place of a recording.
    func attach(
        isReadOnly: Bool = false, mirroring mirrored: Viewer? = nil, takesOver: Bool = false,
        answers: @escaping @Sendable (String) -> Bool? = { _ in nil },
        page: (@MainActor (ViewContext<Page>) -> any PagePresentable)? = nil
    ) async throws -> Viewer {
        let views = Viewer.views(answers)
        if let page { views.registry.register(Page.self, page) }
        let front: TestFront
        switch base {
        case .here(let session):
            // Whoever takes a session of this process over has the others detached first.
            if takesOver { for viewer in viewers { await viewer.front.detach() } }
            front = try await session.attach(
                views, isReadOnly: isReadOnly, mirroring: mirrored?.front)
        case .worker(let daemon, let session):
            var options = FrontOptions(
                app: ConformanceApp.id, session: session, isReadOnly: isReadOnly,
                client: "conformance", takesOver: takesOver)
            options.mirrors = mirrored?.front.number
            front = TestFront(
                by: DaemonRoute(DaemonAddress(socket: daemon.socket)), options: options,
                registry: views.registry, journal: views.journal)
            try await front.attach()
        }
        let viewer = Viewer(views, front)
        viewers.append(viewer)
        return viewer
    }

    /// Has the session's tree made anew: a worker's process is killed with -9. Returns when the
    /// fronts show the new tree.
    func restart() async throws {
        switch base {
        case .here(let session):
            await session.restart { await ConformanceApp.makeRoot(session.context) }
        case .worker(let daemon, _):
            let shown = viewers.map(\.front.attachments)
            kill(try await daemon.workerPID(), SIGKILL)
            for (viewer, before) in zip(viewers, shown) {
                await viewer.front.shows(moreThan: before)
            }
        }
    }

    /// What waits in the session, as its worker tells it.
    func queues() async throws -> SessionQueues {
        switch base {
        case .here(let session):
            return try Viewer.required(session.queues, "queues")
        case .worker(let daemon, let session):
            return try await daemon.queues(of: session)
        }
    }

    /// Events that were refused because of what the fronts did that are here.
    func refusedEvents() async throws -> Int {
        try await queues().fronts.reduce(0) { $0 + $1.refusedEvents }
    }

    /// Lets a front go.
    func leave(_ viewer: Viewer) async {
        await viewer.front.detach()
        viewers.removeAll { $0 === viewer }
    }

    /// Lets every front go. A session of this process is taken down; a worker's ends with it.
    func end() async {
        for viewer in viewers { await viewer.front.detach() }
        if case .here(let session) = base { await session.end() }
    }
}

/// A front of the session, and what its views have recorded.
@MainActor
final class Viewer {
    let views: RecordingViews
    let front: TestFront

    init(_ views: RecordingViews, _ front: TestFront) {
        self.views = views
        self.front = front
    }

    /// - Parameter answers: what a page's questions are answered with; `nil` never answers.
    static func views(_ answers: @escaping @Sendable (String) -> Bool?) -> RecordingViews {
        RecordingViews().record(Stand.self).record(ProbePage.self).record(Page.self) { page in
            page.onAsk { message in
                guard case .confirm(let question) = message else { return false }
                guard let answer = answers(question) else {
                    throw RemoteFault(.refused, "this view does not answer")
                }
                return answer
            }
        }
    }

    var journal: Journal { views.journal }

    var stand: any StandPresentableListener {
        get throws { try Self.required(views.newest(Stand.self)?.listener, "stand") }
    }

    /// Runs a scenario; what it noted, and after `front:` what this front mounted and unmounted.
    func run(_ scenario: String) async throws -> [String] {
        _ = journal.take()
        let lines = try await stand.run(scenario)
        let seen = takeMounts()
        return seen.isEmpty ? lines : lines + ["front:"] + seen
    }

    /// Takes the journal, and returns what was mounted and unmounted: a line each batch.
    ///
    /// States are left out: how many of one moment arrive depends on the link.
    func takeMounts() -> [String] {
        journal.take().filter { $0.hasPrefix("+") || $0.hasPrefix("-") }
    }

    /// The probe of that name that was mounted last.
    func probe(_ name: String) throws -> Recording<ProbePage> {
        try Self.required(
            views.all(ProbePage.self).last { $0.arguments?.name == name }, "probe \(name)")
    }

    /// The page of that name that was mounted last.
    func page(_ name: String) throws -> Recording<Page> {
        try Self.required(
            views.all(Page.self).last { $0.arguments?.name == name }, "page \(name)")
    }

    func listener(_ name: String) throws -> any PagePresentableListener {
        try Self.required(try page(name).listener, "listener of \(name)")
    }

    fileprivate static func required<T>(_ value: T?, _ what: String) throws -> T {
        guard let value else { throw Missing(what: what) }
        return value
    }
}

/// A front does not show what a case needs.
struct Missing: Error, CustomStringConvertible {
    let what: String

    var description: String { "the front shows no \(what)" }
}
