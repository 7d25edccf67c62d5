// SeatReader: reads the frames of a front's connection to a worker.
//
// Ownership  kept by its link until the link has ended or belongs to another reader. It is
//            immutable, so that no frame costs a retain.

import NapkinCore
import NapkinProtocol

/// Reads one connection of a front for its seat.
@MainActor
final class SeatReader: MessageSource, LinkReader {
    private let seat: FrontSeat
    private let link: Link
    private let pool = IncomingCall.handlers

    init(_ seat: FrontSeat, _ link: Link) {
        self.seat = seat
        self.link = link
    }

    func linkHasRead(_ link: Link) { pool.drain(self) }

    override func nextMessage() -> ReceivedMessage? {
        seat.newestHandled()
        while let frame = link.nextFrame(for: self) {
            if let message = seat.received(frame, on: link) { return message }
        }
        return nil
    }

    func linkWillFlush(_ link: Link) { seat.linkWillFlush() }

    func linkMayWrite(_ link: Link) { seat.linkMayWrite(link) }

    func linkDidDrain(_ link: Link) { seat.flush() }

    func linkEnded(_ link: Link, _ end: ConnectionEnd) { seat.linkEnded(link) }
}
