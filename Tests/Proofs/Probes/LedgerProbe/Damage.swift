// Damage: journals that are cut at each byte, or have a bit flipped, give what was or an error.
//
// Isolation  @MainActor: the journal's.

import Glibc
import NapkinCoding
import NapkinCore
import NapkinLedger
import ProofSupport

/// LedgerProbe damage DIRECTORY STRIDE [large]
///
/// A trap ends this process, and not its test.
@MainActor
struct Damage {
    let directory: String
    /// Every so many bytes are looked at; 1 is all of them.
    let stride: Int
    private let script: Script
    private var path: String { directory + "/damaged" }
    private var randomness = Randomness(seed: 8)
    private var count = 0
    private var refused = 0
    /// Bytes of the largest journal: its database and its log.
    private var bytes = 0

    private let isLarge: Bool

    /// - Parameter isLarge: whether the journal has about 1 MiB.
    init(directory: String, stride: Int, isLarge: Bool) throws {
        self.directory = directory
        self.stride = stride
        self.isLarge = isLarge
        script =
            isLarge
            // All groups are kept, for no later image has what is in them.
            ? try Script(
                groups: 150, imagesEvery: .max, stateBytes: 6000, tidied: 135,
                hasScheduledInputs: true)
            : try Script(hasScheduledInputs: true)
    }

    mutating func run() async throws {
        for isTidy in [false, true] {
            let (database, log) = try write(isTidy: isTidy)
            bytes = max(bytes, database.count + log.count)
            try await cut(database, log, isTidy)
            try await flip(database, log, isTidy)
        }
        let files = (count, refused)
        if !isLarge { try await flipContents() }
        LedgerProbe.say(
            "held \(files.0) damaged files of \(bytes / 1024) KiB, \(files.1) refused; "
                + "\(count - files.0) contents")
    }

    private func write(isTidy: Bool) throws -> (database: [UInt8], log: [UInt8]) {
        let path = directory + "/sound\(isTidy)"
        try {
            let store = try SQLiteStore(
                path: path, durability: .process, logBytes: Reading.logBytes
            ).opened()
            for (index, commit) in script.commits.enumerated() {
                try store.commit(commit)
                let number = index + 1
                if number <= Int(script.tidied), number % Script.tidiedEvery == 0 {
                    try store.tidy()
                }
            }
            if isTidy { try store.tidy() }
        }()
        return (File.bytes(of: path), File.bytes(of: path + "-wal"))
    }

    private mutating func look(
        _ database: [UInt8], _ log: [UInt8], from oldest: GroupNumber = 0, _ what: String
    ) async throws {
        unlink(path + "-journal")
        File.write(database, to: path)
        File.write(log, to: path + "-wal")
        count += 1
        let newest = try await Reading.newest(script, at: path, from: oldest, what)
        if newest == nil { refused += 1 }
    }

    private mutating func cut(
        _ database: [UInt8], _ log: [UInt8], _ isTidy: Bool
    ) async throws {
        let last = GroupNumber(script.commits.count)
        for end in Swift.stride(from: 0, to: log.count, by: stride) {
            try await look(
                database, Array(log[..<end]), from: isTidy ? last : script.tidied,
                "log cut at \(end)")
        }
        for end in Swift.stride(from: 0, to: database.count, by: stride) {
            try await look(Array(database[..<end]), log, "database cut at \(end)")
            if isTidy { try await look(Array(database[..<end]), [], "alone, cut at \(end)") }
        }
    }

