// PeerCredentials: who is at the other end of a socket, as the kernel says.
//
// Layer      transport, sockets.
// Isolation  value.

internal import Glibc

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
    /// The peer of a connected socket that is no channel's; `nil` where the kernel does not say.
    public init?(of descriptor: Int32) {
        guard let peer = LocalSocket.peer(of: descriptor) else { return nil }
        self = peer
    }

    /// What a namespace shows of a user whom it does not map. Source: user_namespaces(7).
    static let unmappedUser: UInt32 = 65_534

    /// Whose process a peer is, in words, unless it is this user's: `user 7`. A peer of whom the
    /// kernel says nothing is a stranger, too.
    public static func stranger(_ peer: PeerCredentials?) -> String? {
        guard let peer else { return "a user whom the kernel does not tell" }
        guard peer.userID != geteuid() else { return nil }
        let isUnmapped = peer.userID == unmappedUser
        return "user \(peer.userID)"
            + (isUnmapped ? " (nobody, or one whom this namespace does not know)" : "")
    }
}
