// Send: the command that sends one event and prints its result.

import ArgumentParser
import NapkinCoding
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTransport

struct Send: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sends an event to a session and prints its result.",
        discussion: """
            Ends when the event's handler has returned: with status 0 and its result as JSON \
            (nothing if it has none), or with status 1 and the error. The arguments are first \
            checked against the contract: an argument of the wrong type is named, and nothing is \
            sent (status 65).

            With --create, a missing session is created first, as by attach, and keeps running \
            afterwards, even if the event fails; if it cannot be sent, the session ends again. It \
            belongs to the app that --app names, by default to the one with the session's name.

              napkin-client send rib-house rib-house.logged-out 'didTapLogin()'
              napkin-client send shop shop.cart 'didAdd(name:count:)' '"Ribs"' 2
              napkin-client send shop shop.cart 'didEmpty()' --create
              napkin-client send lunch shop.cart 'didEmpty()' --create --app shop
              napkin-client schema rib-house      lists the events
            """)

    @Argument(
        help: "The session's name; it must be running, unless --create is given.",
        completion: .sessions)
    var session: String

    @Argument(help: "The feature's name; it must be mounted.", completion: .features)
    var feature: String

    @Argument(
        help: "The event's full name, with its labels and parentheses.", completion: .methods)
    var method: String

    @Argument(
        help: ArgumentHelp(
            "The event's arguments, each a JSON value: 3, true, '\"text\"', '[1, 2]'.",
            valueName: "json"))
    var json: [String] = []

    @Flag(help: "Create the session if it is missing.")
    var create = false

    @Option(
        help: ArgumentHelp(
            "With --create, the session's app. Default: the app of the session's name.",
            valueName: "name"),
        completion: .apps)
    var app: String?

    @OptionGroup var trace: TraceOption

    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard app == nil || create else {
            throw ValidationError("--app names the app of a session to open: add --create")
        }
    }

    func perform() async throws(ClientFailure) -> Int32 {
        let arguments = try arguments()
        let connection = try await daemon.connect()
        defer { connection.close() }
        let known = try await WorkerAnswers<SessionInfo>(from: connection, daemon)
        let elsewhere =
            known.items.contains { $0.session == session }
            ? nil : try await daemon.storedElsewhere(session, connection)
        let app = if let elsewhere { elsewhere } else { try owner(in: known) }
        var options = FrontOptions(
            app: app, session: session, client: MainCommand.name, wantsSchema: true,
            creates: create, answersAsks: false)
        options.traceparent = trace.text
        let front = Front(at: try daemon.address(), options: options)
        front.watchesWorker = true
        front.countsFronts = create
        let event = ControlEvent(
            id: [], target: .feature(feature), method: method, arguments: arguments)
        let run = FrontRun(front)
        let sender = EventSending(event) { failure in
            if let failure { run.fail(failure) } else { run.quit() }
        }
        sender.session = OpenedSession(
            name: session,
            isNew: known.failures.isEmpty && elsewhere == nil
                && !known.items.contains { $0.session == session })
        front.surface = sender
        let result = try await result(of: sender, run)
        if result.bytes.isEmpty { return 0 }
        let text: [UInt8]
        do throws(CBORError) {
            text = try JSONOutput.text(of: result)
        } catch {
            throw .software("the result cannot be shown as JSON: \(error)")
        }
        try StandardOutput.put(PrintableText(json: text))
        return 0
    }

    /// Returns the event's result. If the event was not sent, ends the session opened for it.
    @MainActor
    private func result(
        of sender: EventSending, _ run: FrontRun
    ) async throws(ClientFailure) -> Payload {
        do throws(ClientFailure) {
            try await run.run()
            guard let result = sender.result else { throw sender.interruption }
            return result
        } catch {
            if !sender.isSent, run.front.attached != nil {
                await sender.session?.endIfAlone(daemon)
            }
            throw error
        }
    }

    /// Returns the app of the session, which is created if it does not exist.
    private func owner(in running: WorkerAnswers<SessionInfo>) throws(ClientFailure) -> String {
        guard create else { return try running.session(session).app }
        // napkind refuses a wrong app, since it also knows of sessions that are not listed.
        if let app { return app }
        if let found = running.items.first(where: { $0.session == session }) { return found.app }
        guard running.apps.contains(where: { $0.app == session }) else {
            throw .noInput(
                "there is no session '\(session)' and no app of that name: name the app of the new "
                    + "session with --app; there are: "
                    + running.apps.map(\.app).joined(separator: ", "))
        }
        return session
    }

    func arguments() throws(ClientFailure) -> [[UInt8]] {
        var items: [[UInt8]] = []
        for (index, text) in json.enumerated() {
            do throws(JSONError) {
                items.append(try JSONToCBOR.transcode(Array(text.utf8)))
            } catch {
                throw .dataError(
                    "the argument \(text) is not JSON (\(error.detail))" + advice(index))
            }
        }
        return items
    }

    /// Returns the command line with quotes around every argument that can only be text.
    private func advice(_ index: Int) -> String {
        guard !TypedWord.isBegun(json[index]) else { return "" }
        let words = ["napkin-client", "send", session, feature, method] + json.map(TypedWord.json)
        let options = (create ? ["--create"] : []) + (app.map { ["--app", $0] } ?? [])
        let line = (words + options + daemon.words).map(RemoteHost.quoted).joined(separator: " ")
        return "; a text needs double quotes, themselves quoted for the shell: \(line)"
    }
}

