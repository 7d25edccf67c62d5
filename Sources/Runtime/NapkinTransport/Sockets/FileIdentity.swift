// FileIdentity: identifies a file, whatever its path.
//
// Layer      transport, sockets. Plain system calls, no libuv.
// Source     stat(2): device and inode identify a file while somebody holds it.

internal import Glibc

/// The identity of a file. Two identities are equal if they belong to the same file.
///
/// Keep the file open, or the socket listening, while its identity is compared: the kernel gives
/// the number of a file that nobody holds to another file.
package struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Identifies the file at `path`, or a symbolic link itself; `nil` if we can see none there.
    package init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Identifies the file to which `path` leads, over symbolic links; `nil` if it leads to none.
    package init?(behind path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Identifies an open file; `nil` if the descriptor is not open.
    package init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
