// GenericModel: the states, events and effects of a feature without a view.
//
// Ownership  one per node, kept by the composer while the node is shown; the node owns the states,
//            and old ones are kept only to detect changes.

internal import NapkinCoding
package import NapkinCore
package import NapkinFront
internal import Observation

/// Sends an event to a node; provided by the owner of the connection.
package typealias EventSender = (_ node: UInt32, _ method: MethodID, _ payload: Payload) -> Void

package typealias TabSelector = (_ tab: String, _ node: FrontNode) -> Void

/// Asks a person for an event's arguments.
package typealias ArgumentAsker = (_ node: FrontNode, _ method: MethodSchema, _ types: [TypeSchema])
    -> Void

@Observable
package final class GenericModel {
    /// The most events with a key. Chosen: one digit each.
    static let eventsMax = 9
    /// The most effects kept. Chosen: some screens of them.
    static let effectsMax = 200
    /// The most items shown of a log, on a screen and in plain text. Chosen: some screens; a part.
    static let itemsMax = 200
    private static let plainItemsMax = 10

    /// The node as last mounted: a returning front has the same nodes as new objects.
    var node: FrontNode
    var schema: FeatureSchema?
    private let send: EventSender
    private let askArguments: ArgumentAsker
    let tree = StateTree()
    private(set) var effects: [Effect] = []
    private var effectCount = 0

    /// An effect with the time of its arrival.
    struct Effect: Identifiable {
        let id: Int
        let time: String
        let method: MethodID
        let text: String
    }

    init(
        node: FrontNode, schema: FeatureSchema?, send: @escaping EventSender,
        askArguments: @escaping ArgumentAsker
    ) {
        self.node = node
        self.schema = schema
        self.send = send
        self.askArguments = askArguments
    }

    // MARK: - Changes

    /// Reads the node's newest states; returns whether a known state has changed.
    func update() -> Bool {
        tree.update(
            node.states.filter { $0.method != .tabs }.map { (name(of: $0.method), $0.payload) })
    }

    /// The number of the newest state change.
    package var change: Int { tree.change }

    /// Ends the marks of recent changes up to the given one.
    package func clearMarks(upTo change: Int) { tree.clearMarks(upTo: change) }

    package func add(effect method: MethodID, _ payload: Payload, at time: String) {
        effectCount += 1
        effects.append(
            Effect(
                id: effectCount, time: time, method: method,
                text: PayloadText.shown(of: payload)))
        effects.removeFirst(max(0, effects.count - Self.effectsMax))
    }

    func name(of method: MethodID) -> String {
        schema?.presents.first { $0.id == method }?.key ?? "#\(method.rawValue)"
    }

    // MARK: - Events

    /// The feature's events; those without arguments come first, so that their digits are stable.
    var events: [MethodSchema] {
        let all = schema?.listens ?? []
        return all.filter(\.parameters.isEmpty) + all.filter { !$0.parameters.isEmpty }
    }

    private func binding(_ index: Int, _ method: MethodSchema) -> KeyBinding {
        KeyBinding(
            .character(Character(String(index + 1))), MethodWords.title(of: method.key),
            isNamed: false
        ) { [weak self] in self?.choose(method) }
    }

    var keys: [KeyBinding] { events.prefix(Self.eventsMax).enumerated().map { binding($0, $1) } }

    /// The keys in plain text, for events without arguments: plain text cannot show a form.
    var plainKeys: [KeyBinding] {
        events.filter(\.parameters.isEmpty).prefix(Self.eventsMax).enumerated()
            .map { binding($0, $1) }
    }

    func choose(_ method: MethodSchema) {
        if method.parameters.isEmpty {
            send(node.id, method.id, Payload())
        } else {
            askArguments(node, method, schema?.types ?? [])
        }
    }

    // MARK: - Texts

    /// Returns a log item, or its beginning.
    func text(of log: LogWindow, _ number: UInt64) -> String {
        log.withBytes(from: number, count: 1) { PayloadText.shown(of: Payload(Array($0))) }
    }

    var arguments: String? {
        let text = PayloadText.shown(of: node.arguments)
        return text == "{}" || text == "null" ? nil : text
    }

    var plainText: [StyledLine] {
        var lines: [StyledLine] = []
        if let arguments { lines.append(Self.entry("arguments", arguments)) }
        for state in node.states where state.method != .tabs {
            let name = name(of: state.method)
            lines.append(Self.entry(MethodWords.title(of: name), tree.texts[name] ?? ""))
        }
        for (method, log) in node.logs.entries {
            let title = MethodWords.title(of: name(of: method))
            lines += (log.start(items: Self.plainItemsMax)..<log.next)
                .map { Self.entry(title, text(of: log, $0)) }
        }
        return lines
    }

    static func entry(_ key: String, _ value: String) -> StyledLine {
        StyledLine(spans: [TextSpan("  \(key): ", .secondary), TextSpan(value)])
    }
}

/// Turns a method's name in the contract into a title.
package nonisolated enum MethodWords {
    /// Labels that are prepositions and therefore left out of a title.
    private static let prepositions: Set = [
        "as", "at", "by", "for", "from", "in", "into", "of", "on", "to", "with",
    ]

    /// Returns `Confirm emptying` for `confirmEmptying(_:)`, `Supplies` for `present(supplies:)`,
    /// `Login` for `didTapLogin()`, `Change quantity` for `change(quantity:of:)`.
    ///
    /// A text that is not a method's key is returned unchanged.
    package static func title(of key: String) -> String {
        guard let open = key.firstIndex(of: "("), open != key.startIndex, key.last == ")" else {
            return key
        }
        let labels = key[key.index(after: open)...].dropLast().split(separator: ":")
        var words = self.words(in: key[..<open])
        let label = labels.first.flatMap { $0 == "_" ? nil : self.words(in: $0) } ?? []
        // The place on the screen already says that the value is presented.
        if words == ["present"], !label.isEmpty {
            words = []
        } else if words.count > 2, words.starts(with: ["did", "tap"]) {
            words.removeFirst(2)
        } else if words.count > 1, words.first == "did" {
            words.removeFirst()
        }
        let isPreposition = label.count == 1 && prepositions.contains(label[0])
        if !isPreposition, label.last != words.last { words += label }
        let title = words.joined(separator: " ")
        return title.prefix(1).uppercased() + title.dropFirst()
    }

    /// Splits `openURLOfDish` into open, URL, of, dish.
    package static func words(in name: Substring) -> [String] {
        var words: [String] = []
        var word = ""
        let letters = Array(name)
        for (index, letter) in letters.enumerated() {
            let isStart =
                index > 0 && letter.isUppercase
                && (!letters[index - 1].isUppercase
                    || letters.dropFirst(index + 1).first?.isLowercase == true)
            if isStart || letter == "_" {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if letter != "_" { word.append(letter) }
        }
        if !word.isEmpty { words.append(word) }
        return words.map { $0.count > 1 && $0.allSatisfy(\.isUppercase) ? $0 : $0.lowercased() }
    }
}
