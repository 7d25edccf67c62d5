// CrashReplay: the commands that export a receipt and run its input again elsewhere.
//
// Spec       Protocol/TOOLS.md, section 6 (Crashes)

import ArgumentParser
import Glibc
import NapkinCoding
import NapkinFront
import NapkinProtocol
import NapkinTransport

struct CrashExport: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Writes a receipt to a file.",
        discussion: """
            The file has what `crash replay` needs, also on another machine with the same build: \
            the inputs with their arguments, and the durable session as it was. Do not give it to \
            somebody who must not read those.

              napkin-client crash export till 12
            """)

    @OptionGroup var wanted: ReceiptArguments

    @Argument(help: "The file. Default: APP-NUMBER.receipt, here.", completion: .file())
    var file: String?

    @OptionGroup var daemon: DaemonOptions

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        let (app, number) = (wanted.app, wanted.number)
        let receipt = try await daemon.receipt(number, of: app)
        let path = file ?? "\(app)-\(number).receipt"
        try SessionFile.write(receipt, to: path)
        try StandardOutput.put(line: "\(path): receipt \(number) of \(app)")
        return 0
    }
}

struct CrashReplay: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Lets the input of a receipt run again, elsewhere.",
        discussion: """
            Starts the program in a place of its own, with a durable session as it was before the \
            input, and sends the input; if the session is not durable, all its events since its \
            launch. Nothing of yours is touched. Ends with status 0 if the worker dies at the same \
            place again, else with status 1 and the first difference.

            With --under, the program runs in a debugger, which stops where it dies.

              napkin-client crash replay till 12
              napkin-client crash replay till 12 --under lldb
              napkin-client crash replay till-12.receipt --program .build/debug/till-worker
            """)

    @Argument(help: "The app's id, or the file of an exported receipt.", completion: .apps)
    var subject: String

    @Argument(help: "The receipt's number.")
    var number: UInt64?

    @Option(help: ArgumentHelp("The debugger: lldb, gdb or rr.", valueName: "debugger"))
    var under: Debugger?

    @Option(
        help: ArgumentHelp(
            "The program to run, of any build. Default: the receipt's.", valueName: "path"),
        completion: .file())
    var program: String?

    /// The stage of a program that runs in a debugger: the inputs are sent there.
    @Option(help: .hidden) var into: String?

    @OptionGroup var daemon: DaemonOptions

    enum Debugger: String, ExpressibleByArgument, CaseIterable {
        case lldb, gdb, rr

        /// Returns the words of the command that runs a program.
        func words(running program: [String]) -> [String] {
            switch self {
            case .lldb: ["lldb", "-o", "run", "--"] + program
            case .gdb: ["gdb", "-ex", "run", "--args"] + program
            case .rr: ["rr", "record"] + program
            }
        }
    }

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        var receipt = try await receipt()
        if let program { receipt.program = SessionFile.absolute(program) }
        let replay = try Replay(of: receipt)
        if let into {
            try await ReplayStage(of: receipt, in: into).send(replay)
            return 0
        }
        guard program != nil || Symbolizer.isCurrent(receipt) else {
            throw .noInput(
                "\(receipt.program) is not there, or not the build that died: --program PATH runs "
                    + "another one")
        }
        let stage = try ReplayStage(of: receipt)
        if let under { try stage.debug(under.words(running: stage.inProcess)) }
        let found: ReplayStage.Result
        do throws(ClientFailure) {
            found = try await stage.deaths(of: replay)
        } catch {
            await stage.remove()
            throw error
        }
        await stage.remove()
        return try await compare(found, receipt)
    }

    /// Reports whether the worker died as before.
    @MainActor
    private func compare(_ found: ReplayStage.Result, _ receipt: Receipt)
        async throws(ClientFailure) -> Int32
    {
        guard let death = found.deaths.first(where: { $0.input != nil }) ?? found.deaths.first
        else {
            try StandardOutput.put(line: "no death: \(found.answer)")
            return ExitTable.failed
        }
        let function = await Symbolizer.ownFunction(of: death)
        let words = death.cause + (function.map { ", in \($0.text)" } ?? "")
        // In another build the place differs. The caller of a system function without a frame is
        // uncertain, so the innermost frame counts as well.
        var isThere =
            death.build != receipt.build || death.place == receipt.place
            || death.frames.first == receipt.frames.first
        if !isThere, receipt.signal == SIGSEGV {
            // A recursion may fill the stack at any place.
            let former = await Symbolizer.ownFunction(of: receipt)
            isThere = former.map { $0.name == function?.name } ?? false
        }
        if death.signal != receipt.signal || !isThere {
            try StandardOutput.put(line: "another death: \(words)")
            return ExitTable.failed
        }
        try StandardOutput.put(line: "the same death: \(words)")
        return 0
    }

    @MainActor
    private func receipt() async throws(ClientFailure) -> Receipt {
        if let number { return try await daemon.receipt(number, of: subject) }
        let bytes = try FileText.bytes(of: subject, most: 2 * Receipt.bytesMax)
        guard let bytes else {
            throw .noInput(
                "\(subject): there is no such file; a receipt of an app has a number: "
                    + "`napkin-client crash replay APP NUMBER`")
        }
        do throws(CBORError) {
            return try Payload(bytes).decode()
        } catch {
            throw .dataError("\(subject) is not an exported receipt: \(error.detail)")
        }
    }
}

extension DaemonOptions {
    /// Returns a receipt with its session's image.
    @MainActor
    func receipt(
        _ number: UInt64, of app: String, by connection: DaemonConnection? = nil
    ) async throws(ClientFailure) -> Receipt {
        let query = Query.crashes(app: app, receipt: number)
        let receipts: [Receipt] =
            if let connection { try await ask(query, of: connection) } else { try await ask(query) }
        if let receipt = receipts.first { return receipt }
        throw .noInput(
            "\(app) has no receipt \(number): `napkin-client crash ls \(app)` lists them")
    }
}
