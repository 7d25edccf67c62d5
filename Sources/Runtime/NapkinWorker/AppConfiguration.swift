// AppConfiguration: an app's configuration, from its file and the command line.
//
// Invariant  nothing is configured twice: a value of `--set` replaces the file's value.
// Source     YAML 1.1, as Yams reads it.

import Glibc
import NapkinCore
import NapkinHost
import NapkinProtocol
import NapkinTransport
import Yams

/// Reads and checks the configuration of one app.
struct AppConfiguration {
    /// The number of values in a file. Chosen: more than a person maintains.
    static let valuesMax = 256
    /// The levels of a file, which become the dots of a key. Chosen: a person types the keys.
    static let levelsMax = 8

    /// A text, and its origin.
    private struct Value {
        var text: String
        /// `PATH:LINE`, or `--set APP.KEY=VALUE`.
        var origin: String
        var exitCode: Int32
    }

    private let app: String
    private var values: [String: Value] = [:]

    /// Reads the app's file, if there is one, then its words of `--set`.
    ///
    /// Errors: `EX_CONFIG` for the file, `EX_USAGE` for the command line; the text names the line
    /// and a correct form.
    static func read(
        for app: any App.Type, _ words: [String]
    ) throws(StartError) -> Configuration {
        var configuration = AppConfiguration(app: app.id)
        // Without a home there is no file.
        if let path = try? SocketDirectory.configurationFile(of: app.id) {
            try configuration.readFile(CheckedFile(path: path))
        }
        try configuration.readWords(words)
        return try configuration.checked(against: app.settings)
    }

    private init(app: String) { self.app = app }

    // MARK: - The command line

    private mutating func readWords(_ words: [String]) throws(StartError) {
        for word in words {
            let parts = word.dropFirst(app.count + 1).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw StartError(EX_USAGE, "--set \(word): it has no value: use APP.KEY=VALUE")
            }
            values[String(parts[0])] = Value(
                text: String(parts[1]), origin: "--set \(word)", exitCode: EX_USAGE)
        }
    }

    // MARK: - The file

    private mutating func readFile(_ file: CheckedFile) throws(StartError) {
        guard let text = try file.text() else { return }
        let root: Node?
        do {
            root = try compose(yaml: text)
        } catch {
            throw file.error(error)
        }
        // An empty file has no node, or one without a value.
        guard let root, root != Node("") else { return }
        guard let mapping = root.mapping else {
            throw file.error(root.mark, "it must consist of lines such as `key: value`")
        }
        try add(mapping, of: file, below: "", levels: Self.levelsMax)
    }

    private mutating func add(
        _ mapping: Node.Mapping, of file: CheckedFile, below prefix: String, levels: Int
    ) throws(StartError) {
        for (name, node) in mapping {
            guard let word = name.scalar?.string else {
                throw file.error(name.mark, "a key must be a word")
            }
            let key = prefix + word
            guard values[key] == nil else {
                throw file.error(name.mark, "'\(key)' occurs more than once")
            }
            switch node {
            case .scalar(let scalar):
                values[key] = Value(
                    text: scalar.string, origin: file.place(node.mark ?? name.mark),
                    exitCode: EX_CONFIG)
            case .mapping(let mapping) where levels > 1:
                try add(mapping, of: file, below: key + ".", levels: levels - 1)
            case .mapping:
                throw file.error(name.mark, "'\(key)' is deeper than \(Self.levelsMax) levels")
            default:
                throw file.error(name.mark, "'\(key)' is a list: a setting has one value")
            }
            guard values.count <= Self.valuesMax else {
                throw file.error(
                    name.mark, "more than \(Self.valuesMax) values, which is the limit")
            }
        }
    }

    // MARK: - Checking

    private func checked(
        against settings: [any SettingDeclaration]
    ) throws(StartError) -> Configuration {
        do throws(ConfigurationMistake) {
            return try Configuration(values.mapValues(\.text), of: settings)
        } catch {
            let value = values[error.key]
            let problem: String
            switch error.problem {
            case .unknownKey:
                let keys = settings.map { $0.key }
                let known = keys.isEmpty ? "none" : keys.joined(separator: ", ")
                problem =
                    "the app '\(app)' has no setting '\(error.key)'"
                    + Suggestion.hint(for: error.key, among: keys) + "; it has \(known)"
            case .value(let text, let shape):
                problem = "'\(error.key)' is '\(text)', but must be \(shape)"
            }
            throw StartError(
                value?.exitCode ?? EX_CONFIG, "\(value?.origin ?? app): \(problem)")
        }
    }
}

extension CheckedFile {
    /// Returns the place for an error: `PATH:LINE`, or the path alone.
    fileprivate func place(_ mark: Mark?) -> String { mark.map { "\(path):\($0.line)" } ?? path }

    fileprivate func error(_ mark: Mark?, _ message: String) -> StartError {
        StartError(EX_CONFIG, "\(place(mark)): \(message)")
    }

    /// Returns the message of Yams, without the lines that it quotes.
    fileprivate func error(_ error: any Error) -> StartError {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.error(mark, problem)
        case .duplicatedKeysInMapping(let keys, let context):
            self.error(
                context.mark, "\(keys.sorted().joined(separator: ", ")) occurs more than once")
        case .reader(let problem, _, _, _):
            self.error(problem)
        default:
            self.error("it cannot be read: \(error)")
        }
    }
}
