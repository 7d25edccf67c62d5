// Name: what an app, a session and a client may be called.
//
// Layer      sans-I/O core.
// Isolation  value.
// Spec       Protocol/SPEC.md, section 3 (Identifiers)

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

    /// The refusal of a name that is not valid.
    static func refusal(of text: String, as what: String) -> Refusal? {
        if isValid(text) { return nil }
        return Refusal(
            .badRequest,
            "'\(text)' is no \(what) name: use 1 to \(Limits.nameBytesMax) bytes of "
                + "letters, digits and -_.+@")
    }
}

extension Open {
    /// Why nobody takes this request, whichever apps they host; `nil` when its names are well
    /// formed.
    public var refusal: Refusal? {
        Name.refusal(of: app, as: "app")
            ?? session.flatMap {
                Name.refusal(of: $0, as: "session")
            }
    }
}

extension Query {
    /// Why nobody answers this query, whatever there is: a name that it gives is none.
    public var refusal: Refusal? {
        guard case .rename(let session, let name) = self else { return nil }
        if session == name {
            return Refusal(.badRequest, "session '\(session)' has that name already")
        }
        return Name.refusal(of: name, as: "session")
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
