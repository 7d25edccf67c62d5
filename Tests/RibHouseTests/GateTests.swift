// GateTests: who is let in, and what is on the screen then.

import NapkinCore
import RibHouseContract
import Testing

@testable import RibHouseFeature

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct GateTests {
    let house: House
    var screen: Screen { house.screen }

    init() async { house = await House() }

    @Test("a session begins at the door")
    func begins() {
        #expect(screen.journal.lines == ["+ launch", "+ logged-out in loggedOut (embed)"])
        #expect(screen.features == ["launch", "logged-out"])
    }

    @Test("each way through the gate is one batch")
    func swaps() async {
        await house.login()
        #expect(screen.features == ["launch", "logged-in"])
        await house.logout()
        #expect(screen.features == ["launch", "logged-out"])
        let batches = screen.journal.lines.filter { $0.contains("+") || $0.hasPrefix("-") }
        #expect(
            batches == [
                "+ launch", "+ logged-out in loggedOut (embed)",
                "- logged-out; + logged-in in loggedIn (embed)",
                "- logged-in; + logged-out in loggedOut (embed)",
            ])
    }

    @Test("the first states travel with the mount")
    func mountsWithStates() async throws {
        await house.login()
        await screen.journal.read(
            "foods Brisket, Pulled Pork, St. Louis Ribs, Burnt Ends, Smoked Sausage")
        await screen.journal.read("summary \(GoldenTick.seedSummary)")
        let node = try #require(screen.node(of: LoggedIn.id))
        let arguments = try node.arguments.decode(LoggedIn.Arguments.self)
        #expect(arguments.user.name == "Smokey Joe")
        #expect(arguments.user.foods.count == 5)
    }

    @Test("a second user while one is logged in is ignored")
    func ignoresTheSecond() async {
        await house.login()
        let before = screen.node(of: LoggedIn.id)?.id
        await house.component.auth.login(as: User(name: "Dry Rub Dan", foods: []))
        // The gate takes changes in order: when it has let the guest out, it has seen Dan.
        await house.logout()
        #expect(before != nil)
        #expect(screen.journal.lines.count { $0.contains("+ logged-in") } == 1)
    }

    @Test("a second user is not routed to while the first sits there")
    func routesOnce() async throws {
        await house.login()
        let gate = try #require(house.root as? GateRouter)
        let child = gate.children.first.map(ObjectIdentifier.init)
        screen.journal.skip()
        await gate.routeToLoggedIn(User(name: "Dry Rub Dan", foods: []))
        #expect(gate.children.map(ObjectIdentifier.init) == [child])
        #expect(!screen.journal.unread.contains { $0.contains("+") })
    }

    @Test("a double tap pushes one board")
    func pushesOnce() async {
        await house.login()
        async let first = house.openBoard()
        async let second = house.openBoard()
        #expect(await [first, second] == [true, true])
        #expect(screen.features == ["launch", "logged-in", "pit-board"])
        let pushed = screen.journal.lines.count { $0 == "+ pit-board in pitBoard (push)" }
        #expect(pushed == 1)
    }

    @Test("back pops the board, the tap that does it is answered, and it can be pushed again")
    func pops() async {
        await house.login()
        for _ in 1...2 {
            #expect(await house.openBoard())
            #expect(await screen.tap("didTapBack()", on: PitBoard.id))
            #expect(screen.features == ["launch", "logged-in"])
        }
    }

    @Test("R15: the front's own back gesture pops the board, once, also when it crosses with a tap")
    func goesBackByGesture() async throws {
        await house.login()
        #expect(await house.openBoard())
        let board = try #require(screen.node(of: PitBoard.id))
        async let gesture = screen.send(.dismiss, to: board)
        async let tap = screen.tap("didTapBack()", on: PitBoard.id)
        #expect(await [gesture, tap].contains(true))
        #expect(screen.features == ["launch", "logged-in"])
        #expect(screen.journal.lines.count { $0 == "- pit-board" } == 1)
        #expect(await house.openBoard())
        #expect(screen.features == ["launch", "logged-in", "pit-board"])
    }

    @Test("R15: the gate's sides are not for a front to dismiss")
    func keepsTheTable() async throws {
        await house.login()
        let table = try #require(screen.node(of: LoggedIn.id))
        #expect(await screen.send(.dismiss, to: table) == false)
        #expect(screen.features == ["launch", "logged-in"])
    }

    @Test("R11: whoever comes and goes quickly ends at the side of the last one")
    func endsWithTheLast() async throws {
        let gate = try #require(house.root as? GateRouter)
        let storm = (0...20).map { number in
            dispatch {
                if number.isMultiple(of: 2) {
                    await gate.routeToLoggedIn(.smokeyJoe)
                } else {
                    await gate.routeToLoggedOut()
                }
            }
        }
        for swap in storm { await swap.value }
        #expect(screen.features == ["launch", "logged-in"])
        #expect(gate.children.count == 1)
    }

    @Test("logging out with the board pushed leaves the door, and nobody else")
    func logsOutFromTheBoard() async {
        await house.login()
        #expect(await house.openBoard())
        await house.logout()
        #expect(screen.features == ["launch", "logged-out"])
        #expect(house.root.children.count == 1)
        #expect(house.clock.sleepers(for: House.tick) == 0)
        #expect(house.clock.sleepers(for: House.specials) == 0)
    }

    @Test("the crier is there without a view, and leaves with the guest")
    func hasACrier() async throws {
        await house.login()
        let table = try #require(house.root.children.first)
        let crier = try #require(table.children.first)
        #expect(crier.core.feature == Announcements.id)
        #expect(crier.core.node == nil)
        #expect(await crier.interactable.isActive)
        await house.logout()
        #expect(await crier.interactable.isActive == false)
    }

    @Test("shutting a session down stops everything in it")
    func shutsDown() async {
        await house.login()
        #expect(await house.openBoard())
        await house.root.shutDown()
        #expect(screen.features == [])
        #expect(house.clock.sleepers(for: House.tick) == 0)
        #expect(house.clock.sleepers(for: House.specials) == 0)
    }

    @Test("the app names every feature that it mounts, once")
    func namesItsFeatures() async {
        #expect(RibHouse.id == "rib-house")
        #expect(
            RibHouse.features.map { $0.id.rawValue } == [
                "rib-house.launch", "rib-house.logged-out", "rib-house.logged-in",
                "rib-house.pit-board",
            ])
        let roots = [await RibHouse.makeRoot(session: "a"), await RibHouse.makeRoot(session: "b")]
        #expect(roots[0] !== roots[1])
    }
}
