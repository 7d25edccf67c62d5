// WaitNoticeTests: whoever waits is told for whom, and for how long.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WaitNoticeTests {
    private let place = Workplace()
    private static let worker = " for rib-house's worker"

    private func terminal(
        of place: Workplace, _ arguments: String, columns: Int = 80
    ) async throws -> Tmux {
        try await Tmux(client: arguments, of: place, columns: columns, lines: 24)
    }

    /// Stops the worker while somebody looks at what is said of it.
    private func stopped(_ place: Workplace, _ body: () async throws -> Void) async throws {
        let worker = try await place.workerPID()
        kill(worker, SIGSTOP)
        defer { kill(worker, SIGCONT) }
        try await body()
    }

    /// A screen says how long its worker has not answered, until it does.
    private func saysHowLong(_ columns: Int) async throws {
        let terminal = try await terminal(
            of: place, "attach rib-house --session of\(columns)", columns: columns)
        try await terminal.shows("connected")
        try await stopped(place) {
            let whom = columns == 80 ? Self.worker : ""
            var seconds = 0
            for _ in 1...3 { seconds = try await terminal.waits(seconds + 1, whom) }
            // A key is not lost, and what it waits for is said already.
            try await terminal.press("l")
            #expect(try await terminal.waits(seconds + 1, whom) < 60)
        }
        try await terminal.shows("the key, and no wait") { screen in
            screen.contains(columns == 80 ? "connected" : "Logout") && !screen.contains("waiting")
        }
        if columns == 80 { try await terminal.shows("[o] Logout") }
    }

    @Test func `scripts, screens and newcomers are told that the worker does not answer`()
        async throws
    {
        try await place.daemon()
        let front = try await place.front()
        let plain = try place.client(["attach", "rib-house", "--plain"])
        let (shown, _) = try await plain.line { $0.contains("[l] Login") }
        try await stopped(place) {
            try await front.reads { $0.type == "waiting" }
            // More time goes by.
            _ = try await plain.line { (Tmux.seconds(in: $0, Self.worker) ?? 0) > 1 }
        }
        try await front.reads { $0.type == "answering" }
        #expect(front.seen.count { $0.type == "waiting" } == 1)
        // In its status line alone.
        _ = try await plain.line(from: shown + 1) { $0.contains("connected") }
        let after = plain.lines[(shown + 1)...]
        #expect(after.allSatisfy { $0.hasPrefix("——") }, "\(after)")
        for arguments in [
            "attach rib-house", "attach rib-house --plain", "open rib-house app://x",
        ] { try await comesToStopped(arguments) }
        for columns in [80, 20] { try await saysHowLong(columns) }
        try await hasGoneAgain()
    }

    /// A front that comes to a stopped worker says that it waits for that.
    private func comesToStopped(_ arguments: String) async throws {
        try await stopped(place) {
            let terminal = try await terminal(of: place, arguments)
            try await terminal.waits(2, "\(Self.worker); Ctrl-C gives up")
            try await terminal.press("C-c")
            try await terminal.shows("ended with")
        }
    }

    /// An event's sender is told what it waits for, and gives up with a status.
    private func givesUp(_ place: Workplace) async throws {
        let front = try await place.front()
        try await front.mounts("questions.desk")
        let terminal = try await terminal(of: place, "send questions questions.desk 'didTapWait()'")
        try await terminal.waits(1, " for an answer; Ctrl-C gives up")
        try await stopped(place) {
            try await terminal.waits(1, " for questions' worker; Ctrl-C gives up")
            try await terminal.press("C-c")
            let screen = try await terminal.shows("ended with") { $0.contains("ended with") }
            #expect(screen.contains("it is unknown whether the event was handled"), "\(screen)")
            #expect(screen.contains("ended with 74") && !screen.contains("waiting"), "\(screen)")
        }
    }

    @Test func `an event's sender is told what it waits for, also that the worker has ended`()
        async throws
    {
        let place = Workplace.questions()
        let daemon = try await place.daemon()
        let send = try place.client(
            ["send", "questions", "questions.desk", "didTapWait()", "--create"])
        _ = try await place.sessions { $0.first?.fronts.count == 1 }
        let worker = try await place.workerPID()
        // Otherwise another one would be there at once.
        daemon.signal(SIGSTOP)
        kill(worker, SIGKILL)
        let reason = "(its worker has ended, and is started again)"
        try await send.errors { $0.contains("waiting for questions \(reason); Ctrl-C gives up") }
        daemon.signal(SIGCONT)
        #expect(await send.result().status == 74)
        try await givesUp(place)
    }

    /// A worker that has gone again is not said to have been restarted.
    private func hasGoneAgain() async throws {
        let terminal = try await terminal(of: place, "attach rib-house", columns: 132)
        try await terminal.shows("connected")
        try await place.killWorker()
        try await terminal.shows("connected · the worker was restarted")
        #expect(try await place.run(["stop", "rib-house", "--force"]).status == 0)
        // Nobody presses a key.
        try await terminal.shows("what is true now") { screen in
            screen.contains("disconnected since") && !screen.contains("restarted")
        }
    }
}

extension Tmux {
    /// The seconds of `waiting 3 s` with these words after them.
    fileprivate static func seconds(in screen: String, _ words: String) -> Int? {
        screen.split(separator: "waiting ").dropFirst().lazy.compactMap { part in
            let digits = part.prefix { $0.isNumber }
            return part.dropFirst(digits.count).hasPrefix(" s" + words) ? Int(digits) : nil
        }.first
    }

    /// Waits until so many seconds have been waited, or more: a busy machine may not see each.
    @discardableResult
    fileprivate func waits(_ seconds: Int, _ words: String) async throws -> Int {
        let screen = try await shows("'waiting \(seconds) s\(words)', or more") {
            (Self.seconds(in: $0, words) ?? 0) >= seconds
        }
        return Self.seconds(in: screen, words) ?? 0
    }
}
