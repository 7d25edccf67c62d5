// TextField: a line of text that a person edits.
//
// Layer      terminal, elements.
// Isolation  @MainActor.
// Ownership  text and cursor are in the model, which the view owns.
// Invariant  the cursor is between clusters: what looks like one character is deleted as one.

public import Observation

/// A text that is being edited, and its cursor. Create one for each field of a view.
@Observable
public final class TextFieldModel: PersonalModel {
    /// Bytes of UTF-8 that a field takes. Chosen: a page of text; a longer text does not suit a
    /// field.
    public nonisolated static let bytesMax = 64 * 1024

    public private(set) var text: String
    /// Characters before the cursor.
    public private(set) var cursor: Int
    /// Whether a person has edited the text since the view set it.
    private(set) var isPersonal = false
    /// The number of characters that are scrolled out to the left.
    private var offset = 0

    public init(_ text: String = "") {
        self.text = text
        cursor = text.count
    }

    /// Replaces the text and puts the cursor after it.
    public func replace(with text: String) {
        self.text = text
        cursor = text.count
        isPersonal = false
    }

    static var outlivesWorker: Bool { true }

    /// Continues with what a person was writing in the former model.
    func goOn(from other: any PersonalModel) {
        guard let other = other as? TextFieldModel else { return }
        (text, cursor, isPersonal) = (other.text, other.cursor, true)
    }

    private var beforeCursor: Substring { text.prefix(cursor) }

    /// Inserts at the cursor. A combining character joins the one before it.
    public func insert(_ string: String) {
        let clean = String(String.UnicodeScalarView(string.unicodeScalars.compactMap(Self.kept)))
        guard !clean.isEmpty, text.utf8.count + clean.utf8.count <= Self.bytesMax else { return }
        let before = beforeCursor + clean
        let after = text.dropFirst(cursor)
        text = String(before) + after
        // The first character after it may have joined as well.
        cursor = min(String(before).count, text.count)
        isPersonal = true
    }

    /// Replaces line ends with spaces and leaves out what no terminal can show.
    private static func kept(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar {
        case "\n", "\t": " "
        case "\u{200D}", "\u{FE0F}": scalar
        default: CellWidth.cells(of: scalar) == nil ? nil : scalar
        }
    }

    /// Handles the editing keys; returns false for others.
    public func press(_ key: Key) -> Bool {
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

    /// Returns the visible part of the text in `width` cells, and the cursor's cell.
    func window(_ width: Int) -> (text: String, caret: Int) {
        let characters = Array(text)
        offset = min(offset, cursor)
        func cells(_ range: Range<Int>) -> Int {
            range.reduce(0) { $0 + CellWidth.cells(of: String(characters[$1])) }
        }
        // The cursor has a separate cell after the text.
        while offset < cursor, cells(offset..<cursor) > width - 1 { offset += 1 }
        let shown = CellWidth.prefix(of: String(characters[offset...]), width: width).text
        return (shown, min(width - 1, cells(offset..<cursor)))
    }

    /// Moves the cursor to the character in a visible cell.
    func moveCursor(toCell cell: Int) {
        let characters = Array(text)
        var x = 0
        var index = offset
        while index < characters.count {
            x += CellWidth.cells(of: String(characters[index]))
            if x > cell { break }
            index += 1
        }
        cursor = index
    }
}

/// A line that can be edited. While it is focused, it takes all letters.
///
/// ```swift
/// TextField("for whom", text: name).onSubmit { [weak self] in self?.order() }
/// ```
///
/// The model holds its content, which outlives a lost connection: if the session's tree is rebuilt
/// with the same feature at the same place, the new view's field continues with it.
public struct TextField: Element {
    /// The least width of a field, in cells. Chosen.
    private static let cells = 24
    private let model: TextFieldModel
    private let placeholder: String
    private let problem: String?
    private var submit: (() -> Void)?
    private var changed: () -> Void = {}

    /// - Parameters:
    ///   - placeholder: shown while the text is empty.
    ///   - model: the text and its cursor.
    ///   - problem: what is wrong with the text; shown below it.
    public init(_ placeholder: String = "", text model: TextFieldModel, problem: String? = nil) {
        self.model = model
        self.placeholder = placeholder
        self.problem = problem
    }

    /// Returns the field with a closure for Enter, which otherwise belongs to the view.
    public func onSubmit(_ submit: @escaping () -> Void) -> TextField {
        var field = self
        field.submit = submit
        return field
    }

    /// Returns the field with a closure that runs after each change by a person.
    public func onChange(_ changed: @escaping () -> Void) -> TextField {
        var field = self
        field.changed = changed
        return field
    }

    private func problemLines(_ width: Int) -> [StyledLine] {
        problem.map { StyledLine("✗ \($0)", .error).wrapped(to: width) } ?? []
    }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        let cells = max(Self.cells, CellWidth.cells(of: model.text) + 1)
        return Extent(
            width: min(width, cells), height: 1 + problemLines(width).count, fillsWidth: true)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        if pass.isLinear { return [StyledLine(model.text).fitted(to: area.width)] }
        pass.keep("field", model)
        guard area.width > 1 else { return [StyledLine()] }
        let problem = problemLines(area.width)
        let own = Area(x: area.x, y: area.y, width: area.width, height: 1)
        var reaction = reaction
        reaction.linesBelow = problem.count
        let isFocused = pass.target("field", in: own, reaction)
        let (text, caret) = model.window(area.width)
        if isFocused { pass.putCaret(x: area.x + caret, y: area.y) }
        let role: TextRole = isFocused ? .focus : .field
        let shown =
            model.text.isEmpty && !isFocused
            ? StyledLine(placeholder, .secondary).fitted(to: area.width) : StyledLine(text, role)
        let missing = max(0, area.width - shown.cells)
        return [shown + StyledLine(String(repeating: "_", count: missing), role)] + problem
    }

    private var reaction: FocusTarget.Reaction {
        FocusTarget.Reaction(
            press: { [model, changed, submit] key in
                if key == .enter, let submit {
                    submit()
                    return true
                }
                guard model.press(key) else { return false }
                changed()
                return true
            }, click: { [model] x, _ in model.moveCursor(toCell: x) },
            insert: { [model, changed] text in
                model.insert(text)
                changed()
            })
    }
}
