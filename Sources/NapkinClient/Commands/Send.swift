// Send: the command that sends one event and prints its result.
//
// Layer      executable, commands.
// Isolation  @MainActor; the command is a value until it is performed.

import ArgumentParser
import NapkinCoding
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTransport

struct Send: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sends one event to a session, and prints its result.",
        discussion: """
            Ends when the event's handler has returned: with status 0 and its result as JSON \
            (nothing when it has none), or with status 1 and what it threw. The arguments are \
            checked against the contract first: one of another type is named, and nothing sent \
            (status 65).

            With --create, a session that is not there is opened first, as by attach, and goes on \
            afterwards, also if the event fails. It is one of the app that --app names, by \
            default the app of the session's own name.

              napkin-client send rib-house rib-house.logged-out 'didTapLogin()'
              napkin-client send shop shop.cart 'didAdd(name:count:)' '"Ribs"' 2
              napkin-client send shop shop.cart 'didEmpty()' --create
              napkin-client send lunch shop.cart 'didEmpty()' --create --app shop
              napkin-client schema rib-house      what there is to send
            """)

    @Argument(
        help: "The session's name; it must be running, unless there is --create.",
        completion: .sessions)
    var session: String

    @Argument(help: "The feature's name; it must be mounted.", completion: .features)
    var feature: String

    @Argument(
        help: "The event's full name, with its labels and parentheses.", completion: .methods)
    var method: String

    @Argument(
        help: ArgumentHelp(
            "The event's arguments, each a JSON value; `--` before a negative number.",
            valueName: "json"))
    var json: [String] = []

    @Flag(help: "Open the session if it is not there.")
    var create = false

    @Option(
        help: ArgumentHelp(
            "With --create, the session's app. Default: the app of the session's name.",
            valueName: "name"),
        completion: .apps)
    var app: String?

    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard app == nil || create else {
            throw ValidationError("--app names the app of a session to open: add --create")
        }
    }

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        let arguments = try json.map { (text) throws(ClientFailure) in try Self.cbor(text) }
        let connection = try await daemon.connect()
        defer { connection.close() }
        let app = try owner(in: try await Gathered<SessionInfo>(from: connection, daemon))
        let front = Front(
            at: try daemon.address(),
            options: FrontOptions(
                app: app, session: session, client: MainCommand.name, wantsSchema: true,
                creates: create, answersAsks: false))
        let event = ControlEvent(
            id: [], target: .feature(feature), method: method, arguments: arguments)
        let run = FrontRun(front)
        let sender = EventSending(event) { failure in
            if let failure { run.fail(failure) } else { run.quit() }
        }
        front.surface = sender
        try await run.run()
        guard let result = sender.result, !result.bytes.isEmpty else { return 0 }
        let text: [UInt8]
        do throws(CBORError) {
            text = try JSONOutput.text(of: result)
        } catch {
            throw ClientFailure(ExitTable.software, "the result cannot be shown as JSON: \(error)")
        }
        try StandardOutput.put(PrintableText(json: text))
        return 0
    }

    /// Returns the app of the session, which is to be opened if it is not there.
    private func owner(in running: Gathered<SessionInfo>) throws(ClientFailure) -> String {
        guard create else { return try running.session(session).app }
        // What does not fit, napkind refuses, which also knows of sessions that are not listed.
        if let app { return app }
        if let found = running.items.first(where: { $0.session == session }) { return found.app }
        guard running.apps.contains(where: { $0.app == session }) else {
            throw ClientFailure(
                ExitTable.noInput,
                "there is no session '\(session)' and no app of that name: name the app of the new "
                    + "session with --app; there are: "
                    + running.apps.map(\.app).joined(separator: ", "))
        }
        return session
    }

    private static func cbor(_ text: String) throws(ClientFailure) -> [UInt8] {
        do throws(JSONError) {
            return try JSONToCBOR.transcode(Array(text.utf8))
        } catch {
            throw ClientFailure(
                ExitTable.dataError,
                "the argument \(text) is not JSON (\(error.detail)); "
                    + "a string needs its quotes: '\"\(text)\"'")
        }
    }
}

/// Sends one event when the tree is there.
@MainActor
private final class EventSending: Surface {
    private(set) var result: Payload?
    private let event: ControlEvent
    private let done: (ClientFailure?) -> Void
    private var isSent = false

    init(_ event: ControlEvent, done: @escaping (ClientFailure?) -> Void) {
        self.event = event
        self.done = done
    }

    func front(_ front: Front, applied changes: [FrontChange]) {
        guard !isSent else { return }
        isSent = true
        if let mistake = EventAddress.mistake(in: event, front.schemas) {
            return done(ClientFailure(ExitTable.dataError, mistake))
        }
        dispatch { [self] in
            do throws(RemoteFault) {
                let address = try EventAddress(event, in: front.tree, front.schemas)
                let result = try await front.send(address)
                self.result = result
                done(nil)
            } catch {
                done(ClientFailure(error))
            }
        }
    }

    func front(
        _ front: Front, presented method: MethodID, of node: FrontNode, _ payload: Payload
    ) {}
    func front(_ front: Front, effect method: MethodID, of node: FrontNode, _ payload: Payload) {}
    func front(_ front: Front, disconnected reason: String) {}
    func front(_ front: Front, resumedLosing lost: Int) {}
}
