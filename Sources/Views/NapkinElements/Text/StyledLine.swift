// StyledLine: one line of a screen, as text whose pieces name their roles.
//
// Invariant  a piece's text can be printed as it is: control characters have been replaced. At most
//            `FoundWords.lettersMax` letters of a text are searched.

package import NapkinCore
internal import NapkinTransport

/// The role of a piece of text; the screen decides how it looks.
public nonisolated enum TextRole: Sendable, CaseIterable {
    case plain
    case title
    /// Text of less importance.
    case secondary
    /// Text that should attract attention: a count, a name.
    case accent
    case warning
    case error
    /// A key that can be pressed.
    case key
    /// The status line.
    case bar
    /// The focused element, all of it.
    case focus
    /// The selection in an element that does not have the focus.
    case selection
    /// A value that has just changed.
    case changed
    /// The words that a person has searched for.
    case match
    /// Something that can be pressed.
    case button
    /// A text that can be written.
    case field
    /// Lines around elements and between them.
    case border
}

/// A piece of a line.
public nonisolated struct TextSpan: Hashable, Sendable {
    public let text: String
    public let role: TextRole
    /// The style that a program has given it, in place of its role.
    package let style: ConsoleStyle?

    public init(_ text: String, _ role: TextRole = .plain) { self.init(text, role, style: nil) }

    package init(_ text: String, _ role: TextRole = .plain, style: ConsoleStyle?) {
        self.text = Self.printable(text)
        self.role = role
        self.style = style
    }

    /// Returns the piece with another text.
    package func with(_ text: String) -> TextSpan { TextSpan(text, role, style: style) }

    /// Returns `text` with a substitute for each character that no screen shows, and a space for a
    /// tab.
    private static func printable(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            || text.unicodeScalars.allSatisfy({ PrintableText.shows($0) })
        {
            return text
        }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\t": result.append(" ")
            case _ where PrintableText.shows(scalar): result.append(scalar)
            default: result.append("\u{FFFD}")
            }
        }
        return String(result)
    }
}

/// One line of a screen.
public nonisolated struct StyledLine: Hashable, Sendable, ExpressibleByStringLiteral {
    public var spans: [TextSpan]

    public init(spans: [TextSpan]) { self.spans = spans }

    public init(_ text: String = "", _ role: TextRole = .plain) {
        spans = text.isEmpty ? [] : [TextSpan(text, role)]
    }

    public init(stringLiteral text: String) { self.init(text) }

    /// The line as plain text.
    public var text: String { spans.map(\.text).joined() }

    /// Returns the line with each occurrence of these words marked, in upper or lower case.
    package func marking(_ words: FoundWords) -> StyledLine {
        let places = words.places(in: text)
        guard !places.isEmpty else { return self }
        var marked = StyledLine()
        var rest = places[...]
        var index = 0
        for span in spans {
            var (text, role) = ("", span.role)
            for letter in span.text {
                if let place = rest.first, place.upperBound <= index { rest.removeFirst() }
                let own = rest.first?.contains(index) == true ? .match : span.role
                if own != role, !text.isEmpty {
                    marked.spans.append(TextSpan(text, role))
                    text = ""
                }
                role = own
                text.append(letter)
                index += 1
            }
            marked.spans.append(TextSpan(text, role))
        }
        return marked
    }

    public static func + (left: StyledLine, right: StyledLine) -> StyledLine {
        StyledLine(spans: left.spans + right.spans)
    }
}

/// Words that a person searches for, and their places in a text.
package nonisolated struct FoundWords: Hashable, Sendable {
    /// Letters of the words. Chosen: more than a person types.
    static let wordsMax = 256
    /// Letters of a text that are searched. Chosen: more than a line shows.
    static let lettersMax = 4096

    package let text: String
    private let letters: [Character]

    package init(_ text: String = "") {
        self.text = String(text.prefix(Self.wordsMax))
        letters = self.text.map(Self.folded)
    }

    package var isEmpty: Bool { letters.isEmpty }

    /// Returns the places of the words, by letters; none overlaps another.
    func places(in text: String) -> [Range<Int>] {
        letters.isEmpty ? [] : text.prefix(Self.lettersMax).map(Self.folded).ranges(of: letters)
    }

    private static func folded(_ letter: Character) -> Character {
        letter.lowercased().first ?? letter
    }
}
