// DeskWorker: the program that hosts Desk's sessions; napkind starts it.

import DeskFeature
import NapkinWorker

@main
enum DeskWorker {
    static func main() { WorkerProgram.main(DeskApp.self) }
}
