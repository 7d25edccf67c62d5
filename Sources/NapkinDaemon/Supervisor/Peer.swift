// Peer: who may connect.
//
// Layer      daemon.
// Isolation  @MainActor.

import Glibc
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

extension Link {
    /// A refusal for a peer that is not a process of this user; the kernel says whose it is.
    func refusalForStrangers(at server: String) -> Refusal? {
        guard let peer, peer.userID != getuid() else { return nil }
        return Refusal(
            .notPermitted,
            "\(server) belongs to user \(getuid()); a process of user \(peer.userID) may not "
                + "connect. Start a napkind of your own")
    }
}
