// GenericView: shows a feature without a view: its states, its events, its effects.
//
// Layer      terminal, generic front.
// Isolation  @MainActor.
// Ownership  one for each node, kept by the composer for as long as the node is shown; the node's
//            states are read, and kept only to detect changes.

internal import NapkinCoding
public import NapkinCore
public import NapkinFront
internal import Observation

/// Sends an event to a node; provided by the owner of the connection.
public typealias EventSender = (_ node: UInt32, _ method: MethodID, _ payload: Payload) -> Void

/// Asks the worker to select a tab of a node.
public typealias TabSelector = (_ tab: String, _ node: FrontNode) -> Void

/// Asks a person for the arguments of an event.
typealias ArgumentAsker = (_ node: FrontNode, _ method: MethodSchema, _ types: [TypeSchema]) -> Void

/// The view of a feature that this front does not know.
@Observable
final class GenericView: ElementView {
    /// The number of events with a key: the digits. Chosen: one key each.
    static let eventsMax = 9
    /// The number of remembered effects. Chosen: some screens of them.
    static let effectsMax = 200
    /// The number of items that are shown of a log, and without a screen. Chosen.
    static let itemsMax = 200
    private static let plainItemsMax = 10
    /// The least width for states and events beside one another, in cells.
    private static let besideFrom = 100

    /// The node as last mounted: a returning front has the same nodes as new objects.
    var node: FrontNode
    var schema: FeatureSchema?
    private let send: EventSender
    private let askArguments: ArgumentAsker
    private let tree = StateTree()
    private let stateList = ListModel()
    private let eventList = ListModel()
    private let effectList = ListModel()
    private var logLists: [MethodID: ListModel] = [:]
    private var effects: [(time: String, method: MethodID, text: String)] = []

    init(
        node: FrontNode, schema: FeatureSchema?, send: @escaping EventSender,
        askArguments: @escaping ArgumentAsker
    ) {
        self.node = node
        self.schema = schema
        self.send = send
        self.askArguments = askArguments
    }

    var title: String? { node.feature.rawValue }

    // MARK: - Changes

    /// Takes the node's newest states; returns whether a state has changed that was known before.
    func update() -> Bool {
        tree.update(
            node.states.filter { $0.method != .tabs }.map { (name(of: $0.method), $0.payload) })
    }

    /// Ends the marks on values that have *just* changed.
    func settle() {
        tree.settle()
    }

    func add(effect method: MethodID, _ payload: Payload, at time: String) {
        effects.append((time, method, PayloadText.text(of: payload)))
        effects.removeFirst(max(0, effects.count - Self.effectsMax))
        effectList.select(effects.count - 1)
    }

    private func name(of method: MethodID) -> String {
        schema?.presents.first { $0.id == method }?.key ?? "#\(method.rawValue)"
    }

    // MARK: - Events

    /// The feature's events; those without arguments come first, so that their digits stay.
    private var events: [MethodSchema] {
        let all = schema?.listens ?? []
        return all.filter(\.parameters.isEmpty) + all.filter { !$0.parameters.isEmpty }
    }

    private func binding(_ index: Int, _ method: MethodSchema) -> KeyBinding {
        KeyBinding(
            .character(Character(String(index + 1))), MethodWords.title(of: method.key),
            isNamed: false
        ) { [weak self] in self?.choose(method) }
    }

    var keys: [KeyBinding] {
        events.prefix(Self.eventsMax).enumerated().map { binding($0, $1) }
    }

    /// The keys that plain text names: it cannot show a form.
    var plainKeys: [KeyBinding] {
        events.filter(\.parameters.isEmpty).prefix(Self.eventsMax).enumerated()
            .map { binding($0, $1) }
    }

    private func choose(_ method: MethodSchema) {
        if method.parameters.isEmpty {
            send(node.id, method.id, Payload())
        } else {
            askArguments(node, method, schema?.types ?? [])
        }
    }

    // MARK: - Elements

    var body: Elements {
        Alternative(plain: plainText) {
            Heading(node.feature.rawValue)
            if let arguments { Text(Self.entry("arguments", arguments)).lineLimit(1) }
            HStack(spacing: 1, stackedBelow: Self.besideFrom) {
                if node.logs.entries.isEmpty {
                    states.frame(maxWidth: .share(3))
                } else {
                    VStack {
                        states
                        logBoxes
                    }.frame(maxWidth: .share(3))
                }
                VStack {
                    eventBox
                    effectBox
                }.frame(maxWidth: .share(2))
            }
        }
    }

