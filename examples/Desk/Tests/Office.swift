// Office: a session of Desk with fronts that record what they show.

import DeskContract
import NapkinCore
import NapkinTesting

@testable import DeskFeature

/// A front of the session, and its views.
@MainActor
struct Watcher {
    let views: RecordingViews
    let front: TestFront

    struct Missing: Error {}

    var desk: any DeskPresentableListener {
        get throws { try found(views.newest(Desk.self)?.listener) }
    }

    var list: Recording<RunList> {
        get throws { try found(views.newest(RunList.self)) }
    }

    var page: Recording<RunPage> {
        get throws { try found(views.newest(RunPage.self)) }
    }

    private func found<T>(_ value: T?) throws -> T {
        guard let value else { throw Missing() }
        return value
    }

    /// Runs a command and returns its number.
    func run(
        _ command: String, queue: String? = nil, after: [Int] = [], name: String? = nil,
        environment: [String: String] = [:]
    ) async throws -> Int {
        var order = Order(command: command, name: name, queue: queue, after: after)
        order.hasPipes = true
        return try await desk.run(order, environment: environment)
    }

    func act(_ verb: Verb, on runs: String...) async throws {
        _ = try await desk.act(verb, on: runs)
    }

    /// Opens a run on this front's page.
    func open(_ id: Int) async throws {
        guard let list = try list.listener else { throw Missing() }
        await list.didSelect(id)
    }

    func filter(_ words: String) async throws {
        guard let list = try list.listener else { throw Missing() }
        await list.didFilter(RunFilter(words: words))
    }

    /// The words that the list is searched for.
    var filtered: String {
        get throws {
            try found(
                list.newest { message -> String? in
                    if case .presentFilter(let filter) = message { filter.words } else { nil }
                })
        }
    }

    /// Waits until a run is in this state.
    func sees(_ id: Int, _ state: Run.State) async throws {
        _ = try await list.next { message -> Int? in
            guard case .presentRuns(let runs) = message else { return nil }
            return runs.contains { $0.id == id && $0.state == state } ? id : nil
        }
    }

    /// Waits for a text on the screen of the open run.
    func draws(_ text: String) async throws {
        _ = try await page.next { message -> String? in
            guard case .presentScreen(let screen) = message else { return nil }
            return screen.text.contains(text) ? text : nil
        }
    }

    /// Waits for a line that the open run prints.
    func reads(_ text: String) async throws {
        _ = try await page.next { message -> String? in
            if case .output(text) = message { text } else { nil }
        }
    }
}

@MainActor
final class Office {
    let session: TestSession

    private init(_ settings: [String: String]) async {
        session = await TestSession.launch(DeskApp.self, settings: settings)
    }

    /// Opens an office, and closes it after `visit`.
    static func open(
        settings: [String: String] = [:], _ visit: (Office) async throws -> Void
    ) async throws {
        let office = await Office(settings)
        do {
            try await visit(office)
        } catch {
            await office.session.end()
            throw error
        }
        await office.session.end()
    }

    func watcher(isReadOnly: Bool = false, named name: String? = nil) async throws -> Watcher {
        let views = RecordingViews()
        views.record(Desk.self).record(RunList.self).record(RunPage.self)
        return Watcher(
            views: views,
            front: try await session.attach(views, isReadOnly: isReadOnly, named: name))
    }
}
