// TranscriptionViews: registers the view of the recorder in a front.
//
// Layer      example, front.
// Isolation  @MainActor.

public import NapkinFront
import TranscriptionContract

/// The terminal views of the transcription.
public enum TranscriptionViews {
    public static func register(in registry: ViewRegistry) {
        registry.register(Transcription.self) { TranscriptionView(listener: $0.listener) }
    }
}
