// GenerateManual: the hidden command that generates the manual pages at installation.

import ArgumentParser
import Glibc
import NapkinProtocol
import NapkinTransport

struct GenerateManual: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate-manual",
        abstract: "Generates a manual page from a program's description.",
        discussion: """
            For the installation, which pipes a program's description of itself into it:

              napkind --experimental-dump-help | napkin-client generate-manual > napkind.8
            """,
        shouldDisplay: false)

    /// The date when the content of the pages was last changed.
    static let date = "2026-11-26"
    /// Bytes of a description. Chosen: ten times the size of these programs' descriptions.
    static let bytesMax = 1024 * 1024

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        let tool = try ToolDescription(parsing: Self.input())
        let page = ManualPage(tool, Self.surroundings(of: tool.command.commandName))
        try StandardOutput.put(PrintableText(text: page.text))
        return 0
    }

    /// Reads all of standard input: a pipe from a program that ends; nothing else is waited for.
    private static func input() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= bytesMax {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    private static let filesOfDaemon: [(path: String, meaning: String)] = [
        (
            "~/.local/state/napkin",
            "Locks, logs and durable sessions, unless XDG_STATE_HOME is set."
        ),
        (
            "~/.local/state/napkin/ledger",
            "Durable sessions, which are lost with these files; "
                + "`napkin-client ledger backup` copies them."
        ),
        (
            "~/.local/state/napkin/log/APP.log",
            "What an app's workers print; APP.log.1 and APP.log.2 are older."
        ),
        (
            "APP.sock",
            "A worker's socket, next to napkind's. Sockets and locks that are removed "
                + "while their process runs are restored within a second."
        ),
    ]

    static func surroundings(of program: String) -> ManualPage.Surroundings {
        let setup = ClientSetup.current
        let directory = ("XDG_RUNTIME_DIR", "The socket is in its directory napkin.")
        let state = (
            "XDG_STATE_HOME", "Locks, logs and durable sessions are in its directory napkin."
        )
        let socket = (
            "$XDG_RUNTIME_DIR/napkin/napkind.sock",
            "The socket; without XDG_RUNTIME_DIR, /tmp/napkin-UID/napkind.sock."
        )
        let documents = (
            "/usr/share/napkin/package",
            "README.md, the formats in Protocol and the articles in "
                + "Sources/Napkin/Napkin.docc/Articles, if napkin-dev is installed; below another "
                + "PREFIX after `make install-dev`."
        )
        guard [ClientSetup.ownName, setup.program].contains(program) else {
            return ManualPage.Surroundings(
                section: "8", version: NapkinVersion.text, date: date,
                exits: exits(ExitTable.ofDaemon), signals: SignalTable.ofDaemon,
                variables: [
                    directory, state,
                    ("XDG_DATA_HOME", "Where apps keep data, in napkin/APP; else ~/.local/share."),
                    ("XDG_CACHE_HOME", "Where apps keep a cache, in napkin/APP; else ~/.cache."),
                    ("NAPKIN_LOG_LEVEL", "The log level, unless --log-level is given."),
                    (
                        "SWIFT_BACKTRACE",
                        "The backtrace of a crashing worker; see the runtime's documentation."
                    ),
                    ("LISTEN_FDS", "Set by systemd: the socket is inherited."),
                    ("JOURNAL_STREAM", "Set by systemd: workers print to the journal."),
                ],
                files: [socket] + filesOfDaemon + [documents],
                others: ["\(setup.program)(1)", "systemd.socket(5)"])
        }
        return ManualPage.Surroundings(
            section: "1", version: NapkinVersion.text, date: date, exits: exits(ExitTable.rows),
            signals: SignalTable.ofClient,
            variables: [
                directory, state,
                (
                    "NAPKIN_THEME",
                    "dark, light, high-contrast or plain: how attach draws. Default: dark or "
                        + "light, as the terminal says its background is."
                ),
                ("NO_COLOR", "If set, attach and trace use no colours."),
                ("NAPKIN_MOUSE", "0 leaves the mouse to the terminal."),
                (
                    "PATH",
                    "Searched for napkind, after this program's own directory."
                ),
            ],
            files: [
                socket,
                (
                    "~/.local/state/napkin/napkind.log",
                    "The output of a napkind that this client has started."
                ), documents,
            ], others: ["napkind(8)"])
    }

    private static func exits(
        _ rows: [(status: Int32, meaning: String)]
    ) -> [(status: Int32, meaning: String)] {
        rows.map { ($0.status, ClientSetup.current.teaching($0.meaning)) }
    }
}
