// PostgresNote: what a machine knows of a journal that a database keeps.
//
// Ownership  owns the descriptor of its file.
// Invariant  written after each commit, so that no process's death takes it back; a file that is
//            cut off or altered counts as missing.
// Spec       Protocol/LEDGER.md, "PostgreSQL"

import Glibc

/// The newest commit of this machine, beside the path where a file of the journal would be.
final class PostgresNote {
    /// This state directory, among all that use the database.
    let machine: String
    /// The newest epoch and group; 0 before the first.
    private(set) var epoch, newest: UInt64
    private let path: String
    private let descriptor: Int32

    private static let magic: UInt64 = 0x314F_4E47_504B_4E00

    static func path(of journal: String) -> String { journal + "-postgres" }

    /// Reads the note, or begins one.
    init(of journal: String) throws(StoreError) {
        path = Self.path(of: journal)
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        self.descriptor = descriptor
        guard descriptor >= 0 else { throw StoreFile.failed(path, "opening it") }
        var words = [UInt64](repeating: 0, count: 5)
        let count = words.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        let isWhole = count == 40 && words[0] == Self.magic && words[4] == Self.checksum(words)
        let number = isWhole ? words[1] : .random(in: 1 ... .max)
        machine = String(number, radix: 16)
        (epoch, newest) = isWhole ? (words[2], words[3]) : (0, 0)
        if !isWhole { try write(epoch: 0, newest: 0) }
    }

    deinit { close(descriptor) }

    func write(epoch: UInt64, newest: UInt64) throws(StoreError) {
        var words = [Self.magic, UInt64(machine, radix: 16) ?? 0, epoch, newest, 0]
        words[4] = Self.checksum(words)
        guard words.withUnsafeBytes({ pwrite(descriptor, $0.baseAddress, $0.count, 0) }) == 40
        else {
            throw StoreFile.failed(path, "writing it")
        }
        (self.epoch, self.newest) = (epoch, newest)
    }

    /// Removes it, as nothing is stored.
    func remove() { StoreFile.remove(path) }

    private static func checksum(_ words: [UInt64]) -> UInt64 {
        var checksum = CRC32C()
        for word in words.prefix(4) { checksum.add(word) }
        return UInt64(checksum.value)
    }

    /// Whether a store has all that this machine has committed to it, as far as can be seen.
    ///
    /// - Parameters:
    ///   - epoch: the newest epoch before the store was opened; `newest` is its newest group.
    ///   - isSame: whether it is the database in which the journal was last opened.
    func isContinued(by epoch: UInt64, _ newest: UInt64, isSame: Bool) -> Bool {
        if self.epoch == epoch { return newest >= self.newest }
        // Others have had it meanwhile: only the database itself says whether it is whole.
        return isSame && self.epoch < epoch
    }
}

/// The cluster that a state directory belongs to.
enum PostgresCluster {
    private static let bytesMax = 256

    /// Joins the cluster, or refuses another one than before.
    static func check(_ cluster: String, joinedIn directory: String, _ path: String)
        throws(StoreError)
    {
        let file = directory + "/cluster"
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StoreFile.failed(file, "opening it") }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw StoreFile.failed(file, "reading it") }
        let known = String(decoding: bytes.prefix(count), as: UTF8.self)
        let line = cluster + "\n"
        if known.isEmpty {
            // One call, so that two workers write the same.
            guard pwrite(descriptor, Array(line.utf8), line.utf8.count, 0) == line.utf8.count else {
                throw StoreFile.failed(file, "writing it")
            }
        } else if known != line {
            throw StoreError(
                .failed, path: path,
                "it belongs to the cluster \(cluster), and this machine to "
                    + "\(known.split(separator: "\n").first ?? ""), as \(file) says; remove that "
                    + "file if the machine is to change")
        }
    }
}
