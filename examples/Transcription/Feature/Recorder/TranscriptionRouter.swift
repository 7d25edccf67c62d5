// TranscriptionRouter: the recorder, and the stream that it reads.

import NapkinCore
import TranscriptionContract

/// Where the recorder can go.
@MainActor
protocol TranscriptionRouting: LaunchRouting {
    /// Returns when the stream has opened its source, or has failed to.
    func routeToStream() async
    func routeFromStream() async
}

@MainActor
final class TranscriptionRouter: LaunchRouter<TranscriptionInteractor, Transcription>,
    TranscriptionRouting
{
    private let stream = ChildRoute<TranscriptionRouter, Stream>(
        "stream", StreamBuilder.self, isolation: .process
    ) { router in router.interactor }

    func routeToStream() async { await attach(stream) }

    func routeFromStream() async { await detach(stream) }
}
