// PowerCut: what a disk may have after a power cut, made of the system calls of a real store.
//
// Invariant  a write is on the disk once its file has been synced; before, it may be there, or a
//            part of it, or not, whatever came after it. A name is there once its directory has
//            been synced.

import Glibc
import NapkinCore
import NapkinLedger
import ProofSupport

/// LedgerProbe power DIRECTORY machine|process STRIDE [SEED]
///
/// Runs a store under strace in a process that is killed, then in another one, and opens what any
/// power cut may leave.
struct PowerCut {
    /// Of the store's log: room for some 30 commits before it is moved into the database.
    private static let logBytes = 1536 * 1024

    let directory: String
    let durability: Durability
    /// Every so many calls are looked at; 1 is all of them.
    let stride: Int
    private var randomness: Randomness
    private var files: [String: FileOnDisk] = [:]
    private var descriptors: [Int: String] = [:]
    /// What was said to be committed, and up to where the log was moved.
    private var said: GroupNumber = 0
    private var settled: GroupNumber = 0
    private var openings = 0
    private var points = 0
    private(set) var cuts = 0
    private(set) var newestLost = 0

    private var store: String { directory + "/store" }
    private var copy: String { directory + "/copy" }

    init(directory: String, durability: Durability, stride: Int, seed: UInt64) {
        (self.directory, self.durability, self.stride) = (directory, durability, stride)
        randomness = Randomness(seed: seed)
    }

    /// One file: what is synced, and what was done since.
    private struct FileOnDisk {
        enum Change {
            case write(at: Int, [UInt8])
            case truncate(to: Int)
        }

        var synced: [UInt8] = []
        var changes: [Change] = []
        /// Whether its name would be there after a power cut.
        var isNamed = false
        var isRemoved = false

        static func apply(_ change: Change, _ part: Int? = nil, to bytes: inout [UInt8]) {
            switch change {
            case .truncate(let count):
                if count <= bytes.count {
                    bytes.removeLast(bytes.count - count)
                } else {
                    bytes += [UInt8](repeating: 0, count: count - bytes.count)
                }
            case .write(let place, let written):
                let written = written.prefix(part ?? written.count)
                let end = place + written.count
                if bytes.count < end {
                    bytes += [UInt8](repeating: 0, count: end - bytes.count)
                }
                bytes.replaceSubrange(place..<end, with: written)
            }
        }

        mutating func sync() {
            for change in changes { Self.apply(change, to: &synced) }
            changes = []
        }
    }

    mutating func run() throws {
        mkdir(store, 0o700)
        mkdir(copy, 0o700)
        for life in ["cut", "brief"] {
            let trace = try record(life)
            descriptors = [:]
            for line in trace { try follow(line) }
        }
        try Finding.unless(openings == 2 && said == 190, "the trace has \(said) commits")
        LedgerProbe.say(
            "held \(cuts) power cuts of \(durability.rawValue) at \(points) calls, "
                + "\(said) groups, at most \(newestLost) lost")
    }

    // MARK: - The trace

    /// Runs LedgerProbe under strace and returns its calls.
    private func record(_ life: String) throws -> [Substring] {
        let trace = directory + "/trace"
        let calls = "openat,close,write,pwrite64,ftruncate,fdatasync,fsync,unlink,link,rename"
        let arguments = [
            "strace", "-xx", "-s", "4194304", "-o", trace, "-e", "trace=" + calls,
            CommandLine.arguments[0], store + "/ledger", durability.rawValue, "\(Self.logBytes)",
            life,
        ]
        var pid: pid_t = 0
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        guard posix_spawn(&pid, "/usr/bin/strace", nil, nil, &pointers, environ) == 0 else {
            throw Finding(description: "strace does not start")
        }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        // As the process that it has run.
        try Finding.unless(
            status == (life == "cut" ? SIGKILL : 0), "strace ended with \(status)")
        let text = String(decoding: File.bytes(of: trace), as: UTF8.self)
        return text.split(separator: "\n")
    }

