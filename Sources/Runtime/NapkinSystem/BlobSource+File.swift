// BlobSource+File: offers a file to fronts.
//
// Isolation  any thread: reads happen where the source reads.
// Ownership  the source keeps the file open, and closes it when it is released.
// Source     pread(2)

import Glibc
public import NapkinCore
public import NapkinTransport

extension BlobSource {
    /// Offers a file with its current size. The file stays open even if it is renamed or removed;
    /// bytes that are appended later are not part of the blob.
    ///
    /// - Parameter path: a regular file.
    /// - Throws: `ENOENT`, `EACCES` and the other errors of open(2); `EINVAL` if it is no regular
    ///   file. If the file is truncated, reading the removed bytes fails.
    public convenience init(file path: String) throws(TransportError) {
        let file = try OpenFile(path)
        self.init(byteCount: file.byteCount) { range throws(TransportError) in
            try file.bytes(in: range)
        }
    }
}

/// A file open for reading.
private final class OpenFile: Sendable {
    let byteCount: UInt64
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(TransportError) {
        self.path = path
        // Without O_NONBLOCK, opening a FIFO would wait for a writer.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system("open", path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw TransportError(
                code: "EINVAL", operation: "open", subject: path,
                message: "it is not a regular file")
        }
        byteCount = UInt64(status.st_size)
    }

    deinit { close(descriptor) }

    func bytes(in range: Range<UInt64>) throws(TransportError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var count = 0
        while count < bytes.count {
            let offset = off_t(range.lowerBound) + off_t(count)
            let read = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count, offset)
            }
            if read < 0, errno == EINTR { continue }
            guard read > 0 else {
                if read < 0 { throw .system("read", path) }
                throw TransportError(
                    code: "EIO", operation: "read", subject: path,
                    message: "it has become shorter while it was read")
            }
            count += read
        }
        return bytes
    }
}
