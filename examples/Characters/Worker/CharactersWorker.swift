// CharactersWorker: the program that hosts Characters's sessions; napkind starts it.

import CharactersFeature
import NapkinWorker

@main
enum CharactersWorker {
    static func main() { WorkerProgram.main(CharactersApp.self) }
}
