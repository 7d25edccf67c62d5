// Vitals: what the kernel says of a process.
//
// Layer      test executable.
// Isolation  value.

import Glibc

/// A process's memory and descriptors.
struct Vitals: Equatable {
    var residentKiB: Int
    var descriptors: Int

    /// Throws when there is no such process.
    init(of pid: Int32) throws {
        guard let status = Self.text("/proc/\(pid)/status"),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let number = line.split(whereSeparator: { !$0.isNumber }).first,
            let resident = Int(number), let directory = opendir("/proc/\(pid)/fd")
        else { throw Violation(description: "process \(pid) is not there any more") }
        residentKiB = resident
        descriptors = 0
        while let entry = readdir(directory) {
            if entry.pointee.d_name.0 != UInt8(ascii: ".") { descriptors += 1 }
        }
        closedir(directory)
    }

    private static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