    private var states: any Element {
        let rows = tree.rows
        return GroupBox("State") {
            if rows.isEmpty { Text("nothing presented yet").foregroundStyle(.secondary) }
            List(rows, selection: stateList) {
                Text($0.line)
            } primaryAction: { [tree] index in
                if rows[index].isFolded != nil { tree.turn(rows[index].path) }
            }
            .onKeyPress { [tree] key, index in
                switch key {
                case .right: return tree.fold(rows[index], false)
                case .left: return tree.fold(rows[index], true)
                case .character(" ") where rows[index].isFolded != nil:
                    tree.turn(rows[index].path)
                    return true
                default: return false
                }
            }
            .withAsides(rows.map(\.key)).id("states")
        }
    }

    private var eventBox: any Element {
        let events = events
        let lines = events.enumerated().map { index, method in
            let digit = index < Self.eventsMax ? "\(index + 1)" : " "
            let more = method.parameters.isEmpty ? "" : " …"
            return Text("\(digit) ").foregroundStyle(.key) + Text(MethodWords.title(of: method.key))
                + Text(more).foregroundStyle(.secondary)
        }
        return GroupBox("Events") {
            if lines.isEmpty { Text("takes none").foregroundStyle(.secondary) }
            List(lines, selection: eventList, row: \.self) { self.choose(events[$0]) }
                .withAsides(events.map(\.key)).id("events")
        }
    }

    private var effectBox: Elements {
        guard !effects.isEmpty else { return Elements() }
        let lines = effects.map { effect in
            Text("\(effect.time) ").foregroundStyle(.secondary)
                + Text(MethodWords.title(of: name(of: effect.method))).foregroundStyle(.accent)
                + Text(" \(effect.text)")
        }
        let list = List(lines, selection: effectList, row: \.self)
            .withAsides(effects.map { name(of: $0.method) }).id("effects")
        return Elements([GroupBox("Effects") { list }])
    }

    private var logBoxes: Elements {
        Elements(
            node.logs.entries.map { method, log -> any Element in
                let items = texts(of: log, Self.itemsMax)
                let model = logLists[method, default: ListModel()]
                logLists[method] = model
                model.follow(items.count)
                return GroupBox(MethodWords.title(of: name(of: method))) {
                    List(items, selection: model) { Text($0) }.id("log \(method.rawValue)")
                }
            })
    }

    private func texts(of log: LogWindow, _ count: Int) -> [String] {
        var texts: [String] = []
        log.withItems(from: log.start(items: count)) {
            texts = $0.payloads.map { PayloadText.text(of: $0) }
        }
        return texts
    }

    private var arguments: String? {
        let text = PayloadText.text(of: node.arguments)
        return text == "{}" || text == "null" ? nil : text
    }

    private var plainText: [StyledLine] {
        var lines = [StyledLine(node.feature.rawValue, .title)]
        if let arguments { lines.append(Self.entry("arguments", arguments)) }
        for state in node.states where state.method != .tabs {
            lines.append(
                Self.entry(
                    MethodWords.title(of: name(of: state.method)),
                    PayloadText.text(of: state.payload)))
        }
        for (method, log) in node.logs.entries {
            let title = MethodWords.title(of: name(of: method))
            lines += texts(of: log, Self.plainItemsMax).map { Self.entry(title, $0) }
        }
        return lines
    }

    private static func entry(_ key: String, _ value: String) -> StyledLine {
        StyledLine(spans: [TextSpan("  \(key): ", .secondary), TextSpan(value)])
    }
}

/// An element with another text where there is no screen.
struct Alternative: Element {
    private let plain: [StyledLine]
    private let content: Elements

    init(plain: [StyledLine], @ElementBuilder _ content: () -> Elements) {
        self.plain = plain
        self.content = content()
    }

    var bindings: [KeyBinding] { content.bindings }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        guard pass.isLinear else { return content.extent(in: width, pass) }
        return Extent(width: plain.map(\.cells).max() ?? 0, height: plain.count)
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        pass.isLinear
            ? plain.map { $0.fitted(to: area.width) } : content.draw(in: area, pass)
    }
}
