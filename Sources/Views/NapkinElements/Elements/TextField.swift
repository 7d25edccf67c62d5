// TextField: a line of text that a person edits.

internal import NapkinTransport
internal import Observation

/// An editable line. While it is focused, all letters go to it.
///
/// ```swift
/// TextField("for whom", text: $name).onSubmit { order() }
/// ```
///
/// Text that a person has typed outlives a lost connection: if the session's tree is rebuilt with
/// the same feature at the same place, the new view's field continues with it.
public struct TextField: View, Primitive {
    private let placeholder: String
    @Binding private var text: String
    private let problem: String?
    fileprivate var isSecure = false

    /// - Parameters:
    ///   - placeholder: shown while the text is empty.
    ///   - text: the text.
    ///   - problem: the error in the text; shown below it.
    public init(_ placeholder: String = "", text: Binding<String>, problem: String? = nil) {
        self.placeholder = placeholder
        _text = text
        self.problem = problem
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        let memory = context.memory { FieldMemory(text) }
        if memory.reconcile(text) {
            text = memory.text
            context.turn.isStale = true
        }
        return [
            .field(
                FieldElement(
                    placeholder: placeholder, problem: problem, isSecure: isSecure,
                    isEnabled: context.environment.isEnabled, memory: memory,
                    write: { [$text] in $text.wrappedValue = memory.text },
                    submit: context.environment.submit))
        ]
    }
}

/// An editable line that cannot be read: each character is a dot.
public struct SecureField: View {
    private let field: TextField

    /// - Parameters:
    ///   - placeholder: shown while the text is empty.
    ///   - text: the text.
    public init(_ placeholder: String = "", text: Binding<String>) {
        var field = TextField(placeholder, text: text)
        field.isSecure = true
        self.field = field
    }

    public var body: some View { field }
}

extension View {
    /// Returns the view with an action for Enter in its fields, a key that otherwise belongs to the
    /// screen.
    public func onSubmit(_ submit: @escaping () -> Void) -> some View {
        ModifiedView(content: self, before: { $0.submit = submit })
    }
}

/// A text that is being edited, and its cursor.
@Observable
package final class FieldMemory: ElementMemory {
    /// Bytes of UTF-8 that a field accepts. Chosen: a page of text; a longer text does not suit a
    /// field.
    package nonisolated static let bytesMax = 64 * 1024

    package static var outlivesWorker: Bool { true }

    package private(set) var text: String
    /// Characters before the cursor.
    package var cursor: Int
    /// The number of characters that are scrolled out to the left.
    package var offset = 0
    /// Whether a person has edited the text since the view set it.
    @ObservationIgnored private var isPersonal = false
    /// Whether the view that had the text is gone and the next view does not know the text yet.
    @ObservationIgnored private var isCarriedOver = false

    package init(_ text: String = "") {
        self.text = text
        cursor = text.count
    }

    package func carryOver() { isCarriedOver = isPersonal }

    /// Adopts the view's text. Returns whether the view must adopt this one instead, because a
    /// person typed it into a field of the former tree.
    func reconcile(_ text: String) -> Bool {
        defer { isCarriedOver = false }
        guard text != self.text else { return false }
        if isCarriedOver { return true }
        self.text = text
        cursor = text.count
        isPersonal = false
        return false
    }

    private var beforeCursor: Substring { text.prefix(cursor) }

    /// Inserts at the cursor. A combining character joins the one before it. Inserts as much as
    /// fits, and returns whether all of it did.
    @discardableResult
    package func insert(_ string: String) -> Bool {
        var clean = String(String.UnicodeScalarView(string.unicodeScalars.compactMap(Self.kept)))
        let room = Self.bytesMax - text.utf8.count
        let fits = clean.utf8.count <= room
        if !fits {
            let end = clean.utf8.index(clean.startIndex, offsetBy: max(0, room))
            clean = String(clean[..<end])
        }
        guard !clean.isEmpty else { return fits }
        let before = beforeCursor + clean
        let after = text.dropFirst(cursor)
        text = String(before) + after
        // The first character after it may have joined as well.
        cursor = min(String(before).count, text.count)
        isPersonal = true
        return fits
    }

    /// Replaces line ends with spaces and drops characters that no screen can show.
    private static func kept(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar {
        case "\n", "\t": " "
        case "\u{200D}", "\u{FE0F}": scalar
        default: PrintableText.shows(scalar) ? scalar : nil
        }
    }

    /// Handles the editing keys; returns false for others.
    package func press(_ key: Key) -> Bool {
        switch key {
        case .left: cursor = max(0, cursor - 1)
        case .right: cursor = min(text.count, cursor + 1)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = text.count
        case .backspace: remove(from: cursor - 1, to: cursor)
        case .delete, .control("d"): remove(from: cursor, to: cursor + 1)
        case .control("u"): remove(from: 0, to: cursor)
        case .control("k"): remove(from: cursor, to: text.count)
        case .control("w"): remove(from: startOfWord, to: cursor)
        case .alt("b"): cursor = startOfWord
        case .alt("f"): cursor = endOfWord
        default: return false
        }
        return true
    }

    private func remove(from start: Int, to end: Int) {
        let start = max(0, start)
        let end = min(text.count, end)
        guard start < end else { return }
        text = String(text.prefix(start)) + text.dropFirst(end)
        cursor = min(start, text.count)
        isPersonal = true
    }

    private var startOfWord: Int {
        let before = Array(beforeCursor)
        let spaces = before.reversed().prefix { $0 == " " }.count
        return cursor - spaces - before.dropLast(spaces).reversed().prefix { $0 != " " }.count
    }

    private var endOfWord: Int {
        let after = Array(text.dropFirst(cursor))
        let spaces = after.prefix { $0 == " " }.count
        return cursor + spaces + after.dropFirst(spaces).prefix { $0 != " " }.count
    }
}
