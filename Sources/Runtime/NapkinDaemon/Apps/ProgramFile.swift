// ProgramFile: a program's file and arguments, compared to notice when either has changed.
//
// Source     stat(2), proc(5): /proc/PID/exe leads to the running file, whatever its name is now

import Glibc
import NapkinProtocol
import NapkinTransport

/// A program as of a certain time.
struct ProgramFile: Equatable {
    private let program: AppManifest.Program
    private let limits: AppLimits?
    private let hangSeconds: Int
    private let stamp: [Int]

    /// Reads the identity of the worker's file; `nil` if there is none.
    init?(of manifest: AppManifest) {
        program = manifest.worker
        (limits, hangSeconds) = (manifest.limits, manifest.hangSeconds)
        guard let stamp = Self.stamp(of: program.path) else { return nil }
        self.stamp = stamp
    }

    /// Returns whether that process, whose start nobody has observed, runs an older file of this
    /// program; `nil` if it runs an interpreter or another program.
    func isNewer(thanThatOf pid: Int32) -> Bool? {
        guard let running = Self.stamp(of: "/proc/\(pid)/exe") else { return nil }
        if running == stamp { return false }
        guard let path = ProcessStatus.program(of: pid), let real = realpath(program.path, nil)
        else { return nil }
        defer { free(real) }
        let former = path.hasSuffix(" (deleted)") ? String(path.dropLast(10)) : path
        return former == program.path || former == String(cString: real) ? true : nil
    }

    private static func stamp(of path: String) -> [Int]? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return [
            Int(truncatingIfNeeded: status.st_dev), Int(truncatingIfNeeded: status.st_ino),
            Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
        ]
    }
}
