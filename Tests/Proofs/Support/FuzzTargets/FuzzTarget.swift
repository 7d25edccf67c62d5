// FuzzTarget: what is fed with any bytes, and what must hold then.
//
// Layer      test support; built by the package, so that it stays compilable, and by
//            scripts/fuzz.sh together with libFuzzer.
// Isolation  @MainActor: what applies batches in a front is.
// Invariant  a target returns on any bytes; what it finds wrong is a failed precondition.

/// One decoder or machine, by the name of its corpus.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// A byte stream, whole and in pieces.
    case frames
    /// One CBOR item: skipped, described, transcoded, decoded to several types.
    case items
    /// Both roles of a handshake.
    case handshake
    /// One connection, of each kind and from either end, and what else happens to it.
    case connection
    /// The payloads that napkind, workers and fronts read of each other.
    case control
    /// What a front is shown: transitions and states, one after another.
    case batches
    /// What a page says to its server.
    case pages
    /// What a browser, or a stranger, asks a server of pages for.
    case doors
    /// What is asked for in memory while any of that is read.
    case sizes

    /// Feeds one input.
    @MainActor
    public func run(_ bytes: [UInt8]) {
        switch self {
        case .frames: FrameFuzz.run(bytes)
        case .items: ItemFuzz.run(bytes)
        case .handshake: HandshakeFuzz.run(bytes)
        case .connection: ConnectionFuzz.run(bytes)
        case .control: ControlFuzz.run(bytes)
        case .batches: BatchFuzz.run(bytes)
        case .pages: PageFuzz.run(bytes)
        case .doors: WebAccessFuzz.run(bytes)
        case .sizes: SizeFuzz.run(bytes)
        }
    }
}
