// ChannelDelegate: receives the events of a channel.
//
// Isolation  @MainActor (loop thread): called from libuv's callbacks.

/// Receives the events of a channel. Every method may call any method of the channel.
@MainActor
package protocol ChannelDelegate: AnyObject {
    /// Bytes arrived. They are borrowed for the duration of the call: the next read, of any
    /// channel, overwrites them.
    func channel(_ channel: Channel, didRead bytes: UnsafeRawBufferPointer)
    /// The peer has closed its output; ours still works. Nothing more will be read.
    func channelDidReachEnd(_ channel: Channel)
    /// `pendingBytes` has returned to 0 after the kernel had not taken everything at once.
    func channelDidDrain(_ channel: Channel)
    /// Reading or writing failed, and the channel has closed itself. Only `channelDidClose`
    /// follows.
    func channel(_ channel: Channel, didFailWith error: TransportError)
    /// The last call, made exactly once, some time after `close()` or a failure.
    func channelDidClose(_ channel: Channel)
}
