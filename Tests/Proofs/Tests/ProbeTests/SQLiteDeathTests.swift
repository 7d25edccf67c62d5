// SQLiteDeathTests: a process that is killed or has no room loses nothing that it was told is kept.

import Foundation
import NapkinCore
import NapkinLedger
import ProofSupport
import Testing

struct SQLiteDeathTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory("ledger") }

    /// Whether this user may have file systems of its own.
    private static let canMount: Bool = {
        guard
            // Without unshare there is no file system either.
            let shell = try? Spawned(
                "/usr/bin/unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/tmp"])
        else { return false }
        return Spawned.wait(for: shell.pid) == 0
    }()

    private func probe(_ durability: Durability) throws -> Child {
        try Child(try Product.path("LedgerProbe"), [path, durability.rawValue, "65536"])
    }

    /// Looks at each group and image of a store that LedgerProbe wrote; returns the newest group.
    private func verify(_ store: SQLiteStore) throws -> GroupNumber {
        let newest = try store.open().newest
        let groups = try store.groups(after: 0, bytesMax: .max)
        let first = groups.first?.number ?? newest + 1
        #expect(groups.map(\.number) == (0..<groups.count).map { first + UInt64($0) })
        #expect(groups.last?.number ?? 0 == newest)
        for group in groups {
            let records = try RecordFraming.records(in: group.bytes, number: group.number)
            #expect(
                records.first
                    == [UInt8](
                        repeating: UInt8(truncatingIfNeeded: group.number),
                        count: Int(group.number % 97) * 40))
        }
        for session in try store.sessions().map(\.session) {
            let base = try #require(try store.image(of: session)).base
            #expect(base % 7 == 0 && base <= newest && base + 35 > newest)
        }
        return newest
    }

    /// Runs LedgerProbe, whose system calls fail as strace is told; what it has said. The store is
    /// opened then, and has all that it was told, and at most one group more.
    private func run(
        injecting failure: String, at other: String? = nil, newest: inout GroupNumber
    ) async throws -> [String] {
        let path = other ?? path
        let child = try Child(
            "/usr/bin/strace",
            [
                "-f", "-o", "/dev/null", "-e", "inject=\(failure)",
                try Product.path("LedgerProbe"), path, "machine", "65536", "short",
            ])
        let lines = await child.result().lines
        let said = lines.compactMap { GroupNumber($0) }.last ?? newest
        let store = try SQLiteStore(path: path, durability: .machine, logBytes: 65536).opened()
        let found = try verify(store)
        newest = found
        #expect(
            found == said || found == said + 1,
            "\(failure): said \(said), \(lines.suffix(1)) \(child.errorText)")
        return lines
    }

    @Test(.timeLimit(.minutes(10)), arguments: [Durability.machine, .process])
    func `what was acknowledged is there after a kill`(durability: Durability) async throws {
        var randomness = Randomness(seed: 5)
        var newest: GroupNumber = 0
        for round in 0..<12 {
            let child = try probe(durability)
            let (_, opened) = try await child.line { $0.hasPrefix("open") }
            #expect(opened == "open \(newest)")
            let last = newest + 1 + UInt64(randomness.below(150))
            _ = try await child.line { $0 == "\(last)" || $0.hasPrefix("error") }
            child.signal(SIGKILL)
            #expect(await child.exit() == -SIGKILL)
            let said = await child.allLines().compactMap { GroupNumber($0) }.last ?? newest
            let store = try SQLiteStore(path: path, durability: durability, logBytes: 65536)
                .opened()
            let found = try verify(store)
            #expect(found == said || found == said + 1, "round \(round): said \(said)")
            newest = found
        }
    }

    @Test(.timeLimit(.minutes(10))) func `a second process is refused at once`() async throws {
        let child = try probe(.process)
        _ = try await child.line { $0.hasPrefix("open") }
        let start = ContinuousClock.now
        let error = #expect(throws: StoreError.self) {
            try SQLiteStore(path: self.path, durability: .process).opened()
        }
        #expect(error?.code == .busy, "\(String(describing: error))")
        #expect(.now - start < .seconds(2))
        // It was not disturbed.
        let next = (child.lines.compactMap { GroupNumber($0) }.last ?? 0) + 20
        _ = try await child.line { $0 == "\(next)" }
        child.signal(SIGKILL)
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            ("fdatasync", "EIO", "failed"), ("fdatasync", "ENOSPC", "failed"),
            ("pwrite64", "EIO", "failed"), ("pwrite64", "ENOSPC", "full"),
        ])
    func `a system call that fails ends the store, and what was acknowledged is there`(
        call: String, error: String, code: String
    ) async throws {
        var randomness = Randomness(seed: 6)
        var newest: GroupNumber = 0
        // The first calls are those of opening.
        for turn in [1, 2, 3, 4, 5, 6, 7] + (0..<6).map({ _ in 20 + randomness.below(250) }) {
            let lines = try await run(
                injecting: "\(call):error=\(error):when=\(turn)", newest: &newest)
            let last = try #require(lines.last)
            // At opening, there may be no room for the log yet, and SQLite ignores that it cannot
            // sync a directory, which the store does itself.
            let isIgnored = turn < 8 && last == "end"
            #expect(isIgnored || last.hasPrefix("error \(code)"), "turn \(turn): \(last)")
        }
    }

    /// Also those that SQLite itself retries or ignores: whatever it says, nothing may be lost.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "openat:EMFILE", "openat:ENFILE", "openat:EINTR", "openat:EIO", "pwrite64:EINTR",
            "pwrite64:EDQUOT", "fdatasync:EINTR", "fdatasync:EDQUOT", "fsync:EIO", "fsync:ENOSPC",
            "pread64:EIO", "pread64:EINTR", "fstat:EIO", "newfstatat:EIO", "lseek:EIO",
            "ftruncate:EIO", "fcntl:ENOLCK", "unlink:EIO", "close:EIO", "mmap:ENOMEM",
        ])
    func `whichever call fails, and however, nothing acknowledged is lost`(
        failure: String
    ) async throws {
        let words = failure.split(separator: ":")
        var randomness = Randomness(seed: UInt64(failure.utf8.count))
        var newest: GroupNumber = 0
        for turn in [1 + randomness.below(60), 40 + randomness.below(300)] {
            _ = try await run(
                injecting: "\(words[0]):error=\(words[1]):when=\(turn)", newest: &newest)
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["pwrite64", "fdatasync"])
    func `a kill at any of the first system calls loses nothing`(call: String) async throws {
        for turn in 1...24 {
            let path = directory("\(call)\(turn)")
            var newest: GroupNumber = 0
            let lines = try await run(
                injecting: "\(call):signal=SIGKILL:when=\(turn)", at: path, newest: &newest)
            #expect(lines.last != "end")
            let store = try SQLiteStore(path: path, durability: .machine, logBytes: 65536).opened()
            try store.commit(JournalCommit(.init(number: newest + 1, bytes: [])))
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: [Durability.machine, .process])
    func `a commit syncs once for the machine, and never for the process`(durability: Durability)
        async throws
    {
        let trace = directory("trace")
        for _ in 0..<2 {
            let child = try Child(
                "/usr/bin/strace",
                [
                    "-o", trace, "-e", "trace=write,fdatasync,fsync",
                    try Product.path("LedgerProbe"), path, durability.rawValue, "4194304", "short",
                ])
            #expect(await child.result().lines.last == "end")
            // From the opening to the first tidying; each commit is said in a write after it.
            let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
            let first = try #require(calls.firstIndex { $0.contains("open ") })
            let commits = calls[first...].prefix { !$0.contains("50\\n") }
            let syncs = commits.count { $0.contains("sync(") }
            #expect(commits.count - syncs == 50)
            #expect(syncs == (durability == .machine ? 50 : 0))
        }
    }

    /// What is there after a kill need not be on the disk, and fronts wait for the opening.
    @Test(.timeLimit(.minutes(10)), arguments: [Durability.machine, .process])
    func `an opening syncs the log once, and its directory`(durability: Durability) async throws {
        let trace = directory("trace")
        let killed = try Child(
            Product.path("LedgerProbe"), [path, durability.rawValue, "65536", "cut"])
        #expect(await killed.exit() == -SIGKILL)
        let child = try Child(
            "/usr/bin/strace",
            [
                "-y", "-o", trace, "-e", "trace=write,fdatasync,fsync",
                try Product.path("LedgerProbe"), path, durability.rawValue, "65536", "short",
            ])
        #expect(await child.result().lines.last == "end")
        let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        let opened = try #require(calls.firstIndex { $0.contains("open ") })
        let syncs = calls[..<opened].filter { $0.contains("sync(") }
        guard durability == .machine else { return #expect(syncs.isEmpty, "\(syncs)") }
        // SQLite syncs the directory, too, and ignores whether that fails.
        try #require(syncs.count == 3, "\(syncs)")
        #expect(syncs[0].hasPrefix("fdatasync(") && syncs[0].contains("<\(path)-wal>"))
        #expect(syncs[1...].allSatisfy { $0.contains("<\(directory.path)>") })
        #expect(syncs[2].hasPrefix("fsync("))
    }

    /// Otherwise a power cut could take a new directory with everything in it.
    @Test(.timeLimit(.minutes(10)))
    func `the directories above a new store are synced before it is there`() async throws {
        let (trace, above) = (directory("trace"), directory("state"))
        for path in [above, above + "/ledger"] { #expect(mkdir(path, 0o700) == 0) }
        let path = above + "/ledger/tally"
        for isNew in [true, false] {
            let child = try Child(
                "/usr/bin/strace",
                [
                    "-y", "-o", trace, "-e", "trace=openat,fsync",
                    try Product.path("LedgerProbe"), path, "machine", "65536", "brief",
                ])
            #expect(await child.result().lines.last == "end")
            let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
            let first = try #require(calls.firstIndex { $0.contains("\"\(path)\"") })
            let synced = calls[..<first].filter { $0.hasPrefix("fsync(") }
            let expected = isNew ? [above, directory.path] : []
            for path in expected {
                #expect(synced.contains { $0.contains("<\(path)>") }, "\(path): \(synced)")
            }
            #expect(isNew || synced.isEmpty)
        }
    }

    /// LedgerProbe fills a small file system, which then grows; at last its files are copied here.
    @Test(.enabled(if: canMount), .timeLimit(.minutes(10)), arguments: ["keep", "blind"])
    func `a full disk loses nothing, and with room again it goes on`(mode: String) async throws {
        let script = """
            mkdir '\(directory("disk"))' && cd '\(directory("disk"))' &&
            mount -t tmpfs -o size=3m,mode=700 tmpfs . && cd '\(directory("disk"))' &&
            head -c 500000 /dev/zero >ledger.filler || exit 1
            "$0" "$PWD/ledger" machine 65536 \(mode)
            rm -f ledger.filler
            mount -o remount,size=5m . && echo larger
            "$0" "$PWD/ledger" machine 65536 \(mode)
            cp ledger ledger-wal ..
            """
        let shell = try Child(
            "/usr/bin/unshare", ["-rm", "/bin/sh", "-c", script, try Product.path("LedgerProbe")])
        let lines = await shell.result().lines
        let parts = lines.split(separator: "larger").map(Array.init)
        try #require(parts.count == 2, "\(lines.suffix(3)) \(shell.errorText)")
        for part in parts {
            #expect(part.last?.hasPrefix("error full") == true, "\(part.suffix(2))")
        }
        // Asked before, a store that is full goes on when there is room.
        #expect(parts[0].contains("room") == (mode == "keep"))
        let said = parts.map { part in part.compactMap { GroupNumber($0) } }
        let last = try #require(said[0].last)
        #expect(parts[1].first == "open \(last)")
        #expect(said[1].first == last + 1)
        #expect(said[0] + said[1] == Array(1...(said[1].last ?? 0)))
        let store = try SQLiteStore(path: path, durability: .machine).opened()
        #expect(try verify(store) == said[1].last)
    }
}
