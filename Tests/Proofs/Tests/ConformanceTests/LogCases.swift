// LogCases: section A.

import ConformanceCases
import NapkinCore
import NapkinProtocol
import NapkinTesting

extension Case {
    static let logs: [Case] = [
        .withFronts(
            "A1", "in order, none twice, none missing for a front that keeps up",
            ["first: 1...5000, gaps: none", "second: 1...5000, gaps: none"]
        ) { setup in
            let first = try await setup.attach()
            try await first.stand.open("a", at: .left)
            let second = try await setup.attach()
            // Far more in one turn than the log keeps.
            try await first.listener("a").say(5000, text: "line")
            try await second.stand.sync()
            return [
                "first: \(try first.page("a").report)", "second: \(try second.page("a").report)",
            ]
        },
        .withFronts(
            "A2", "a new front gets the tail, then what it asks for before it",
            [
                "tail: 401...1400, gaps: 0..<400", "asked: 251...400, then 0..<250",
                "asked: 1...250, then nothing", "after it: 401...1401, gaps: 0..<400",
            ]
        ) { setup in
            let first = try await setup.attach()
            try await first.stand.open("a", at: .left)
            try await first.listener("a").say(1400, text: "line")
            let second = try await setup.attach(isReadOnly: true)
            let page = try second.page("a")
            try await page.hears(1400)
            let tail = page.report
            let (earlier, before) = try await page.items(in: try page.newestGap, last: 150)
            let (rest, none) = try await page.items(in: try required(before))
            try await first.listener("a").say(1, text: "line")
            try await page.hears(1401)
            return [
                "tail: \(tail)", "asked: \(earlier.numbers), then \(before.text)",
                "asked: \(rest.numbers), then \(none.text)", "after it: \(page.report)",
            ]
        },
        .withFronts(
            "A3", "the window is bounded, in items and bytes",
            [
                "tail: 4001...5000, gaps: 0..<4000", "kept before: 500", "asked: 3501...4000",
                "asked again: none, kept: 0", "bytes kept: bounded", "too long: is not there",
            ]
        ) { setup in
            let first = try await setup.attach()
            try await first.stand.open("a", at: .left)
            try await first.listener("a").say(5000, text: "line")
            let second = try await setup.attach()
            let page = try second.page("a")
            try await page.hears(5000)
            let gap = try page.newestGap
            let (items, rest) = try await page.items(in: gap)
            let (none, still) = try await page.items(in: try required(rest))
            var lines = [
                "tail: \(page.report)", "kept before: \(gap.readable)", "asked: \(items.numbers)",
                "asked again: \(none.numbers), kept: \(still?.readable ?? 1)",
            ]
            let long = String(repeating: "x", count: 16_384)
            for _ in 1...10 { try await first.listener("a").say(20, text: long) }
            let third = try await setup.attach()
            try await third.page("a").hears(5200)
            let shown = try third.page("a").lines.count
            let kept = (Int(try third.page("a").newestGap.readable) + shown) * long.utf8.count
            lines.append("bytes kept: \(kept <= 1024 * 1024 ? "bounded" : "\(kept)")")
            // Longer than a frame: refused in words, and not numbered.
            try await first.listener("a").say(
                1, text: String(repeating: "y", count: Limits.messageBytesMax - 22))
            try await first.listener("a").say(1, text: long)
            try await third.page("a").hears(5202)
            let isThere = try third.page("a").lines.contains(5201)
            return lines + ["too long: \(isThere ? "is there" : "is not there")"]
        },
        .withFronts(
            "A4", "a slow front is told how many it has skipped and where",
            [
                "skipped: some", "shown and skipped: 20000", "in order: true",
                "bytes that wait: bounded", "the other front: 1...20000, gaps: none",
            ]
        ) { setup in
            let fast = try await setup.attach()
            try await fast.stand.open("a", at: .left)
            let slow = try await setup.attach()
            slow.front.hold()
            let long = String(repeating: "x", count: 1000)
            // 20 MB: more than sockets and the worker keep for a front.
            for _ in 1...20 { try await fast.listener("a").say(1000, text: long) }
            let bytesMax = Limits.slowFrontBytes + Limits.logBacklogBytesMax + 65_536
            let waiting = try await setup.queues().fronts.map(\.socketBytes).max() ?? 0
            slow.front.release()
            let page = try slow.page("a")
            try await page.hears(20_000)
            let lines = page.lines
            let skipped = page.gaps.reduce(0) { $0 + $1.items.count }
            let jumps = zip([0] + lines, lines).filter { $0 + 1 != $1 }
                .map { UInt64($0.0)..<UInt64($0.1 - 1) }
            return [
                "skipped: \(skipped > 0 ? "some" : "none")",
                "shown and skipped: \(lines.count + skipped)",
                "in order: \(jumps == page.gaps.map(\.items))",
                "bytes that wait: \(waiting <= bytesMax ? "bounded" : "\(waiting)")",
                "the other front: \(try fast.page("a").report)",
            ]
        },
        .withFronts(
            "A5", "resume by index: no item twice after a cut",
            [
                "again: 1...30, gaps: none",
                "after long: 1...30 3531...5030, gaps: 30..<3530",
            ]
        ) { setup in
            let first = try await setup.attach()
            try await first.stand.open("a", at: .left)
            let second = try await setup.attach()
            try await first.listener("a").say(10, text: "line")
            try await second.page("a").hears(10)
            await second.front.disconnect()
            try await first.listener("a").say(20, text: "line")
            await second.front.reconnect()
            try await second.page("a").hears(30)
            let again = try second.page("a").report
            await second.front.disconnect()
            try await first.listener("a").say(5000, text: "line")
            await second.front.reconnect()
            try await second.page("a").hears(5030)
            return ["again: \(again)", "after long: \(try second.page("a").report)"]
        },
        .withFronts(
            "A7", "a log that begins anew is begun anew by each front, with its first item",
            [
                "first: 1...7, gaps: none, anew: 1", "late: 6...7, gaps: none, anew: 1",
                "back: 1...7, gaps: none, anew: 1",
            ]
        ) { setup in
            let first = try await setup.attach()
            try await first.stand.open("a", at: .left)
            let away = try await setup.attach()
            try await first.listener("a").say(5, text: "line")
            try await away.page("a").hears(5)
            await away.front.disconnect()
            try await first.listener("a").sayAnew(2, text: "line")
            let late = try await setup.attach()
            try await late.page("a").hears(7)
            await away.front.reconnect()
            try await away.page("a").hears(7)
            return try [("first", first), ("late", late), ("back", away)].map { name, viewer in
                let page = try viewer.page("a")
                return "\(name): \(page.report), anew: \(page.restarts)"
            }
        },
        .withFronts(
            "A6", "an effect or state presented after an item does not overtake it",
            ["in order: true", "overtaken by a slow front's: none", "its newest: 5050"]
        ) { setup in
            let fast = try await setup.attach()
            try await fast.stand.open("a", at: .left)
            let slow = try await setup.attach()
            try await fast.listener("a").tell(50, text: "line")
            let exact = (1...50).flatMap { ["say \($0)", "count \($0)", "flash \($0)"] }
            let isExact = try fast.page("a").order == exact
            slow.front.hold()
            let long = String(repeating: "x", count: 1000)
            for _ in 1...50 { try await fast.listener("a").tell(100, text: long) }
            slow.front.release()
            let page = try slow.page("a")
            try await page.hears(5050)
            try await slow.stand.sync()
            var newest = 0
            var overtaken: [String] = []
            for message in page.messages {
                switch message {
                case .say(let line): newest = line.number
                case .presentCount(let number), .flash(let number):
                    if number > newest { overtaken.append("\(number) after \(newest)") }
                default: break
                }
            }
            return [
                "in order: \(isExact)",
                "overtaken by a slow front's: \(overtaken.first ?? "none")",
                "its newest: \(page.newestCount ?? 0)",
            ]
        },
    ]
}

