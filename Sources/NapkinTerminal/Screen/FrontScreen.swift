// FrontScreen: a session on a screen: what is drawn, and what a key, a click or a paste does.
//
// Layer      terminal, screen.
// Isolation  @MainActor.
// Ownership  owns focus, scrolling and dialogs; the tree and the views are the front's.
// Invariant  what input does is decided by what was drawn last, and by what was done there since.
//
// Everything of a terminal's screen but the terminal, so that a test drives it as a person does.
//
// Keys that come at once are done one after the other, each on the page that the one before left:
// who knows the keys of a form writes into it before it is seen.
//
// Who gets a key: the element that has the focus; then the focus itself (Tab, arrows); then the
// keys of the views, innermost first; then leaving and scrolling.

public import NapkinCore
public import NapkinFront
public import NapkinTransport

/// A session's screen, without a terminal.
public final class FrontScreen {
    /// What a screen has others do.
    public struct Actions {
        public var send: EventSender
        public var select: TabSelector
        public var answer: (_ ask: UInt64, _ payload: Payload) -> Void
        public var quit: () -> Void
        /// Asks for a drawing, at the end of this turn.
        public var redraw: () -> Void
        /// Runs something a while later.
        public var later: (Duration, @escaping @MainActor @Sendable () -> Void) -> Void

        public init(
            send: @escaping EventSender, select: @escaping TabSelector,
            answer: @escaping (UInt64, Payload) -> Void, quit: @escaping () -> Void,
            redraw: @escaping () -> Void,
            later: @escaping (Duration, @escaping @MainActor @Sendable () -> Void) -> Void = {
                _ = LoopTimer(after: $0, $1)
            }
        ) {
            self.send = send
            self.select = select
            self.answer = answer
            self.quit = quit
            self.redraw = redraw
            self.later = later
        }
    }

    /// How long a value counts as just changed. Chosen: long enough to find it.
    static let changeTime: Duration = .seconds(2)

    public var bar: StatusBar
    /// Leads from this session to others, whatever has the focus.
    public var list: KeyBinding?
    private let actions: Actions
    private let composer: ScreenComposer
    private let focus = FocusRing()
    private let memory = ElementMemory()
    /// Whether the next tree that is built anew is another worker's.
    private var beginsAnew = false
    private let asks = AskBook()
    private var form: OpenForm?
    /// The form whose event was sent last, while nothing has been done since.
    private var sentForm: OpenForm?
    private var forms = 0
    /// The tree as drawn last.
    private weak var tree: FrontTree?
    private var keys: [KeyBinding] = []
    private var page: ScreenPage?
    private var size = ScreenSize.smallest
    private var offset = 0
    private var scope = ""
    /// Whether a key has done something since the last drawing, so that its page may be another.
    private var hasActed = false

    public init(bar: StatusBar, actions: Actions) {
        self.bar = bar
        self.actions = actions
        composer = ScreenComposer(
            send: actions.send, select: actions.select, redraw: actions.redraw)
        composer.askArguments = { [weak self] in self?.askArguments($0, $1, $2) }
        composer.changed = { [weak self] view in
            self?.actions.later(Self.changeTime) { view.settle() }
        }
    }

    // MARK: - Drawing

    /// Draws a session's tree for a terminal of a size.
    public func draw(_ tree: FrontTree, _ schemas: [FeatureSchema], _ size: ScreenSize)
        -> ScreenPage
    {
        keepInSight(size)
        self.size = size
        self.tree = tree
        hasActed = false
        let names = memory.follow(tree, beginsAnew: beginsAnew)
        followForm(tree, schemas, isBuiltAnew: names != nil)
        if let names, beginsAnew { beginAnew(tree.root, names) }
        composer.schemas = schemas
        composer.forget { tree.node($0) != nil }
        let dialog = dialog
        var composition = compose(tree.root, dialog)
        let scope = scope(tree.root, dialog)
        if scope != self.scope {
            self.scope = scope
            offset = 0
        }
        let goesOn = memory.settle(composition.models, in: tree)
        if focus.settle(composition.targets, in: scope) || goesOn {
            composition = compose(tree.root, dialog)
        }
        keys = composition.keys + aside
        let page = ScreenPage(
            composition, bar: bar, keys: keys + [list, quitBinding].compactMap(\.self), size: size,
            offset: offset,
            sight: focus.wantsSight ? focus.current : nil)
        focus.wasShown()
        offset = page.offset
        self.page = page
        return page
    }

