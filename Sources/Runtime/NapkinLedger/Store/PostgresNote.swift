// PostgresNote: a machine's knowledge of a journal that a database keeps.
//
// Ownership  owns the descriptor of its file.
// Invariant  written after each commit, so that no process's death can undo it; a file that is cut
//            off or altered counts as missing.
// Spec       Protocol/LEDGER.md, "PostgreSQL"

import Glibc

/// This machine's newest commit, in a file beside the path that a journal's file would have.
final class PostgresNote {
    /// Identifies this state directory among all that use the database.
    let machine: String
    /// The newest epoch and group; 0 before the first.
    private(set) var epoch, newest: UInt64
    /// Whether others may have committed since.
    private var isReleased: Bool
    private let path: String
    private let descriptor: Int32

    private static let magic: UInt64 = 0x314F_4E47_504B_4E00
    /// The bit of the epoch's word that says that the journal was released.
    private static let releasedBit: UInt64 = 1 << 63

    static func path(of journal: String) -> String { journal + "-postgres" }

    /// Reads the note, or begins one.
    init(of journal: String) throws(StoreError) {
        path = Self.path(of: journal)
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        self.descriptor = descriptor
        guard descriptor >= 0 else { throw StoreFile.failed(path, "opening it") }
        var words = [UInt64](repeating: 0, count: 5)
        let count = words.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw StoreFile.failed(path, "reading it") }
        let checksum = CRC32C.of(numbers: words[..<4])
        let isWhole = count == 40 && words[0] == Self.magic && words[4] == checksum
        let number = isWhole ? words[1] : .random(in: 1 ... .max)
        machine = String(number, radix: 16)
        (epoch, newest) = isWhole ? (words[2] & ~Self.releasedBit, words[3]) : (0, 0)
        isReleased = isWhole && words[2] & Self.releasedBit != 0
        if !isWhole { try write(epoch: 0, newest: 0) }
    }

    deinit { close(descriptor) }

    func write(
        epoch: UInt64, newest: UInt64, isReleased: Bool = false
    ) throws(StoreError) {
        let released = isReleased ? Self.releasedBit : 0
        var words = [Self.magic, UInt64(machine, radix: 16) ?? 0, epoch | released, newest]
        words.append(CRC32C.of(numbers: words))
        guard words.withUnsafeBytes({ pwrite(descriptor, $0.baseAddress, $0.count, 0) }) == 40
        else {
            throw StoreFile.failed(path, "writing it")
        }
        (self.epoch, self.newest, self.isReleased) = (epoch, newest, isReleased)
    }

    /// Others may commit from now on.
    func release() throws(StoreError) { try write(epoch: epoch, newest: newest, isReleased: true) }

    /// An opening has raised the epoch; if it ends before it has read the journal, the next opening
    /// knows the epoch as well.
    func follow(to epoch: UInt64) throws(StoreError) {
        guard self.epoch == epoch - 1 else { return }
        try write(epoch: epoch, newest: newest, isReleased: isReleased)
    }

    /// Removes the note, since nothing is stored.
    func remove() { StoreFile.remove(path) }

    /// Whether a store has everything that was committed to it, as far as can be known.
    ///
    /// - Parameters:
    ///   - epoch: the epoch with which it was opened, after `follow`; `newest` is its newest group.
    ///   - isSame: whether it is the database in which the journal was last opened.
    func isContinued(by epoch: UInt64, _ newest: UInt64, isSame: Bool) -> Bool {
        // It is older than what this machine has seen.
        guard self.epoch <= epoch else { return false }
        guard self.epoch == epoch else { return isSame }
        // If others may have committed meanwhile, only the database knows whether it is whole.
        return newest >= self.newest && (isSame || !isReleased)
    }
}

/// The cluster that a state directory belongs to.
enum PostgresCluster {
    private static let bytesMax = 256

    /// Joins the cluster; refuses one that differs from the cluster joined before.
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
            // One call, so that two workers write the same bytes.
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
