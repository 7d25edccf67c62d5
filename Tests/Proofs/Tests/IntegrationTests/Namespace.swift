// Namespace: what tests may do that need file systems of their own.

import Foundation

enum Namespace {
    /// Whether this user may have file systems of its own.
    static let canMount: Bool = {
        let unshare = Process()
        unshare.executableURL = URL(filePath: "/usr/bin/unshare")
        unshare.arguments = ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/tmp"]
        do {
            try unshare.run()
        } catch {
            return false
        }
        unshare.waitUntilExit()
        return unshare.terminationStatus == 0
    }()

    /// Whether this user may mount a file system that a process serves, for all to see.
    static let hasFUSE: Bool = {
        let device = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        if device >= 0 { close(device) }
        return device >= 0 && getuid() == 0 && canMount
    }()
}
