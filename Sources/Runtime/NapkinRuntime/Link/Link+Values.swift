// Link+Values: sends frames with encoded values, and handles frames that cannot be sent.

package import NapkinCoding
package import NapkinProtocol
import NapkinTransport

extension Link {
    /// Whether `count` bytes of encoded frames may be written to the channel now: no output is
    /// queued before them, and nothing holds them back.
    @inline(__always)
    func takesNow(_ count: Int) -> Bool {
        isOpen && output.count == 0 && !isHeld && channel.pendingBytes == 0
            && count <= outputLimit
    }

    /// Appends a frame with a value. If that fails, refuses the peer with the reason.
    package func send(_ header: FrameHeader, value: some DirectlyCodable) {
        sendOrRefuse(header) { (writer) throws(CBORError) in try writer.write(value) }
    }

    /// Appends a frame with a value of a type that is only `Codable`.
    @_disfavoredOverload
    package func send(_ header: FrameHeader, value: some Encodable) {
        sendOrRefuse(header) { (writer) throws(CBORError) in try writer.write(value) }
    }

    private func sendOrRefuse(
        _ header: FrameHeader, _ payload: (inout CBORWriter) throws(CBORError) -> Void
    ) {
        do {
            try send(header, payload)
        } catch {
            refuse(Refusal(.overloaded, error.detail))
        }
    }

    /// Returns whether the peer reads fast enough. Refuses a peer with too large a backlog, instead
    /// of buffering for it forever.
    package func keepsUp() -> Bool {
        if pendingBytes <= Limits.orderedBacklogBytesMax { return true }
        refuse(Refusal(.overloaded, "this side does not read what it is sent; connect again"))
        return false
    }
}
