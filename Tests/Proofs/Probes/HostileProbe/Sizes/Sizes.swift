// Sizes: frames at their limits, frames that are announced and do not come, and names of any kind.
//
// Spec       Protocol/SPEC.md, sections 5 (Framing) and 12 (Limits)

import ArgumentParser
import Glibc
import NapkinProtocol
import ProofSupport

/// What the sizes are tried with.
enum SizePart: String, CaseIterable, ExpressibleByArgument {
    case door, worker, unfinished, names, races
}

struct Sizes: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sizes",
        abstract: "Sends what is too large, too long, announced only, or at the same time.",
        discussion: """
            Starts a napkind of its own (QuestionDaemon), and sends to it and to its worker: \
            frames of each kind that are just below, at and above each of --lengths, by one long \
            text; on --connections at once the beginnings of frames of 16 MiB; names with every \
            control character, and just below, at and above the limit; and attaches that race with \
            the kill of their session, or with the start of the worker.

            Each connection is answered, in few words, or ended. A front that behaves has its \
            calls answered all the time, by the same processes, which in the end have no more \
            bytes of their heaps in use than --slack.

            Exit status: 0 everything held; 1 something did not; 64 a wrong option.
            """)

    @Option(
        parsing: .upToNextOption, help: "What is tried: door, worker, unfinished, names, races.")
    var parts = SizePart.allCases

    @Flag(help: "Print what does not hold of each frame, and go on.")
    var goOn = false

    @Option(parsing: .upToNextOption, help: "What length fields are near, in bytes.")
    var lengths = [64 * 1024, Limits.frameBytesMax]

    @Option(help: "Connections with unfinished frames, each to napkind and the worker.")
    var connections = 20

    @Option(help: "Attaches that race with a kill, eight at a time.")
    var races = 100

    @Option(help: "KiB of its heap that a process may have more in use in the end.")
    var slack = 128

    @Option(help: "The daemon that hosts the app `questions`; beside this program unless given.")
    var daemon: String?

    func run() throws {
        try DaemonProcess.attacked(daemon) { try SizeSiege($0, self).run() }
    }
}
