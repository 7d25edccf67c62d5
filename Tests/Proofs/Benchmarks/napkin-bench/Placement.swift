// Placement: on which processors the processes run, and what they used of them.
//
// Source     sched_setaffinity(2); proc(5), schedstat

import CFloor
import Glibc

enum Placement {
    /// Puts this process, and those that it starts from now on, on one processor.
    static func pin(to cpu: Int) throws {
        let error = napkin_pin(Int32(clamping: cpu))
        guard error == 0 else {
            throw BenchError("cannot run on processor \(cpu): \(String(cString: strerror(error)))")
        }
    }

    /// Nanoseconds that all threads of the process have run.
    static func cpuNanoseconds(of pid: Int32) -> UInt64 {
        var total: UInt64 = 0
        for entry in Directory.entries(of: "/proc/\(pid)/task") {
            total += firstNumber(in: "/proc/\(pid)/task/\(entry.name)/schedstat")
        }
        return total
    }

    /// Memory of the process that is not swapped out. Source: proc(5), statm
    static func residentKiB(of pid: Int32) throws -> Int {
        guard let file = fopen("/proc/\(pid)/statm", "r") else {
            throw BenchError("process \(pid) no longer exists")
        }
        defer { fclose(file) }
        var pages: (Int, Int) = (0, 0)
        let read = withUnsafeMutablePointer(to: &pages) {
            $0.withMemoryRebound(to: Int.self, capacity: 2) { numbers in
                withVaList([numbers, numbers + 1]) { vfscanf(file, "%ld %ld", $0) }
            }
        }
        guard read == 2 else { throw BenchError("the memory of process \(pid) cannot be read") }
        return pages.1 * sysconf(Int32(_SC_PAGESIZE)) / 1024
    }

    /// The resident memory of a process in KiB that is no file's, as its program is.
    static func ownKiB(of pid: Int32) throws -> Int {
        guard let file = fopen("/proc/\(pid)/status", "r") else {
            throw BenchError("process \(pid) no longer exists")
        }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
            let words = text.split(whereSeparator: \.isWhitespace)
            if words.first == "RssAnon:", words.count > 1 { return Int(words[1]) ?? 0 }
        }
        throw BenchError("the kernel does not say what process \(pid) has of its own")
    }

    private static func firstNumber(in path: String) -> UInt64 {
        guard let file = fopen(path, "r") else { return 0 }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 128)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return 0 }
        return strtoull(buffer, nil, 10)
    }

    /// A monotonic time in nanoseconds.
    @inline(__always)
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