/// Sends one event once the first snapshot has arrived.
@MainActor
private final class EventSending: Surface {
    private(set) var result: Payload?
    var session: OpenedSession?
    private(set) var isSent = false
    private let event: ControlEvent
    private let done: (ClientFailure?) -> Void
    private var hasBegun = false
    /// The wait for the next connection, and why the last one was lost.
    private var loss: (notice: WaitingNotice, reason: String)?

    var interruption: ClientFailure {
        isSent
            ? ClientFailure.ioError(
                "interrupted: it is unknown whether the event was handled, or will be")
            : ClientFailure.tryAgain("interrupted: the event was not sent")
    }

    init(_ event: ControlEvent, done: @escaping (ClientFailure?) -> Void) {
        self.event = event
        self.done = done
    }

    func front(_ front: Front, applied changes: [TreeChange]) {
        guard !hasBegun else { return }
        hasBegun = true
        dispatch { [self] in
            do throws(ClientFailure) {
                let address = try address(in: front)
                isSent = true
                result = try await send(address, by: front)
                done(nil)
            } catch {
                done(error)
            }
        }
    }

    /// Returns the event's destination, from the contract: the worker is not asked.
    private func address(in front: Front) throws(ClientFailure) -> EventAddress {
        if let mistake = EventAddress.mistake(in: event, front.schemas) {
            throw .dataError(mistake)
        }
        do throws(RemoteFault) {
            return try EventAddress(event, in: front.tree, front.schemas)
        } catch {
            throw .noInput(error.message)
        }
    }

    private func send(
        _ address: EventAddress, by front: Front
    ) async throws(ClientFailure) -> Payload {
        do throws(RemoteFault) {
            return try await front.send(address)
        } catch {
            var failure = ClientFailure(error)
            if let receipt = error.receipt {
                let words = "crash show \(front.options.app) \(receipt)"
                failure.message += ": `\(ClientSetup.current.typed) \(words)` shows where"
            }
            throw failure
        }
    }

    func front(_ front: Front, disconnected reason: String) {
        let notice = WaitingNotice(
            for: { [weak self] in self?.loss.map { "\(front.options.app) (\($0.reason))" } },
            isLoss: true)
        loss = (notice, reason)
    }

    func front(_ front: Front, retriesAfter delay: Duration, because error: FrontError) {
        loss?.reason = error.message
    }

    func front(_ front: Front, attached: Attached) {
        loss?.notice.end()
        loss = nil
    }

    func front(_ front: Front, counts fronts: Int) { session?.counted(fronts) }

    func front(_ front: Front, waits wait: FrontWait?) {
        // A handler may take its time, which scripts that read lines need not know.
        let isNews = wait?.subject == .worker || WaitingLine.isTerminal
        WaitingLine.show(isNews ? wait : nil, of: front.options.app)
    }
}
