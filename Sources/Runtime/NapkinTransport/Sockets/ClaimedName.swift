// ClaimedName: a name that one process of a user can hold at a time, outside any directory.
//
// Layer      transport, sockets. Plain system calls, no libuv.
// Ownership  the claim is a listening socket; its descriptor belongs to the caller, and closing it
//            frees the name. The kernel tells who holds it; the connections of those who have asked
//            stay in the socket's queue until the holder clears it.
// Source     unix(7), abstract sockets: they have no file, so nobody can remove one.

internal import Glibc

/// A user's claims to names.
///
/// Other users can claim the same name, and each network namespace has its own names: a claim
/// supplements a lock file, and replaces it only after the file has been removed.
package enum ClaimedName {
    /// Claims the name and returns the claim's descriptor; -1 if the name cannot be claimed.
    package static func claim(_ name: String) -> Int32 {
        do throws(TransportError) {
            return try LocalSocket.listen(atAbstract: address(of: name))
        } catch {
            return -1
        }
    }

    /// Drops the connections of processes that have asked who holds the name and know the answer:
    /// the kernel refuses further ones when the queue is full.
    package static func clear(_ claim: Int32) {
        for _ in 0...LocalSocket.questionsMax {
            let asked = accept(claim, nil, nil)
            guard asked >= 0 else { return }
            Glibc.close(asked)
        }
    }

    /// Returns the id of this user's process that holds the name; `nil` if none does.
    package static func holder(of name: String) -> Int32? {
        // Without a descriptor nothing can be learned, and the lock file decides.
        guard let descriptor = try? LocalSocket.open("claim", on: name) else { return nil }
        defer { Glibc.close(descriptor) }
        guard LocalSocket.connect(descriptor, toAbstract: address(of: name)) == 0,
            let peer = LocalSocket.peer(of: descriptor), peer.userID == geteuid()
        else { return nil }
        return peer.processID
    }

    /// Hashes the name (64-bit FNV-1a), as a path may be longer than a socket's address.
    private static func address(of name: String) -> String {
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return "napkin/\(geteuid())/" + String(hash, radix: 16)
    }
}
