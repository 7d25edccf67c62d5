// Limits: every fixed bound of the protocol, with its unit and its reason.
//
// Layer      sans-I/O core. No sockets, clocks, locks, tasks or logging here.
// Isolation  value.
// Spec       Protocol/SPEC.md, section 12 (Limits)

/// The protocol's bounds. Chosen unless the comment says measured.
public enum Limits {
    /// Bytes of one frame after its length field. Large enough for the snapshot of a session with
    /// thousands of nodes, small enough that a hostile length cannot exhaust memory.
    public static let frameBytesMax = 16 * 1024 * 1024

    /// Bytes of one message: a value that an app presents, sends, asks or answers. What one frame
    /// carries beside its header.
    public static let messageBytesMax = frameBytesMax + 4 - FrameHeader.byteCount

    /// Bytes of a feature's arguments, which every front gets with the mount: a view is told what
    /// it is about by them, and shown the rest as states.
    public static let argumentsBytesMax = 1024 * 1024

    /// Bytes past which a transition goes on in another frame. Small beside a frame, so that an
    /// operation with the largest arguments and states fits as well.
    public static let transitionPartBytesMax = 1024 * 1024

    /// Bytes of states that go with a mount. Larger ones follow as frames of their own, so that
    /// no transition outgrows its frame, whatever a feature presents.
    public static let mountStatesBytesMax = 256 * 1024

    /// Bytes of a transition in all its parts: a front keeps them until the last one is there.
    public static let transitionBytesMax = 256 * 1024 * 1024

    /// Bytes of an error's text, or of another sentence of an author's: a person reads it.
    public static let textBytesMax = 4096

    /// Bytes of a refusal's text. A refusal must fit a frame of the handshake, too.
    public static let refusalBytesMax = 1024

    /// Bytes of a peer's text that are echoed in a sentence about it.
    public static let echoBytesMax = 64

    /// Seconds within which a frame that has begun to arrive must be there.
    public static let unfinishedSeconds = 10

    /// Bytes of unfinished frames in one process, past which the oldest is given up with its
    /// connection: four full ones.
    public static let unfinishedBytesMax = 4 * frameBytesMax

    /// The share of one peer process in that: others go on when one announces what never comes.
    public static let unfinishedPeerBytesMax = 2 * frameBytesMax

    /// Bytes of one frame before the handshake is done: a stranger gets this much and no more.
    public static let handshakeFrameBytesMax = 4 * 1024

    /// Bytes of one frame after its length field where one side is napkind, which passes on what
    /// others say: a peer makes it keep this much and no more.
    public static let controlFrameBytesMax = 64 * 1024

    /// Bytes of one piece of an answer: a control frame with its header, and some to spare.
    public static let answerPieceBytes = 60 * 1024

    /// Pieces that are kept at one worker until they are fetched, one for each long answer. Past
    /// it the oldest is forgotten.
    public static let answersUnfetchedMax = 64

    /// Bytes of those answers. Past it the oldest is forgotten.
    public static let answersUnfetchedBytesMax = 32 * 1024 * 1024

    /// Seconds for which the rest of an answer is kept. Whoever wants it fetches it at once.
    public static let answerSeconds = 5

    /// Events that a front may have outstanding. Past it `await` waits in the front.
    public static let eventWindow = 1024

    /// Effects that wait for one slow front. Past it they are dropped and counted.
    public static let effectQueueMax = 1024

    /// Bytes of those effects. One that is larger waits alone.
    public static let effectQueueBytesMax = 8 * 1024 * 1024

    /// Bytes of the events that one front has outstanding. Past it an event is refused; a larger
    /// one runs alone.
    public static let eventWindowBytesMax = 64 * 1024 * 1024

    /// Questions of one session that wait for an answer, and their bytes: fronts that come later
    /// are asked what is still open.
    public static let asksMax = 1024
    public static let askBytesMax = 32 * 1024 * 1024

    /// Bytes handed to the socket and not yet taken by the kernel, past which a front counts as
    /// slow: its states coalesce and its effects queue.
    public static let slowFrontBytes = 256 * 1024

