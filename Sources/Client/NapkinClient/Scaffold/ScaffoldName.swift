// ScaffoldName: the checked name of an app or a feature, in the forms for types and ids.

import NapkinElements

/// A name such as `RibHouse` that begins the names of files and types.
struct ScaffoldName: Equatable {
    enum Use: String {
        case app
        case feature
    }

    /// The most letters of a name. Chosen: derived names stay readable and socket paths short.
    static let lettersMax = 32

    let type: String

    /// The name as an id or a program: `rib-house`.
    var id: String { MethodWords.words(in: type[...]).joined(separator: "-").lowercased() }

    /// The name as a variable: `ribHouse`.
    var variable: String {
        let words = id.split(separator: "-").map(String.init)
        let name = words[0] + words.dropFirst().map(Self.capitalized).joined()
        return Self.keywords.contains(name) ? "`\(name)`" : name
    }

    /// The name of the slot and the prefix of the names derived from it: `ribHouse`.
    var slot: String { variable.replacing("`", with: "") }

    /// Throws an error that states the problem and proposes a name.
    init(_ text: String, for use: Use) throws(ClientFailure) {
        func refused(_ problem: String) -> ClientFailure {
            let other = Self.proposal(for: text)
            let advice = other.map { ": try '\($0)'" } ?? ": try 'Counter'"
            return ClientFailure.usage(
                "'\(text)' cannot be \(Self.article(use)): \(problem)\(advice)")
        }
        guard let first = text.unicodeScalars.first else { throw refused("it is empty") }
        guard text.unicodeScalars.allSatisfy(\.isLetterOrDigit) else {
            throw refused("a name in Swift has letters and digits only")
        }
        guard ("A"..."Z").contains(first) else {
            throw refused("types begin with a capital letter")
        }
        guard text.count <= Self.lettersMax else {
            throw refused("it has more than \(Self.lettersMax) letters")
        }
        type = text
        guard Self.isFree(text) else {
            throw .usage(
                "'\(text)' cannot be \(Self.article(use)): the generated code could not tell it "
                    + "from a name of Swift or napkin: choose another name, such as 'My\(text)'")
        }
    }

    /// Swift's keywords, which cannot name a declaration.
    static let keywords = words(
        """
        Any Protocol Self Type as associatedtype break case catch class continue default defer \
        deinit do else enum extension fallthrough false fileprivate for func guard if import in \
        init inout internal is let nil operator precedencegroup private protocol public repeat \
        rethrows return self static struct subscript super switch throw throws true try \
        typealias var where while
        """)

    /// Names of Swift's and napkin's types in an app's files, and first words of such names.
    private static let types = words(
        """
        Actor Alignment Anomaly Answer App Array Attached Audience Banner Bindable Binding \
        Bool Buildable Builder Button Child Client Component Composition Configuration Crossing \
        Dependency Divider Durable Edge Environment Feature Flow Front Gate Group Handling Int \
        Interactable Journal Key Launch Lines List Log Message Migration Napkin Never Optional \
        Payload Picker Presentable Presentation Preview Recording Result Router Routing Section \
        Sendable Setting Spacer State Step String Swift Tab Table Task Terminal Test Testing Text \
        Toggle View Viewable Void Worker Workflow Working
        """)

    private static func isFree(_ name: String) -> Bool {
        !keywords.contains(name) && !types.contains(name)
    }

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(separator: " ").map(String.init))
    }

    private static func article(_ use: Use) -> String {
        use == .app ? "the name of an app" : "the name of a feature"
    }

    /// Returns `rib-house` as `RibHouse`; `nil` if no letters are left, or nothing needs to
    /// change.
    private static func proposal(for text: String) -> String? {
        let words = text.split { !$0.unicodeScalars.allSatisfy(\.isLetterOrDigit) }
        let name = words.map { capitalized(String($0)) }.joined().drop { !$0.isLetter }
        let proposal = capitalized(String(name.prefix(lettersMax)))
        return proposal.isEmpty || proposal == text ? nil : proposal
    }

    private static func capitalized(_ word: String) -> String {
        word.prefix(1).uppercased() + word.dropFirst()
    }
}

extension Unicode.Scalar {
    /// Whether it is an ASCII letter or digit, since a program, a file and a socket get the name.
    fileprivate var isLetterOrDigit: Bool {
        ("a"..."z").contains(self) || ("A"..."Z").contains(self) || ("0"..."9").contains(self)
    }
}