    private mutating func flip(
        _ database: [UInt8], _ log: [UInt8], _ isTidy: Bool
    ) async throws {
        // The header of the database, and that of the log with its first pages' headers: all bits.
        let (page, frame) = (4096, 4096 + 24)
        let heads =
            Array(0..<108)
            + Swift.stride(from: page, to: database.count, by: page)
            .flatMap { Array($0..<($0 + 12)) }.filter { _ in keeps() }
        for place in heads { try await flipBits(of: place, database, log, inLog: false) }
        let logHeads =
            Array(0..<32)
            + Swift.stride(from: 32, to: log.count - frame, by: frame)
            .flatMap { Array($0..<($0 + 24)) }.filter { _ in keeps() }
        for place in logHeads { try await flipBits(of: place, database, log, inLog: true) }
        // One bit of the others.
        for place in Swift.stride(from: 0, to: database.count, by: stride) {
            try await flipBit(randomness.below(8), of: place, database, log, inLog: false)
        }
        for place in Swift.stride(from: 0, to: log.count, by: stride) {
            try await flipBit(randomness.below(8), of: place, database, log, inLog: true)
        }
    }

    private mutating func keeps() -> Bool { randomness.below(max(1, stride / 8)) == 0 }

    private mutating func flipBits(
        of place: Int, _ database: [UInt8], _ log: [UInt8], inLog: Bool
    ) async throws {
        for bit in 0..<8 { try await flipBit(bit, of: place, database, log, inLog: inLog) }
    }

    private mutating func flipBit(
        _ bit: Int, of place: Int, _ database: [UInt8], _ log: [UInt8], inLog: Bool
    ) async throws {
        var (database, log) = (database, log)
        let what = "bit \(bit) of byte \(place) of the \(inLog ? "log" : "database")"
        if inLog { log[place] ^= 1 << UInt8(bit) } else { database[place] ^= 1 << UInt8(bit) }
        try await look(database, log, from: inLog ? script.tidied : 0, what)
    }

    // MARK: - Contents whose checksums are right

    /// Records and images with a flipped bit, as a program with a defect might write them: an
    /// error, or something else that can be gone on with.
    private mutating func flipContents() async throws {
        let each = max(1, stride / 16)
        let base = script.commits.prefix(12)
        for place in 12..<40 {
            let commit = script.commits[place]
            guard let group = commit.group else { continue }
            let records = try RecordFraming.records(in: group.bytes, number: group.number)
            for (index, record) in records.enumerated() {
                for bit in Swift.stride(from: place % each, to: record.count * 8, by: each) {
                    var changed = records
                    changed[index][bit / 8] ^= 1 << UInt8(bit % 8)
                    var rest = script.commits[12...place]
                    rest[place].images = []
                    rest[place].group = .init(
                        number: group.number,
                        bytes: RecordFraming.frame(changed, number: group.number))
                    try await open(Array(base) + rest.map(Self.withoutImages))
                }
            }
            for (index, image) in commit.images.enumerated() {
                for bit in Swift.stride(from: place % each, to: image.bytes.count * 8, by: each) {
                    var changed = commit
                    changed.images[index].bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                    try await open(Array(script.commits[..<place]) + [changed])
                }
            }
        }
    }

    private static func withoutImages(_ commit: JournalCommit) -> JournalCommit {
        var commit = commit
        commit.images = []
        return commit
    }

    /// Opens the journal, and goes on with each session as a worker would.
    private mutating func open(_ commits: [JournalCommit]) async throws {
        count += 1
        let store = MemoryStore()
        for commit in commits { try store.commit(commit) }
        do {
            let journal = try Journal(durability: .process, store)
            for name in journal.sessions.names {
                // A session that cannot be read is left alone.
                guard let image = try? await journal.image(named: name) else { continue }
                let ledger = SessionLedger(journal: journal, restoring: image)
                _ = ledger.makeNumber()
                ledger.frontJoined(image.newestFront + 1)
                ledger.answered(1, (image.fronts.first?.started ?? 0) &+ 1, [1, 2, 3])
                ledger.confirmed(by: 1, forgotten: 0, keepingFrom: nil)
                ledger.renamed(to: name + "'")
                for front in image.fronts { ledger.frontForgotten(front.front) }
            }
            journal.turnEnded()
            _ = try Journal(durability: .process, store)
        } catch {
            let hasName =
                error is RecordError || error is CBORError || error is ImageError
                || error is StoreError
            try Finding.unless(hasName, "an error without a name: \(error)")
        }
    }
}
