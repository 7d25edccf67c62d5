// TillWorker: the till's worker, as a program that a manifest names.
//
// Layer      test executable.
// Isolation  none of its own.

import NapkinDaemon
import StartCase

@main
enum TillWorker {
    static func main() { WorkerProgram.main(StartApps.till) }
}
