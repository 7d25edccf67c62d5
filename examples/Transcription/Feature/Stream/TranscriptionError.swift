// TranscriptionError: why a take cannot continue, in words for the person at a front.

/// The errors that the recorder's events throw, and that its status shows when a take ends early.
enum TranscriptionError: Error, Equatable, CustomStringConvertible {
    case cannotOpen(String, String)
    /// The stream says why it cannot be read.
    case unreadable(String)
    case cannotRead(String)
    /// A front sent a line while no take was running that accepts them.
    case notListening
    /// Another transcript was chosen while one is being read.
    case isRecording
    /// A line from a front is malformed.
    case malformed(TranscriptLine.Malformed)

    var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "cannot open \(path): \(reason)"
        case .unreadable(let reason): reason
        case .cannotRead(let reason): "cannot continue reading: \(reason)"
        case .notListening: "nobody listens: record without a transcript first"
        case .isRecording: "a take is running: stop it first"
        case .malformed(let why): "the line is malformed: \(why)"
        }
    }
}
