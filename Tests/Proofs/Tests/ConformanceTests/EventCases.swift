// EventCases: section E.

import ConformanceCases
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTesting

extension Case {
    static let events: [Case] = [
        .withFronts(
            "E1", "10,000 events to one node arrive in order", ["in order: true", "count: 10000"]
        ) { setup in
            let viewer = try await setup.attach()
            try await viewer.stand.open("a", at: .left)
            let page = try viewer.listener("a")
            for number in 0..<10_000 { dispatch { await page.add(number) } }
            let added = try await page.added()
            return ["in order: \(added == Array(0..<10_000))", "count: \(added.count)"]
        },
        .withFronts(
            "E2", "an event for a dead node gets .gone and is counted",
            ["late: gone", "event failed: gone", "counted: 2", "closed: gone", "counted: 2"]
        ) { setup in
            let (viewer, other) = (try await setup.attach(), try await setup.attach())
            try await viewer.stand.open("a", at: .left)
            let page = try viewer.listener("a")
            // The node is dead, and this front does not know it yet.
            viewer.front.hold()
            try await other.stand.close(.left)
            var fault = ""
            let late = [
                dispatch { fault = await Outcome.of { _ = try await page.added() } },
                dispatch { await page.add(1) },
            ]
            viewer.front.release()
            for event in late { await event.value }
            let counted = try await setup.refusedEvents()
            // Now it does, and sends nothing.
            let closed = await Outcome.of { _ = try await page.added() }
            return ["late: \(fault)"]
                + viewer.journal.lines.filter { $0.hasPrefix("event failed") }
                + [
                    "counted: \(counted)", "closed: \(closed)",
                    "counted: \(try await setup.refusedEvents())",
                ]
        },
        .withFronts(
            "E3", "a handler is cancelled when its node is detached, except the cause",
            [
                "a hangs", "a resigns", "a cancelled", "cancelled", "b left, cancelled: false",
                "closed by itself: ok",
            ]
        ) { setup in
            let viewer = try await setup.attach()
            try await viewer.stand.open("a", at: .left)
            let page = try viewer.listener("a")
            async let hanging = Outcome.of { try await page.hang() }
            try await viewer.stand.noted("a hangs")
            try await viewer.stand.close(.left)
            let outcome = await hanging
            try await viewer.stand.noted("a cancelled")
            let notes = try await viewer.stand.notes()
            try await viewer.stand.open("b", at: .left)
            let own = try viewer.listener("b")
            // The handler that closes its own node is not cancelled: it returns.
            let left = try await own.leave()
            let isClosed = !viewer.front.shows(Page.id)
            return notes + [outcome, left, "closed by itself: \(isClosed ? "ok" : "still there")"]
        },
        .withFronts(
            "E4", "at the window's limit await waits; memory does not grow",
            [
                "sent: the window", "handled: the window", "returned: false",
                "all arrived: true",
            ]
        ) { setup in
            let (viewer, other) = (try await setup.attach(), try await setup.attach())
            try await viewer.stand.open("a", at: .left)
            let page = try viewer.listener("a")
            viewer.front.hold()
            let count = 3 * Limits.eventWindow
            var returned = 0
            let tasks = (0..<count).map { number in
                dispatch {
                    await page.add(number)
                    returned += 1
                }
            }
            let sent = viewer.front.outstandingEvents
            // No reply arrives: what the window lets through is all that the worker gets.
            try await other.stand.noted("a has \(Limits.eventWindow)")
            let handled = try await other.listener("a").added().count
            let hasReturned = returned > 0
            viewer.front.release()
            for task in tasks { await task.value }
            let added = try await page.added()
            return [
                "sent: \(sent == Limits.eventWindow ? "the window" : "\(sent)")",
                "handled: \(handled == Limits.eventWindow ? "the window" : "\(handled)")",
                "returned: \(hasReturned)",
                "all arrived: \(added == Array(0..<count))",
            ]
        },
        .withFronts("E5", "A→B→A never deadlocks", ["bounced 100"]) { setup in
            let viewer = try await setup.attach()
            try await viewer.stand.open("a", at: .left)
            return ["bounced \(try await viewer.listener("a").bounce(times: 100))"]
        },
        .withFronts(
            "E6", "an event sent before a disconnect and acknowledged after: exactly once",
            ["applied: 0 1 2 3 4 5 6 7 8 9", "each returned: true"]
        ) { setup in
            let viewer = try await setup.attach()
            try await viewer.stand.open("a", at: .left)
            let page = try viewer.listener("a")
            let other = try await setup.attach()
            viewer.front.hold()
            let tasks = (0..<10).map { number in
                dispatch { await page.add(number) }
            }
            // They have been applied; their replies are on the way.
            try await other.stand.noted("a has 10")
            await viewer.front.disconnect()
            viewer.front.release()
            await viewer.front.reconnect()
            for task in tasks { await task.value }
            let added = try await viewer.listener("a").added()
            let failures = viewer.journal.lines.filter { $0.hasPrefix("event failed") }
            return [
                "applied: \(added.map { "\($0)" }.joined(separator: " "))",
                "each returned: \(failures.isEmpty)",
            ]
        },
        .withFronts(
            "E7", "dispatch captures weakly: a view that is gone sends nothing",
            [
                "sent while there: 1", "view while there: true", "view afterwards: false",
                "sent afterwards: 0",
            ]
        ) { setup in
            let shown = TappableView.Trace()
            let viewer = try await setup.attach(page: { TappableView($0.listener, shown) })
            let other = try await setup.attach()
            try await viewer.stand.open("a", at: .left)
            try await other.stand.sync()
            await shown.tap().value
            let sent = try await other.listener("a").added()
            let wasThere = shown.view != nil
            try await viewer.stand.close(.left)
            // An event that was sent would fail, be noted, and be refused by the worker.
            await shown.tap().value
            try await viewer.stand.sync()
            let failed = viewer.journal.lines.count { $0.hasPrefix("event failed") }
            return [
                "sent while there: \(sent.count)", "view while there: \(wasThere)",
                "view afterwards: \(shown.view != nil)",
                "sent afterwards: \(failed + (try await setup.refusedEvents()))",
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

extension Case {
    /// A caller that does not wait: section E, from 8 on.
    static let cancellations: [Case] = [
        .withFronts(
            "E8", "a cancelled caller goes on at once, and its handler is cancelled",
            ["a hangs", "a cancelled", "CancellationError()", "added: [1]", "outstanding: 0"]
        ) { setup in
            let viewer = try await setup.attach()
            try await viewer.stand.open("a", at: .left)
            let page = try viewer.listener("a")
            var outcome = ""
            let call = dispatch { outcome = await Outcome.of { try await page.hang() } }
            try await viewer.stand.noted("a hangs")
            call.cancel()
            await call.value
            try await viewer.stand.noted("a cancelled")
            let notes = try await viewer.stand.notes()
            await page.add(1)
            // The answers come in the order in which they were sent: the cancelled one was first.
            return notes + [
                outcome, "added: \(try await page.added())",
                "outstanding: \(viewer.front.outstandingEvents)",
            ]
        },
        .withFronts(
            "E9", "a deadline ends the call and cancels its handler; afterwards nothing is sent",
            ["a hangs", "a cancelled", "deadlineExceeded", "late: deadlineExceeded", "added: []"]
        ) { setup in
            let viewer = try await setup.attach()
            try await viewer.stand.open("a", at: .left)
            let page = try viewer.listener("a")
            var late = ""
            let outcome = await withDeadline(.milliseconds(30)) {
                let outcome = await Outcome.of { try await page.hang() }
                await page.add(1)
                late = await Outcome.of { _ = try await page.added() }
                return outcome
            }
            try await viewer.stand.noted("a cancelled")
            return try await viewer.stand.notes() + [
                outcome, "late: \(late)", "added: \(try await page.added())",
            ]
        },
        .withFronts(
            "E10", "an event that is cancelled while it waits for credit never runs",
            ["CancellationError()", "in order: true", "hung: false"]
        ) { setup in
            let (viewer, other) = (try await setup.attach(), try await setup.attach())
            try await viewer.stand.open("a", at: .left)
            let page = try viewer.listener("a")
            viewer.front.hold()
            let numbers = Array(0..<Limits.eventWindow + 2)
            var tasks = numbers.dropLast().map { number in dispatch { await page.add(number) } }
            var outcome = ""
            let call = dispatch { outcome = await Outcome.of { try await page.hang() } }
            tasks += numbers.suffix(1).map { number in dispatch { await page.add(number) } }
            call.cancel()
            await call.value
            try await other.stand.noted("a has \(Limits.eventWindow)")
            viewer.front.release()
            for task in tasks { await task.value }
            let added = try await page.added()
            let notes = try await viewer.stand.notes()
            return [
                outcome, "in order: \(added == numbers)", "hung: \(notes.contains("a hangs"))",
            ]
        },
        .withFronts(
            "E11", "a caller that is cancelled while its front is away goes on at once",
            ["CancellationError()", "a hangs", "a cancelled", "added: [1]"]
        ) { setup in
            let (viewer, other) = (try await setup.attach(), try await setup.attach())
            try await viewer.stand.open("a", at: .left)
            let page = try viewer.listener("a")
            var outcome = ""
            let call = dispatch { outcome = await Outcome.of { try await page.hang() } }
            try await other.stand.noted("a hangs")
            await viewer.front.disconnect()
            call.cancel()
            await call.value
            await viewer.front.reconnect()
            try await other.stand.noted("a cancelled")
            await (try viewer.listener("a")).add(1)
            return [outcome]
                + (try await other.stand.notes().filter { $0.hasPrefix("a ") }
                    .filter { $0 != "a has 1" })
                + ["added: \(try await viewer.listener("a").added())"]
        },
        .withFronts(
            "E12", "an error of the method's type arrives as its value, any other as its fault",
            ["4 → 2", "3 → unlucky(3)", "0 → deadlineExceeded", "2 → gone"]
        ) { setup in
            let viewer = try await setup.attach()
            try await viewer.stand.open("a", at: .left)
            let page = try viewer.listener("a")
            func half(of number: Int) async -> String {
                do throws(PageError) {
                    return "\(try await page.halve(number))"
                } catch {
                    if case .fault(let fault) = error { return fault.code.rawValue }
                    return "\(error)"
                }
            }
            var lines: [String] = []
            for number in [4, 3] { lines.append("\(number) → \(await half(of: number))") }
            // It asks, and nobody answers.
            let late = await withDeadline(.milliseconds(30)) { await half(of: 0) }
            lines.append("0 → \(late)")
            try await viewer.stand.close(.left)
            lines.append("2 → \(await half(of: 2))")
            return lines
        },
    ]
}

/// A page's view as an app would write one, which its front alone keeps: what a tap does holds it
/// weakly.
@MainActor
private final class TappableView: PagePresentable {
    /// What outlives the view.
    @MainActor
    final class Trace {
        weak var view: TappableView?
        var tap: () -> Task<Void, Never> = { Task {} }
    }

    private let listener: any PagePresentableListener

    init(_ listener: any PagePresentableListener, _ trace: Trace) {
        self.listener = listener
        trace.view = self
        trace.tap = { [weak self] in dispatch { await self?.listener.add(1) } }
    }

    func present(title: String) async {}
    func present(count: Int) async {}
    func flash(_ number: Int) async {}
    func say(_ line: String) async {}
    func confirm(_ question: String) async throws -> Bool { throw LeftToSurface() }
}
