// SampleWorker: the program that hosts the app's sessions; napkind starts it.

import NapkinWorker
import SampleFeature

@main
enum SampleWorker {
    static func main() { WorkerProgram.main(SampleApp.self) }
}
