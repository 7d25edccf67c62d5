// ConsoleWorker: hosts the shell.

import ConsoleCase
import NapkinWorker

@main
enum ConsoleWorker {
    static func main() { WorkerProgram.main(PaneApp.self) }
}
