// FullDiskTests: what Jobs says and does while its file cannot be written, and afterwards.

import FoundationEssentials
import JobsContract
import NapkinCore
import NapkinTesting
import Testing

@testable import JobsFeature

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct FullDiskTests {
    /// Expects that something is refused because it cannot be saved.
    private func refused(_ request: () async throws -> Void) async {
        await #expect {
            try await request()
        } throws: { error in
            if case JobError.notKept = error { true } else { false }
        }
    }

    /// A job that runs until its gate is opened.
    private func gated(_ gate: String) -> String {
        "until [ -e '\(gate)' ]; do sleep 0.01; done"
    }

    @Test("an end is shown though it cannot be saved, and what follows runs when it can")
    func ends() async throws {
        try await Yard.open { yard in
            let me = try await yard.watcher()
            let gate = yard.session.context.dataDirectory + "/gate"
            let first = try await me.submit(gated(gate))
            let second = try await me.submit("true")
            try yard.fillDisk()
            try Data().write(to: URL(filePath: gate))
            #expect(try await me.root.end(of: first).state == .succeeded)
            await yard.session.clock.pass(.seconds(1))
            await refused { _ = try await me.submit("true") }
            try yard.freeDisk()
            await yard.session.clock.pass(.seconds(1))
            #expect(try await me.root.end(of: second).state == .succeeded)
            let saved = try yard.savedJobs()
            #expect(saved.map(\.state) == [.succeeded, .succeeded])
        }
    }

    @Test("an end that nothing follows is saved when it can be")
    func lastEnd() async throws {
        try await Yard.open { yard in
            let me = try await yard.watcher()
            let gate = yard.session.context.dataDirectory + "/gate"
            let id = try await me.submit(gated(gate))
            try yard.fillDisk()
            try Data().write(to: URL(filePath: gate))
            #expect(try await me.root.end(of: id).state == .succeeded)
            try yard.freeDisk()
            await yard.session.clock.pass(.seconds(1))
            // It sleeps again when it has saved.
            await yard.session.clock.waitForSleeper(for: .seconds(1))
            #expect(try yard.savedJobs().map(\.state) == [.succeeded])
        }
    }

    @Test("what was refused leaves no trace, in the list or on disk")
    func refusals() async throws {
        try await Yard.open { yard in
            let me = try await yard.watcher()
            let first = try await me.submit("exit 1")
            let runs = try await me.submit("exec sleep 1000", queue: "night")
            let waits = try await me.submit("true", queue: "night")
            _ = try await me.root.end(of: first)
            try yard.fillDisk()
            await refused { _ = try await me.submit("echo refused") }
            await refused { try await me.root.retry(first) }
            await refused { try await me.root.cancel(waits) }
            try yard.freeDisk()
            // Its number is free, and the job that has it now is the only one of that number.
            #expect(try await me.submit("true", queue: "other") == waits + 1)
            #expect(try yard.savedJobs().filter { $0.id > waits }.map(\.order.command) == ["true"])
            #expect(try yard.savedJobs().map(\.state).prefix(3) == [.failed, .running, .queued])
            try await me.root.cancel(runs)
            #expect(try await me.root.end(of: runs).state == .cancelled)
        }
    }

    @Test("a change that cannot be saved is in no later one")
    func changes() async throws {
        try await Yard.open { yard in
            let store = JobStore(session: yard.session.context)
            try yard.fillDisk()
            await refused {
                try await store.change { table throws(JobError) in
                    _ = try table.accept(JobOrder(command: "refused"))
                }
            }
            #expect(store.table.value.jobs.isEmpty)
            try yard.freeDisk()
            try await store.change { table throws(JobError) in
                _ = try table.accept(JobOrder(command: "accepted"))
            }
            #expect(try yard.savedJobs().map(\.order.command) == ["accepted"])
        }
    }

    @Test("a job that is refused where the table is full costs no other one")
    func fullTable() async throws {
        try await Yard.open { yard in
            let kept = (1...JobTable.jobsMax).map {
                Job(id: $0, order: JobOrder(command: "echo \($0)"), state: .succeeded, status: 0)
            }
            try yard.save(kept)
            let context = yard.session.context
            await yard.session.restart { await JobsApp.makeRoot(context) }
            let me = try await yard.watcher()
            try await me.root.retry(1)
            _ = try await me.root.end(of: 1)
            try yard.fillDisk()
            await refused { _ = try await me.submit("true") }
            // The next tick shows the table.
            await yard.session.clock.pass(.seconds(1))
            await yard.session.clock.waitForSleeper(for: .seconds(1))
            try await me.open(1)
            try await me.reads("1")
            try yard.freeDisk()
            _ = try await me.submit("true")
            await #expect(throws: JobError.unknown(1)) { try await me.root.end(of: 1) }
        }
    }

    @Test("a job file stays until its job can be kept")
    func dropFolder() async throws {
        try await Yard.open { yard in
            let me = try await yard.watcher()
            try yard.fillDisk()
            let context = yard.session.context
            let folder = "\(context.dataDirectory)/\(context.id).drop"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            try Data("echo dropped".utf8).write(to: URL(filePath: folder + "/one.job"))
            // The root's tick, and the folder's.
            await yard.session.clock.waitForSleepers(2)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["one.job"])
            try yard.freeDisk()
            yard.session.clock.advance(by: .seconds(1))
            try await me.sees(1, .succeeded)
            #expect(try yard.savedJobs().map(\.order.command) == ["echo dropped"])
        }
    }
}

extension Yard {
    private var file: String {
        "\(session.context.dataDirectory)/\(session.context.id).json"
    }

    /// Puts a directory where the jobs' file is: then the file cannot be written, by root either.
    fileprivate func fillDisk() throws {
        let files = FileManager.default
        let was = file + ".was"
        if files.fileExists(atPath: file) { try files.moveItem(atPath: file, toPath: was) }
        try files.createDirectory(atPath: file, withIntermediateDirectories: true)
    }

    fileprivate func freeDisk() throws {
        let files = FileManager.default
        try files.removeItem(atPath: file)
        let was = file + ".was"
        if files.fileExists(atPath: was) { try files.moveItem(atPath: was, toPath: file) }
    }

    fileprivate func save(_ jobs: [Job]) throws {
        try JSONEncoder().encode(jobs).write(to: URL(filePath: file))
    }

    fileprivate func savedJobs() throws -> [Job] {
        try JSONDecoder().decode([Job].self, from: Data(contentsOf: URL(filePath: file)))
    }
}
