// AppManifest: the description by which napkind finds an app, its worker and its terminal front.
//
// Spec       Protocol/MANIFEST.md

import NapkinCoding

/// An installed app, as its manifest describes it.
public struct AppManifest: Hashable, Encodable, Sendable {
    /// Bytes of a manifest. Chosen: far more than a person writes.
    public static let bytesMax = 64 * 1024
    /// Manifests of one daemon. Chosen: more than a user has apps.
    public static let manifestsMax = 1000
    /// Bytes of a title. Chosen: a line of a list.
    public static let titleBytesMax = 128
    /// Bytes of a version. Chosen: a column of a list.
    public static let versionBytesMax = 64
    /// Bytes of a path, an argument, or a variable with its value. Source: limits.h, `PATH_MAX`,
    /// without the zero at the end.
    public static let textBytesMax = 4095
    /// Arguments of a program, variables of an environment, and sessions. Chosen: few need more.
    public static let itemsMax = 64
    /// Seconds that a worker's loop may hang, unless the manifest sets another limit. Chosen:
    /// longer than a busy machine takes.
    public static let hangSecondsDefault = 10
    /// The most seconds that a manifest may set. Chosen: a day; 0 is for longer.
    public static let hangSecondsMax = 86_400
    /// Ids that would collide with napkind's own files: its lock, and the directory of manifests.
    public static let reservedIDs = ["apps", "napkind"]

    /// A program, with its arguments and environment.
    public struct Program: Hashable, Encodable, Sendable {
        /// An absolute path.
        public var path: String
        /// Arguments that precede those added by napkin.
        public var arguments: [String] = []
        /// Variables set in addition to the user's and napkin's.
        public var environment: [String: String] = [:]
        /// The absolute path of its working directory; `nil` for the user's home.
        public var directory: String?

        package init(
            path: String, arguments: [String] = [], environment: [String: String] = [:],
            directory: String? = nil
        ) {
            (self.path, self.arguments) = (path, arguments)
            (self.environment, self.directory) = (environment, directory)
        }

        private enum Key: String, CodingKey { case program, arguments, environment, directory }

        public func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: Key.self)
            try object.encode(path, forKey: .program)
            if !arguments.isEmpty { try object.encode(arguments, forKey: .arguments) }
            if !environment.isEmpty { try object.encode(environment, forKey: .environment) }
            try object.encodeIfPresent(directory, forKey: .directory)
        }
    }

    public var id: String
    /// The app's name for people.
    public var title: String?
    /// The app's version, in its author's numbering.
    public var version: String?
    public var worker: Program
    /// The front for a terminal; `nil` for the generic one.
    public var front: Program?
    /// How its sessions are spread over processes.
    public var isolation = Isolation.shared
    /// The sessions that also run while no front is attached.
    public var sessions: [String] = []
    /// Seconds that the worker's loop may hang before the worker is ended; 0 for no limit.
    public var hangSeconds = hangSecondsDefault
    /// How often a worker that dies is restarted; `nil` for the default limit.
    public var restart: RestartLimit?
    /// The limits on the workers' resources and the fronts' requests; `nil` for the default limits.
    public var limits: AppLimits?

    private enum CodingKeys: String, CodingKey {
        case id, title, version, worker, front, isolation, sessions, restart, limits
        case hangSeconds = "hang"
    }
}

/// The reason why a manifest was refused, and where.
public struct AppManifestError: Error, Equatable, Sendable {
    /// The line, from 1.
    public var line: Int
    /// The error and its remedy.
    public var message: String
}

