// StoreFile: checks, creates and replaces a store's files on disk, and makes room for the log.
//
// Layer      ledger. Plain system calls.
// Isolation  any thread; blocks.
// Invariant  never opens a database file that is in use: closing it would release SQLite's locks.

import Glibc
import NapkinTransport

enum StoreFile {
    /// Bytes of a page. Source: `page_size` of StoreFormat.
    private static let pageBytes = 4096

    /// Creates the file if there is none, readable only by its owner. An existing file, and its
    /// log, must belong to this user, and nobody else may write to them.
    static func claim(_ path: String) throws(StoreError) {
        guard path.hasPrefix("/") else {
            throw StoreError(.failed, path: path, "the path of a store begins with /")
        }
        let log = try size(of: log(of: path))
        guard let size = try size(of: path) else {
            guard log ?? 0 == 0 else { throw missing(path) }
            remove(rollback(of: path))
            // Before the file is created: if there is one, the directories have been synced.
            try syncDirectories(above: path)
            try create(path)
            return try syncDirectory(of: path)
        }
        // SQLite deletes the log of an empty database; ours has one only after the first commit.
        guard size > 0 || log ?? 0 == 0 else { throw missing(path) }
        if size <= pageBytes, log ?? 0 == 0, try self.size(of: rollback(of: path)) != nil {
            // A power cut left a file that was being created: whatever was committed is in the log.
            remove(path)
            remove(rollback(of: path))
            try create(path)
            return try syncDirectory(of: path)
        }
        // SQLite takes a file of one byte for an empty one; the smallest that it writes has 512.
        guard size == 0 || size >= 512 else {
            throw StoreError(.damaged, path: path, "it is cut off after \(size) bytes")
        }
    }

    private static func missing(_ path: String) -> StoreError {
        StoreError(
            .damaged, path: path,
            "the database is missing or empty, but its log is there: put the database back, or "
                + "move \(log(of: path)) away to begin anew")
    }

    static func log(of path: String) -> String { path + "-wal" }

    /// The name of SQLite's rollback journal while it creates a database: it writes the first page
    /// before there is a log.
    private static func rollback(of path: String) -> String { path + "-journal" }

    /// Returns the size of a file that can be trusted; `nil` if there is none.
    static func size(of path: String) throws(StoreError) -> Int? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw failed(path, "lstat")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(.failed, path: path, "it is not a file")
        }
        guard status.st_uid == geteuid() else {
            throw StoreError(.failed, path: path, "it belongs to another user")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw StoreError(.failed, path: path, "others may write to it; chmod go-w")
        }
        return Int(status.st_size)
    }

    /// Creates an empty file. Throws `exists` if there is one.
    static func create(_ path: String) throws(StoreError) {
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            if errno == EEXIST { throw StoreError(.exists, path: path, "it exists") }
            throw failed(path, "creating it")
        }
        close(file)
    }

    /// Removes a file that need not be there.
    static func remove(_ path: String) { unlink(path) }

    /// Writes zeros after the log's end until the log has `bytes` bytes, and returns its size then:
    /// it is smaller if there is no more room.
    ///
    /// SQLite ignores everything after the newest commit, and overwrites it: "A frame is considered
    /// valid if and only if … the salt-1 and salt-2 values … match" (fileformat2.html, section
    /// 4.1). Space that was only allocated would be marked as written at each sync.
    static func growLog(
        of path: String, to bytes: Int, isSynced: Bool
    ) throws(StoreError) -> Int {
        let log = log(of: path)
        let file = open(log, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw failed(log, "opening it") }
        defer { close(file) }
        var end = Int(lseek(file, 0, SEEK_END))
        let zeros = [UInt8](repeating: 0, count: 256 * 1024)
        while end < bytes {
            let count = pwrite(file, zeros, min(zeros.count, bytes - end), off_t(end))
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == ENOSPC || errno == EDQUOT { break }
            guard count > 0 else { throw failed(log, "growing it") }
            end += count
        }
        if isSynced {
            guard fdatasync(file) == 0 else { throw unsynced(log) }
            // SQLite has created the log, and ignores whether its name could be synced.
            try syncDirectory(of: log)
        }
        return end
    }

    /// Cuts off the log's end, which no commit uses: after a power cut it may exist again.
    static func cutLog(of path: String, to bytes: Int) throws(StoreError) {
        let log = log(of: path)
        guard truncate(log, off_t(bytes)) == 0 else { throw failed(log, "cutting it") }
    }

    /// Copies a file that SQLite has open; the caller reads its bytes.
    static func copy(
        _ path: String, to copy: String,
        reading bytes: (_ offset: Int, _ count: Int) throws(StoreError) -> [UInt8]
    ) throws(StoreError) {
        let size = try size(of: path) ?? 0
        let temporary = copy + ".partial"
        remove(temporary)
        try create(temporary)
        defer { remove(temporary) }
        let file = open(temporary, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw failed(temporary, "opening it") }
        defer { close(file) }
        for offset in stride(from: 0, to: size, by: 1 << 20) {
            let piece = try bytes(offset, min(1 << 20, size - offset))
            guard write(file, piece, piece.count) == piece.count else {
                throw failed(temporary, "writing it")
            }
        }
        try publish(temporary, as: copy)
    }

    /// Syncs a file that nobody has open, gives it its name, and syncs the directory. Throws
    /// `exists` if there is a file of that name.
    static func publish(_ temporary: String, as path: String) throws(StoreError) {
        try sync(temporary, O_NOFOLLOW)
        guard link(temporary, path) == 0 else {
            if errno == EEXIST { throw StoreError(.exists, path: path, "it exists") }
            throw failed(path, "linking it")
        }
        try syncDirectory(of: path)
    }

    /// Syncs a file that nobody has open, and gives it the name of a store whose files are gone.
    static func substitute(_ temporary: String, for path: String) throws(StoreError) {
        try sync(temporary, O_NOFOLLOW)
        // The log beside it belongs to the lost file.
        remove(log(of: path))
        guard rename(temporary, path) == 0 else { throw failed(path, "renaming a copy to it") }
        try syncDirectory(of: path)
    }

    private static func sync(_ path: String, _ flags: Int32) throws(StoreError) {
        guard WholeFile.sync(path, flags) else { throw unsynced(path) }
    }

    /// Creates the missing directories above a file.
    static func makeDirectories(above path: String) {
        let directory = WholeFile.directory(of: path)
        guard directory != "/", access(directory, F_OK) != 0 else { return }
        makeDirectories(above: directory)
        // If it cannot be created, creating the file reports the reason.
        mkdir(directory, 0o700)
    }

    /// Syncs those directories above a file that this user may have just created.
    private static func syncDirectories(above path: String) throws(StoreError) {
        var directory = WholeFile.directory(of: path)
        while directory != "/", access(WholeFile.directory(of: directory), R_OK | W_OK) == 0 {
            try syncDirectory(of: directory)
            directory = WholeFile.directory(of: directory)
        }
    }

    static func syncDirectory(of path: String) throws(StoreError) {
        try sync(WholeFile.directory(of: path), O_DIRECTORY)
    }

    /// Data whose sync has failed may be gone, even if the reason was a lack of room.
    private static func unsynced(_ path: String) -> StoreError {
        StoreError(.failed, path: path, "syncing it: \(String(cString: strerror(errno)))")
    }

    static func failed(_ path: String, _ doing: String) -> StoreError {
        let number = errno
        let code: StoreError.Code = number == ENOSPC || number == EDQUOT ? .full : .failed
        return StoreError(code, path: path, "\(doing): \(String(cString: strerror(number)))")
    }
}