    /// What had the focus in sight keeps it when the terminal has another size, and a field also
    /// when something above it has become longer, unless one has scrolled away from it.
    private func keepInSight(_ size: ScreenSize) {
        guard let focused = focus.current, let page, page.seen.contains(focused) else { return }
        if size != self.size || (focus.takesText && offset == page.offset) { focus.keepInSight() }
    }

    private func compose(_ root: FrontNode?, _ dialog: Dialog?) -> Composition {
        composer.compose(
            root, width: size.width, height: size.height - ScreenPage.barLines,
            focus: focus.current, dialog: dialog,
            hasRoomForPath: size.height >= ScreenPage.pathHeight)
    }

    /// The screen that one is on: another view that covers the rest is another one.
    private func scope(_ root: FrontNode?, _ dialog: Dialog?) -> String {
        if let dialog { return dialog.id }
        guard var node = root else { return "" }
        while let next = node.newest(.modal) ?? node.newest(.push)
            ?? node.children.last(where: { $0.presentation == .embed && $0.coversSomething })
        { node = next }
        return "node \(node.id)"
    }

    private var dialog: Dialog? {
        if let entry = asks.shown {
            return Dialog(id: "ask \(entry.question.id)", title: entry.title, view: entry.view)
        }
        return form?.dialog
    }

    /// A view may have a `q` of its own, and a text has many; Ctrl-C leads out always.
    private var quitBinding: KeyBinding {
        let isTaken = focus.takesText || keys.contains { $0.key == .character("q") }
        return KeyBinding(isTaken ? .control("c") : .character("q"), "Quit") { [actions] in
            actions.quit()
        }
    }

    /// Questions that were put aside wait for F1.
    private var aside: [KeyBinding] {
        let count = asks.asideCount
        guard count > 0, asks.shown == nil else { return [] }
        let label = count == 1 ? "1 question" : "\(count) questions"
        return [
            KeyBinding(.function(1), label) { [weak self] in
                self?.asks.takeUpAll()
                self?.actions.redraw()
            }
        ]
    }

    /// The name of the element that has the focus.
    public var focusedElement: String? { focus.current?.id }

    // MARK: - Input

    /// Does what a person wants.
    public func handle(_ input: TerminalInput) {
        if hasActed, let tree { _ = draw(tree, composer.schemas, size) }
        bar.notice = nil
        sentForm = nil
        if case .key(let key) = input {
            pressed(key)
        } else {
            hasActed = true
            offset = max(0, offset + focus.take(input, on: page))
        }
        actions.redraw()
    }

    private func pressed(_ key: Key) {
        if let target = focus.target {
            if let insert = target.reaction.insert, case .character(let character) = key {
                // Who writes sees it.
                focus.keepInSight()
                return insert(String(character))
            }
            if target.reaction.press(key) {
                hasActed = true
                return
            }
        }
        if key == .control("c") { return actions.quit() }
        if let list, key == list.key { return list.action() }
        if let binding = keys.first(where: { $0.key == key }) { return run(binding) }
        if movesFocus(key) { return }
        if let binding = keys.binding(for: key) { return run(binding) }
        if key == quitBinding.key { return actions.quit() }
        scroll(key)
    }

    private func run(_ binding: KeyBinding) {
        hasActed = true
        offset = 0
        binding.action()
    }

    private func movesFocus(_ key: Key) -> Bool {
        switch key {
        case .tab: focus.move(by: 1)
        case .backTab: focus.move(by: -1)
        case .up, .down, .left, .right: return focus.move(key)
        default: return false
        }
        return true
    }

    private func scroll(_ key: Key) {
        let lines = max(1, size.height - ScreenPage.barLines - 1)
        switch key {
        case .up: offset -= 1
        case .down: offset += 1
        case .pageUp: offset -= lines
        case .pageDown, .character(" "): offset += lines
        case .home: offset = 0
        case .end: offset = .max / 2
        default: return
        }
        offset = max(0, offset)
    }

    // MARK: - Dialogs

