// TranscriptionError: why a take cannot go on, in words for the person at a front.
//
// Layer      feature.
// Isolation  value.

/// What the recorder's events throw, and what its status says when a take ends before its time.
enum TranscriptionError: Error, Equatable, CustomStringConvertible {
    case cannotOpen(String, String)
    case cannotRead(String)
    /// A line from a front, while no take is running that hears fronts.
    case notListening
    /// Another transcript, while one is being read.
    case isRecording
    /// A line from a front.
    case malformed(TranscriptLine.Malformed)

    var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "cannot open \(path): \(reason)"
        case .cannotRead(let reason): "cannot read on: \(reason)"
        case .notListening: "nobody listens: record without a transcript first"
        case .isRecording: "a take is running: stop it first"
        case .malformed(let why): "the line is malformed: \(why)"
        }
    }
}
