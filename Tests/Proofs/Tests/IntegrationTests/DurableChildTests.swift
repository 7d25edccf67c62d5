// DurableChildTests: a durable child in a process: what it has changed lasts as long as what its
// parent has, and both agree after the death of either.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DurableChildTests {
    private static let kiln = "kiln.kiln"
    private static let hoard = "kiln.hoard"

    private func withHoard(_ body: (Workplace, ControlFront) async throws -> Void) async throws {
        let place = Workplace(
            apps: [InstalledApp("kiln", worker: "LedgerWorker")], app: "kiln",
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Self.kiln)
        #expect(try await front.call(Self.kiln, "unearth()").isOK)
        try await front.shows { _ in front.coins == 1 }
        try await body(place, front)
        // Until here, or its processes would end.
        withExtendedLifetime(place) {}
    }

    /// Reads until a process of the child other than this one has presented itself.
    private func begun(_ front: ControlFront, after former: Int32) async throws -> String {
        try await front.shows { _ in front.process.map { $0 != former } == true }
        return try #require(front.screen.value(Self.hoard, "present(origin:)"))
    }

    @Test func `a durable child goes on where it was, after its own death and its worker's`()
        async throws
    {
        try await withHoard { place, front in
            let first = try #require(front.process)
            #expect(front.screen.value(Self.hoard, "present(origin:)")?.contains("new") == true)
            #expect(try await front.call(Self.hoard, "put(_:)", "[2]").object["value"] as? Int == 3)
            kill(first, SIGKILL)
            #expect(try await begun(front, after: first).hasSuffix("restored\""))
            #expect(try await front.call(Self.hoard, "put(_:)", "[1]").object["value"] as? Int == 4)
            let second = try #require(front.process)
            try await place.killWorker()
            #expect(try await begun(front, after: second).hasSuffix("restored\""))
            #expect(try await front.call(Self.hoard, "put(_:)", "[1]").object["value"] as? Int == 5)
            #expect(front.total == 4)
            let timer = try await front.call(Self.hoard, "schedule()")
            #expect("\(timer)".contains("neither timers nor jobs"), "\(timer)")
        }
    }

    @Test func `a child that is attached again while its process ends goes on, and is kept`()
        async throws
    {
        try await withHoard { place, front in
            let first = try #require(front.process)
            #expect(try await front.call(Self.hoard, "put(_:)", "[2]").object["value"] as? Int == 3)
            #expect(try await front.call(Self.kiln, "reseat()").isOK)
            #expect(try await begun(front, after: first).hasSuffix("restored\""))
            let second = try #require(front.process)
            #expect(try await front.call(Self.hoard, "put(_:)", "[1]").object["value"] as? Int == 4)
            kill(second, SIGKILL)
            #expect(try await begun(front, after: second).hasSuffix("restored\""))
            #expect(try await front.call(Self.hoard, "put(_:)", "[1]").object["value"] as? Int == 5)
            #expect(front.total == 4)
        }
    }

    @Test func `a child that throws or traps takes back its stretch, and what it showed of it`()
        async throws
    {
        try await withHoard { place, front in
            let first = try #require(front.process)
            #expect(try await front.call(Self.hoard, "spoil(_:)", "[100]").errorCode == "failed")
            #expect(try await front.call(Self.hoard, "put(_:)", "[1]").object["value"] as? Int == 2)
            let burst = try await front.call(Self.hoard, "burst(_:)", "[100]")
            #expect(burst.errorCode == "interrupted", "\(burst)")
            // It has changed nothing that is kept, so there is nothing to repair.
            #expect(try await begun(front, after: first).hasSuffix("restored\""))
            #expect(try await front.call(Self.hoard, "put(_:)", "[1]").object["value"] as? Int == 3)
            let shown = front.seen.filter { $0.isState("present(coins:)") }
            #expect(shown.allSatisfy { !"\($0.object)".contains("10") }, "\(shown)")
            let entries = front.seen.filter { $0.type == "item" }
            #expect(entries.count == 2 && !"\(entries)".contains("10"), "\(entries)")
        }
    }

    @Test func `a handler that was interrupted after a change is told, whoever has died`()
        async throws
    {
        try await withHoard { place, front in
            for (round, dies) in ["child", "worker"].enumerated() {
                let process = try #require(front.process)
                let held = try front.send(Self.hoard, "hold(_:)", args: "[5]")
                // Its change is recorded, and told in the same stretch.
                try await front.shows { _ in
                    front.coins == 6 + 5 * round && front.total == 5 + 5 * round
                }
                if dies == "child" { kill(process, SIGKILL) } else { try await place.killWorker() }
                let known = front.seen.first { $0.type == "reply" && $0.id == held }
                let reply = if let known { known } else { try await front.reply(to: held) }
                #expect(reply.errorCode == "interrupted", "\(reply)")
                let origin = try await begun(front, after: process)
                #expect(origin.contains("restored after hold(_:)"), "\(dies): \(origin)")
                #expect(front.coins == 6 + 5 * round)
            }
        }
    }

    @Test func `what was interrupted is told once, also if its amends are made by one that dies`()
        async throws
    {
        try await withHoard { place, front in
            let process = try #require(front.process)
            try front.send(Self.hoard, "hold(_:)", args: "[766]")
            try await front.shows { _ in front.total == 766 }
            kill(process, SIGKILL)
            // The next one adds ten coins, and dies; the one after it knows of nothing.
            #expect(try await begun(front, after: process).hasSuffix("restored\""))
            try await front.shows { _ in front.coins == 777 }
            let crashes = front.screen.value(Self.kiln, "present(lines:)") ?? ""
            #expect(crashes.components(separatedBy: "signal").count == 3, "\(crashes)")
        }
    }

    @Test func `a state that is too large is refused, and one of a child that leaves is not lost`()
        async throws
    {
        try await withHoard { place, front in
            let process = try #require(front.process)
            #expect(try await front.call(Self.hoard, "grow(_:)", "[1]").isOK)
            let refused = try await front.call(Self.hoard, "grow(_:)", "[17]")
            #expect("\(refused)".contains("the state cannot be kept"), "\(refused)")
            #expect(try await front.call(Self.hoard, "put(_:)", "[1]").object["value"] as? Int == 3)
            #expect(front.process == process)
            // It goes on in a process that has been detached, and ends then.
            try front.send(Self.hoard, "leave(_:)", args: "[4]")
            try await front.shows { _ in front.total == 5 }
            try await Vitals.end(of: process)
            #expect(try await front.call(Self.kiln, "unearth()").isOK)
            try await front.shows { _ in front.coins == 1 }
            let lines = front.screen.value(Self.kiln, "present(lines:)") ?? ""
            #expect(!lines.contains("process"), "\(lines)")
        }
    }

    /// A child tells its parent in the stretch that changes both: one record, whoever dies when.
    @Test func `parent and child agree after deaths at any moment, and no event counts twice`()
        async throws
    {
        try await withHoard { place, front in
            var (answered, unknown) = (0, 0)
            for round in 0..<12 {
                let process = try #require(front.process)
                let sent = try (0..<8).map { _ in
                    try front.send(Self.hoard, "put(_:)", args: "[1]")
                }
                // The death comes between the first answers, each time a little later.
                if round % 8 > 0 { try await front.replies(to: Array(sent.prefix(round % 8))) }
                if round % 2 == 0 {
                    kill(process, SIGKILL)
                } else {
                    try await place.killWorker()
                }
                for reply in try await front.replies(to: sent) {
                    switch reply.errorCode {
                    case "–": answered += 1
                    case "interrupted": unknown += 1
                    case "notExecuted": break
                    default: Issue.record("\(reply)")
                    }
                }
                _ = try await begun(front, after: process)
                let last = try await front.call(Self.hoard, "put(_:)", "[0]")
                let coins = try #require(last.object["value"] as? Int, "\(last)")
                #expect(coins - 1 == front.total, "round \(round)")
                #expect((answered...answered + unknown).contains(coins - 1), "round \(round)")
            }
            #expect(answered > 12)
        }
    }

    @Test func `a recorder hears each word once, while its stream and its worker are killed`()
        async throws
    {
        let place = try await Workplace(app: "transcription").started()
        let front = try await place.front()
        let recorder = "transcription.recorder"
        try await front.mounts(recorder)
        let words = (1...300).map { "w\($0)" }
        let path = place.directory + "/take.txt"
        let lines = words.enumerated().map { "\(Double($0) / 100) = \($1)\n" }
        try lines.joined().write(toFile: path, atomically: false, encoding: .utf8)
        try await front.call(recorder, "didChoose(source:)", #"["\#(path)"]"#)
        #expect(try await front.call(recorder, "didTapRecord()").isOK)
        func shows(_ text: String) async throws {
            try await front.shows {
                $0.value(recorder, "present(model:)")?.contains(text) == true
            }
        }
        var killed = 0
        for round in 1...6 {
            try await shows("w\(round * 40) ")
            let worker = try await place.workerPID()
            if round % 2 == 0 {
                try await place.killWorker()
            } else if let stream = Vitals.children(of: worker).first {
                // After the worker's death there may be none yet.
                kill(stream, SIGKILL)
                killed += 1
            }
        }
        #expect(killed > 0)
        try await shows("Ended at")
        let model = try JSON.object(front.screen.value(recorder, "present(model:)") ?? "")
        #expect(model["stableText"] as? String == words.joined(separator: " "))
    }
}

extension ControlFront {
    private func number(_ feature: String, _ key: String) -> Int? {
        screen.value(feature, key).flatMap { Int($0.filter(\.isNumber)) }
    }

    fileprivate var coins: Int? { number("kiln.hoard", "present(coins:)") }
    fileprivate var total: Int? { number("kiln.kiln", "present(total:)") }
    fileprivate var process: Int32? { number("kiln.hoard", "present(origin:)").map { Int32($0) } }

    /// Reads until all of these have been answered.
    @discardableResult
    fileprivate func replies(to ids: [Int]) async throws -> [ControlLine] {
        func answers() -> [ControlLine] {
            seen.filter { $0.type == "reply" && ids.contains($0.id) }
        }
        while answers().count < ids.count { try await reads { _ in true } }
        return answers()
    }
}