    private func askArguments(_ node: FrontNode, _ method: MethodSchema, _ types: [TypeSchema]) {
        guard let tree else { return }
        forms += 1
        let view = EventForm(
            method, types, send: { [weak self] in self?.sendForm($0) },
            cancel: { [weak self] in
                self?.form = nil
                self?.actions.redraw()
            })
        let dialog = Dialog(
            id: "form \(forms)", title: MethodWords.title(of: method.key), view: view)
        form = OpenForm(dialog, method, types, of: node, in: tree)
        actions.redraw()
    }

    private func sendForm(_ payload: Payload) {
        guard let form else { return }
        self.form = nil
        sentForm = form
        actions.send(form.node, form.method.id, payload)
        actions.redraw()
    }

    /// An event did not do what it was sent for: its form comes back, with what is written there,
    /// to be mended and sent again. Not to somebody who has gone on to something else.
    public func eventFailed(_ method: MethodID, of node: UInt32) {
        guard let sentForm, sentForm.node == node, sentForm.method.id == method, form == nil
        else { return }
        form = sentForm
        self.sentForm = nil
        actions.redraw()
    }

    /// An open form goes where its node goes.
    private func followForm(_ tree: FrontTree, _ schemas: [FeatureSchema], isBuiltAnew: Bool) {
        func isThere(_ form: OpenForm) -> Bool {
            isBuiltAnew
                ? form.goOn(in: tree, schemas, beginsAnew: beginsAnew) : tree.node(form.node) != nil
        }
        if let sentForm, !isThere(sentForm) { self.sentForm = nil }
        guard let form, !isThere(form) else { return }
        self.form = nil
        bar.notice = [bar.notice, form.farewell].compactMap(\.self).joined(separator: "; ")
    }

    /// Puts a question to the person.
    public func ask(
        _ id: UInt64, _ method: MethodID, of node: FrontNode, _ payload: Payload,
        _ schemas: [FeatureSchema]
    ) {
        let schema = schemas.first { $0.feature == node.feature.rawValue }
        let known = schema?.presents.first { $0.id == method }
        let question = Question(id: id, node: node.id, method: method, payload: payload)
        let title = known.map { MethodWords.title(of: $0.key) } ?? node.feature.rawValue
        asks.ask(question, title) {
            AskView(
                question, known, schema?.types ?? [],
                answer: { [weak self] payload in
                    self?.asks.end(id)
                    self?.actions.answer(id, payload)
                    self?.actions.redraw()
                },
                later: { [weak self] in
                    self?.asks.putAside(id)
                    self?.actions.redraw()
                })
        }
        actions.redraw()
    }

    /// A question has been answered elsewhere, or is not wanted any more.
    public func endAsk(_ id: UInt64) {
        asks.end(id)
        actions.redraw()
    }

    /// The next tree is another worker's: where one was in the former one means nothing in it.
    public func sessionBeganAnew() { beginsAnew = true }

    /// Only who was writing, or filling in a form, goes on where they were: their letters must not
    /// become keys.
    private func beginAnew(_ root: FrontNode?, _ names: [FocusKey: FocusKey]) {
        beginsAnew = false
        let current = focus.current
        let writing = focus.takesText ? current.flatMap { names[$0] } : nil
        let isInForm = form.map { $0.dialog.id == scope } ?? false
        focus.forget()
        if let writing { focus.expect(writing, in: scope(root, nil)) }
        if isInForm, let current, let form { focus.expect(current, in: form.dialog.id) }
        offset = 0
    }

    /// Nothing can be answered until the session asks again.
    public func connectionEnded() {
        asks.connectionEnded()
        actions.redraw()
    }

    /// Something has happened: it is noted where a generic view shows the node.
    public func effect(
        _ method: MethodID, of node: FrontNode, _ payload: Payload, at time: String
    ) {
        if node.view?.view as? any TerminalView == nil {
            composer.generic(of: node).add(effect: method, payload, at: time)
        }
        actions.redraw()
    }
}

extension FrontNode {
    /// Whether it, or what is embedded in it, is covered by something.
    fileprivate var coversSomething: Bool {
        newest(.modal) != nil || newest(.push) != nil
            || children.contains { $0.presentation == .embed && $0.coversSomething }
    }
}
