// Name: what an app, a session and a client may be called.
//
// Layer      sans-I/O core.
// Isolation  value.
// Spec       Protocol/SPEC.md, section 3 (Identifiers)

import NapkinCoding

/// The rules for names that a peer gives.
public enum Name {
    /// Whether `text` names an app or a session: 1 to `Limits.nameBytesMax` bytes of letters (of
    /// any script), ASCII digits and `-_.+@`.
    public static func isValid(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= Limits.nameBytesMax
            && text.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || ("0"..."9").contains($0)
                    || "-_.+@".unicodeScalars.contains($0)
            }
    }

    /// The refusal of a name that is not valid; an absent one is.
    static func refusal(of text: String?, as what: String) -> Refusal? {
        guard let text, !isValid(text) else { return nil }
        return Refusal(
            .badRequest,
            "'\(text.shortened(to: Limits.echoBytesMax))' is no \(what) name: use 1 to "
                + "\(Limits.nameBytesMax) bytes of letters, digits and -_.+@")
    }
}

extension Open {
    /// Why nobody takes this request, whichever apps they host; `nil` when its names are well
    /// formed.
    public var refusal: Refusal? {
        Name.refusal(of: app, as: "app") ?? Name.refusal(of: session, as: "session")
    }
}

extension Register {
    /// Why napkind does not take this worker; `nil` when its names are well formed.
    public var refusal: Refusal? {
        Name.refusal(of: app, as: "app")
            ?? sessions.lazy.compactMap { Name.refusal(of: $0, as: "session") }.first
            ?? renamed.lazy.compactMap { Name.refusal(of: $0.session, as: "session") }.first
    }
}

extension Admit {
    /// Why a worker admits nobody by this; `nil` when its names are well formed.
    public var refusal: Refusal? { Name.refusal(of: session, as: "session") }
}

extension Query {
    /// Why nobody answers this query, whatever there is: a name that it gives is none.
    public var refusal: Refusal? {
        switch self {
        case .apps: return nil
        case .sessions(let app): return Name.refusal(of: app, as: "app")
        case .kill(let session), .detach(let session, _), .trace(let session, _, _, _):
            return Name.refusal(of: session, as: "session")
        case .schema(let app): return Name.refusal(of: app, as: "app")
        case .tree(let app, let session), .watch(let app, let session, _, _, _),
            .top(let app, let session), .more(let app, let session, _):
            return Name.refusal(of: app, as: "app") ?? Name.refusal(of: session, as: "session")
        case .rename(let session, let name):
            if let refusal = Name.refusal(of: session, as: "session") { return refusal }
            if session == name {
                return Refusal(.badRequest, "session '\(session)' has that name already")
            }
            return Name.refusal(of: name, as: "session")
        }
    }
}

extension Hello {
    /// Why nobody takes this hello, whatever versions they speak; `nil` when there is no reason.
    public var refusal: Refusal? {
        guard client.utf8.count > Limits.nameBytesMax else { return nil }
        return Refusal(
            .protocolViolation,
            "the client's name is longer than \(Limits.nameBytesMax) bytes")
    }
}
