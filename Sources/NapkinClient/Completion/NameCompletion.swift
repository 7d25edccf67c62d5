// NameCompletion: the words that shells offer: sessions, apps, features, methods.
//
// Isolation  any thread: runs while the command line is parsed.
// Invariant  names that cannot be found are left out silently: a shell must not be disturbed.

import ArgumentParser
import NapkinCore
import NapkinElements
import NapkinProtocol
import NapkinTransport

extension CompletionKind {
    /// The current sessions.
    static let sessions = offered { $0.sessions }
    /// The apps that the daemon hosts.
    static let apps = offered { $0.apps }
    static let sessionsAndApps = offered { names in
        let sessions = names.sessions
        return sessions + names.apps.filter { !sessions.contains($0) }
    }
    /// The features of the session that the line names.
    static let features = offered { $0.features }
    /// The events of the feature that the line names.
    static let methods = offered { $0.methods }
    /// The fronts of the session that the line names.
    static let fronts = offered { $0.fronts }

    /// The previews of an app's own client, otherwise the apps.
    static let previewed = custom { line, _, _ in
        if ClientSetup.current.app == nil { return NameCompletion(line)?.apps ?? [] }
        // SAFETY: shells ask before there is a loop, on the main thread. Checked at run time.
        return MainActor.assumeIsolated { ClientSetup.current.previews().map(\.name) }
    }

    /// Leaves out words that a shell would misread, such as those with a line break.
    private static func offered(
        _ words: @escaping @Sendable (NameCompletion) -> [String]
    ) -> CompletionKind {
        custom { line, _, _ in
            NameCompletion(line).map(words)?.filter {
                $0.unicodeScalars.allSatisfy(PrintableText.shows)
            } ?? []
        }
    }
}

/// Finds the words for one line.
final class NameCompletion {
    private let words: [String]
    private var source: NameSource

    /// Returns `nil` if no daemon runs.
    init?(_ words: [String]) {
        self.words = words.map(Self.unquoted)
        guard let path = Self.path(in: self.words), let source = NameSource(path: path) else {
            return nil
        }
        self.source = source
    }

    private static func path(in words: [String]) -> SocketPath? {
        // No shell waits for ssh.
        if words.contains(where: { $0 == "--host" || $0.hasPrefix("--host=") }) { return nil }
        do throws(TransportError) {
            for (index, word) in words.enumerated() {
                if word.hasPrefix("--socket=") {
                    return try SocketPath(String(word.dropFirst("--socket=".count)))
                }
                if word == "--socket", index + 1 < words.count {
                    return try SocketPath(words[index + 1])
                }
            }
            return try SocketPath.napkinDefault()
        } catch {
            return nil
        }
    }

    /// Returns a word without the quotes that a shell would remove.
    static func unquoted(_ word: String) -> String {
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

    /// Returns the words after the command's name that are not options.
    static func positionals(in words: [String]) -> [String] {
        var found: [String] = []
        var isValue = false
        for word in words.dropFirst(2) {
            if isValue {
                isValue = false
            } else if word.hasPrefix("--") {
                isValue = optionsWithValue.contains(word)
            } else if !word.isEmpty {
                found.append(word)
            }
        }
        return found
    }

    private static let optionsWithValue: Set = [
        "--socket", "--host", "--session", "--interval", "--count", "--feature", "--timeout",
        "--check", "--lock", "--since", "--width", "--height",
    ]

    var sessions: [String] { infos.map(\.session).sorted() }

    var apps: [String] {
        appInfos.map(\.app)
    }

    private var appInfos: [AppInfo] {
        (source.ask(.apps, [AppInfo].self) ?? []).filter { $0.state != .broken }
    }

    var features: [String] { schema?.features.map(\.feature).sorted() ?? [] }

    var fronts: [String] {
        let session = Self.positionals(in: words).first
        let info = infos.first { $0.session == session }
        return ((info?.fronts ?? []) + (info?.away ?? [])).map { "\($0.front)" }
    }

    var methods: [String] {
        let positionals = Self.positionals(in: words)
        guard positionals.count > 1 else { return [] }
        let feature = schema?.features.first { $0.feature == positionals[1] }
        return (feature?.listens.map(\.key) ?? []).sorted()
    }

    private var infos: [SessionInfo] {
        source.ask(
            appInfos.flatMap(\.listingNames).map { .sessions(app: $0) }, [SessionInfo].self
        ).flatMap(\.self)
    }

    /// The schema of the session's app, whose worker runs: a query for another app would start one.
    private var schema: AppSchema? {
        guard let session = Self.positionals(in: words).first,
            let info = infos.first(where: { $0.session == session })
        else { return nil }
        return source.ask(.schema(app: info.app))
    }
}
