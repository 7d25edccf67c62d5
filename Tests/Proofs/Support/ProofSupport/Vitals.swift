// Vitals: what the kernel says of a process.
//
// Source     proc(5)

import CProofs
import Foundation

/// A process's memory, descriptors and sockets.
package struct Vitals: Equatable, Sendable {
    package var residentKiB: Int
    package var descriptors: Int
    /// Open ones; the runtime opens others when it first needs them.
    package var sockets: Int

    /// Throws when there is no such process.
    package init(of pid: Int32) throws {
        guard let status = FileManager.default.contents(atPath: "/proc/\(pid)/status"),
            let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
                .first(where: { $0.hasPrefix("VmRSS:") }),
            let resident = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) })
        else { throw Failure("process \(pid) no longer exists") }
        residentKiB = resident
        let directory = "/proc/\(pid)/fd/"
        let numbers = try FileManager.default.contentsOfDirectory(atPath: directory)
        descriptors = numbers.count
        sockets = numbers.count { number in
            // One that is closed while we look is none.
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: directory + number)
            return target?.hasPrefix("socket:") == true
        }
    }

    /// Processes whose command line contains each of `words`.
    package static func processes(mentioning words: String...) -> [Int32] {
        // A process that ends while we look is not there any more.
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap(Int32.init).filter { pid in
            guard let line = commandLine(of: pid) else { return false }
            let text = String(decoding: line, as: UTF8.self)
            return words.allSatisfy(text.contains)
        }
    }

    /// A process that is just being replaced by its program has one, and for a moment no words.
    /// Zombies and threads of the kernel never have a program.
    /// The living processes that a process has started.
    package static func children(of parent: Int32) -> [Int32] {
        let path = "/proc/\(parent)/task/\(parent)/children"
        // One that has ended has none.
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: " ").compactMap { Int32($0) }.filter { !hasEnded($0) }
    }

    private static func commandLine(of pid: Int32) -> Data? {
        let path = "/proc/\(pid)/"
        // Chosen: a busy machine has read a program long before; who never has words is not waited
        // for.
        let end = ContinuousClock.now + .milliseconds(500)
        while true {
            guard let line = FileManager.default.contents(atPath: path + "cmdline") else {
                return nil
            }
            // One that we may not look into is none of ours.
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: path + "exe")
            if !line.isEmpty || program == nil || .now > end { return line }
        }
    }

    /// Returns when the process has ended as a whole: with it its files are closed and its locks
    /// are given up, which its command line and its memory do not wait for.
    package static func end(of pid: Int32) async throws {
        let descriptor = napkin_process_end(pid)
        if descriptor < 0, errno == ESRCH { return }
        try Failure.unless(descriptor >= 0, "process \(pid) cannot be waited for: errno \(errno)")
        let hasEnded = Watched(false)
        let end = DispatchSource.makeReadSource(fileDescriptor: descriptor)
        end.setEventHandler {
            hasEnded.change { $0 = true }
            end.cancel()
        }
        end.setCancelHandler { close(descriptor) }
        end.resume()
        defer { end.cancel() }
        try Failure.unless(await hasEnded.wait { $0 }, "process \(pid) does not end")
    }

    /// Whether the process has ended as a whole; `end(of:)` waits for that.
    package static func hasEnded(_ pid: Int32) -> Bool {
        let descriptor = napkin_process_end(pid)
        if descriptor < 0 { return errno == ESRCH }
        defer { close(descriptor) }
        var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&end, 1, 0) == 1
    }

    /// The processes that hold a lock on the file. Source: flock(2), proc_locks(5)
    package static func holders(of path: String) throws -> [Int32] {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        guard let inode = attributes[.systemFileNumber] as? Int,
            let file = FileHandle(forReadingAtPath: "/proc/locks")
        else { throw Failure("the locks cannot be read") }
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

/// The bytes of its heap that a process uses, where it serves them.
package enum Scale {
    /// Has a daemon of that directory, and its workers, serve theirs. Their threads keep nothing
    /// that was freed: the C library counts what it holds for a thread as used. Source: mallinfo(3)
    package static func environment(in directory: String) -> [String: String] {
        [
            "NAPKIN_SCALE": directory + "/scale",
            "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
        ]
    }

    /// Bytes of the heap that a process of the workplace's daemon uses, its own or a worker's.
    package static func heapBytes(of process: Int32, in place: Workplace) throws -> Int {
        let bytes = napkin_scale_read(place.directory + "/scale", process)
        try Failure.unless(bytes >= 0, "the process \(process) has no scale")
        return Int(bytes)
    }
}
