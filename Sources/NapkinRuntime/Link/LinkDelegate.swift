// LinkDelegate: what a link tells its owner.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread.
// Invariant  `linkEnded` is called exactly once, and nothing after it.

public import NapkinProtocol
public import NapkinTransport

/// Receives the events of a link.
@MainActor
public protocol LinkDelegate: AnyObject {
    /// Decides, for an acceptor, whether to admit a peer; a refusal turns the peer away.
    func link(_ link: Link, admits hello: Hello) -> Refusal?
    /// The handshake is complete; frames may be exchanged.
    func linkEstablished(_ link: Link)
    /// Bytes arrived. Each call of `next` handles one of their frames; false if there was none.
    /// Call it until then.
    func link(_ link: Link, reads next: () -> Bool)
    /// A frame arrived; `payload` is borrowed for the call.
    func link(_ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer)
    /// `requestFlush()` was called, and the tick's output is about to be written: the last chance
    /// to append to it.
    func linkWillFlush(_ link: Link)
    /// The kernel has taken all pending output, or has taken at once a burst that made the link
    /// slow.
    func linkDidDrain(_ link: Link)
    func linkEnded(_ link: Link, _ end: LinkEnd)
}

extension LinkDelegate {
    public func link(_ link: Link, admits hello: Hello) -> Refusal? { nil }
    public func link(_ link: Link, reads next: () -> Bool) { while next() {} }
    public func linkWillFlush(_ link: Link) {}
    public func linkDidDrain(_ link: Link) {}
}

extension Link {
    /// Takes over a connected channel and begins the handshake.
    public convenience init(
        channel: Channel, role: ConnectionStateMachine.Role, delegate: any LinkDelegate
    ) {
        self.init(channel: channel, role: role)
        start(delegate)
    }
}
