// TranscriptionWorker: the program that hosts Transcription's sessions; napkind starts it.

import NapkinWorker
import TranscriptionFeature

@main
enum TranscriptionWorker {
    static func main() { WorkerProgram.main(TranscriptionApp.self) }
}