    /// Does to the model what a call did to the disk, and looks at what may be left of it.
    private mutating func follow(_ line: Substring) throws {
        // `pwrite64(5, "\x0a", 1, 0) = 1`; no text has a parenthesis or an equals sign.
        guard let open = line.firstIndex(of: "("), let close = line.lastIndex(of: ")"),
            let equals = line[close...].firstIndex(of: "="),
            let result = Int(line[line.index(equals, offsetBy: 2)...].prefix { $0 != " " }),
            result >= 0
        else { return }
        let name = line[..<open]
        let arguments = line[line.index(after: open)..<close]
            .split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " } }
        switch name {
        case "openat":
            let path = Self.text(arguments[1])
            guard path.hasPrefix(store) else { return }
            descriptors[result] = path
            if path == store { return }
            if files[path]?.isRemoved == true { files[path] = FileOnDisk() }
            files[path, default: FileOnDisk()].isRemoved = false
            if arguments[2].contains("O_TRUNC") { files[path]?.changes.append(.truncate(to: 0)) }
        case "close": descriptors[Self.number(arguments[0])] = nil
        case "write":
            if Self.number(arguments[0]) == STDOUT_FILENO { heard(Self.text(arguments[1])) }
        case "unlink":
            files[Self.text(arguments[0])]?.isRemoved = true
            try look()
        case "pwrite64", "ftruncate":
            guard let path = descriptors[Self.number(arguments[0])] else { return }
            let change: FileOnDisk.Change =
                name == "ftruncate"
                ? .truncate(to: Self.number(arguments[1]))
                : .write(
                    at: Self.number(arguments[3]),
                    Array(Self.bytes(arguments[1]).prefix(result)))
            files[path]?.changes.append(change)
            try look()
        case "fdatasync", "fsync":
            guard let path = descriptors[Self.number(arguments[0])] else { return }
            try look()
            if path == store {
                for (name, file) in files { files[name]?.isNamed = !file.isRemoved }
            } else {
                files[path]?.sync()
            }
            try look()
        default: throw Finding(description: "the model does not know \(name)")
        }
    }

    private mutating func heard(_ text: String) {
        if text.hasPrefix("open") { openings += 1 }
        guard let number = GroupNumber(text.dropLast()) else { return }
        // LedgerProbe has moved the log before it went on.
        if number % 50 == 1 { settled = number - 1 }
        said = number
    }

    private static func number(_ text: Substring) -> Int { Int(text) ?? -1 }

    private static func text(_ word: Substring) -> String {
        String(decoding: bytes(word), as: UTF8.self)
    }

    /// The bytes of `"\x0a\xff"`.
    private static func bytes(_ word: Substring) -> [UInt8] {
        let digits = Array(word.utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4)
        func value(_ digit: UInt8) -> UInt8 { digit < 0x3A ? digit - 0x30 : digit - 0x57 }
        var index = 1
        while index + 3 < digits.count {
            bytes.append(value(digits[index + 2]) << 4 | value(digits[index + 3]))
            index += 4
        }
        return bytes
    }

    // MARK: - Power cuts

    private enum Loss: CaseIterable {
        /// Nothing that was not synced is there.
        case all
        /// What was written first is there, and a part of the last of it.
        case tail
        /// Some writes are there and others not, in any order; one is torn.
        case some
    }

    private mutating func look() throws {
        points += 1
        guard points % stride == 0 || points < 64 else { return }
        for loss in Loss.allCases { try look(loss) }
    }

    private mutating func look(_ loss: Loss) throws {
        cuts += 1
        for name in ["/ledger", "/ledger-wal", "/ledger-journal"] { unlink(copy + name) }
        for (path, file) in files {
            let isThere = file.isNamed || loss != .all && !file.isRemoved
            guard isThere else { continue }
            File.write(contents(file, loss), to: copy + path.dropFirst(store.count))
        }
        try verify("\(loss) after call \(points), \(said) said")
    }

    private mutating func contents(_ file: FileOnDisk, _ loss: Loss) -> [UInt8] {
        var bytes = file.synced
        guard !file.changes.isEmpty, loss != .all else { return bytes }
        let kept = loss == .tail ? randomness.below(file.changes.count) : file.changes.count - 1
        for (index, change) in file.changes.enumerated() where index <= kept {
            if loss == .some, randomness.percent(50) { continue }
            var part: Int?
            if case .write(_, let written) = change, index == kept || randomness.percent(10) {
                let sector = randomness.percent(50) ? 512 : 1
                part = randomness.below(written.count / sector + 1) * sector
            }
            FileOnDisk.apply(change, part, to: &bytes)
        }
        return bytes
    }

    /// What is there must be groups without a gap, as they were written: all that were said to be
    /// (`.machine`), or up to some number (`.process`).
    private mutating func verify(_ what: String) throws {
        do {
            let store = try SQLiteStore(
                path: copy + "/ledger", durability: .process, logBytes: 65536
            ).opened()
            let newest = try store.open().newest
            let oldest = durability == .machine ? said : settled
            try Finding.unless(
                newest >= oldest && newest <= said + 1, "\(what): group \(newest) is the newest")
            newestLost = max(newestLost, Int(said) - Int(newest))
            let groups = try store.groups(after: 0, bytesMax: .max)
            for group in groups {
                try Finding.unless(
                    group == LedgerProbe.group(group.number), "\(what): group \(group.number)")
            }
            try Finding.unless(groups.last?.number ?? newest == newest, "\(what): no \(newest)")
            for session in try store.sessions() {
                let image = try store.image(of: session.session)
                try Finding.unless(
                    session.base % 7 == 0 && session.base <= newest
                        && session.base + 35 > newest && image?.bytes.count == 5000,
                    "\(what): session \(session)")
            }
        } catch let error as StoreError {
            throw Finding(description: "\(what): \(error)")
        }
    }
}
