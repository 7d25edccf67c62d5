// WebOptions: the address of a served page, for the commands that serve one.

public import ArgumentParser
import Glibc
import NapkinFront
import NapkinTransport
import NapkinWeb

/// Where a page is served. Declare them in an app's own command as `@OptionGroup var web:
/// WebOptions`, and pass their `words` on with ``Client/become(_:)``.
public struct WebOptions: ParsableArguments, Sendable {
    public init() {}

    @Option(help: ArgumentHelp("The port. Default: a free one.", valueName: "number"))
    var port: Int?

    @Option(
        help: ArgumentHelp(
            "The address to listen on: one of this machine alone.", valueName: "address"))
    var address = "127.0.0.1"

    @Option(
        help: ArgumentHelp(
            "Listen on a socket, for a proxy that runs as this user.",
            discussion: "In place of --port. The proxy brings TLS; --origin says where.",
            valueName: "path"),
        completion: .file())
    var unix: String?

    @Option(
        help: ArgumentHelp(
            "What the proxy is reached by, such as https://desk.example.org.", valueName: "url"))
    var origin: String?

    private static let option = "--unix PATH"

    public func validate() throws {
        guard (0...65_535).contains(port ?? 0) else {
            throw ValidationError("--port takes 0 to 65535")
        }
        guard ["127.0.0.1", "localhost"].contains(address) else {
            throw ValidationError(
                "the page is served on 127.0.0.1 only, and not on '\(address)': whoever reads the "
                    + "line would read and drive the session. Let ssh carry the port (ssh -L), or "
                    + "put a proxy with TLS in front (--unix PATH --origin https://HOST)")
        }
        guard (unix == nil) == (origin == nil) else {
            throw ValidationError(
                "--unix and --origin belong together: --unix PATH --origin https://HOST")
        }
        if let origin, WebOrigin(origin) == nil {
            throw ValidationError(
                "--origin takes https://HOST or https://HOST:PORT in small letters, as browsers "
                    + "write it, and no '\(origin)'")
        }
        if unix != nil, port != nil {
            throw ValidationError("--port does not go with --unix: there is no port then")
        }
    }

    /// The options as words of a command line.
    public var words: [String] {
        let options = ["--port": port.map { "\($0)" }, "--unix": unix, "--origin": origin]
        return options.sorted { $0.key < $1.key }.flatMap { name, value in
            value.map { [name, $0] } ?? []
        }
    }

    // MARK: - Serving

    /// Prints an address and tells a person at a terminal who can use it and for how long.
    func announce(_ url: String, isShared: Bool) throws(ClientFailure) {
        try StandardOutput.put(line: url)
        if isatty(STDOUT_FILENO) != 0 { ClientFailure.say(advice(isShared: isShared)) }
    }

    func advice(isShared: Bool) -> String {
        let use =
            switch (isShared, unix) {
            case (true, nil):
                "good for everybody on this machine, to look only; others need --unix and --origin"
            case (true, _?): "good for everybody who has it, to look only"
            case (false, nil):
                "open it in a browser of this machine; 127.0.0.1 may stand for the name"
            case (false, _?): "open it in a browser"
            }
        return "\(use); served until Ctrl-C"
    }

    /// Serves until a signal arrives, or until `end` gives a reason to stop. Prints the new address
    /// after every log-out.
    ///
    /// - Parameters:
    ///   - isShared: whether the address is good for any number of browsers, rather than once.
    ///   - show: called with the first address.
    @MainActor
    func serve(
        _ site: WebSite, isShared: Bool = false, until end: AsyncStream<String>? = nil,
        show: @MainActor (String) throws(ClientFailure) -> Void
    ) async throws(ClientFailure) {
        let place = try place()
        let url: String
        do {
            url = try await site.start(at: place, isShared: isShared) { url in
                // If nobody reads the output, nobody wants another address.
                try? StandardOutput.put(line: url)
            }
        } catch {
            let what = unix ?? "port \(port ?? 0) of this machine"
            throw .unavailable("\(what) cannot be served: \(error)")
        }
        let identity = unix.flatMap { FileIdentity(at: $0) }
        try show(url)
        let reason = try await Self.ended(by: end)
        // If another program listens there by now, its socket stays.
        if let unix, FileIdentity(at: unix) == identity { unlink(unix) }
        await site.stop(because: reason)
    }

    @MainActor
    private func place() throws(ClientFailure) -> WebAddress {
        guard let unix, let origin = origin.flatMap(WebOrigin.init) else {
            return .port(port ?? 0)
        }
        return try ClientFailure.ofSystem { () throws(TransportError) in
            let path = try SocketPath(unix, option: Self.option)
            try SocketDirectory(path: path.directory, policy: .chosen, option: Self.option)
                .ensure()
            try Self.claim(path)
            try path.removeIfStale(option: Self.option)
            return .socket(
                descriptor: try Acceptor.listeningDescriptor(at: path.text), origin)
        }
    }

    /// Claims the path until this process ends. Two programs may find the same abandoned socket:
    /// one removes it, and the other must not remove the new socket of the first.
    private static func claim(_ path: SocketPath) throws(TransportError) {
        let directory = FileText.real(path.directory) ?? path.directory
        let name = "\(directory)/\(path.text.split(separator: "/").last ?? "")"
        guard ClaimedName.claim(name) < 0, let holder = ClaimedName.holder(of: name) else { return }
        throw TransportError(
            code: "EADDRINUSE", operation: "use socket path", subject: path.text,
            message: "process \(holder) serves there: stop it, or choose another \(option)")
    }

    @MainActor
    private static func ended(by end: AsyncStream<String>?) async throws(ClientFailure) -> String {
        let ends = AsyncStream.makeStream(of: String.self)
        let watchers = try SignalWatcher.endings {
            ends.continuation.yield("the command that served this page has ended")
        }
        defer { for watcher in watchers { watcher.cancel() } }
        let forwarding = Task {
            guard let end else { return }
            for await reason in end { ends.continuation.yield(reason) }
        }
        defer { forwarding.cancel() }
        for await reason in ends.stream { return reason }
        return ""
    }
}
