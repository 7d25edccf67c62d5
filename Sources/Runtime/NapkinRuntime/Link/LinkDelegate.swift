// LinkDelegate: what a link tells its owner.
//
// Invariant  `linkEnded` is called exactly once, and nothing after it.

package import NapkinProtocol
package import NapkinTransport

/// Receives the events of a link, and takes its frames.
@MainActor
package protocol LinkReader: AnyObject {
    /// Decides, for an acceptor, whether to admit a peer; a refusal turns the peer away.
    func link(_ link: Link, admits hello: Hello) -> Refusal?
    /// The handshake is complete; frames may be exchanged.
    func linkEstablished(_ link: Link)
    /// Bytes arrived: take their frames by ``Link/nextFrame(for:)``, until there is none.
    func linkHasRead(_ link: Link)
    /// `requestFlush()` was called, and the tick's output is about to be written: the last chance
    /// to append to it.
    func linkWillFlush(_ link: Link)
    /// The output of a link that is gated may be written, as far as it may leave.
    func linkMayWrite(_ link: Link)
    /// The kernel has taken all pending output, or has taken at once a burst that made the link
    /// slow.
    func linkDidDrain(_ link: Link)
    func linkEnded(_ link: Link, _ end: LinkEnd)
}

extension LinkReader {
    package func link(_ link: Link, admits hello: Hello) -> Refusal? { nil }
    package func linkWillFlush(_ link: Link) {}
    package func linkMayWrite(_ link: Link) {}
    package func linkDidDrain(_ link: Link) {}
}

/// A reader that handles each frame when it has arrived.
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
    /// Takes over a connected channel and begins the handshake.
    package convenience init(
        channel: Channel, role: ConnectionStateMachine.Role, delegate: any LinkReader
    ) {
        self.init(channel: channel, role: role)
        start(delegate)
    }
}
