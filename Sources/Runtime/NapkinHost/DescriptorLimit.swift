// DescriptorLimit: the limit for the number of sockets of one of our processes.
//
// Source     getrlimit(2)

import Glibc

/// Each front takes one descriptor in its worker, and for a moment one in napkind.
package enum DescriptorLimit {
    /// Raises the soft limit to the hard one: the usual soft limit of 1024 is meant for programs
    /// that use select(2), which ours do not. Workers inherit it. If it cannot be raised,
    /// connections beyond it are closed.
    static func raise() {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
    }

    /// The number of descriptors that this process may have; `nil` while it may open another.
    package static var reached: Int? {
        let another = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
        guard another < 0 else {
            close(another)
            return nil
        }
        var limit = rlimit()
        guard errno == EMFILE,
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        else { return nil }
        return Int(clamping: limit.rlim_cur)
    }
}
