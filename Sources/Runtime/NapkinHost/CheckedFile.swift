// CheckedFile: a file of settings or a manifest, read only if nobody else could have written it.

import Glibc

package struct CheckedFile {
    /// The size limit of a file, in bytes. Chosen: far more than a person writes.
    package static let bytesMax = 64 * 1024

    package let path: String
    /// Whether the file names programs: then it must not be a link or be writable by a group.
    private let startsPrograms: Bool
    /// The size limit of this file, in bytes.
    private let bytesMax: Int

    package init(path: String, startsPrograms: Bool = false, bytesMax: Int = Self.bytesMax) {
        self.path = path
        self.startsPrograms = startsPrograms
        self.bytesMax = bytesMax
    }

    /// Returns the text; `nil` if there is no such file.
    ///
    /// Errors: `EX_CONFIG` if it is not text, and the errors of `bytes()`.
    package func text() throws(StartError) -> String? {
        guard let bytes = try bytes() else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw error("it is not UTF-8 text")
        }
        return text
    }

    /// Returns the contents; `nil` if there is no such file.
    ///
    /// Errors: `EX_CONFIG` if it is not a regular file, is too large, cannot be read, or could have
    /// been written by somebody else.
    package func bytes() throws(StartError) -> [UInt8]? {
        // A pipe without a writer must not block the start.
        let descriptor = open(
            path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (startsPrograms ? O_NOFOLLOW : 0))
        guard descriptor >= 0 else {
            if errno == ELOOP, startsPrograms {
                throw error("it is a symbolic link: put the file itself here")
            }
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw systemError()
        }
        defer { close(descriptor) }
        let size = try check(descriptor)
        var bytes = [UInt8](repeating: 0, count: min(bytesMax, size) + 1)
        var count = 0
        while count < bytes.count {
            let length = bytes.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            guard length >= 0 else { throw systemError() }
            guard length > 0 else { break }
            count += length
        }
        guard count <= bytesMax else {
            throw error("it is larger than \(bytesMax) bytes, which is the limit")
        }
        return Array(bytes[..<count])
    }

    /// Returns the file's size.
    private func check(_ descriptor: Int32) throws(StartError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw systemError() }
        guard status.st_mode & S_IFMT == S_IFREG else { throw error("it is not a file") }
        guard [0, geteuid()].contains(status.st_uid) else {
            throw error("it belongs to user \(status.st_uid), not to you")
        }
        guard status.st_mode & 0o002 == 0 else {
            throw error("everybody may write to it: chmod o-w it")
        }
        guard !startsPrograms || status.st_mode & 0o020 == 0 else {
            throw error("its group may write to it: chmod g-w it")
        }
        return Int(status.st_size)
    }

    /// Returns an error that names the file.
    package func error(_ message: String) -> StartError {
        StartError(EX_CONFIG, "\(path): \(message)")
    }

    private func systemError() -> StartError {
        error(String(cString: strerror(errno)))
    }
}
