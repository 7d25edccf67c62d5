// Yard: a session of Jobs with fronts that record what they show.

import JobsContract
import NapkinCore
import NapkinTesting

@testable import JobsFeature

/// A front of the session, and its views.
@MainActor
struct Watcher {
    let views: RecordingViews
    let front: TestFront

    struct Missing: Error {}

    var root: any JobsPresentableListener {
        get throws { try found(views.newest(Jobs.self)?.listener) }
    }

    var list: Recording<JobList> {
        get throws { try found(views.newest(JobList.self)) }
    }

    var detail: Recording<JobDetail> {
        get throws { try found(views.newest(JobDetail.self)) }
    }

    private func found<T>(_ value: T?) throws -> T {
        guard let value else { throw Missing() }
        return value
    }

    /// Submits a command and returns its number.
    func submit(_ command: String, queue: String = "main", after: [Int] = []) async throws -> Int {
        try await root.submit(JobOrder(command: command, queue: queue, after: after))
    }

    /// Opens a job on this front's page.
    func open(_ id: Int) async throws {
        guard let list = try list.listener else { throw Missing() }
        await list.didSelect(id)
    }

    /// Waits until a job is in this state.
    func sees(_ id: Int, _ state: Job.State) async throws {
        _ = try await list.next { message -> Int? in
            guard case .presentJobs(let jobs) = message else { return nil }
            return jobs.contains { $0.id == id && $0.state == state } ? id : nil
        }
    }

    /// Waits for a line that the open job prints.
    func reads(_ line: String) async throws {
        _ = try await detail.next { message -> String? in
            if case .output(line) = message { line } else { nil }
        }
    }
}

@MainActor
final class Yard {
    let session: TestSession

    private init(_ settings: [String: String]) async {
        session = await TestSession.launch(JobsApp.self, settings: settings)
    }

    /// Opens a yard, and closes it after `visit`.
    static func open(
        settings: [String: String] = [:], _ visit: (Yard) async throws -> Void
    ) async throws {
        let yard = await Yard(settings)
        do {
            try await visit(yard)
        } catch {
            await yard.session.end()
            throw error
        }
        await yard.session.end()
    }

    /// Attaches a front that answers every question with `answer`.
    func watcher(
        isReadOnly: Bool = false, answer: @escaping (Journal) -> Bool = { _ in true }
    ) async throws -> Watcher {
        let views = RecordingViews()
        views.record(Jobs.self) { view in
            view.onAsk { _ in
                views.journal.note("asked")
                return answer(views.journal)
            }
        }
        views.record(JobList.self).record(JobDetail.self)
        return Watcher(
            views: views, front: try await session.attach(views, isReadOnly: isReadOnly))
    }
}
