// SSHTests: napkin-client on one host and napkind on another, over a real sshd and a bad line.

import Foundation
import ProofSupport
import Testing

/// How often the line is cut; `make ssh-cuts` chooses more.
private let cuts = ProcessInfo.processInfo.environment["NAPKIN_SSH_CUTS"].flatMap { Int($0) } ?? 20

@Suite(
    .timeLimit(.minutes(cuts > 20 ? 120 : 5)),
    .enabled(if: SSHField.isPossible, "network namespaces are root's"))
struct SSHTests {
    private static let till = "starts.till"

    @Test func `each event is handled once, however often the line is cut`() async throws {
        let field = try await SSHField(delay: 80)
        let front = try await field.front()
        try await front.mounts(Self.till)
        let seed = UInt32.random(in: 0...UInt32.max)
        func ring() throws { try front.send(Self.till, "ring()") }
        var (values, open, unsent, rounds, cut) = ([Int](), 4, 0, 0, 0)
        var isAway = false
        for _ in 0..<open { try ring() }
        while open > 0 {
            let line = try await front.reads {
                ["reply", "disconnected", "resumed"].contains($0.type)
            }
            guard line.type == "reply" else {
                isAway = line.type == "disconnected"
                while !isAway, unsent > 0 {
                    try ring()
                    unsent -= 1
                }
                continue
            }
            // It met a connection that was lost, and has not run.
            if line.errorCode == "notExecuted" {
                if isAway { unsent += 1 } else { try ring() }
                continue
            }
            try Failure.unless(line.isOK, "seed \(seed), \(cut) cuts: \(line.object)")
            values.append(try #require(line.object["value"] as? Int))
            let isQuiet = field.line.lines.count { $0 == "done havoc" } == rounds
            if isQuiet, cut == cuts {
                open -= 1
                continue
            }
            try ring()
            guard isQuiet else { continue }
            // The first cut is of an attached front, the others of one that returns. After some it
            // does return: it must not be away for a minute.
            let some = min(1 + rounds % 3, cuts - cut)
            try field.line.write("havoc \(some) \(Int(seed) + rounds)")
            rounds += 1
            cut += some
        }
        // The last cut may have come behind the last answer: the front does not know of it yet.
        var reply = try await front.call(Self.till, "ring()")
        while reply.errorCode == "notExecuted" {
            try await front.reads { $0.type == "resumed" }
            reply = try await front.call(Self.till, "ring()")
        }
        values.append(try #require(reply.object["value"] as? Int, "\(reply)"))
        #expect(values.sorted() == Array(1...values.count), "seed \(seed)")
        let lost = front.seen.count { $0.type == "disconnected" }
        let resumed = front.seen.filter { $0.type == "resumed" }
        #expect(lost > cuts / 3 && resumed.count == lost, "\(lost), seed \(seed)")
        #expect(resumed.allSatisfy { $0.object["lost"] as? Int == 0 }, "seed \(seed)")
        print("\(cuts) cuts, \(lost) of an attached front; \(values.count) events, each once")
        try front.child.write(#"{"t":"detach"}"#)
        #expect(await front.child.exit() == 0, "\(front.child.errorText)")
        let last = try await field.run(["send", "till", Self.till, "ring()"])
        #expect(last.lines == ["\(values.count + 1)"], "\(last.errors), seed \(seed)")
        // Nobody is left there.
        let (_, fronts, _) = try await field.run(["ls", "--json"])
        let session = try JSON.array(fronts.joined()).first { $0["session"] as? String == "till" }
        #expect(session?["fronts"] as? [Int] == [], "\(fronts)")
    }

    @Test
    func `commands reach the other host by one ssh each, and a line that stalls loses nothing`()
        async throws
    {
        let field = try await SSHField(delay: 80)
        let apps = try await field.run(["apps", "--json"], host: "ssh://desk")
        let names = try JSON.array(apps.lines.joined()).compactMap { $0["app"] as? String }
        #expect(apps.status == 0 && names.contains("till"), "\(apps)")
        #expect(apps.errors == "" && field.calls == 1)
        let ring = ["send", "night", Self.till, "ring()", "--create", "--app", "till"]
        let rung = try await field.run(ring, host: "ssh://root@desk")
        #expect(rung.lines == ["1"] && rung.status == 0, "\(rung)")
        // It looks for the session, then attaches: the worker's connection is on the same line.
        #expect(field.calls == 3)
        let listed = try await field.run(["ls"])
        #expect(listed.lines.contains { $0.contains("night") }, "\(listed)")
        let killed = try await field.run(["kill", "nobody"])
        #expect(killed.status == 66 && killed.errors.contains("nobody"), "\(killed)")
        #expect(try await field.run(["ping"], host: "ssh://root@10.77.0.2:22").status == 0)
        #expect(try await field.listeners() == ["02004D0A:0016"])
        // A log is read there, and followed.
        let (status, lines, errors) = try await field.run(["logs", "till", "--since", "1h"])
        #expect(status == 0 && errors == "", "\(errors)")
        #expect(lines.contains { $0.contains("till opened") }, "\(lines)")
        #expect(try await field.run(["logs", "tille"]).status == 66)
        let follower = try field.client([
            "logs", "till", "--follow", "--host", "ssh://straight", "--socket", field.place.socket,
        ])
        _ = try await follower.line { $0.contains("till opened") }
        _ = try await field.run(["send", "main", Self.till, "printLines(from:to:)", "1", "2"])
        _ = try await follower.line { $0.hasPrefix("line 1 ") }
        follower.signal(SIGTERM)
        try await linesMayStall(field)
    }

    /// A line that stalls loses nothing, and one that stays so is given up.
    private func linesMayStall(_ field: SSHField) async throws {
        let front = try await field.front()
        #expect(try await front.call(Self.till, "ring()").object["value"] as? Int == 1)
        try await field.line("stall")
        let id = try front.send(Self.till, "ring()")
        let start = ContinuousClock.now
        // It is not said to go on: ssh finds that, and another line is made.
        let lost = try await front.reads { $0.type == "disconnected" }
        #expect(ContinuousClock.now - start < .seconds(40))
        let reason = try #require(lost.object["reason"] as? String)
        #expect(
            reason.contains("ssh://desk: Timeout, server 127.0.0.1 not responding"), "\(reason)")
        let reply = try await front.reply(to: id)
        #expect(reply.object["value"] as? Int == 2)
        // A short one is not noticed.
        try await field.line("stall")
        let later = try front.send(Self.till, "ring()")
        try await field.line("go")
        let third = try await front.reply(to: later)
        #expect(third.object["value"] as? Int == 3)
        #expect(front.seen.count { $0.type == "disconnected" } == 1)
    }

    /// A daemon is started there, unless that is not wanted.
    private func startsDaemon(_ field: SSHField) async throws {
        let quiet = try field.client(["--host", "ssh://straight", "ping", "--no-spawn"])
        #expect(await quiet.exit() == 69, "\(quiet.errorText)")
        #expect(try await field.client(["--host=ssh://straight", "ping"]).exit() == 69)
        #expect(try await field.client(["--host=ssh://straight", "apps"]).exit() == 0)
        let started = try field.client(["--host=ssh://straight", "ping", "--json"])
        let (status, lines) = await started.result()
        let errors = await started.allErrors()
        #expect(status == 0, "\(errors)")
        let pid = try #require(try JSON.object(lines.joined())["pid"] as? Int)
        defer { kill(Int32(pid), SIGTERM) }
        let words = try String(contentsOfFile: "/proc/\(pid)/cmdline", encoding: .utf8)
        #expect(words.contains("napkind\0--ready-fd"), "\(words)")
    }

    /// Connections share a master, which outlives them and holds none of them up.
    private func sharesItsMaster(_ field: SSHField) async throws {
        for number in 1...3 {
            let ring = ["send", "night", Self.till, "ring()", "--create", "--app", "till"]
            let rung = try await field.run(ring, host: "ssh://shared")
            #expect(rung.status == 0 && rung.lines == ["\(number)"], "\(rung)")
        }
        // It stays after the sshd: no new connection was made meanwhile, and none is now.
        try await field.shut()
        #expect(try await field.run(["ping"], host: "ssh://shared").status == 0)
        #expect(try await field.run(["ping"]).status == 69)
        // What a command says there does not depend on it.
        field.daemon.signal(SIGTERM)
        #expect(await field.daemon.exit() == 0)
        let alone = try await field.run(["apps"], host: "ssh://shared")
        #expect(alone.status == 69 && alone.errors.contains("no napkind at"), "\(alone)")
    }

    @Test func `a screen stays whole while the other host is away, and connections share a master`()
        async throws
    {
        let field = try await SSHField()
        let screen = try await Tmux(
            field.place, columns: 100, lines: 24, try field.commandLine("attach till"))
        try await screen.shows("run(script:)")
        try await field.shut()
        try await field.line("cut")
        try await screen.shows("cannot reach ssh://desk")
        let text = try await screen.screen()
        #expect(text.contains("run(script:)") && !text.contains("kex_exchange"), "\(text)")
        try await field.reopen()
        try await screen.shows("the till again") { !$0.contains("cannot reach") }
        try await screen.press("q")
        try await screen.shows("ended with 0")
        try await sharesItsMaster(field)
    }

    @Test
    func `what cannot be reached is told in ssh's words, and a daemon is started there if wanted`()
        async throws
    {
        let field = try await SSHField()
        // What is hostile is refused before ssh sees it.
        for host in ["desk", "ssh://-oProxyCommand=id", "ssh://desk\u{1B}[2J"] {
            let (status, _, errors) = try await field.run(["apps"], host: host)
            #expect(status == 64 && !errors.contains("\u{1B}"), "\(host): \(errors)")
        }
        #expect(field.calls == 0)
        let refused = try await field.run(["apps"], host: "ssh://127.0.0.1:1")
        #expect(refused.status == 69, "\(refused)")
        #expect(
            refused.errors.hasPrefix("napkin-client: cannot reach ssh://127.0.0.1:1: ssh: connect")
                && refused.errors.contains("Connection refused"), "\(refused)")
        #expect(refused.errors.split(separator: "\n").count == 1)
        let stranger = try await field.run(["apps"], host: "ssh://nobody@straight")
        #expect(
            stranger.status == 69 && stranger.errors.contains("Permission denied"), "\(stranger)")
        let attach = try await field.run(
            ["attach", "till", "--control"], host: "ssh://nobody@desk")
        #expect(attach.status == 69 && attach.lines == [], "\(attach)")
        // What the far client says.
        field.daemon.signal(SIGTERM)
        #expect(await field.daemon.exit() == 0)
        let alone = try await field.run(["apps"])
        #expect(alone.status == 69, "\(alone)")
        #expect(
            alone.errors.contains("at ssh://straight: napkin-client: no napkind at"), "\(alone)")
        try await startsDaemon(field)
        try await tellsHostsApart(field)
    }

    /// A host without napkin-client, and one whose shell talks, are told apart.
    private func tellsHostsApart(_ field: SSHField) async throws {
        let bare = try await SSHField(farPath: "/usr/bin:/bin")
        let missing = try await bare.run(["ls"])
        #expect(missing.status == 69, "\(missing)")
        #expect(
            missing.errors.contains("no napkin-client can be run on ssh://straight")
                && missing.errors.contains("install it there"), "\(missing)")
        try "echo good morning\n".write(
            toFile: field.place.directory + "/.bashrc", atomically: true, encoding: .utf8)
        let noisy = try await field.run(["ls"])
        #expect(noisy.status == 76 && noisy.errors.contains("'good morning\\n"), "\(noisy)")
        #expect(noisy.errors.contains("start-up files"), "\(noisy)")
    }
}
