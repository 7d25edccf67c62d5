// FrontReader: reads the frames of a front's connection; its session decides what they mean.
//
// Ownership  kept by its link until the link has ended. It is immutable, so that no frame costs a
//            retain (decision 12).

import NapkinCore
import NapkinProtocol

/// Reads one connection of a front.
@MainActor
final class FrontReader: MessageSource, LinkReader {
    private let session: FrontSession
    private let link: Link
    private let delegate: any FrontSessionDelegate
    private let pool = IncomingCall.handlers

    init(_ session: FrontSession, _ link: Link, _ delegate: any FrontSessionDelegate) {
        self.session = session
        self.link = link
        self.delegate = delegate
    }

    func linkEstablished(_ link: Link) { session.machine.worker = link.welcome?.pid ?? 0 }

    func linkHasRead(_ link: Link) { pool.drain(self) }

    override func nextMessage() -> ReceivedMessage? {
        while true {
            delegate.sessionHasPresented(session)
            guard let frame = link.nextFrame(for: self) else { return nil }
            if let message = session.received(frame, on: link, for: delegate) { return message }
        }
    }

    func linkWillFlush(_ link: Link) { session.linkWillFlush() }

    func linkEnded(_ link: Link, _ end: ConnectionEnd) { session.linkEnded(link, end) }
}
