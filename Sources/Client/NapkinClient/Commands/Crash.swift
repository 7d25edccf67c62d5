// Crash: the commands that show how an app's workers have died.
//
// Spec       Protocol/TOOLS.md, section 6 (Crashes)

import ArgumentParser
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTransport

struct Crash: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows how an app's workers have died.",
        discussion: """
            napkind keeps a receipt of each of the last 20 deaths of an app: what ran, where the \
            program was, and what has become of the input. An input that ends its worker twice is \
            set aside: it does not run again, and its sender is told the receipt's number.

              napkin-client crash ls
              napkin-client crash show till 12
              napkin-client crash replay till 12      runs its input again, elsewhere
              napkin-client crash release till 12     lets it run again, here
            """,
        subcommands: [
            CrashList.self, CrashShow.self, CrashReplay.self, CrashExport.self, CrashRelease.self,
        ],
        defaultSubcommand: CrashList.self)
}

struct CrashList: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "Lists the receipts.",
        discussion: """
            Deaths at the same place of the same build are one line, with the newest receipt's \
            number and their count. OUTCOME is `set aside`, `suspect` (its input may run once \
            more), `released`, or - if no input is known to have run.

              napkin-client crash ls
              napkin-client crash ls till --json | jq '.[-1].cause'
            """)

    @Argument(help: "The app's id. Default: all apps.", completion: .apps)
    var app: String?

    @Flag(help: "Print a JSON array with all receipts.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        let receipts: [Receipt] = try await daemon.ask(.crashes(app: app))
        try StandardOutput.put(
            receipts, asJSON: json,
            or: receipts.isEmpty
                ? ["No worker has died."] : ReceiptListing.lines(of: receipts, TextTable.room))
        return 0
    }
}

struct ReceiptArguments: ParsableArguments {
    @Argument(help: "The app's id.", completion: .apps)
    var app: String

    @Argument(help: "The receipt's number.")
    var number: UInt64
}

struct CrashShow: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows a receipt.",
        discussion: """
            The functions are named with the help of llvm-symbolizer, if it is installed and the \
            program is still the one that died; otherwise there are addresses. Below the app's \
            functions, napkin's are one line, unless --all is given.

              napkin-client crash show till 12
              napkin-client crash show till 12 --json >receipt.json
            """)

    @OptionGroup var wanted: ReceiptArguments

    @Flag(help: "Show the functions of napkin and of Swift as well.")
    var all = false

    @Flag(help: "Print the receipt as JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        let connection = try await daemon.connect()
        defer { connection.close() }
        let receipt = try await daemon.receipt(wanted.number, of: wanted.app, by: connection)
        if json {
            try StandardOutput.put(try JSONOutput.line(of: receipt))
            return 0
        }
        // Without the schema, methods are shown by number.
        let schema: AppSchema? = try? await daemon.ask(
            .schema(app: wanted.app), of: connection)
        let listing = ReceiptListing(
            receipt, schema, await Symbolizer.functions(of: receipt), isWhole: all)
        try StandardOutput.put(PrintableText(lines: listing.lines.wrapped(in: TextTable.room)))
        return 0
    }
}

struct CrashRelease: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Lets an input that was set aside run again.",
        discussion: """
            The event of a front has been answered; it runs again when it is sent again. A session \
            whose launch was set aside is launched when the next front comes.

              napkin-client crash release till 12
            """)

    @Argument(help: "The app's id.", completion: .apps)
    var app: String

    @Argument(help: "The receipt's number. Default: all of the app's.")
    var number: UInt64?

    @OptionGroup var daemon: DaemonOptions

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        let count: Int = try await daemon.ask(.release(app: app, receipt: number))
        guard count > 0 || number == nil else {
            throw .noInput(
                "receipt \(number ?? 0) of \(app) has no input that could be released")
        }
        return 0
    }
}
