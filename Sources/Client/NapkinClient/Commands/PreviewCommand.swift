// PreviewCommand: the command that shows an app's views without a session.

import ArgumentParser
import Glibc
import NapkinElements
import NapkinFront
import NapkinTerminal
import NapkinTransport

struct PreviewCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Shows an app's views in sample states.",
        discussion: """
            Each preview is a view with sample values, without a session or a worker. They come \
            from the app's own front, which is started if its manifest names one. Without a name, \
            they are listed on the terminal: the arrows select, Enter shows. If no screen can be \
            drawn, their names are printed, one per line.

              napkin-client preview rib-house
              napkin-client preview rib-house 'Full board'
              napkin-client preview rib-house --plain > screens.txt
              napkin-client preview rib-house 'Full board' --plain --width 40

            A preview's keys work as in a session. ^N and ^P show the next and the previous one, \
            ^O returns to the list, q and Ctrl-C quit.

            Leave it open while you write: after each build (`swift build`), the new program takes \
            over with the same preview.

            With --plain, all of them are printed as a terminal of --width and --height shows \
            them, each below its name, or the named one alone.
            """)

    @Argument(
        help: "The app's name. An app's own client needs none.", completion: .previewed)
    var app: String?

    @Argument(help: "The preview's name, in upper or lower case.")
    var name: String?

    @Flag(help: "Print previews as text.")
    var plain = false

    @Option(help: ArgumentHelp("Columns of the text.", valueName: "columns"))
    var width: Int?

    @Option(help: ArgumentHelp("Lines of the text, at most.", valueName: "lines"))
    var height: Int?

    @OptionGroup var daemon: DaemonOptions

    /// The most lines and columns of a layout. Chosen: more than any terminal has.
    private static let sizeMax = 1000
    private static let heightDefault = 24

    func validate() throws {
        let smallest = ScreenSize.smallest
        if let width, !(smallest.width...Self.sizeMax).contains(width) {
            throw ValidationError("--width takes \(smallest.width) to \(Self.sizeMax)")
        }
        if let height, !(smallest.height...Self.sizeMax).contains(height) {
            throw ValidationError("--height takes \(smallest.height) to \(Self.sizeMax)")
        }
        if daemon.host != nil {
            throw ValidationError("previews are shown on this machine, without --host")
        }
    }

    func perform() async throws(ClientFailure) -> Int32 {
        let former = PreviewShow.takeFormer()
        let wanted = try await chosen()
        let previews = try previews()
        let component = TerminalComponent()
        let canDraw = isatty(STDOUT_FILENO) != 0 && component.canMoveCursor
        guard canDraw, !plain, isatty(STDIN_FILENO) != 0 else {
            try printed(find(wanted, previews), previews, component)
            return 0
        }
        let show = try PreviewShow(previews, component)
        guard let former else {
            try await show.run(find(wanted, previews)?.name)
            return 0
        }
        let isThere = former.isEmpty || previews.contains { $0.name == former }
        try await show.run(former, notice: isThere ? nil : "there is no preview '\(former)' now")
        return 0
    }

    /// Returns the wanted preview's name, after switching to the app's own front if this is not it.
    @MainActor
    private func chosen() async throws(ClientFailure) -> String? {
        guard let own = ClientSetup.current.app else {
            guard let app else {
                throw .usage("preview needs the name of an app whose front has previews")
            }
            let words = Array(CommandLine.arguments.dropFirst())
            try await FrontProgram.become(of: app, words, asking: daemon)
            throw .noInput("the manifest of '\(app)' names no front, so there are no previews")
        }
        if app == own { return name }
        guard name == nil else {
            throw .usage("this client has the previews of '\(own)', not of '\(app ?? "")'")
        }
        return app
    }

    @MainActor
    private func previews() throws(ClientFailure) -> [Preview] {
        let previews = ClientSetup.current.previews()
        guard !previews.isEmpty else {
            throw .noInput(
                "this client has no previews yet: write some (the article Previews says how), "
                    + "and pass them to Client.main(app:views:previews:)")
        }
        let names = previews.map(\.name)
        for (index, name) in names.enumerated() where names[..<index].contains(name) {
            throw .software("two previews are called '\(name)'")
        }
        return previews
    }

    @MainActor
    private func find(
        _ name: String?, _ previews: [Preview]
    ) throws(ClientFailure) -> Preview? {
        guard let name else { return nil }
        let lower = name.lowercased()
        if let found = previews.first(where: { $0.name == name })
            ?? previews.first(where: { $0.name.lowercased() == lower })
        {
            return found
        }
        let known = previews.map(\.name).joined(separator: ", ")
        throw .noInput("there is no preview '\(name)': there are \(known)")
    }

    @MainActor
    private func printed(
        _ wanted: Preview?, _ previews: [Preview], _ component: TerminalComponent
    ) throws(ClientFailure) {
        if wanted == nil, !plain {
            return try StandardOutput.put(PrintableText(lines: previews.map(\.name)))
        }
        var lines: [String] = []
        for preview in wanted.map({ [$0] }) ?? previews {
            if wanted == nil { lines += (lines.isEmpty ? [] : [""]) + ["—— \(preview.name) ——"] }
            let stage = ViewStage(
                preview.view(), width: width ?? min(component.plainColumns, Self.sizeMax),
                height: height ?? Self.heightDefault)
            lines += stage.lines
        }
        try StandardOutput.put(PrintableText(lines: lines))
    }
}