private func required<T>(_ value: T?) throws -> T {
    guard let value else { throw Missing(what: "what is asked for") }
    return value
}

extension Recording<Page> {
    /// The numbers of the lines, in the order in which they were presented.
    fileprivate var lines: [Int] { messages.said }

    fileprivate var newestGap: LogGap {
        get throws { try required(gaps.last) }
    }

    /// The lines and gaps: `401...1400, gaps: 0..<400`.
    fileprivate var report: String {
        let gaps = gaps.map { "\($0.items)" }.joined(separator: " ")
        return "\(messages.numbers), gaps: \(gaps.isEmpty ? "none" : gaps)"
    }

    /// Returns once the line with this number has been presented.
    fileprivate func hears(_ number: Int) async throws {
        if lines.contains(number) { return }
        _ = await next { message -> Int? in
            if case .say(let line) = message, line.number == number { number } else { nil }
        }
    }

    /// What was presented but titles.
    fileprivate var order: [String] {
        messages.compactMap { message in
            switch message {
            case .say(let line): "say \(line.number)"
            case .presentCount(let count): "count \(count)"
            case .flash(let number): "flash \(number)"
            default: nil
            }
        }
    }
}

extension [Page.Presenting.Message] {
    fileprivate var said: [Int] {
        compactMap { message in
            if case .say(let line) = message { line.number } else { nil }
        }
    }

    /// The numbers of lines, as ranges.
    fileprivate var numbers: String {
        var ranges: [ClosedRange<Int>] = []
        for number in said {
            if let last = ranges.last, last.upperBound + 1 == number {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        return ranges.isEmpty ? "none" : ranges.map { "\($0)" }.joined(separator: " ")
    }
}

extension LogGap? {
    fileprivate var text: String { map { "\($0.items)" } ?? "nothing" }
}

extension String {
    fileprivate var number: Int { split(separator: " ").last.flatMap { Int($0) } ?? 0 }
}
