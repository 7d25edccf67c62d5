// Limits: every fixed bound of the protocol, with its unit and its reason.
//
// Spec       Protocol/SPEC.md, section 12 (Limits)

/// Bytes of a frame's header, and of its length field, which does not count itself.
public enum HeaderBytes {
    public static let all = 28
    public static let length = 4
}

/// The protocol's limits. A number is chosen unless its comment says that it was measured.
public enum Limits {
    /// Bytes of one frame after its length field: enough for the snapshot of a session with
    /// thousands of nodes, and few enough that a hostile length cannot exhaust memory.
    public static let frameBytesMax = 16 * 1024 * 1024

    /// Bytes of one message, that is, of a value that an app presents, sends, asks or answers: the
    /// largest frame less its header.
    public static let messageBytesMax = frameBytesMax + HeaderBytes.length - HeaderBytes.all

    /// Bytes of a feature's arguments, which every front receives with the mount. Arguments name a
    /// view's subject; all other data reaches it as states.
    public static let argumentsBytesMax = 1024 * 1024

    /// Bytes after which a transition continues in another frame: few compared with a frame, so
    /// that an operation with the largest arguments and states still fits.
    public static let transitionPartBytesMax = 1024 * 1024

    /// Bytes of the states that travel with a mount. Larger states follow in separate frames, so
    /// that no transition outgrows its frame, whatever a feature presents.
    public static let mountStatesBytesMax = 256 * 1024

    /// Bytes of a transition in all its parts, which a front keeps until the last one has arrived.
    public static let transitionBytesMax = 256 * 1024 * 1024

    /// Bytes of an error's text, or of another sentence that an app's author wrote for people.
    public static let textBytesMax = 4096

    /// Bytes of an encoded error; a larger error crosses only as its text.
    public static let errorBytesMax = 64 * 1024

    /// Bytes of a refusal's text. A refusal must also fit into a frame of the handshake.
    public static let refusalBytesMax = 1024

    /// Bytes of a peer's text that a sentence about it echoes.
    public static let echoBytesMax = 64

    /// Seconds within which a frame that has begun to arrive must be complete.
    public static let unfinishedSeconds = 10

    /// Bytes of unfinished frames in one process: four full ones. Beyond it, the oldest frame is
    /// given up, and its connection is closed.
    public static let unfinishedBytesMax = 4 * frameBytesMax

    /// Bytes of unfinished frames from one peer process. Other peers can continue when one
    /// announces frames that never come.
    public static let unfinishedPeerBytesMax = 2 * frameBytesMax

    /// Bytes of one frame before the handshake is done: all that a stranger may send.
    public static let handshakeFrameBytesMax = 4 * 1024

    /// Bytes of one frame after its length field if one side is napkind, which relays messages
    /// between others: no peer can make it keep more.
    public static let controlFrameBytesMax = 64 * 1024

    /// Bytes of one piece of an answer, chosen so that it fits into a control frame with its
    /// header.
    public static let answerPieceBytes = 60 * 1024

    /// Remainders of long answers that one worker keeps until they are fetched, one for each
    /// answer. Beyond it, the oldest is forgotten.
    public static let answersUnfetchedMax = 64

    /// Bytes of these remainders. Beyond it, the oldest is forgotten.
    public static let answersUnfetchedBytesMax = 32 * 1024 * 1024

    /// Seconds for which an answer's remainder is kept. A client that wants it fetches it at once.
    public static let answerSeconds = 5

    /// Events that a front may have outstanding. Beyond it, `await` waits in the front.
    public static let eventWindow = 1024

    /// Effects that wait for one slow front. Beyond it, they are dropped and counted.
    public static let effectQueueMax = 1024

    /// Bytes of these effects. A larger effect waits alone.
    public static let effectQueueBytesMax = 8 * 1024 * 1024

    /// Items of a log sent to a front when it attaches or reads, and their bytes; one item alone
    /// may have more. A few screens of text.
    public static let logTailMax = 1000
    public static let logTailBytesMax = 256 * 1024

    /// Bytes of one log that wait for one front. Beyond it, a slow front skips the oldest items: it
    /// should see the newest ones, and may read the others.
    public static let logBacklogBytesMax = 1024 * 1024

    /// Bytes of items in one frame; one item alone may have more.
    public static let logFrameBytes = 64 * 1024

    /// Logs for which a returning front states its position. It is sent the tails of others.
    public static let logPositionsMax = 4096

    /// Bytes of the events that one front has outstanding. Beyond it, an event is refused; a larger
    /// one runs alone.
    public static let eventWindowBytesMax = 64 * 1024 * 1024

    /// Unanswered questions of one session, and their bytes. They are kept because fronts that
    /// attach later are asked as well.
    public static let asksMax = 1024
    public static let askBytesMax = 32 * 1024 * 1024

    /// Bytes handed to the socket and not yet taken by the kernel. Beyond it, a front counts as
    /// slow: its states coalesce and its effects queue.
    public static let slowFrontBytes = 256 * 1024

    /// Bytes from which on a state may be sent as a delta. For smaller states, sending the whole
    /// takes less time than finding the difference (measured: some microseconds for 1 KiB), and a
    /// worker need not track each front's copy.
    public static let deltaStateBytesMin = 1024

