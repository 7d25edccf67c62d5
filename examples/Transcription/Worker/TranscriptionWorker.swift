// TranscriptionWorker: the program that hosts Transcription's sessions; napkind starts it.
//
// Layer      composition root.
// Isolation  none of its own.

import NapkinWorker
import TranscriptionFeature

@main
enum TranscriptionWorker {
    static func main() { WorkerProgram.main(TranscriptionApp.self) }
}
