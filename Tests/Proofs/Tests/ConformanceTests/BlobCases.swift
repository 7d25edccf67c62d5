// BlobCases: section B.

import ConformanceCases
import NapkinCore
import NapkinTesting

extension Case {
    static let blobs: [Case] = [
        .withFronts(
            "B1", "a value above a frame's size crosses in parts, in order, with progress",
            ["size: 20000001", "parts: 306, in order: true", "bytes: right", "progress: 1.0"]
        ) { setup in
            let first = try await setup.attach()
            try await first.stand.open("a", at: .left)
            let film = try await first.listener("a").film(byteCount: 20_000_001, failure: 0)
            let reader = try await setup.attach(isReadOnly: true)
            let reading = Reading()
            try await reader.page("a").read(film) { reading.take($0) }
            return [
                "size: \(film.byteCount)",
                "parts: \(reading.count), in order: \(reading.isInOrder)",
                "bytes: \(reading.end == film.byteCount && reading.isRight ? "right" : "wrong")",
                "progress: \(reading.isRising ? reading.fraction : 0)",
            ]
        },
        .withFronts(
            "B2", "reading goes on where it stopped; nothing is read of an empty blob",
            ["rest: 300000 from 700000, right: true", "empty: 0 parts"]
        ) { setup in
            let first = try await setup.attach()
            try await first.stand.open("a", at: .left)
            let (page, listener) = (try first.page("a"), try first.listener("a"))
            let film = try await listener.film(byteCount: 1_000_000, failure: 0)
            let rest = Reading(from: 700_000)
            try await page.read(film, from: 700_000) { rest.take($0) }
            let nothing = Reading()
            try await page.read(try await listener.film(byteCount: 0, failure: 0)) {
                nothing.take($0)
            }
            return [
                "rest: \(rest.end - 700_000) from 700000, right: \(rest.isRight)",
                "empty: \(nothing.count) parts",
            ]
        },
        .withFronts(
            "B3", "a connection that is lost and made again: the new view reads on, each byte once",
            ["cuts: 3, ended in words: 3", "in order: true, right: true, all: true"]
        ) { setup in
            let viewer = try await setup.attach()
            try await viewer.stand.open("a", at: .left)
            let film = try await viewer.listener("a").film(byteCount: 10_000_000, failure: 0)
            let reading = Reading()
            var (cuts, ends) = (0, [RemoteFault.Code]())
            while reading.end < film.byteCount {
                do {
                    try await viewer.page("a").read(film, from: reading.end) { part in
                        reading.take(part)
                        guard cuts < 3, reading.count > 40 * (cuts + 1) else { return }
                        cuts += 1
                        await viewer.front.disconnect()
                        await viewer.front.reconnect()
                    }
                } catch let fault as RemoteFault {
                    ends.append(fault.code)
                }
            }
            return [
                "cuts: \(cuts), ended in words: "
                    + "\(ends.count { $0 == .gone || $0 == .notExecuted })",
                "in order: \(reading.isInOrder), right: \(reading.isRight), "
                    + "all: \(reading.end == film.byteCount)",
            ]
        },
        .withFronts(
            "B4", "no more than eight parts are under way or wait when the first is taken",
            ["at the first part: 8 at most", "at the end: 153"]
        ) { setup in
            let viewer = try await setup.attach()
            try await viewer.stand.open("a", at: .left)
            let listener = try viewer.listener("a")
            let film = try await listener.film(byteCount: 10_000_000, failure: 0)
            var ahead = 0
            try await viewer.page("a").read(film) { part in
                if part.offset == 0 { ahead = try await listener.filmReadings() }
            }
            return [
                "at the first part: \(ahead <= 8 ? "8 at most" : "\(ahead)")",
                "at the end: \(try await listener.filmReadings())",
            ]
        },
        .withFronts(
            "B5", "reading ends with its task, its source, or what takes the parts",
            [
                "cancelled after: 2 of 153, thrown: CancellationError", "ended: gone",
                "taken: Missing", "and reads again: true",
            ]
        ) { setup in
            let viewer = try await setup.attach()
            try await viewer.stand.open("a", at: .left)
            let (page, listener) = (try viewer.page("a"), try viewer.listener("a"))
            let film = try await listener.film(byteCount: 10_000_000, failure: 0)
            let reading = Reading()
            let task = Task {
                try await page.read(film) { part in
                    reading.take(part)
                    if reading.count == 2 { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }
            var lines: [String] = []
            do { try await task.value } catch {
                lines.append("cancelled after: \(reading.count) of 153, thrown: \(type(of: error))")
            }
            do {
                try await page.read(film) { _ in throw Missing(what: "place for more") }
            } catch {
                lines.append("taken: \(type(of: error))")
            }
            let whole = Reading()
            try await page.read(film) { whole.take($0) }
            do {
                try await page.read(film) { part in
                    if part.offset == 0 { await listener.endFilm() }
                }
            } catch let fault as RemoteFault {
                lines.insert("ended: \(fault.code)", at: 1)
            }
            return lines + ["and reads again: \(whole.isRight && whole.count == 153)"]
        },
        .withFronts(
            "B6", "what cannot be read is told in words, and changes nothing",
            [
                "unknown: gone", "beyond the end: unimplemented", "longer than it is: failed",
                "its source fails: failed unlucky(100000)", "still there: true",
            ]
        ) { setup in
            let viewer = try await setup.attach()
            try await viewer.stand.open("a", at: .left)
            let page = try viewer.page("a")
            let film = try await viewer.listener("a").film(byteCount: 200_000, failure: 0)
            func fault(_ blob: Blob, from offset: UInt64 = 0) async throws -> String {
                do {
                    try await page.read(blob, from: offset) { _ in }
                    return "none"
                } catch let fault as RemoteFault {
                    return fault.code == .failed && fault.message.hasPrefix("unlucky")
                        ? "failed \(fault.message)" : fault.code.rawValue
                }
            }
            let long = Blob(id: film.id, byteCount: 250_000)
            var lines = [
                "unknown: \(try await fault(Blob(id: film.id ^ 1, byteCount: 1)))",
                "beyond the end: \(try await fault(long, from: 240_000))",
                "longer than it is: \(try await fault(long, from: 199_999))",
            ]
            let broken = try await viewer.listener("a").film(byteCount: 200_000, failure: 100_000)
            lines.append("its source fails: \(try await fault(broken))")
            let reading = Reading()
            let again = try await viewer.listener("a").film(byteCount: 200_000, failure: 0)
            try await page.read(again) { reading.take($0) }
            return lines + ["still there: \(reading.isRight && reading.end == 200_000)"]
        },
    ]
}

/// What a front has read of a film.
@MainActor
private final class Reading {
    private(set) var count = 0
    private(set) var end: UInt64
    private(set) var isInOrder = true
    private(set) var isRight = true
    private(set) var fractions: [Double] = []

    init(from offset: UInt64 = 0) { end = offset }

    var isRising: Bool { fractions == fractions.sorted() }
    var fraction: Double { fractions.last ?? 0 }

    func take(_ part: BlobPart) {
        count += 1
        isInOrder = isInOrder && part.offset == end
        for (index, byte) in part.bytes.enumerated()
        where byte != UInt8(truncatingIfNeeded: part.offset + UInt64(index)) { isRight = false }
        end = part.end
        fractions.append(part.fraction)
    }
}
