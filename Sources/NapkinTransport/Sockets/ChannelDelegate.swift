// ChannelDelegate: what a channel tells its user.
//
// Layer      transport, sockets.
// Isolation  @MainActor (loop thread): called from libuv's callbacks.

/// What a channel tells its user. Every method may call any method of the channel.
@MainActor
public protocol ChannelDelegate: AnyObject {
    /// Bytes arrived. They are borrowed for the duration of the call: the next read, of any
    /// channel, overwrites them.
    func channel(_ channel: Channel, didRead bytes: UnsafeRawBufferPointer)
    /// The peer has closed its output; ours still works. Nothing more will be read.
    func channelDidReachEnd(_ channel: Channel)
    /// `pendingBytes` has come down to 0 after the kernel had once not taken all.
    func channelDidDrain(_ channel: Channel)
    /// Reading or writing failed, and the channel has closed itself. Only `channelDidClose`
    /// follows.
    func channel(_ channel: Channel, didFailWith error: TransportError)
    /// The last call ever, exactly once, some time after `close()` or a failure.
    func channelDidClose(_ channel: Channel)
}
