// StandardDescriptors: the descriptors that a program has open when it starts.
//
// Layer      transport, sockets. Plain system calls, no libuv.
// Isolation  main thread: called once, before there are other threads.
// Source     open(2): a new descriptor gets the lowest free number, even one from 0 to 2.

internal import Glibc

/// Descriptors 0 to 2, and the others that a program inherits.
package enum StandardDescriptors {
    /// Opens `/dev/null` in place of each of 0 to 2 that is closed. Otherwise a socket would get
    /// that number, and printed text would be sent to a peer; libuv never closes these descriptors.
    ///
    /// - Parameter writable: false for a program whose task is to print: if its output is closed,
    ///   writing then fails (`EBADF`) instead of seeming to succeed.
    package static func open(writable: Bool = true) {
        for standard in STDIN_FILENO...STDERR_FILENO where fcntl(standard, F_GETFD) < 0 {
            // open(2) returns the lowest free number, which is this one.
            _ = Glibc.open("/dev/null", writable ? O_RDWR : O_RDONLY)
        }
    }

    /// Returns the `errno` that keeps this process from opening so many more; 0 if it can.
    static func shortage(of count: Int) -> Int32 {
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        for _ in 0..<count {
            opened.append(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0))
            if opened.last == -1 { return errno }
        }
        return 0
    }

    /// Closes the other inherited descriptors except `kept`. Without /proc all stay open.
    package static func closeOthers(except kept: Set<Int32>) {
        let names = DirectoryNames.of("/proc/self/fd") ?? []
        for case let number? in names.map({ Int32($0) }) where number > STDERR_FILENO {
            // The descriptor of the directory itself is already closed.
            if !kept.contains(number) { close(number) }
        }
    }
}
