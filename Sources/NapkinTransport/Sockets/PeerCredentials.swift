// PeerCredentials: who is at the other end of a socket, as the kernel says.
//
// Layer      transport, sockets.
// Isolation  value.

/// The process at the other end when the connection was made. Source: unix(7), SO_PEERCRED.
///
/// For who accepted: the process that connected. For who connected: the process that called
/// listen(2), which may have handed the socket to another (napkind to its worker).
///
/// The kernel vouches for these: unlike anything the peer sends, they cannot be forged. The
/// process may be gone by now, and its number used by another.
public struct PeerCredentials: Sendable, Equatable {
    public let processID: Int32
    public let userID: UInt32
    public let groupID: UInt32
}

extension PeerCredentials {
    /// Of a connected socket that is no channel's; `nil` where the kernel does not say.
    public init?(of descriptor: Int32) {
        guard let peer = LocalSocket.peer(of: descriptor) else { return nil }
        self = peer
    }
}
