// RibHouseWorker: the program that hosts Rib House's sessions; napkind starts it.

import NapkinWorker
import RibHouseFeature

@main
enum RibHouseWorker {
    static func main() { WorkerProgram.main(RibHouse.self) }
}
