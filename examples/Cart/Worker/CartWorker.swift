// CartWorker: the program that hosts Cart's sessions; napkind starts it.

import CartFeature
import NapkinWorker

@main
enum CartWorker {
    static func main() { WorkerProgram.main(CartApp.self) }
}
