// TranscriptionViews: registers the view of the recorder in a front.

import NapkinElements
public import NapkinFront
import TranscriptionContract

/// The views of the transcription.
public enum TranscriptionViews {
    public static func register(in registry: ViewRegistry) {
        registry.register(Transcription.self, TranscriptionPresenter.init) {
            TranscriptionScreen(presenter: $0)
        }
    }
}