    /// Bytes from which on a state may be sent as a delta. Below, sending the whole costs less time
    /// than finding the difference (measured: some microseconds for 1 KiB), and a worker need not
    /// know what each front has.
    public static let deltaStateBytesMin = 1024

    /// Bytes of frames that must be delivered (replies, transitions, asks) and that wait for one
    /// slow front. Past it the front is disconnected; it may attach again.
    public static let orderedBacklogBytesMax = 32 * 1024 * 1024

    /// Bytes of an app's, session's or client's name.
    public static let nameBytesMax = 128

    /// Seconds for which a ticket is good.
    public static let ticketSeconds = 10

    /// Seconds within which a new connection must have sent its first frame.
    public static let handshakeSeconds = 5

    /// Seconds within which a front whose ticket was good must have attached.
    public static let attachSeconds = 5

    /// Bytes of the contract that a front describes on request. A schema has some hundred bytes for
    /// each method and type.
    public static let contractBytesMax = 1024 * 1024

    /// Seconds within which a front must have described its contract.
    public static let contractSeconds = 5

    /// Queries and opens of one process that napkind works on at a time, over all of its
    /// connections. Tools ask one after another.
    public static let requestsMax = 256

    /// Tickets outstanding at one worker.
    public static let ticketsMax = 4096

    /// Tickets outstanding of one process that has asked for them. It goes to use each at once.
    public static let ticketsPerProcessMax = 256

    /// Seconds for which napkind keeps the name of a session that was opened and that nobody has
    /// attached to: a ticket's life, and what an attach may take.
    public static let nameReservationSeconds = 30

    /// Names that a mistyped one is compared with.
    public static let suggestionsMax = 1000

    /// Answers that a worker keeps for one front until their arrival is confirmed. Past it the
    /// oldest is forgotten: two windows, so that a front that confirms as it should loses none.
    public static let answersKeptMax = 2 * eventWindow

    /// Bytes of those answers. Past it the oldest is forgotten.
    public static let answersKeptBytesMax = 1024 * 1024

    /// Answers after which a front confirms their arrival. Seldom enough to cost nothing, often
    /// enough to keep the worker's memory small.
    public static let answersPerConfirmation = 32

    /// Seconds for which a worker keeps the record of a front whose connection was lost. Long
    /// enough for a worker's restart with every back-off, short enough for what it costs.
    public static let departedFrontSeconds = 60

    /// Records of such fronts that a session keeps. Past it the one that left first is forgotten.
    public static let departedFrontsMax = 64

    /// Handlers of a session that run for fronts that it has forgotten. Past it no new front is
    /// attached: four windows, so that it takes more than one front that leaves.
    public static let forgottenEventsMax = 4 * eventWindow

    /// Bytes of a URL that a front has opened. What browsers take, too.
    public static let urlBytesMax = 8192

    /// Workflows that one front has under way. People open links one after another.
    public static let workflowsMax = 16

    /// Requests of napkind that one worker has not answered. Past it the next is refused.
    public static let controlRequestsMax = 4096

    /// Seconds for which crossings are measured, or a tracer's messages kept, after somebody has
    /// asked for them. Longer than a tool takes to ask again; short, for it costs time.
    public static let inspectionSeconds = 5

    /// Seconds after which a query that waits for something is answered without it.
    public static let inspectionHoldSeconds = 2

    /// Milliseconds between two looks at a tree that is watched, where the query names none.
    public static let watchMilliseconds: UInt32 = 100

    /// Milliseconds that fronts have to say what they have measured. A front answers at once.
    public static let measuredMilliseconds = 200

    /// Crossings that are measured, of one session and by one front. An app has some dozen; each
    /// takes up to 5 KiB.
    public static let crossingsMax = 512

    /// Tools that trace one session at a time.
    public static let tracersMax = 8

    /// Messages kept for one tracer until it fetches them. Past it they are dropped and counted.
    public static let traceMessagesMax = 4096

    /// Bytes of the values of those messages.
    public static let traceBytesMax = 1024 * 1024

    /// Bytes of a value that a tracer is shown; of a larger one only its size.
    public static let traceValueBytesMax = 64 * 1024
}
