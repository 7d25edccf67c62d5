// PlainInput: the lines that a person can type to a screen in plain text, and their effects.
//
// Invariant  a line has one effect, or none and a reason.
//
//   r · Enter · Esc · F2 · ^r     a key that the page names, or that its selected row takes
//   Order                         a button, a tab, a row or an event, or as much of its name as
//                                 no other has
//   for whom = Joe                fills a field; sets a switch (on, off) or a picker
//   ↑ and ↓ are up, down, home, end: they select a row. `?` lists the possible lines.

import NapkinElements

struct PlainInput {
    enum Outcome {
        case done
        case filled(FieldMemory)
        /// No effect, or only part of it, for a reason.
        case refused(String)
        case says([String])
    }

    private struct Word {
        let name: String
        let act: () -> Outcome
    }

    /// Rows of a list whose names are searched. Chosen: as many as are written.
    private static let rowsMax = 1000
    /// Names that a refusal or `?` lists. Chosen: few enough to listen to.
    private static let namesMax = 50

    let keys: [KeyBinding]
    let elements: [NamedElement]
    let commands: [PaletteCommand]
    /// The field that was filled last, which receives Enter.
    let lastField: FieldMemory?

    init(_ page: PageLayout, commands: [PaletteCommand], lastField: FieldMemory?) {
        keys = page.keys
        elements = NamedElement.all(in: page.elements)
        self.commands = commands
        self.lastField = lastField
    }

    /// The fields, switches, pickers and the buttons without a key, as the page lists them after
    /// its keys.
    var hints: [String] {
        elements.compactMap { named in
            switch named.element {
            case .button(let button) where button.key == nil: "[\(button.label)]"
            case .field, .toggle, .picker: "[\(named.name) = …]"
            default: nil
            }
        }
    }

    func take(_ line: String) -> Outcome {
        if line == "?" { return .says(help) }
        if let key = Key(named: line), press(key) { return .done }
        if let step = Self.steps[line.lowercased()], let outcome = move(step) { return outcome }
        if let outcome = fill(line) { return outcome }
        return say(line)
    }

    /// Returns a text without the white space around it.
    static func trimmed(_ text: some StringProtocol) -> String {
        String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }

    // MARK: - Keys

    private static let steps: [String: Key] = [
        "up": .up, "down": .down, "home": .home, "end": .end,
    ]

    private func press(_ key: Key) -> Bool {
        if key == .enter, let submit = submit {
            submit()
            return true
        }
        if let binding = keys.binding(for: key) {
            binding.action()
            return true
        }
        return lists.contains { list in
            if key == .enter, let choose = list.choose, list.count > 0 {
                choose(list.memory.selection)
                return true
            }
            return list.count > 0 && list.press(key, list.memory.selection)
        }
    }

    private var submit: (() -> Void)? {
        for named in elements {
            if case .field(let field) = named.element, field.memory === lastField {
                return field.submit
            }
        }
        return nil
    }

    private var lists: [ListElement] {
        elements.compactMap { named in
            switch named.element {
            case .list(let list): list.isEnabled ? list : nil
            case .table(let table): table.list
            default: nil
            }
        }
    }

    private func move(_ step: Key) -> Outcome? {
        for list in lists {
            guard list.count > 0, let target = list.memory.target(of: step) else { continue }
            list.select(target)
            return .says([list.row(target).text])
        }
        return nil
    }

    // MARK: - Values

    /// Sets the element named before an equals sign; `nil` if no element with a value has the name.
    private func fill(_ line: String) -> Outcome? {
        for (index, character) in zip(line.indices, line) where character == "=" {
            let name = Self.trimmed(line[..<index])
            guard !name.isEmpty, let named = element(named: name) else { continue }
            return named.set(Self.trimmed(line[line.index(after: index)...]))
        }
        return nil
    }

    private func element(named name: String) -> NamedElement? {
        let wanted = name.lowercased()
        let valued = elements.filter(\.takesValue)
        if let exact = valued.first(where: { $0.name.lowercased() == wanted }) { return exact }
        let found = valued.filter { $0.name.lowercased().hasPrefix(wanted) }
        return found.count == 1 ? found.first : nil
    }

    // MARK: - Names

    private var words: [Word] {
        let bound = keys.map { key in Word(name: key.label, act: acting(key.action)) }
        let events = commands.map { command in
            Word(name: command.title, act: acting(command.run))
        }
        return bound + elements.flatMap(words) + events
    }

    private func acting(_ action: @escaping () -> Void) -> () -> Outcome {
        {
            action()
            return .done
        }
    }

    private func words(of named: NamedElement) -> [Word] {
        switch named.element {
        case .button(let button) where button.key == nil:
            [Word(name: button.label, act: acting(button.action))]
        case .toggle(let toggle):
            [Word(name: named.name, act: acting { toggle.isOn.wrappedValue.toggle() })]
        case .tabs(let names, _, let select):
            names.enumerated().map { index, name in Word(name: name, act: acting { select(index) })
            }
        case .list(let list) where list.isEnabled: rows(of: list)
        case .table(let table): table.list.map(rows) ?? []
        default: []
        }
    }

    private func rows(of list: ListElement) -> [Word] {
        let first = list.follows ? max(0, list.count - Self.rowsMax) : 0
        return (first..<min(list.count, first + Self.rowsMax)).map { index in
            let name = Self.trimmed(list.row(index).text)
            return Word(name: name) {
                list.select(index)
                guard let choose = list.choose else { return .says([name]) }
                choose(index)
                return .done
            }
        }
    }

