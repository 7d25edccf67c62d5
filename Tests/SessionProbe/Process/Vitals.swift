// Vitals: what the kernel says of a process.
//
// Layer      test executable.
// Isolation  value.
// Source     proc(5)

import Foundation

/// A process's memory and sockets.
struct Vitals: Equatable {
    var residentKiB: Int
    /// Open ones; the runtime opens others when it first needs them.
    var sockets: Int

    /// Throws when there is no such process.
    init(of pid: Int32) throws {
        guard let status = FileManager.default.contents(atPath: "/proc/\(pid)/status"),
            let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
                .first(where: { $0.hasPrefix("VmRSS:") }),
            let resident = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) })
        else { throw Violation("process \(pid) is not there any more") }
        residentKiB = resident
        let directory = "/proc/\(pid)/fd/"
        sockets = try FileManager.default.contentsOfDirectory(atPath: directory).count { number in
            // One that is closed while we look is none.
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: directory + number)
            return target?.hasPrefix("socket:") == true
        }
    }

    /// Processes whose command line contains each of `words`.
    static func processes(mentioning words: [String]) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init)
            .filter { pid in
                // One that ends while we look is not there any more.
                guard let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline")
                else { return false }
                let text = String(decoding: line, as: UTF8.self)
                return words.allSatisfy(text.contains)
            }
    }

    /// The processes that hold a lock on the file. Source: flock(2), proc_locks(5)
    static func holders(of path: String) throws -> [Int32] {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        guard let inode = attributes[.systemFileNumber] as? Int,
            let file = FileHandle(forReadingAtPath: "/proc/locks")
        else { throw Violation("the locks cannot be read") }
        // To the end: each read gives a page at most.
        var locks = Data()
        while let more = try file.read(upToCount: 65536), !more.isEmpty { locks += more }
        return String(decoding: locks, as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(where: { $0.hasSuffix(":\(inode)") }), place > 0
            else { return nil }
            return Int32(words[place - 1])
        }
    }
}
