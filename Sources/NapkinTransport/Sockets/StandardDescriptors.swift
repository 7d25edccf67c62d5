// StandardDescriptors: what a program of ours has open when it begins.
//
// Layer      transport, sockets. Plain system calls, no libuv.
// Isolation  none of its own: called once, before there are other threads.
// Source     open(2): the lowest free number is given, 0 to 2 among them.

internal import Glibc

/// Descriptors 0 to 2, and those that a program was started with.
public enum StandardDescriptors {
    /// Opens `/dev/null` in the place of each of 0 to 2 that is closed. Otherwise a socket would
    /// get that number, and what is printed would be sent to a peer; libuv never closes those.
    ///
    /// - Parameter writable: false for who prints what was asked for: whoever has closed the output
    ///   is told that it cannot be written (`EBADF`), and not that all went well.
    public static func open(writable: Bool = true) {
        for standard in STDIN_FILENO...STDERR_FILENO where fcntl(standard, F_GETFD) < 0 {
            // The lowest free number, and so this one.
            _ = Glibc.open("/dev/null", writable ? O_RDWR : O_RDONLY)
        }
    }

    /// Closes what else the process was started with, but not `kept`. Without /proc all stay open.
    public static func closeOthers(except kept: Set<Int32>) {
        guard let directory = opendir("/proc/self/fd") else { return }
        defer { closedir(directory) }
        var inherited: [Int32] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let number = Int32(name), number > STDERR_FILENO { inherited.append(number) }
        }
        for number in inherited where number != dirfd(directory) && !kept.contains(number) {
            close(number)
        }
    }
}
