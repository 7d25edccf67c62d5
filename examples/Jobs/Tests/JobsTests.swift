// JobsTests: the app with real programs, and fronts that record.

import FoundationEssentials
import JobsContract
import NapkinCore
import NapkinSystem
import NapkinTesting
import Testing

@testable import JobsFeature

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct JobsTests {
    /// Runs until it is cancelled.
    private static let endless = "exec sleep 1000"

    @Test("jobs end with their status, in the order of their dependencies")
    func runs() async throws {
        try await Yard.open { yard in
            let me = try await yard.watcher()
            let first = try await me.submit("exit 0")
            let second = try await me.submit("kill -9 $$", queue: "night", after: [first])
            let third = try await me.submit("true", after: [second])
            #expect(try await me.root.end(of: first).status == 0)
            let killed = try await me.root.end(of: second)
            #expect(killed.state == .failed && killed.status == 128 + 9)
            #expect(try await me.root.end(of: third).state == .skipped)
            await me.views.journal.wait { lines in
                lines.contains { $0.contains("announce") && $0.contains("job 2 failed") }
            }
            await #expect(throws: JobError.unknown(9)) { try await me.root.end(of: 9) }
            try await yard.session.expectQuiescent()
        }
    }

    @Test("a page is a person's, the jobs are everybody's")
    func ownPages() async throws {
        try await Yard.open { yard in
            let me = try await yard.watcher()
            let you = try await yard.watcher()
            let id = try await me.submit("echo one; echo two >&2")
            try await me.open(id)
            try await me.reads("two")
            #expect(try me.detail.arguments?.id == id)
            #expect(me.front.shows(JobDetail.id) && !you.front.shows(JobDetail.id))
            // What was printed before is there for whoever opens it later, in order.
            try await you.sees(id, .succeeded)
            try await you.open(id)
            try await you.reads("$ echo one; echo two >&2")
            try await you.reads("one")
            try await you.reads("two")
            try await you.detail.listener?.didTapBack()
            #expect(me.front.shows(JobDetail.id) && !you.front.shows(JobDetail.id))
            try await yard.session.expectQuiescent()
        }
    }

    @Test("only the one who cancels is asked, and a no counts")
    func asks() async throws {
        try await Yard.open { yard in
            let me = try await yard.watcher { $0.count(of: "asked") > 1 }
            let you = try await yard.watcher()
            let id = try await me.submit(Self.endless)
            try await me.open(id)
            let detail = try #require(try me.detail.listener)
            try await detail.didTapCancel()
            #expect(me.views.journal.count(of: "asked") == 1)
            await #expect(throws: JobError.notNow(id, .running)) { try await detail.didTapRetry() }
            try await detail.didTapCancel()
            #expect(try await you.root.end(of: id).state == .cancelled)
            #expect(you.views.journal.count(of: "asked") == 0)
            try await detail.didTapRetry()
            try await you.sees(id, .running)
            // Nobody is asked about a job that does not run yet.
            let next = try await me.submit("true")
            try await you.root.cancel(next)
            #expect(try await me.root.end(of: next).state == .cancelled)
            #expect(you.views.journal.count(of: "asked") == 0)
        }
    }

    @Test("a front that is here to look opens pages, and changes nothing")
    func readOnly() async throws {
        try await Yard.open { yard in
            let me = try await yard.watcher()
            let visitor = try await yard.watcher(isReadOnly: true)
            let id = try await me.submit(Self.endless)
            try await visitor.open(id)
            let detail = try #require(try visitor.detail.listener)
            await #expect(throws: JobError.readOnly) { try await detail.didTapCancel() }
            await #expect(throws: JobError.readOnly) { try await detail.didTapRetry() }
            await #expect(throws: JobError.self) { _ = try await visitor.submit("true") }
            #expect(visitor.views.journal.count(of: "asked") == 0)
            await detail.didTapBack()
            #expect(!visitor.front.shows(JobDetail.id))
        }
    }

    @Test("a link opens a job on one page or on each")
    func links() async throws {
        try await Yard.open { yard in
            let me = try await yard.watcher()
            let you = try await yard.watcher()
            let id = try await me.submit("true")
            let mine = "jobs://job/\(id)?front=\(me.front.number)"
            #expect(try await end(of: mine, in: yard) == nil)
            await me.views.journal.next("+ detail in detail (push)")
            #expect(!you.front.shows(JobDetail.id))
            #expect(try await end(of: "jobs://job/\(id)", in: yard) == nil)
            await you.views.journal.next("+ detail in detail (push)")
            #expect(try await end(of: "jobs://job/9", in: yard) == "there is no job 9")
            let nobody = try await end(of: "jobs://job/\(id)?front=9", in: yard)
            #expect(nobody?.hasPrefix("there is no such front") == true)
            #expect(throws: DeepLinkError.self) { try open("jobs://job/last", in: yard) }
        }
    }

    private func open(_ url: String, in yard: Yard) throws -> WorkflowRun {
        try JobsApp.deepLinks.open(url, of: JobsApp.id, on: yard.session.root) { _ in }
    }

    /// The reason why a link was not opened.
    private func end(of url: String, in yard: Yard) async throws -> String? {
        switch try await open(url, in: yard).end {
        case .failed(let error): "\(error)"
        case .completed, .cancelled: nil
        }
    }

    @Test("what was accepted survives the worker, and what ran goes on")
    func survives() async throws {
        try await Yard.open { yard in
            let me = try await yard.watcher()
            let gate = yard.session.context.dataDirectory + "/gate"
            let command = "echo one; until [ -e '\(gate)' ]; do sleep 0.01; done; echo two; exit 4"
            let ran = try await me.submit(command)
            let waited = try await me.submit("echo later")
            let context = yard.session.context
            await yard.session.restart { await JobsApp.makeRoot(context) }
            try await me.open(ran)
            try await me.reads("one")
            try Data().write(to: URL(filePath: gate))
            #expect(try await me.root.end(of: ran).status == 4)
            #expect(try await me.root.end(of: waited).state == .succeeded)
            try await me.reads("two")
            // Another run has another output.
            try await me.root.retry(ran)
            try await me.reads("$ \(command)")
            try await me.reads("two")
        }
    }

    @Test("job files are taken from the drop folder")
    func dropFolder() async throws {
        let directory = TemporaryFolder()
        try directory.write("early.job", "queue=night\ntrue")
        try await Yard.open(settings: ["drop": directory.path]) { yard in
            let me = try await yard.watcher()
            try await me.sees(1, .succeeded)
            // A file that is written beside it and moved is there as a whole.
            try directory.write("late.tmp", "after=1\ntrue")
            try directory.move("late.tmp", "late.job")
            try await me.sees(2, .succeeded)
            try directory.write("bad.job", "after=never\ntrue")
            for await _ in try DirectoryChanges(of: directory.path)
            where directory.has("bad.job.refused") { break }
            #expect(!directory.has("early.job") && !directory.has("late.job"))
        }
    }

    @Test("somebody is told elsewhere if nobody is there")
    func notifies() async throws {
        let directory = TemporaryFolder()
        try directory.write("tell", "#!/bin/sh\nprintf '%s' \"$1\" > \"$0.said\"\n")
        try directory.makeExecutable("tell")
        let told = try DirectoryChanges(of: directory.path)
        try await Yard.open(settings: ["notifier": directory.path + "/tell"]) { yard in
            let me = try await yard.watcher()
            _ = try await me.root.end(of: me.submit("exit 3"))
            #expect(!directory.has("tell.said"))
            let gate = directory.path + "/gate"
            _ = try await me.submit("until [ -e '\(gate)' ]; do sleep 0.01; done; exit 4")
            await me.front.detach()
            try directory.write("gate", "")
            for await _ in told where directory.has("tell.said") { break }
            #expect(try directory.text("tell.said").hasPrefix("job 2 failed: until"))
        }
    }
}

/// A directory for one test.
private final class TemporaryFolder {
    let path = FileManager.default.temporaryDirectory
        .appending(path: "jobs-\(UUID().uuidString)").path()

    init() {
        // What cannot be made is missed by the test.
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
    }

    func move(_ name: String, _ other: String) throws {
        try FileManager.default.moveItem(atPath: "\(path)/\(name)", toPath: "\(path)/\(other)")
    }

    func makeExecutable(_ name: String) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o700], ofItemAtPath: "\(path)/\(name)")
    }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(path)/\(name)") }

    func text(_ name: String) throws -> String {
        try String(contentsOf: URL(filePath: "\(path)/\(name)"), encoding: .utf8)
    }

    deinit {
        // What is left of a test that is over does not matter.
        try? FileManager.default.removeItem(atPath: path)
    }
}
