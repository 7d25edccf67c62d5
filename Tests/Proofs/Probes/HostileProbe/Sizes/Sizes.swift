// Sizes: frames at their limits, frames that are announced and do not come, and names of any kind.
//
// Spec       Protocol/SPEC.md, sections 5 (Framing) and 12 (Limits)

import ArgumentParser
import Glibc
import NapkinProtocol
import ProofSupport

struct Sizes: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sizes",
        abstract: "Sends what is too large, too long, announced only, or at the same time.",
        discussion: """
            Starts a napkind of its own (QuestionDaemon), and sends to it and to its worker: \
            frames of each kind that are just below, at and above each of --lengths, by one long \
            text; on 40 connections at once the beginnings of frames of 16 MiB; names with every \
            control character, and just below, at and above the limit; and attaches that race with \
            the kill of their session, or with the start of the worker.

            Each connection is answered, in few words, or ended. A front that behaves has its \
            calls answered all the time, by the same processes, which in the end have no more \
            than 128 KiB more of their heaps in use.

            Exit status: 0 everything held; 1 something did not; 64 a wrong option.
            """)

    @Option(parsing: .upToNextOption, help: "What length fields are near, in bytes.")
    var lengths = [64 * 1024, Limits.frameBytesMax]

    @Option(help: "Attaches that race with a kill, eight at a time.")
    var races = 100

    func run() throws {
        try AttackedDaemon.attacked { try SizeSiege($0, self).run() }
    }
}
