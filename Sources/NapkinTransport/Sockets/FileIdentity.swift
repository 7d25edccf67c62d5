// FileIdentity: which file is at a path, whatever it is called.
//
// Layer      transport, sockets. Plain system calls, no libuv.
// Isolation  value.
// Source     stat(2): device and inode are a file's identity while somebody holds it.

internal import Glibc

/// Two identities are equal when they are those of one file.
///
/// Keep the file open, or the socket listening, for as long as its identity is compared: a number
/// that nobody holds is given to another file.
public struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// The file at `path`, a symbolic link itself; `nil` where there is none that we can see.
    public init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The file that is open; `nil` where the descriptor is not.
    public init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
