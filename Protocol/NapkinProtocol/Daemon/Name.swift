// Name: the rules for the names of apps, sessions and clients.
//
// Spec       Protocol/SPEC.md, section 3 (Identifiers)

import NapkinCoding
@_spi(_Unicode) import Swift

/// The rules for names that a peer chooses.
public enum Name {
    /// The rule for a valid name, to show to anybody who chose an invalid one.
    public static let rule =
        "use 1 to \(Limits.nameBytesMax) bytes of letters, digits and -_.+@, composed as in "
        + "Unicode's form NFC"

    /// Returns whether `text` can name an app or a session: 1 to `Limits.nameBytesMax` bytes of
    /// letters (of any script), ASCII digits and `-_.+@`, in Normalization Form C: then names that
    /// Swift calls equal have the same bytes, as files, sockets and SQLite compare them.
    public static func isValid(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= Limits.nameBytesMax else { return false }
        // Nearly every name is ASCII. Measured: without this shortcut, an attach spends a twentieth
        // of its instructions on its four names.
        return text.utf8.allSatisfy(isPlain)
            || text.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.isASCII && isPlain(UInt8($0.value))
            } && text.unicodeScalars.elementsEqual(text._nfc)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        case UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "@"): true
        default: false
        }
    }

    /// Returns the refusal of an invalid name; `nil` if the name is valid or absent.
    static func refusal(of text: String?, as what: String) -> Refusal? {
        guard let text, !isValid(text) else { return nil }
        return Refusal(
            .badRequest,
            "'\(text.shortened(to: Limits.echoBytesMax))' is not a valid \(what) name: \(rule)")
    }
}

extension Open {
    /// The refusal of this request, regardless of the hosted apps; `nil` if its names are valid.
    public var refusal: Refusal? {
        Name.refusal(of: app, as: "app") ?? Name.refusal(of: session, as: "session")
    }
}

extension Register {
    /// The refusal of this worker by napkind; `nil` if its names are valid.
    public var refusal: Refusal? {
        Name.refusal(of: app, as: "app")
            ?? sessions.lazy.compactMap { Name.refusal(of: $0, as: "session") }.first
            ?? stored?.lazy.compactMap { Name.refusal(of: $0, as: "session") }.first
            ?? renamed.lazy.compactMap { Name.refusal(of: $0.session, as: "session") }.first
    }
}

extension Admit {
    /// The refusal of this announcement by a worker; `nil` if its names are valid.
    public var refusal: Refusal? { Name.refusal(of: session, as: "session") }
}

extension Query {
    /// The refusal of this query, regardless of existing sessions; `nil` if its names are valid.
    public var refusal: Refusal? {
        switch self {
        case .apps, .status: return nil
        case .cluster(_, let session): return Name.refusal(of: session, as: "session")
        case .logLevel(let app, _): return Name.refusal(of: app, as: "app")
        case .sessions(let app): return Self.refusal(of: app)
        case .crashes(let app, _): return Name.refusal(of: app, as: "app")
        case .kill(let session, _), .detach(let session, _), .trace(let session, _, _, _):
            return Name.refusal(of: session, as: "session")
        case .schema(let app), .control(let app, _, _), .release(let app, _):
            return Name.refusal(of: app, as: "app")
        case .tree(let app, let session), .watch(let app, let session, _, _, _),
            .top(let app, let session),
            .more(let app, let session, _):
            return Self.refusal(of: app) ?? Name.refusal(of: session, as: "session")
        case .ledger(let app, let session, let request):
            return Self.refusal(of: app) ?? Name.refusal(of: session, as: "session")
                ?? request.refusal(session)
        case .rename(let session, let name):
            if let refusal = Name.refusal(of: session, as: "session") { return refusal }
            if session == name {
                return Refusal(.badRequest, "session '\(session)' has that name already")
            }
            return Name.refusal(of: name, as: "session")
        }
    }

    /// - Parameter subject: an app, or one of its workers.
    private static func refusal(of subject: String?) -> Refusal? {
        Name.refusal(of: subject.map { WorkerID($0)?.app ?? $0 }, as: "app")
    }
}

extension Hello {
    /// The refusal of this hello, regardless of its versions; `nil` if its name is valid.
    public var refusal: Refusal? {
        guard client.utf8.count > Limits.nameBytesMax else { return nil }
        return Refusal(
            .protocolViolation,
            "the client's name is longer than \(Limits.nameBytesMax) bytes")
    }
}