    /// Performs the action with a name, or the only one whose name begins with the text.
    private func say(_ line: String) -> Outcome {
        let wanted = line.lowercased()
        let words = words
        if let word = words.first(where: { $0.name.lowercased() == wanted }) { return word.act() }
        let found = words.filter { $0.name.lowercased().hasPrefix(wanted) }
        // A button and the event that it sends often have one name, in two spellings.
        var seen: Set<String> = []
        let names = found.map(\.name).filter { seen.insert($0.lowercased()).inserted }
        if let word = found.first, names.count == 1 { return word.act() }
        let refusal =
            found.isEmpty
            ? "nothing here is called '\(line)'; ? lists what can be entered"
            : "'\(line)' begins several names: "
                + names.prefix(Self.namesMax).joined(separator: ", ")
        return .refused(refusal)
    }

    // MARK: - Help

    /// The possible lines beside the rows, which the page shows.
    private var help: [String] {
        let named = keys.map { "\($0.key.word): \($0.label)" }
        let values = elements.filter(\.takesValue).map { "\($0.name) = \($0.values)" }
        let buttons = elements.flatMap { named -> [String] in
            switch named.element {
            case .button(let button) where button.key == nil: [button.label]
            case .tabs(let names, _, _): names
            default: []
            }
        }
        let known = Set(keys.map { $0.label.lowercased() })
        let events = commands.filter { !known.contains($0.title.lowercased()) }
            .prefix(Self.namesMax).map { "\($0.title) (\($0.detail))" }
        return named + values + buttons + events
            + [
                "An empty line writes the screen again, a row is chosen by its text, and names may "
                    + "be shortened. The end of the input (Ctrl-D) leaves."
            ]
    }
}

struct NamedElement {
    let name: String
    let element: RenderedElement

    /// The usable elements inside, outermost first. Elements with a value have unique names: a
    /// second `note` is `note 2`.
    static func all(in elements: [RenderedElement]) -> [NamedElement] {
        var seen: [String: Int] = [:]
        return elements.flatMap { all(in: $0, as: nil) }.map { named in
            guard named.takesValue else { return named }
            let count = seen[named.name, default: 0] + 1
            seen[named.name] = count
            guard count > 1 else { return named }
            return NamedElement(name: "\(named.name) \(count)", element: named.element)
        }
    }

    private static func all(in element: RenderedElement, as name: String?) -> [NamedElement] {
        switch element {
        case .overlay(let over, _): return over.elements.flatMap { all(in: $0, as: nil) }
        case .modified(.labelled(let label), let inner): return all(in: inner, as: label)
        case .modified(.named(let id), let inner): return all(in: inner, as: name ?? id)
        case .modified(_, let inner): return all(in: inner, as: name)
        case .button, .toggle, .picker, .field, .list, .table, .tabs:
            return element.isEnabled
                ? [NamedElement(name: name ?? element.label, element: element)] : []
        default: return element.children.flatMap { all(in: $0, as: nil) }
        }
    }

    var takesValue: Bool {
        switch element {
        case .field, .toggle, .picker: true
        default: false
        }
    }

    /// The possible values after the equals sign.
    var values: String {
        switch element {
        case .toggle(let toggle): toggle.isOn.wrappedValue ? "on (or off)" : "off (or on)"
        case .picker(let picker): picker.options.joined(separator: " or ")
        case .field(let field): field.isSecure || field.text.isEmpty ? "…" : field.text
        default: ""
        }
    }

    func set(_ value: String) -> PlainInput.Outcome {
        switch element {
        case .field(let field): return fill(field, value)
        case .toggle(let toggle):
            guard let isOn = ["on": true, "off": false][value.lowercased()] else {
                return .refused("\(name) is on or off, not '\(value)'")
            }
            toggle.isOn.wrappedValue = isOn
        case .picker(let picker):
            let option = picker.options.firstIndex { $0.lowercased() == value.lowercased() }
            guard let option else { return .refused("\(name) is \(values), not '\(value)'") }
            picker.selection.wrappedValue = option
        default: break
        }
        return .done
    }

    private func fill(_ field: FieldElement, _ text: String) -> PlainInput.Outcome {
        field.fill(text)
            ? .filled(field.memory)
            : .refused("\(name) takes \(FieldMemory.bytesMax) bytes; the rest is left out")
    }
}

extension Key {
    private static let named: [(word: String, key: Key)] = [
        ("enter", .enter), ("esc", .escape), ("escape", .escape), ("space", " "), ("tab", .tab),
        ("backspace", .backspace), ("del", .delete), ("delete", .delete), ("pgup", .pageUp),
        ("pgdn", .pageDown), ("left", .left), ("right", .right), ("up", .up), ("down", .down),
        ("home", .home), ("end", .end),
    ]

    /// Reads a key's name: `r`, `Enter`, `F2`, `^o` or `Ctrl-O`, `Alt-b`.
    init?(named text: String) {
        let lower = text.lowercased()
        if text.count == 1, let character = text.first {
            self = .character(character)
        } else if let found = Self.named.first(where: { $0.word == lower }) {
            self = found.key
        } else if lower.hasPrefix("f"), let number = Int(lower.dropFirst()),
            (1...63).contains(number)
        {
            self = .function(number)
        } else if let letter = Self.letter(lower, after: ["^", "ctrl-"]) {
            self = .control(letter)
        } else if let letter = Self.letter(lower, after: ["alt-"]) {
            self = .alt(letter)
        } else {
            return nil
        }
    }

    private static func letter(_ text: String, after prefixes: [String]) -> Character? {
        for prefix in prefixes where text.hasPrefix(prefix) && text.count == prefix.count + 1 {
            return text.last
        }
        return nil
    }

    /// The key's name in words, where no arrow may be drawn.
    fileprivate var word: String {
        if case .control(let letter) = self { return "Ctrl-\(letter.uppercased())" }
        return Self.named.first { $0.key == self }?.word ?? label
    }
}
