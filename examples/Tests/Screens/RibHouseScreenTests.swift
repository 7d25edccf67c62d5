// RibHouseScreenTests: Rib House as it is seen, and what its keys and clicks send.

import NapkinCoding
import NapkinCore
import RibHouseContract
import RibHouseFront
import Testing

@testable import NapkinElements
@testable import NapkinFront
@testable import NapkinTerminal

/// Notes what the views send, and answers at once.
private final class NotingPort: EventPort {
    let note: (MethodID) -> Void

    init(_ note: @escaping (MethodID) -> Void) {
        self.note = note
    }

    func begin(
        _ method: MethodID, _ encode: PayloadEncoder
    ) throws(RemoteFault) -> PendingEvent {
        note(method)
        let event = PendingEvent()
        event.succeed(with: Payload())
        return event
    }

    func failed(_ method: MethodID, _ fault: RemoteFault) {}
}

/// Rib House on a stage.
private final class House {
    let stage: Stage
    private let registry = ViewRegistry()
    private(set) var events: [MethodID] = []
    let launch: UInt32

    init(_ size: ScreenSize) {
        stage = Stage(size)
        RibHouseViews.register(in: registry)
        stage.session.status.app = "rib-house"
        stage.session.status.session = "rib-house"
        stage.session.status.fronts = 2
        stage.session.status.roundTrip = .microseconds(412)
        launch = stage.mounted.mount(Launch.id.rawValue)
        makeView(launch)
    }

    private func makeView(_ id: UInt32) {
        guard let node = stage.mounted.tree.node(id) else { preconditionFailure("no such node") }
        node.view = registry.makeView(
            for: node, port: NotingPort { [unowned self] in events.append($0) })
        precondition(node.view != nil)
    }

    func mount<F: Feature>(
        _ feature: F.Type, in parent: UInt32, _ presentation: String = "embed",
        arguments: [UInt8] = [0xA0]
    ) -> UInt32 {
        let node = stage.mounted.mount(
            F.id.rawValue, in: parent, presentation, arguments: arguments)
        makeView(node)
        return node
    }

    func mountTable() throws -> UInt32 {
        let user = User(name: "Smokey Joe", foods: [])
        let arguments = try Payload { (writer) throws(CBORError) in
            try writer.write(LoggedIn.Arguments(user: user))
        }
        let table = mount(LoggedIn.self, in: launch, arguments: arguments.bytes)
        try stage.present(table, "present(pitSummary:)", "2 SMOKING · 1 RESTING")
        try stage.present(
            table, "present(foods:)",
            ["Brisket", "Pulled Pork", "St. Louis Ribs", "Burnt Ends", "Smoked Sausage"])
        return table
    }

    func present(_ board: UInt32, _ stages: [(PitItem.Stage, [String])]) throws {
        let sections = stages.map { stage, names in
            PitSection(
                stage: stage, items: names.map { PitItem(id: $0, name: $0, stage: stage) })
        }
        try stage.present(board, "present(sections:)", sections)
        try stage.present(
            board, "present(specials:)",
            [Special(id: "1", name: "Hot Links"), Special(id: "2", name: "Dino Beef Rib")])
    }
}

@Suite struct RibHouseScreenTests {
    @Test(arguments: goldenSizes)
    func `the door, the table and the board`(size: ScreenSize) throws {
        let golden = Golden("rib-house", size)
        let house = House(size)
        let stage = house.stage
        let door = house.mount(LoggedOut.self, in: house.launch)
        golden.take("the door", stage)
        stage.press(.enter)
        #expect(house.events == [MethodID(key: "didTapLogin()")])
        stage.mounted.unmount(door)
        let table = try house.mountTable()
        golden.take("the table", stage)
        try stage.present(table, "present(banner:)", "LAST CALL · Brisket")
        golden.take("last call", stage)
        stage.press(.tab)
        golden.take("Logout has the focus", stage)
        stage.click("Pit Board")
        #expect(house.events.last == MethodID(key: "didTapPitBoard()"))
        let board = house.mount(PitBoard.self, in: table, "push")
        try house.present(
            board,
            [
                (.lighting, ["St. Louis Ribs", "Smoked Sausage"]),
                (.smoking, ["Brisket", "Pulled Pork"]), (.resting, ["Burnt Ends"]),
            ])
        golden.take("the board", stage)
        try house.present(
            board,
            [
                (.lighting, ["Smoked Sausage"]), (.smoking, ["St. Louis Ribs"]),
                (.resting, ["Pulled Pork", "Burnt Ends"]), (.served, ["Brisket"]),
            ])
        golden.take("four stages", stage)
        stage.press(.pageDown)
        golden.take("further down", stage)
        stage.press(.escape)
        #expect(house.events.last == MethodID(key: "didTapBack()"))
        stage.session.status.connection = .disconnected(
            since: "14:05:09", reason: "the worker died")
        golden.take("disconnected", stage)
        stage.session.status.connection = .connected
        stage.session.notice.say("1 event is in doubt")
        golden.take("back, and one event in doubt", stage)
        try golden.check()
    }

    @Test func `where a terminal has few columns the stages are below one another`() throws {
        let house = House(ScreenSize(width: 50, height: 24))
        let table = try house.mountTable()
        let board = house.mount(PitBoard.self, in: table, "push")
        try house.present(board, [(.lighting, ["Ribs"]), (.smoking, ["Brisket"])])
        let lines = house.stage.draw().lines.map(\.text)
        let lighting = try #require(lines.firstIndex { $0.contains("Lighting") })
        let smoking = try #require(lines.firstIndex { $0.contains("Smoking") })
        #expect(lighting < smoking)
    }

    @Test func `a key that a button shows is not named once more below`() throws {
        let house = House(goldenSizes[0])
        _ = try house.mountTable()
        #expect(house.stage.draw().lines.count { $0.text.contains("[o] Logout") } == 1)
        house.stage.size = goldenSizes[1]
        // On five lines the buttons are out of sight, so that the line of keys names them.
        #expect(house.stage.draw().lines[3].text.contains("[o] Logout"))
    }
}
