// NameCompletion: the words that shells offer: sessions, apps, features, methods.
//
// Isolation  @MainActor: the names are queried on the loop, before the line is parsed.
// Invariant  never starts a daemon or a worker, and never disturbs a shell: names that do not
//            arrive in time are silently left out.
// Spec       Protocol/TOOLS.md, section 1 (Queries)

import ArgumentParser
import Glibc
import NapkinCore
import NapkinElements
import NapkinFront
import NapkinProtocol
import NapkinTransport

extension CompletionKind {
    static let sessions = offered { $0.sessions }
    static let apps = offered { $0.apps }
    static let sessionsAndApps = offered { names in
        let sessions = names.sessions
        return sessions + names.apps.filter { !sessions.contains($0) }
    }
    static let features = offered { $0.schema?.features.map(\.feature).sorted() ?? [] }
    /// The events of the feature that the line names.
    static let methods = offered { $0.methods }
    static let fronts = offered { $0.fronts }
    /// The previews of an app's own client, otherwise the apps.
    static let previewed = offered { names in
        let setup = ClientSetup.current
        return setup.app == nil ? names.apps : setup.previews().map(\.name)
    }

    /// Leaves out words that a shell would misread, such as words with a line break.
    private static func offered(
        _ words: @escaping @MainActor @Sendable (NameCompletion) -> [String]
    ) -> CompletionKind {
        custom { _, _, _ in
            // SAFETY: Client parses a shell's question on the loop. Checked at run time.
            MainActor.assumeIsolated { words(NameCompletion.current) }
                .filter { $0.unicodeScalars.allSatisfy(PrintableText.shows) }
        }
    }
}

@MainActor
struct NameCompletion {
    /// The time for all queries together; NAPKIN_COMPLETION_MILLISECONDS overrides it. Chosen: with
    /// the program's own start it stays below 200 ms.
    private static var patience: Duration {
        let own = getenv("NAPKIN_COMPLETION_MILLISECONDS").flatMap { Int64(String(cString: $0)) }
        return .milliseconds(own ?? 150)
    }

    fileprivate private(set) static var current = NameCompletion([])

    private let words: [String]
    private var infos: [SessionInfo] = []
    fileprivate private(set) var apps: [String] = []
    fileprivate private(set) var schema: AppSchema?

    private init(_ words: [String]) { self.words = words.map(Self.unquoted) }

    /// Queries a running daemon for the names. `question` is the command line that a shell's script
    /// passes: `---completion COMMAND… -- ARGUMENT INDEX OFFSET LINE…`.
    static func load(for question: [String]) async {
        let line = question.firstIndex(of: "--").map { question.dropFirst($0 + 4) } ?? []
        current = NameCompletion(Array(line))
        guard let socket = current.socket else { return }
        let (ends, end) = AsyncStream<Never>.makeStream()
        let timer = LoopTimer(after: patience) { end.finish() }
        Task {
            // Nobody could see a report of the failure.
            try? await ask(socket)
            end.finish()
        }
        for await _ in ends {}
        timer.cancel()
    }

    private static func ask(_ socket: String) async throws(FrontError) {
        let daemon = try await DaemonConnection.connect(
            to: DaemonAddress(socket: socket), client: MainCommand.name, role: .tool)
        defer { daemon.close() }
        let apps = try await daemon.query(.apps, [AppInfo].self).filter { $0.state != .broken }
        current.apps = apps.map(\.app)
        // Queries all workers at once, so that a silent one takes no time from the others.
        let asked = apps.flatMap(\.listingNames).map { app in
            Task {
                // Sessions of a worker that does not answer are left out.
                let infos = try? await daemon.query(.sessions(app: app), [SessionInfo].self)
                current.infos += infos ?? []
            }
        }
        for task in asked { await task.value }
        // A running session has a worker to ask; the query for another app would start one.
        guard let session = current.named else { return }
        current.schema = try await daemon.query(.schema(app: session.app))
    }

    private var socket: String? {
        // A shell cannot wait for ssh.
        if words.contains(where: { $0 == "--host" || $0.hasPrefix("--host=") }) { return nil }
        do throws(TransportError) {
            for (index, word) in words.enumerated() {
                if word.hasPrefix("--socket=") {
                    return try SocketPath(String(word.dropFirst("--socket=".count))).text
                }
                if word == "--socket", index + 1 < words.count {
                    return try SocketPath(words[index + 1]).text
                }
            }
            return try SocketPath.napkinDefault().text
        } catch {
            return nil
        }
    }

    /// Returns a word without the quotes that a shell would remove.
    private static func unquoted(_ word: String) -> String {
        var text = ""
        var isEscaped = false
        for letter in word {
            if isEscaped {
                text.append(letter)
                isEscaped = false
            } else if letter == "\\" {
                isEscaped = true
            } else if letter != "'", letter != "\"" {
                text.append(letter)
            }
        }
        return text
    }

    /// Whether the line has this name after the command's.
    private func names(_ name: String) -> Bool { words.dropFirst(2).contains(name) }

    fileprivate var sessions: [String] { infos.map(\.session).sorted() }

    private var named: SessionInfo? {
        words.dropFirst(2).lazy.compactMap { word in infos.first { $0.session == word } }.first
    }

    fileprivate var fronts: [String] {
        ((named?.fronts ?? []) + (named?.away ?? [])).map { "\($0.front)" }
    }

    fileprivate var methods: [String] {
        let methods = schema?.features.first { names($0.feature) }?.listens ?? []
        return methods.map(\.key).sorted()
    }
}
