// FrontReturnTests: what a front does between a connection that was lost and the next one.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTesting
import Testing

@testable import NapkinFront

/// All share the one loop: one after another.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(10)))
struct FrontReturnTests {
    @Test func `an event that is called before the new tree is shown reaches no node`()
        async throws
    {
        let place = try Place()
        let watcher = Watcher(place)
        let (run, first) = try await shown(watcher, at: place)
        first.close()
        // The session was restored, and in the new tree the number is another node's.
        let second = await place.visit()
        second.attach(epoch: 2, isResumed: true)
        await watcher.journal.wait(for: "attached 2")
        let old = try #require(watcher.views.last)
        let byView = Task.immediate { await old.press(1) }
        let byNumber = Task.immediate { await send(2, watcher.front) }
        try second.show(1, epoch: 2)
        await watcher.journal.wait(for: "applied 2")
        let new = try #require(watcher.views.last)
        #expect(new !== old)
        let stale = Task.immediate { await old.press(3) }
        let right = Task.immediate { await new.press(4) }
        var numbers: [Int] = []
        repeat {
            let (header, number) = await second.event()
            numbers.append(number)
            second.reply(header.sequence, 0)
        } while numbers.last != 4
        #expect(numbers == [4])
        #expect(await right.value == nil)
        #expect(watcher.front.isConnected)
        watcher.front.detach()
        _ = await run.value
        #expect(!watcher.front.isConnected)
        #expect(await byView.value == .notExecuted)
        #expect(await byNumber.value == .notExecuted)
        #expect(await stale.value == .gone)
    }

    @Test func `a front that is told to leave while it is coming back does not come back`()
        async throws
    {
        let place = try Place()
        let watcher = Watcher(place)
        let (run, first) = try await shown(watcher, at: place)
        place.onVisit = { _ in Issue.record("the front has come back") }
        watcher.whenDisconnected = { $0.detach() }
        first.close()
        guard case .detached = await run.value else {
            Issue.record("the front ended otherwise")
            return
        }
    }

    /// Has a front run until it shows its first tree.
    private func shown(
        _ watcher: Watcher, at place: Place
    ) async throws -> (Task<Front.End, Never>, Visit) {
        let run = Task { await watcher.front.run() }
        let visit = await place.visit()
        visit.attach(epoch: 1)
        try visit.show(1, epoch: 1)
        await watcher.journal.wait(for: "applied 1")
        return (run, visit)
    }

    /// Sends to whatever node has that number.
    private func send(_ number: Int, _ front: Front) async -> RemoteFault.Code? {
        do throws(RemoteFault) {
            _ = try await front.send(to: 1, MethodID(key: "press(_:)")) {
                (writer) throws(CBORError) in try writer.write(number)
            }
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `a view may send an event while it is made`() async throws {
        let place = try Place()
        let watcher = Watcher(place)
        watcher.whenMade = { view in Task.immediate { _ = await view.press(5) } }
        let run = Task { await watcher.front.run() }
        let visit = await place.visit()
        visit.attach(epoch: 1)
        try visit.show(1, epoch: 1)
        #expect(await visit.event().1 == 5)
        watcher.front.detach()
        _ = await run.value
    }

    @Test(arguments: [false, true])
    func `a worker that keeps refusing is asked again after growing delays`(
        attaches: Bool
    ) async throws {
        let place = try Place()
        let watcher = Watcher(place, retryMax: 3)
        let (run, first) = try await shown(watcher, at: place)
        var tries = 0
        place.onVisit = { visit in
            tries += 1
            if attaches { visit.attach(epoch: 1, isResumed: true) }
            // Who goes on without a delay is sent away in the end.
            visit.refuse(tries > 3 ? .unknownApp : .overloaded)
        }
        first.close()
        _ = await run.value
        #expect(tries == 3)
        let bounds = [50...75, 200...300, 1000...1500]
        #expect(watcher.delays.count == bounds.count)
        for (delay, bound) in zip(watcher.delays, bounds) {
            #expect(bound.contains(Int(delay / .milliseconds(1))))
        }
    }

    @Test func `a front that is away for too long during a try ends its events`() async throws {
        let place = try Place()
        let watcher = Watcher(place)
        let (run, first) = try await shown(watcher, at: place)
        let view = try #require(watcher.views.last)
        let call = Task.immediate { await view.press(1) }
        #expect(await first.event().1 == 1)
        first.close()
        let second = await place.visit()
        #expect(second.previous?.front == 1)
        watcher.front.beForgotten()
        second.refuse(.overloaded)
        let third = await place.visit()
        #expect(third.previous == nil)
        third.attach(front: 2, epoch: 1)
        #expect(await call.value == .unknown)
        watcher.front.detach()
        _ = await run.value
    }
}
