// ActivatedSocket: a listening socket handed over by systemd.
//
// Source     sd_listen_fds(3)

import Glibc

package enum ActivatedSocket {
    /// The first descriptor that systemd passes.
    private static let firstDescriptor: Int32 = 3

    /// The socket, if one was passed to this very process.
    package static var descriptor: Int32? {
        guard let pid = getenv("LISTEN_PID"), Int32(String(cString: pid)) == getpid(),
            let count = getenv("LISTEN_FDS"), (Int(String(cString: count)) ?? 0) >= 1
        else { return nil }
        return firstDescriptor
    }
}
