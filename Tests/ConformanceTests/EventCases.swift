// EventCases: section E.

import ConformanceCases
import NapkinCore
import NapkinProtocol
import NapkinTesting

extension Case {
    static let events: [Case] = [
        .withFronts(
            "E1", "10,000 events to one node arrive in order", ["in order: true", "count: 10000"]
        ) { house in
            let guest = try await house.attach()
            try await guest.stand.open("a", at: .left)
            let page = try guest.listener("a")
            for number in 0..<10_000 { dispatch { await page.add(number) } }
            let added = try await page.added()
            return ["in order: \(added == Array(0..<10_000))", "count: \(added.count)"]
        },
        .withFronts(
            "E2", "an event for a dead node gets .gone and is counted",
            ["gone", "event failed: gone"]
        ) { house in
            let guest = try await house.attach()
            try await guest.stand.open("a", at: .left)
            let page = try guest.listener("a")
            try await guest.stand.close(.left)
            let fault = await Outcome.of { _ = try await page.added() }
            await page.add(1)
            return [fault] + guest.journal.lines.filter { $0.hasPrefix("event failed") }
        },
        .withFronts(
            "E3", "a handler is cancelled when its node is detached, except the cause",
            ["a hangs", "a resigns", "a cancelled", "cancelled", "closed by itself: ok"]
        ) { house in
            let guest = try await house.attach()
            try await guest.stand.open("a", at: .left)
            let page = try guest.listener("a")
            async let hanging = Outcome.of { try await page.hang() }
            try await guest.stand.noted("a hangs")
            try await guest.stand.close(.left)
            let outcome = await hanging
            try await guest.stand.noted("a cancelled")
            let notes = try await guest.stand.notes()
            try await guest.stand.open("b", at: .left)
            let own = try guest.listener("b")
            // The handler that closes its own node is not cancelled: it returns.
            await own.close()
            let isClosed = !guest.front.shows(Page.id)
            return notes + [outcome, "closed by itself: \(isClosed ? "ok" : "still there")"]
        },
        .withFronts(
            "E4", "at the window's limit await waits; memory does not grow",
            ["outstanding at most the window: true", "all arrived: true"]
        ) { house in
            let guest = try await house.attach()
            try await guest.stand.open("a", at: .left)
            let page = try guest.listener("a")
            guest.front.hold()
            let count = 3 * Limits.eventWindow
            let tasks = (0..<count).map { number in dispatch { await page.add(number) } }
            let outstanding = guest.front.outstandingEvents
            guest.front.release()
            for task in tasks { await task.value }
            let added = try await page.added()
            return [
                "outstanding at most the window: \(outstanding <= Limits.eventWindow)",
                "all arrived: \(added == Array(0..<count))",
            ]
        },
        .withFronts("E5", "A→B→A never deadlocks", ["bounced 100"]) { house in
            let guest = try await house.attach()
            try await guest.stand.open("a", at: .left)
            return ["bounced \(try await guest.listener("a").bounce(times: 100))"]
        },
        .withFronts(
            "E6", "an event sent before a disconnect and acknowledged after: exactly once",
            ["applied: 0 1 2 3 4 5 6 7 8 9", "each returned: true"]
        ) { house in
            let guest = try await house.attach()
            try await guest.stand.open("a", at: .left)
            let page = try guest.listener("a")
            let other = try await house.attach()
            guest.front.hold()
            let tasks = (0..<10).map { number in
                dispatch { await page.add(number) }
            }
            // They have been applied; their replies are on the way.
            try await other.stand.noted("a has 10")
            await guest.front.disconnect()
            guest.front.release()
            await guest.front.reconnect()
            for task in tasks { await task.value }
            let added = try await guest.listener("a").added()
            let failures = guest.journal.lines.filter { $0.hasPrefix("event failed") }
            return [
                "applied: \(added.map { "\($0)" }.joined(separator: " "))",
                "each returned: \(failures.isEmpty)",
            ]
        },
        .withFronts(
            "E7", "dispatch captures weakly: a view that is gone sends nothing",
            ["sent while there: 1", "view released: true", "sent afterwards: 1"]
        ) { house in
            let guest = try await house.attach()
            try await guest.stand.open("a", at: .left)
            let page = try guest.listener("a")
            var view: TappableView? = TappableView(page)
            let tap = view!.makeTap()
            await tap().value
            let before = try await page.added().count
            weak let remains = view
            view = nil
            await tap().value
            let after = try await page.added().count
            return [
                "sent while there: \(before)", "view released: \(remains == nil)",
                "sent afterwards: \(after)",
            ]
        },
    ]
}

/// How a call ended, as text.
enum Outcome {
    @MainActor
    static func of(_ call: () async throws -> Void) async -> String {
        do {
            try await call()
            return "returned"
        } catch let fault as RemoteFault {
            return fault.code.rawValue
        } catch {
            return "\(error)"
        }
    }
}

/// A view as an app would write one: what a tap does holds it weakly.
@MainActor
private final class TappableView {
    private let listener: any PagePresentableListener

    init(_ listener: any PagePresentableListener) {
        self.listener = listener
    }

    /// A tap that outlives the view.
    func makeTap() -> () -> Task<Void, Never> {
        { [weak self] in dispatch { await self?.listener.add(1) } }
    }
}