extension AppManifest {
    /// Reads a manifest.
    ///
    /// - Parameters:
    ///   - text: the file's bytes.
    ///   - name: the file's name without `.json`, which must be the id.
    ///   - directory: the base of relative program paths, for a manifest that is yet to be
    ///     installed; without it, they are refused.
    public init(
        _ text: [UInt8], named name: String, programsIn directory: String? = nil
    ) throws(AppManifestError) {
        guard text.count <= Self.bytesMax else {
            throw AppManifestError(
                line: 1, message: "it is larger than \(Self.bytesMax) bytes, which is the limit")
        }
        let object = try ManifestObject(
            text, in: text.indices, path: "",
            keys: [
                "id", "title", "version", "worker", "front", "isolation", "sessions", "restart",
                "hang", "limits",
            ])
        id = try object.required("id", "a text", String.self, like: "\"\(name)\"")
        guard Name.isValid(id) else {
            throw object.error(
                "id",
                "is '\(id.shortened(to: Limits.echoBytesMax))', which is not a valid app name: "
                    + Name.rule)
        }
        guard !Self.reservedIDs.contains(id) else {
            throw object.error("id", "is '\(id)', which napkind uses itself: choose another one")
        }
        guard id == name else {
            throw object.error(
                "id",
                "is '\(id)', but the file is named "
                    + "'\(name.shortened(to: Limits.echoBytesMax)).json': name it '\(id).json'")
        }
        title = try object.text("title", bytesMax: Self.titleBytesMax)
        version = try object.text("version", bytesMax: Self.versionBytesMax)
        let worker = try object.object(
            "worker", keys: ["program", "arguments", "environment", "directory"])
        guard let worker else { throw object.missing("worker", like: #"{"program": "/PATH"}"#) }
        self.worker = try worker.program(in: directory)
        front = try object.object("front", keys: ["program", "arguments"])?
            .program(in: directory)
        isolation = try object.isolation()
        sessions = try object.texts("sessions", "names of sessions")
        for session in sessions where !Name.isValid(session) {
            throw object.error(
                "sessions",
                "has '\(session.shortened(to: Limits.echoBytesMax))', which is not a valid "
                    + "session name: \(Name.rule)")
        }
        hangSeconds = try object.value("hang", "a number of seconds", Int.self) ?? hangSeconds
        guard (0...Self.hangSecondsMax).contains(hangSeconds) else {
            throw object.error(
                "hang",
                "must be 0 to \(Self.hangSecondsMax) seconds, where 0 lets a worker hang for ever")
        }
        if let object = try object.object("restart", keys: RestartLimit.keys) {
            restart = try RestartLimit(object)
        }
        if let object = try object.object("limits", keys: AppLimits.keys) {
            limits = try AppLimits(object, own: sessions.count)
        }
    }
}

/// One object of a manifest, in which every key is known.
struct ManifestObject {
    /// Levels of nesting. Chosen: a manifest needs three.
    private static let limits = CBORLimits(depthMax: 8)

    private let text: [UInt8]
    private let range: Range<Int>
    /// The keys that lead to the object, each with a dot.
    private let path: String
    private let reader: JSONObjectReader

    init(
        _ text: [UInt8], in range: Range<Int>, path: String, keys: [String]
    ) throws(AppManifestError) {
        (self.text, self.range, self.path) = (text, range, path)
        do throws(JSONError) {
            reader = try JSONObjectReader(Array(text[range]), limits: Self.limits)
        } catch {
            // A nested object was checked with the whole manifest: only its kind can be wrong.
            throw AppManifestError(
                line: Self.line(range.lowerBound + error.offset, of: text),
                message: path.isEmpty
                    ? "column \(Self.column(error.offset, of: text)): it cannot be read as a JSON "
                        + "object: \(error.detail)"
                    : "'\(path.dropLast())' must be an object")
        }
        for member in reader.members where !keys.contains(member.name) {
            throw error(
                member.name,
                "is not a key of a manifest"
                    + Suggestion.hint(for: member.name, among: keys)
                    + ": use \(keys.joined(separator: ", "))")
        }
    }

    private static func line(_ offset: Int, of text: [UInt8]) -> Int {
        1 + text.prefix(offset).count { $0 == UInt8(ascii: "\n") }
    }

    private static func column(_ offset: Int, of text: [UInt8]) -> Int {
        1 + text.prefix(offset).reversed().prefix { $0 != UInt8(ascii: "\n") }.count
    }

    /// Returns an error about a key, at the line of its value.
    func error(_ key: String, _ message: String) -> AppManifestError {
        let offset = range.lowerBound + (reader.member(key)?.range.lowerBound ?? 0)
        let name = (path + key).shortened(to: Limits.echoBytesMax)
        return AppManifestError(line: Self.line(offset, of: text), message: "'\(name)' \(message)")
    }

    func missing(_ key: String, like example: String) -> AppManifestError {
        error(key, "is missing: add \"\(key)\": \(example)")
    }

    func value<T: DirectlyCodable>(
        _ key: String, _ wanted: String, _ type: T.Type
    ) throws(AppManifestError) -> T? {
        guard let member = reader.member(key) else { return nil }
        guard let value = member.value(type) else { throw error(key, "must be \(wanted)") }
        return value
    }

    func required<T: DirectlyCodable>(
        _ key: String, _ wanted: String, _ type: T.Type, like example: String
    ) throws(AppManifestError) -> T {
        guard let value = try value(key, wanted, type) else { throw missing(key, like: example) }
        return value
    }

    func object(_ key: String, keys: [String]) throws(AppManifestError) -> ManifestObject? {
        guard let member = reader.member(key) else { return nil }
        let start = range.lowerBound
        return try ManifestObject(
            text, in: (start + member.range.lowerBound)..<(start + member.range.upperBound),
            path: "\(path)\(key).", keys: keys)
    }

    func isolation() throws(AppManifestError) -> Isolation {
        guard let member = reader.member("isolation") else { return .shared }
        let most = Isolation.workersMax
        guard text[range.lowerBound + member.range.lowerBound] == UInt8(ascii: "{") else {
            let wanted = #""shared", "session" or {"workers": 1 to \#(most)}"#
            switch try value("isolation", wanted, String.self) {
            case "shared": return .shared
            case "session": return .session
            default: throw error("isolation", "must be \(wanted)")
            }
        }
        let object = try object("isolation", keys: ["workers"])
        let wanted = "a number from 1 to \(most)"
        guard let object, let count = try object.value("workers", wanted, Int.self) else {
            throw error("isolation", #"names no number: use {"workers": 1 to \#(most)}"#)
        }
        guard (1...most).contains(count) else { throw object.error("workers", "must be \(wanted)") }
        return .workers(count)
    }

    func text(_ key: String, bytesMax: Int) throws(AppManifestError) -> String? {
        let text = try value(key, "a text", String.self)
        guard text?.utf8.count ?? 0 <= bytesMax else {
            throw error(key, "has more than \(bytesMax) bytes")
        }
        return text
    }

    func texts(_ key: String, _ wanted: String) throws(AppManifestError) -> [String] {
        let texts = try value(key, "an array of \(wanted)", [String].self) ?? []
        guard texts.count <= AppManifest.itemsMax else {
            throw error(key, "has more than \(AppManifest.itemsMax) items")
        }
        for text in texts { try check(text, of: key) }
        return texts
    }

    /// Refuses a text that the kernel cannot pass to a program.
    private func check(_ text: String, of key: String) throws(AppManifestError) {
        guard text.utf8.count <= AppManifest.textBytesMax else {
            throw error(key, "has a text of more than \(AppManifest.textBytesMax) bytes")
        }
        guard !text.utf8.contains(0) else { throw error(key, "has a text with a zero byte") }
    }

    private func check(path: String, of key: String) throws(AppManifestError) {
        guard path.hasPrefix("/") else {
            throw error(
                key,
                "is '\(path.shortened(to: Limits.echoBytesMax))', but must be an absolute path: "
                    + "begin it with /")
        }
    }

    func program(in directory: String?) throws(AppManifestError) -> AppManifest.Program {
        var program = try required("program", "a text", String.self, like: "\"/PATH\"")
        try check(program, of: "program")
        if let directory, !program.hasPrefix("/") { program = "\(directory)/\(program)" }
        try check(path: program, of: "program")
        let environment =
            try value("environment", "an object of texts", [String: String].self) ?? [:]
        guard environment.count <= AppManifest.itemsMax else {
            throw error("environment", "has more than \(AppManifest.itemsMax) variables")
        }
        for (name, value) in environment {
            guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "=")) else {
                throw error("environment", "has a variable that is empty or has = in its name")
            }
            try check("\(name)=\(value)", of: "environment")
        }
        let place = try value("directory", "a text", String.self)
        if let place {
            try check(place, of: "directory")
            try check(path: place, of: "directory")
        }
        return AppManifest.Program(
            path: program, arguments: try texts("arguments", "texts"), environment: environment,
            directory: place)
    }
}
