// RibHouseFlowTests: Rib House end to end, through napkind, its worker and control fronts.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RibHouseFlowTests {
    private let place = Workplace()

    /// Returns when the front shows the board with all that is presented on it.
    private func showsBoard(_ front: ControlFront) async throws {
        try await front.shows { screen in
            ["present(sections:)", "present(specials:)"].allSatisfy {
                screen.value(Feature.pitBoard, $0) != nil
            }
        }
    }

    @Test
    func `S2, S14: two fronts show the same screen, also when the worker comes back from kill -9`()
        async throws
    {
        try await place.daemon()
        let first = try await place.front()
        let second = try await place.front()
        try await first.login()
        try await second.mounts(Feature.loggedIn)
        try await second.call(Feature.loggedIn, "didTapPitBoard()")
        try await showsBoard(second)
        let shown = second.screen
        try await first.shows { $0 == shown }
        #expect(first.screen.features.count == 3)
        // The end of its input detaches one, and the session goes on.
        first.child.closeInput()
        #expect(await first.child.exit() == 0)
        #expect(try await second.call(Feature.pitBoard, "didTapBack()").isOK)
        let front = second
        try await front.call(Feature.loggedIn, "didTapPitBoard()")
        try await showsBoard(front)
        let board = front.screen
        for _ in 1...2 {
            let worker = try await place.workerPID()
            kill(worker, SIGKILL)
            let resumed = try await front.reads { $0.type == "resumed" }
            #expect(resumed.object["lost"] as? Int == 0)
            try await front.shows { $0 == board }
            #expect(try await place.workerPID() != worker)
            let other = try await place.front()
            try await other.shows { $0 == board }
        }
        #expect(try await front.call(Feature.pitBoard, "didTapBack()").isOK)
        #expect(front.screen.features == [Feature.launch, Feature.loggedIn])
    }
}
