// DiskFiles: files of a directory on a disk, each written as a whole.
//
// Isolation  any thread: no state but the path.
// Invariant  a name that does not begin with `.` is that of a whole file: an unfinished file has
//            another name, and is renamed when it is complete.

import Glibc
import Synchronization

/// The file system of the machine.
package nonisolated struct DiskFiles: FileSystem {
    /// The prefix of unfinished files' names; the number of the process follows.
    static let unfinished = ".unfinished-"
    /// Bytes of a file that is read. Chosen: more than one file of a cache may have.
    private static let byteMax = 4_194_304
    /// The number of this process's newest unfinished file.
    private static let lastNumber = Atomic<UInt64>(0)

    package let directory: String

    /// - Parameter directory: created with its parents when the first file is written.
    package init(directory: String) {
        self.directory = directory
    }

    private func path(_ name: String) -> String { "\(directory)/\(name)" }

    /// Returns an error that says what went wrong, and where.
    private func error(_ what: String, _ name: String) -> FileError {
        FileError("cannot \(what) \(path(name)): \(String(cString: strerror(errno)))")
    }

    package nonisolated func read(_ name: String) throws(FileError) -> [UInt8]? {
        let descriptor = open(path(name), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw error("open", name)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw error("open", name) }
        guard status.st_size <= Self.byteMax else { throw FileError("\(path(name)) is too long") }
        // A file never changes once it has its name, so its size stays the same.
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done)
            }
            if count == 0 { return Array(bytes[..<done]) }
            if count > 0 { done += count } else if errno != EINTR { throw error("read", name) }
        }
        return bytes
    }

    package nonisolated func write(
        _ bytes: [UInt8], to name: String, at use: Int64
    ) throws(FileError) {
        let number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        let unfinished = "\(Self.unfinished)\(getpid())-\(number)"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        var descriptor = open(path(unfinished), flags, 0o600)
        if descriptor < 0, errno == ENOENT {
            makeDirectory()
            descriptor = open(path(unfinished), flags, 0o600)
        }
        guard descriptor >= 0 else { throw error("write", name) }
        do throws(FileError) {
            do throws(FileError) {
                try fill(descriptor, bytes, name)
            } catch {
                close(descriptor)
                throw error
            }
            guard close(descriptor) == 0 else { throw error("write", name) }
            try touch(unfinished, at: use)
            guard rename(path(unfinished), path(name)) == 0 else { throw error("write", name) }
        } catch {
            unlink(path(unfinished))
            throw error
        }
    }

    private func fill(
        _ descriptor: Int32, _ bytes: [UInt8], _ name: String
    ) throws(FileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw error("write", name)
            }
        }
    }

    private func makeDirectory() {
        var path = ""
        for part in directory.split(separator: "/") {
            path += "/\(part)"
            // An existing directory is not an error, and the next open reports one that cannot be
            // created.
            _ = mkdir(path, 0o700)
        }
    }

    package nonisolated func touch(_ name: String, at use: Int64) throws(FileError) {
        let time = timespec(
            tv_sec: Int(use / 1_000_000_000), tv_nsec: Int(use % 1_000_000_000))
        let status = withUnsafePointer(to: (time, time)) {
            $0.withMemoryRebound(to: timespec.self, capacity: 2) {
                utimensat(AT_FDCWD, path(name), $0, 0)
            }
        }
        guard status == 0 || errno == ENOENT else { throw error("touch", name) }
    }

    package nonisolated func remove(_ name: String) throws(FileError) {
        guard unlink(path(name)) == 0 || errno == ENOENT else { throw error("remove", name) }
    }

    package nonisolated func files() throws(FileError) -> [StoredFile] {
        var files: [StoredFile] = []
        for name in try names() where !name.hasPrefix(".") {
            var status = stat()
            // A file that has gone meanwhile is not there.
            guard lstat(path(name), &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                continue
            }
            files.append(
                StoredFile(
                    name: name, byteCount: Int(status.st_size),
                    lastUse: Int64(status.st_mtim.tv_sec) * 1_000_000_000
                        + Int64(status.st_mtim.tv_nsec)))
        }
        return files
    }

    private func names() throws(FileError) -> [String] {
        guard let list = opendir(directory) else {
            if errno == ENOENT { return [] }
            throw error("list", "")
        }
        defer { closedir(list) }
        var names: [String] = []
        while let entry = Glibc.readdir(list) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }

    /// Removes the files of processes that have died while writing.
    package nonisolated func removeUnfinished() throws(FileError) {
        for name in try names() where name.hasPrefix(Self.unfinished) {
            let rest = name.dropFirst(Self.unfinished.count)
            guard let pid = rest.split(separator: "-").first.flatMap({ Int32($0) }) else {
                continue
            }
            if pid != getpid(), kill(pid, 0) != 0, errno == ESRCH { try remove(name) }
        }
    }
}
