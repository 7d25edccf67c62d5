// LinkDelegate: receives a link's events on behalf of its owner.
//
// Invariant  `linkEnded` is called exactly once, and nothing after it.

package import NapkinProtocol
package import NapkinTransport

/// Receives the events of a link, and reads its frames.
@MainActor
package protocol LinkReader: AnyObject {
    /// Decides, for an acceptor, whether to admit a peer; a refusal turns the peer away.
    func link(_ link: Link, admits hello: Hello) -> Refusal?
    /// The handshake is complete; frames may be exchanged.
    func linkEstablished(_ link: Link)
    /// Bytes arrived: read their frames with ``Link/nextFrame(for:)``, until it returns `nil`.
    func linkHasRead(_ link: Link)
    /// `requestFlush()` was called, and the turn's output is about to be written: the last chance
    /// to append to it.
    func linkWillFlush(_ link: Link)
    /// The output of a held link may be written, as much as may be sent.
    func linkMayWrite(_ link: Link)
    /// The kernel has accepted all pending output, or has accepted at once a burst that made the
    /// link slow.
    func linkDidDrain(_ link: Link)
    func linkEnded(_ link: Link, _ end: ConnectionEnd)
}

extension LinkReader {
    package func link(_ link: Link, admits hello: Hello) -> Refusal? { nil }
    package func linkEstablished(_ link: Link) {}
    package func linkWillFlush(_ link: Link) {}
    package func linkMayWrite(_ link: Link) {}
    package func linkDidDrain(_ link: Link) {}
}

/// A reader that handles each frame as it arrives.
@MainActor
package protocol LinkDelegate: LinkReader {
    /// A frame arrived; `payload` is borrowed for the call.
    func link(_ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer)
}

extension LinkDelegate {
    package func linkHasRead(_ link: Link) {
        while let frame = link.nextFrame(for: self) {
            self.link(link, received: frame.header, frame.payload)
        }
    }
}

extension Link {
    /// Wraps a connected channel and begins the handshake.
    package convenience init(
        channel: Channel, role: ConnectionStateMachine.Role, delegate: any LinkReader
    ) {
        self.init(channel: channel, role: role)
        start(delegate)
    }
}
