// SessionRollbackTests: the state before the newest one is kept as long as it may be wanted.

import NapkinCore
import NapkinTransport
import Testing

@testable import NapkinLedger
@testable import NapkinProtocol
@testable import NapkinRuntime

extension RuntimeTests {
    /// A session of three records, whose worker has died: each adds a line.
    private func dead() async throws -> DurableSetup {
        let setup = try await DurableSetup()
        for number in 1...3 {
            await setup.interactor.does { $0.state.lines.append("\(number)") }
            await setup.settle()
        }
        try await setup.dies(restoring: false)
        return setup
    }

    private func history(_ setup: DurableSetup) async throws -> SessionHistory {
        try #require(try await setup.journal.tools.history(of: "office"))
    }

    @Test func `the former state is that before the newest change of a state`() async throws {
        let setup = try await dead()
        var history = try await history(setup)
        let newest = try #require(history.entries.last)
        // What changes no state is not counted.
        var record = Record(session: newest.record.session)
        record.fronts = [FrontChange(front: 1, started: 0)]
        history.entries.append(.init(group: newest.group + 1, record: record, bytes: 1))
        let former = try #require(history.former)
        let image = try await history.rewound(to: former)
        #expect(image.title.epoch != history.image.title.epoch)
        #expect(image.fronts.map(\.front) == [1])
        try await setup.journal.tools.rewind(to: image)
        try await setup.restores()
        #expect(await setup.interactor.lines == ["1", "2"])
        // Nothing older is kept.
        #expect(try await self.history(setup).former == nil)
        await setup.end()
    }

    @Test func `a step back that does not help is undone`() async throws {
        let setup = try await dead()
        let tools = setup.journal.tools
        let file = try #require(try await tools.export("office", of: "app"))
        let history = try await history(setup)
        try await tools.rewind(to: try await history.rewound(to: try #require(history.former)))
        try await tools.putBack("office", from: file)
        let newest = try await self.history(setup).image()
        #expect(try await newest.title == history.image().title)
        try await setup.restores()
        #expect(await setup.interactor.lines == ["1", "2", "3"])
        await #expect(throws: ToolError.self) { try await tools.putBack("other", from: file) }
        await setup.end()
    }

    @Test(arguments: [false, true])
    func `a session that is held keeps its records until it is released`(isHeld: Bool) async throws
    {
        let setup = try await dead()
        let journal = setup.journal
        if isHeld { journal.hold(["office"]) }
        journal.openingTimer?.cancel()
        journal.storeFound()
        await journal.waitUntilDurable()
        #expect((try await history(setup).former != nil) == isHeld)
        journal.release("office")
        await journal.waitUntilDurable()
        #expect(try await history(setup).former == nil)
        try await setup.restores()
        #expect(await setup.interactor.lines == ["1", "2", "3"])
        await setup.end()
    }

    @Test func `a launch is another one after other states, and after a step back`() {
        func call(_ states: [[UInt8]?], epoch: UInt32 = 7) -> LaunchCall {
            var image = SessionImage(
                session: 1, title: SessionTitle(name: "office", id: "office", epoch: epoch))
            image.nodes = states.enumerated().map { number, state in
                NodeImage(
                    place: AttachedNode(
                        number: UInt32(number + 1), parent: 0, slot: "", feature: "panel",
                        arguments: []),
                    state: state)
            }
            return LaunchCall(of: "office", epoch: 1, restoring: image)
        }
        let dead = call([[1], nil])
        FlightRecorder.quarantine = QuarantineStateMachine([
            .init(input: dead.input, deaths: 2, receipt: 5, at: 0)
        ])
        defer { FlightRecorder.quarantine = QuarantineStateMachine() }
        #expect(dead.setAside == 5)
        #expect(call([[1], nil]).setAside == 5)
        for other in [call([[2], nil]), call([[1]]), call([[1], nil], epoch: 8)] {
            #expect(other.setAside == nil)
        }
        #expect(LaunchCall(of: "office", epoch: 1).setAside == nil)
    }
}
