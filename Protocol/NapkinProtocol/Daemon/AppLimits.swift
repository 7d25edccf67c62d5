// AppLimits: the limits on an app's workers and on its fronts.
//
// Spec       Protocol/MANIFEST.md, section 5 (Limits)

/// The limits of an app, from its manifest. An absent limit does not apply, except that core dumps
/// and new privileges are then forbidden.
public struct AppLimits: Hashable, Codable, Sendable {
    /// The valid ranges. Chosen: with smaller numbers no worker could start, or no front attach;
    /// the largest are beyond any machine.
    static let bytes = 0...(1 << 50)
    static let memoryBytes = (1 << 20)...(1 << 50)
    static let openFiles = 64...1_048_576
    static let processorSeconds = 1...60_000
    static let counts = 1...1_000_000

    /// Seconds over which processor time is counted. Chosen: a start or a long computation does not
    /// end a worker, and an endless loop is noticed while somebody still remembers its cause.
    public static let processorWindowSeconds = 60

    /// Resident bytes of one worker.
    public var memory: Int?
    /// Open files of one worker.
    public var files: Int?
    /// Seconds of processor time that one worker may use in any minute.
    public var processor: Int?
    /// Bytes of a core dump.
    public var core: Int?
    /// Whether programs that a worker starts may gain privileges, as sudo does.
    public var newPrivileges: Bool?
    /// Sessions of the app.
    public var sessions: Int?
    /// Attached fronts of the app.
    public var fronts: Int?
    /// Events of one front in any second.
    public var events: Int?

    public init() {}

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case memory, files, processor, core, newPrivileges, sessions, fronts, events
    }

    static let keys = CodingKeys.allCases.map(\.rawValue)
}

extension AppLimits {
    /// Reads the object `limits`.
    ///
    /// - Parameter own: the number of sessions that also run while no front is attached.
    init(_ object: ManifestObject, own: Int) throws(AppManifestError) {
        memory = try object.number("memory", "bytes", in: Self.memoryBytes)
        files = try object.number("files", "open files", in: Self.openFiles)
        processor = try object.number("processor", "seconds in a minute", in: Self.processorSeconds)
        core = try object.number("core", "bytes", in: Self.bytes)
        newPrivileges = try object.value("newPrivileges", "true or false", Bool.self)
        sessions = try object.number("sessions", "sessions", in: Self.counts)
        fronts = try object.number("fronts", "fronts", in: Self.counts)
        events = try object.number("events", "events in a second", in: Self.counts)
        guard own <= sessions ?? own else {
            throw object.error(
                "sessions", "is less than the \(own) sessions that the manifest has itself")
        }
    }
}

extension ManifestObject {
    func number(
        _ key: String, _ unit: String, in range: ClosedRange<Int>
    ) throws(AppManifestError) -> Int? {
        let wanted = "\(range.lowerBound) to \(range.upperBound) \(unit)"
        guard let number = try value(key, "a number, \(wanted)", Int.self) else { return nil }
        guard range.contains(number) else { throw error(key, "must be \(wanted)") }
        return number
    }
}
