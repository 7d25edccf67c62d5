// StoreWorkload: what it costs to keep a group: the disk alone, without a loop or a session.
//
// Isolation  value; blocks its thread.

import Glibc
import Histogram
import NapkinCore
import NapkinLedger

import enum NapkinProtocol.LedgerBackend

/// Times commits of both durabilities, beside the disk's floor: a bare write of 4 KiB and a sync.
struct StoreWorkload {
    /// Commits of each kind without a sync; a tenth with one.
    var count: Int
    var processor: Int?
    /// A database to measure as well: `postgres:SERVICE`, which has the tables.
    var ledger: String?
    /// Where the files are: on a disk, which `/tmp` need not be.
    var parent = "/var/tmp"

    /// Commits of each kind before the next kind has its turn. The log, which is emptied after
    /// each turn, has room for them.
    private static let slice = 400
    private static let floorBytes = 4096
    private static let sizes = [400, 8000]
    /// Commits of 8,000 bytes that fill 16 MiB of log, with three pages each.
    private static let commitsOfLog = 1350
    private static let checkpoints = 9

    func reports() throws -> [Report] {
        var template = Array((parent + "/napkin-bench.XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw BenchError("no directory in \(parent): \(String(cString: strerror(errno)))")
        }
        let path = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
        defer { Directory.remove(path) }
        var disk = try FloorFile(path: path + "/floor")
        defer { disk.end() }
        var journals = [
            try Journal("machine", path: path + "/machine", .machine),
            try Journal("process", path: path + "/process", .process),
        ]
        var bare: BareStatement?
        if case .postgres(let database)? = LedgerBackend(ledger) {
            let store = PostgresStore(
                database: database, journal: "napkin-bench", file: path + "/postgres",
                address: "napkin-bench", durability: .machine)
            journals.append(try Journal("postgres", store, .machine))
            bare = try BareStatement(database)
        }
        let turns = max(count / 10 / Self.slice, 1)
        var floor = Report.histogram()
        for _ in 0..<turns {
            for _ in 0..<Self.slice { try disk.write(&floor) }
            for index in journals.indices {
                let slice = Self.slice * (journals[index].durability == .machine ? 1 : 10)
                for size in Self.sizes { try journals[index].commit(slice, of: size) }
            }
            for size in Self.sizes { try bare?.insert(Self.slice, of: size) }
        }
        var report = Report(workload: "store", processor: processor)
        report.add(floor, prefix: "floor_")
        for journal in journals { journal.add(to: &report, floor: floor) }
        bare?.add(to: &report)
        for index in journals.indices where journals[index].isFile {
            for _ in 0..<Self.checkpoints {
                try journals[index].fill(Self.commitsOfLog)
            }
            let milliseconds = journals[index].checkpoints.map { Double($0) / 1_000_000 }
            let name = journals[index].name
            report.add("\(name)_tidy_16_mib_ms", Report.median(milliseconds))
        }
        return [report]
    }

    /// A file whose blocks were written before, as those of the log.
    struct FloorFile {
        private let file: Int32
        private let block = [UInt8](repeating: 0x5A, count: StoreWorkload.floorBytes)
        private var next = 0
        private static let blocks = 4096

        init(path: String) throws {
            file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            for index in 0..<Self.blocks {
                let written = pwrite(file, block, block.count, off_t(index * block.count))
                guard written == block.count else { throw BenchError("cannot write \(path)") }
            }
            guard fsync(file) == 0 else { throw BenchError("cannot sync \(path)") }
        }

        mutating func write(_ histogram: inout Histogram<UInt32>) throws {
            let start = Placement.now()
            let written = pwrite(file, block, block.count, off_t(next * block.count))
            guard written == block.count, fdatasync(file) == 0 else {
                throw BenchError("the floor's file cannot be written")
            }
            histogram.record(Placement.now() - start)
            next = (next + 1) % Self.blocks
        }

        func end() { close(file) }
    }

    /// The same bytes in the same server, in a row that nobody fences.
    private struct BareStatement {
        private let connection: PostgresConnection
        private var histograms: [Int: Histogram<UInt32>] = [:]

        init(_ database: String) throws {
            connection = try PostgresConnection(database, path: "bare")
            try connection.run(
                "CREATE TABLE IF NOT EXISTS public.napkin_bench(bytes bytea); "
                    + "TRUNCATE public.napkin_bench; "
                    + "ALTER TABLE public.napkin_bench ALTER bytes SET STORAGE EXTERNAL")
        }

        mutating func insert(_ count: Int, of size: Int) throws {
            var histogram = histograms[size] ?? Report.histogram()
            let bytes = PostgresValue.bytes([UInt8](repeating: 0x5A, count: size))
            for _ in 0..<count {
                let start = Placement.now()
                _ = try connection.rows("INSERT INTO public.napkin_bench VALUES ($1)", [bytes])
                histogram.record(Placement.now() - start)
            }
            histograms[size] = histogram
        }

        func add(to report: inout Report) {
            for (size, histogram) in histograms.sorted(by: { $0.key < $1.key }) {
                report.add(histogram, prefix: "statement_\(size)_")
            }
        }
    }

    /// A store, the number of its newest group, and what its commits took.
    private struct Journal {
        let name: String
        let durability: Durability
        private let store: any JournalStore
        private var number: GroupNumber
        private var histograms: [Int: Histogram<UInt32>] = [:]
        private(set) var checkpoints: [UInt64] = []

        init(_ name: String, _ store: any JournalStore, _ durability: Durability) throws {
            (self.name, self.store, self.durability) = (name, store, durability)
            number = try store.open().newest
        }

        init(_ name: String, path: String, _ durability: Durability) throws {
            let store = SQLiteStore(path: path, durability: durability)
            try self.init(name, store, durability)
        }

        var isFile: Bool { store is SQLiteStore }

        private mutating func next(_ bytes: [UInt8]) -> JournalCommit {
            number += 1
            return JournalCommit(.init(number: number, bytes: bytes))
        }

        /// Removes all groups, and empties the log.
        private func tidy() throws {
            var trim = JournalCommit()
            trim.trimmed = number
            try store.commit(trim)
            try store.tidy()
        }

        mutating func commit(_ count: Int, of size: Int) throws {
            var histogram = histograms[size] ?? Report.histogram()
            let bytes = [UInt8](repeating: 0x5A, count: size)
            for index in 0..<count {
                if index % StoreWorkload.slice == 0 { try tidy() }
                let commit = next(bytes)
                let start = Placement.now()
                try store.commit(commit)
                histogram.record(Placement.now() - start)
            }
            histograms[size] = histogram
        }

        /// Fills the log, and times that it is emptied.
        mutating func fill(_ count: Int) throws {
            try tidy()
            let bytes = [UInt8](repeating: 0x5A, count: 8000)
            for _ in 0..<count { try store.commit(next(bytes)) }
            let start = Placement.now()
            try store.tidy()
            checkpoints.append(Placement.now() - start)
        }

        /// Adds percentiles, and how many floors they are.
        func add(to report: inout Report, floor: Histogram<UInt32>) {
            for (size, histogram) in histograms.sorted(by: { $0.key < $1.key }) {
                let name = "\(name)_\(size)"
                report.add(histogram, prefix: name + "_")
                for (field, percentile) in [("p50", 50.0), ("p99", 99)] {
                    let ratio =
                        Double(histogram.valueAtPercentile(percentile))
                        / Double(max(floor.valueAtPercentile(percentile), 1))
                    report.add("\(name)_ratio_\(field)", ratio)
                }
            }
        }
    }
}
