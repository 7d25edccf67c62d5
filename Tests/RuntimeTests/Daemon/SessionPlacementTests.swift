// SessionPlacementTests: which worker may take a new session, and which are kept without one.

import NapkinProtocol
import Testing

@testable import NapkinDaemon

struct SessionPlacementTests {
    private typealias Found = Result<[Int], SessionPlacement.Obstacle>

    private func found(
        _ placement: SessionPlacement, taken: Set<Int> = []
    ) -> Result<[Int], SessionPlacement.Obstacle> {
        Result { () throws(SessionPlacement.Obstacle) in
            try placement.candidates { !taken.contains($0) }
        }
    }

    @Test(
        arguments: [
            (.shared, [], [0]), (.workers(1), [], [1]), (.workers(3), [2], [1, 2, 3]),
            (.session, [], [1]), (.session, [1, 2, 4], [3]),
            (.session, Set(1..<Isolation.sessionsMax), [Isolation.sessionsMax]),
        ] as [(Isolation, Set<Int>, [Int])])
    func `a session may run in the only worker, in any of several, or in a new one`(
        isolation: Isolation, taken: Set<Int>, numbers: [Int]
    ) {
        #expect(found(SessionPlacement(isolation: isolation), taken: taken) == .success(numbers))
    }

    @Test func `sessions with a process each are as many as there are numbers`() {
        let placement = SessionPlacement(isolation: .session)
        let taken = Set(1...Isolation.sessionsMax)
        #expect(found(placement, taken: taken) == .failure(.noNumber))
    }

    @Test(arguments: [Isolation.shared, .workers(3), .session])
    func `the first obstacle counts, and each of them alone`(isolation: Isolation) {
        let obstacles: [(SessionPlacement.Obstacle, (inout SessionPlacement) -> Void)] = [
            (.limit(count: 3, most: 3), { $0.limit = (3, 3) }),
            (.draining, { $0.isDraining = true }), (.stopped, { $0.isStopped = true }),
            (.unknownWorker(2), { $0.unknownWorker = 2 }),
            (.unreadJournal(7), { $0.unreadJournal = 7 }), (.withdrawn, { $0.remaining = [] }),
        ]
        var all = SessionPlacement(isolation: isolation)
        for (obstacle, set) in obstacles.reversed() {
            var one = SessionPlacement(isolation: isolation)
            set(&one)
            #expect(found(one) == .failure(obstacle))
            set(&all)
            #expect(found(all) == .failure(obstacle))
        }
    }

    @Test(arguments: [(2, true), (3, false), (4, false)])
    func `an app has no more sessions than its limit`(count: Int, hasPlace: Bool) {
        var placement = SessionPlacement(isolation: .shared)
        placement.limit = (count, 3)
        let refused = Found.failure(.limit(count: count, most: 3))
        #expect(found(placement) == (hasPlace ? .success([0]) : refused))
    }

    @Test(
        arguments: [
            (.shared, [0], [0]), (.workers(3), [1, 3], [1, 3]), (.session, [1, 2], nil),
        ] as [(Isolation, Set<Int>, [Int]?)])
    func `without a manifest only the workers that are left take sessions`(
        isolation: Isolation, workers: Set<Int>, numbers: [Int]?
    ) {
        let placement = SessionPlacement(isolation: isolation, remaining: workers)
        let expected = numbers.map(Found.success) ?? .failure(.withdrawn)
        #expect(found(placement, taken: workers) == expected)
    }

    @Test(
        arguments: [(.shared, [0]), (.workers(2), [1, 2]), (.session, [])]
            as [(Isolation, [Int])])
    func `workers that may have the next session are kept without one`(
        isolation: Isolation, kept: [Int]
    ) {
        #expect(isolation.keptWorkers == kept)
    }
}
