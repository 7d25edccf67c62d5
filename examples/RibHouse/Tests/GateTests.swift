// GateTests: who is let in, and what is on the screen then.

import NapkinCore
import NapkinTesting
import RibHouseContract
import Testing

@testable import RibHouseFeature

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct GateTests {
    @Test("a session begins at the door")
    func begins() async throws {
        try await House.open { house in
            #expect(house.journal.lines == ["+ launch; + logged-out in loggedOut (embed)"])
            #expect(house.features == ["launch", "logged-out"])
        }
    }

    @Test("each way through the gate is one batch")
    func swaps() async throws {
        try await House.open { house in
            await house.login()
            #expect(house.features == ["launch", "logged-in"])
            await house.logout()
            #expect(house.features == ["launch", "logged-out"])
            #expect(
                house.batches == [
                    "+ launch; + logged-out in loggedOut (embed)",
                    "- logged-out; + logged-in in loggedIn (embed)",
                    "- logged-in; + logged-out in loggedOut (embed)",
                ])
        }
    }

    @Test("the first states travel with the mount")
    func mountsWithStates() async throws {
        try await House.open { house in
            await house.login()
            #expect(
                house.journal.unread.prefix(3) == [
                    "foods Brisket, Pulled Pork, St. Louis Ribs, Burnt Ends, Smoked Sausage",
                    "summary \(GoldenTick.seedSummary)",
                    "- logged-out; + logged-in in loggedIn (embed)",
                ])
            let arguments = try #require(house.views.newest(LoggedIn.self)?.arguments)
            #expect(arguments.user.name == "Smokey Joe")
            #expect(arguments.user.foods.count == 5)
        }
    }

    @Test("a second user while one is logged in is ignored")
    func ignoresTheSecond() async throws {
        try await House.open { house in
            await house.login()
            await house.component.auth.login(as: User(name: "Dry Rub Dan", foods: []))
            // The gate takes changes in order: when it has let the guest out, it has seen Dan.
            await house.logout()
            #expect(house.batches.count { $0.contains("+ logged-in") } == 1)
            let guests = house.views.all(LoggedIn.self).map { $0.arguments?.user.name }
            #expect(guests == ["Smokey Joe"])
        }
    }

    @Test("a second user is not routed to while the first sits there")
    func routesOnce() async throws {
        try await House.open { house in
            await house.login()
            let gate = try #require(house.root as? GateRouter)
            let child = gate.children.first.map(ObjectIdentifier.init)
            house.journal.skip()
            await gate.routeToLoggedIn(User(name: "Dry Rub Dan", foods: []))
            #expect(gate.children.map(ObjectIdentifier.init) == [child])
            // The reply of a tap comes after whatever fronts were told before.
            #expect(await house.openBoard())
            let mounted = house.journal.unread.filter { $0.contains("+") }
            #expect(mounted == ["+ pit-board in pitBoard (push)"])
        }
    }

    @Test("a double tap pushes one board")
    func pushesOnce() async throws {
        try await House.open { house in
            await house.login()
            async let first = house.openBoard()
            async let second = house.openBoard()
            #expect(await [first, second] == [true, true])
            #expect(house.features == ["launch", "logged-in", "pit-board"])
            let pushed = house.batches.count { $0 == "+ pit-board in pitBoard (push)" }
            #expect(pushed == 1)
        }
    }

    @Test("back pops the board, the tap that does it is answered, and it can be pushed again")
    func pops() async throws {
        try await House.open { house in
            await house.login()
            for _ in 1...2 {
                #expect(await house.openBoard())
                #expect(await house.tap(PitBoard.self) { await $0.didTapBack() })
                #expect(house.features == ["launch", "logged-in"])
            }
        }
    }

    @Test("R15: the front's own back gesture pops the board, once, also when it crosses with a tap")
    func goesBackByGesture() async throws {
        try await House.open { house in
            await house.login()
            #expect(await house.openBoard())
            let board = try #require(house.views.newest(PitBoard.self))
            async let gesture = isDismissed(board)
            async let tap = house.tap(PitBoard.self) { await $0.didTapBack() }
            #expect(await [gesture, tap].contains(true))
            #expect(house.features == ["launch", "logged-in"])
            #expect(house.journal.count(of: "- pit-board") == 1)
            #expect(await house.openBoard())
            #expect(house.features == ["launch", "logged-in", "pit-board"])
        }
    }

    private func isDismissed<F: Feature>(_ view: Recording<F>) async -> Bool {
        do {
            try await view.dismiss()
            return true
        } catch {
            return false
        }
    }

    @Test("R15: the gate's sides are not for a front to dismiss")
    func keepsTheTable() async throws {
        try await House.open { house in
            await house.login()
            let table = try #require(house.views.newest(LoggedIn.self))
            #expect(await isDismissed(table) == false)
            #expect(house.features == ["launch", "logged-in"])
        }
    }

    @Test("R11: whoever comes and goes quickly ends at the side of the last one")
    func endsWithTheLast() async throws {
        try await House.open(isSound: false) { house in
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
            #expect(gate.children.count == 1)
            // The last table answers, and no other.
            while await !house.openBoard() { await Task.yield() }
            #expect(house.features == ["launch", "logged-in", "pit-board"])
        }
    }

    @Test("logging out with the board pushed leaves the door, and nobody else")
    func logsOutFromTheBoard() async throws {
        try await House.open { house in
            await house.login()
            #expect(await house.openBoard())
            await house.logout()
            #expect(house.features == ["launch", "logged-out"])
            #expect(house.root.children.count == 1)
            #expect(house.clock.sleeperCount(for: House.tick) == 0)
            #expect(house.clock.sleeperCount(for: House.specials) == 0)
        }
    }

    @Test("the crier is there without a view, and leaves with the guest")
    func hasACrier() async throws {
        try await House.open { house in
            await house.login()
            let table = try #require(house.root.children.first)
            let crier = try #require(table.children.first)
            #expect(crier.interactable is AnnouncementsInteractor)
            #expect(!(crier is any ViewableRouting))
            #expect(await crier.interactable.isActive)
            await house.logout()
            #expect(await crier.interactable.isActive == false)
        }
    }

    @Test("shutting a session down stops everything in it")
    func shutsDown() async throws {
        try await House.open(isSound: false) { house in
            await house.login()
            #expect(await house.openBoard())
            await house.root.shutDown()
            await house.journal.next("- launch")
            #expect(house.features == [])
            #expect(house.clock.sleeperCount == 0)
        }
    }

    @Test("the app names every feature that it mounts, once")
    func namesItsFeatures() async {
        #expect(RibHouse.id == "rib-house")
        #expect(
            RibHouse.features.map { $0.id.rawValue } == [
                "rib-house.launch", "rib-house.logged-out", "rib-house.logged-in",
                "rib-house.pit-board",
            ])
        let session = SessionContext(
            name: "lunch", id: "lunch", dataDirectory: "/nowhere", cacheDirectory: "/nowhere")
        let roots = [await RibHouse.makeRoot(session), await RibHouse.makeRoot(session)]
        #expect(roots[0] !== roots[1])
    }
}
