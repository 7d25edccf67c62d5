// ExecutableFile: tells whether a file can be started as a program, and its linker's build id.
//
// Source     elf(5): the note NT_GNU_BUILD_ID

internal import Glibc

package enum ExecutableFile {
    /// Returns why the program cannot be started; `nil` if it can.
    package static func objection(to path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return "its program \(path) cannot be started: \(String(cString: strerror(errno)))"
        }
        guard status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else {
            return "its program \(path) is not an executable file"
        }
        return nil
    }
}

/// Reads the build id of a file.
package enum BuildID {
    /// Bytes at the file's beginning that are read. Chosen: the notes follow the program's headers.
    private static let bytesMax = 64 * 1024
    private static let (magic, loadNote, buildID): (UInt32, UInt32, UInt32) = (0x464C_457F, 4, 3)

    /// Returns the build id in hex; `nil` if the file has none, or is no 64-bit program.
    package static func of(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let bytes = [UInt8](unsafeUninitializedCapacity: bytesMax) { buffer, count in
            count = max(0, read(file, buffer.baseAddress, buffer.count))
        }
        return bytes.withUnsafeBytes(find)
    }

    private static func find(in file: UnsafeRawBufferPointer) -> String? {
        func number<T: FixedWidthInteger>(_ offset: Int, as: T.Type = T.self) -> T? {
            guard offset >= 0, offset <= file.count - MemoryLayout<T>.size else { return nil }
            return T(littleEndian: file.loadUnaligned(fromByteOffset: offset, as: T.self))
        }
        guard number(0) == magic, number(4, as: UInt8.self) == 2,
            let table = number(32, as: UInt64.self), let size = number(54, as: UInt16.self),
            let count = number(56, as: UInt16.self), table < UInt64(file.count)
        else { return nil }
        // A program has some ten.
        for index in 0..<min(Int(count), 64) {
            let header = Int(table) + index * Int(size)
            guard number(header) == loadNote, let start = number(header + 8, as: UInt64.self),
                let length = number(header + 32, as: UInt64.self), start < UInt64(file.count),
                length <= UInt64(file.count) - start
            else { continue }
            var note = Int(start)
            while let name = number(note, as: UInt32.self),
                let body = number(note + 4, as: UInt32.self),
                let kind = number(note + 8, as: UInt32.self), note < Int(start + length)
            {
                let first = note + 12 + (Int(name) + 3) / 4 * 4
                let end = first + Int(body)
                guard end <= file.count else { break }
                if kind == buildID, name == 4 {
                    return file[first..<end].map { $0.digits(2, radix: 16) }.joined()
                }
                note = first + (Int(body) + 3) / 4 * 4
            }
        }
        return nil
    }
}
