// Isolation: how an app's sessions are spread over worker processes, and these processes' names.
//
// Spec       Protocol/MANIFEST.md, section 4 (Isolation)

/// The extent to which an app's sessions share processes.
public enum Isolation: Hashable, Encodable, Sendable {
    /// Workers of one app. Chosen: more than most machines have cores.
    public static let workersMax = 64
    /// Sessions of one app that have a process each. Chosen: at some 18 MB each, they fit into a
    /// server's memory, and their sockets into napkind's descriptors.
    public static let sessionsMax = 1000

    /// One process.
    case shared
    /// This many processes, over which the sessions are spread.
    case workers(Int)
    /// One process for each session.
    case session

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .shared: try "shared".encode(to: encoder)
        case .workers(let count): try ["workers": count].encode(to: encoder)
        case .session: try "session".encode(to: encoder)
        }
    }
}

/// One worker of an app, by its number: 0 is an app's only worker, and several workers count
/// from 1. A restarted worker keeps its number.
public struct WorkerID: Hashable, Sendable, CustomStringConvertible {
    /// Separates the app's id, which never contains it, from the number.
    private static let separator: Character = "~"

    public var app: String
    public var number: Int

    public init(app: String, number: Int) { (self.app, self.number) = (app, number) }

    /// Reads `APP~NUMBER`; returns `nil` for anything else, such as an app's id.
    public init?(_ text: String) {
        guard let separator = text.lastIndex(of: Self.separator),
            let number = Int(text[separator...].dropFirst()),
            (0...max(Isolation.workersMax, Isolation.sessionsMax)).contains(number)
        else { return nil }
        self.init(app: String(text[..<separator]), number: number)
        // A number has one spelling.
        guard description == text else { return nil }
    }

    /// Reads the name of a worker's file, without its extension.
    public init?(fileName: String) {
        if fileName.contains(Self.separator) {
            self.init(fileName)
            if number == 0 { return nil }
        } else {
            self.init(app: fileName, number: 0)
        }
    }

    /// The worker's name for listings and queries.
    public var description: String { "\(app)\(Self.separator)\(number)" }

    /// The name of the worker's socket and lock, without their extensions.
    public var fileName: String { number == 0 ? app : description }
}