    /// Bytes of frames that must be delivered (replies, transitions, asks) and wait for one slow
    /// front. Beyond it, the front is disconnected; it may attach again.
    public static let orderedBacklogBytesMax = 32 * 1024 * 1024

    /// Bytes of the name of an app, a session or a client.
    public static let nameBytesMax = 128

    /// Seconds for which a ticket is valid.
    public static let ticketSeconds = 10

    /// Seconds within which a new connection must have sent its first frame.
    public static let handshakeSeconds = 5

    /// Seconds within which a front with a valid ticket must have attached.
    public static let attachSeconds = 5

    /// Bytes of the contract that a front describes on request. A schema has some hundred bytes for
    /// each method and type.
    public static let contractBytesMax = 1024 * 1024

    /// Seconds within which a front must have described its contract.
    public static let contractSeconds = 5

    /// Queries and opens that napkind handles concurrently for one process, over all of the
    /// process's connections. Tools send one after another.
    public static let requestsMax = 256

    /// Outstanding tickets of one worker.
    public static let ticketsMax = 4096

    /// Outstanding tickets requested by one process. A process uses each of them at once.
    public static let ticketsPerProcessMax = 256

    /// Seconds for which napkind keeps the name of a session that was opened but never attached to:
    /// a ticket's life, and the time that an attach may take.
    public static let nameReservationSeconds = 30

    /// Names compared with a mistyped one.
    public static let suggestionsMax = 1000

    /// Answers that a worker keeps for one front until their arrival is confirmed: two windows, so
    /// that a front that confirms on time loses none. Beyond it, the oldest is forgotten.
    public static let answersKeptMax = 2 * eventWindow

    /// Bytes of these answers. Beyond it, the oldest is forgotten.
    public static let answersKeptBytesMax = 1024 * 1024

    /// Answers after which a front confirms their arrival: rarely enough to cost nothing, and often
    /// enough to keep the worker's memory small.
    public static let answersPerConfirmation = 32

    /// Seconds for which a worker keeps the record of a front whose connection was lost: enough for
    /// a worker's restart with every back-off, and few enough for the memory that a record takes.
    public static let departedFrontSeconds = 60

    /// Consecutive deaths of the worker during one event after which the event is not sent again:
    /// one death may be chance, and each interrupts everybody else in the worker.
    public static let deathsInRowMax = 3

    /// Seconds of serving a front after which a worker's death no longer counts with earlier ones:
    /// few events are under way for that long.
    public static let deathsApartSeconds = 60

    /// How long a suspect event waits for the other fronts of a worker that died. Chosen: they come
    /// back after 0, 50 and 200 ms.
    public static let suspectMilliseconds = 500

    /// Records of departed fronts that a session keeps. Beyond it, the front that left first is
    /// forgotten.
    public static let departedFrontsMax = 64

    /// Handlers of a session that run for forgotten fronts: four windows, so that one departing
    /// front cannot reach it. Beyond it, no new front is attached.
    public static let forgottenEventsMax = 4 * eventWindow

    /// Bytes of a URL that a front opens: as many as browsers accept.
    public static let urlBytesMax = 8192

    /// Workflows of one front under way at a time. People open links one after another.
    public static let workflowsMax = 16

    /// Requests from napkind that one worker has not answered. Beyond it, the next is refused.
    public static let controlRequestsMax = 4096

    /// Seconds for which crossings are measured, or a tracer's messages kept, after the last
    /// request: more than a tool needs to ask again, and few because measuring costs time.
    public static let inspectionSeconds = 5

    /// Seconds after which a query that waits for a change is answered without one.
    public static let inspectionHoldSeconds = 2

    /// Milliseconds between two samples of a watched tree, if the query names no interval.
    public static let watchMilliseconds: UInt32 = 100

    /// Milliseconds within which fronts must report their measurements. A front answers at once.
    public static let measuredMilliseconds = 200

    /// Crossings measured in one session or by one front. An app has a few dozen; each takes up to
    /// 5 KiB.
    public static let crossingsMax = 512

    /// Tools that may trace one session at a time.
    public static let tracersMax = 8

    /// Messages kept for one tracer until it fetches them. Beyond it, they are dropped and counted.
    public static let traceMessagesMax = 4096

    /// Bytes of the values in these messages.
    public static let traceBytesMax = 1024 * 1024

    /// Bytes of a value shown to a tracer. For a larger value, it learns only the size.
    public static let traceValueBytesMax = 64 * 1024
}

extension String {
    /// Returns the text itself, or its first characters and an ellipsis: at most `bytesMax` bytes
    /// of UTF-8, three of them for the ellipsis.
    ///
    /// Use it for text that is echoed, shown to a person or logged: a peer chooses its length.
    package func shortened(to bytesMax: Int) -> String {
        guard utf8.count > bytesMax else { return self }
        var end = utf8.index(startIndex, offsetBy: max(0, bytesMax - 3))
        // Back to the beginning of a scalar: half of one would be repaired into three bytes.
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end]) + "…"
    }
}
