// Share: the command that creates an address where others can watch a session.

import ArgumentParser
import NapkinFront
import NapkinWeb

struct Share: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes an address where others look at a session in a browser.",
        discussion: """
            Serves the session's page, as `napkin-client web` does, and prints its address. The \
            address is good for everybody who has it, and only to look: pass it on as you would a \
            key. It ends with the session, on Ctrl-C, or when `napkin-client detach` detaches this \
            command, which `napkin-client ls` lists as a front of the session; all pages end \
            with it. A log-out on a page ends that browser's tabs alone.

              napkin-client share lunch --read-only
              napkin-client share lunch --read-only --unix ~/.napkin/share.sock \\
                  --origin https://desk.example.org

            Without --unix and --origin the address is one of this machine.
            """)

    @Argument(
        help: "The session, as `napkin-client ls` lists it.", completion: .sessions)
    var session: String

    @Flag(help: "What everybody may do with the address: look. It must be given.")
    var readOnly = false

    @OptionGroup var web: WebOptions

    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard readOnly else {
            throw ValidationError(
                "an address that is shared is there to look only: say --read-only. To drive a "
                    + "session in a browser of your own there is `napkin-client web`")
        }
    }

    func perform() async throws(ClientFailure) -> Int32 {
        guard let app = try await daemon.app(ofSession: session) else {
            throw .noInput("there is no session '\(session)': `napkin-client ls` lists them")
        }
        try await FrontProgram.become(
            of: app, ["share", session, "--read-only"] + web.words + daemon.words, asking: daemon)
        let address = try daemon.address()
        var options = FrontOptions(
            app: app, session: session, isReadOnly: true, client: "\(MainCommand.name) (share)",
            creates: false, answersAsks: false)
        let watch = SessionWatch(Front(at: address, options: options))
        options.client = MainCommand.name
        options.wantsSchema = true
        let component = FrontComponent()
        let site = WebSite(component) { [options] name in
            guard name.isEmpty else { return nil }
            var options = options
            options.session = watch.session
            let registry = ViewRegistry(component: component)
            ClientSetup.current.registerViews(registry)
            let front = Front(at: address, options: options, registry: registry)
            return .front(front, hasInspector: false)
        }
        try await web.serve(site, isShared: true, until: watch.end()) {
            (url: String) throws(ClientFailure) in
            try web.announce(url, isShared: true)
        }
        if let reason = watch.reason {
            ClientFailure.say("\(watch.session) is no longer shared: \(reason)")
        }
        return 0
    }
}

/// A front that shows nothing and only tracks the session's name and end.
@MainActor
private final class SessionWatch: Surface {
    private let front: Front
    private(set) var session: String
    private(set) var reason: String?

    init(_ front: Front) {
        self.front = front
        session = front.options.session ?? front.options.app
        front.surface = self
    }

    /// Attaches and yields the reason when the session can no longer be seen.
    func end() -> AsyncStream<String> {
        let ends = AsyncStream.makeStream(of: String.self)
        Task {
            if case .failed(let error) = await front.run() {
                reason = error.message
                ends.continuation.yield(error.message)
            }
        }
        return ends.stream
    }

    func front(_ front: Front, applied changes: [TreeChange]) {}

    func front(_ front: Front, renamed session: String) { self.session = session }
}
