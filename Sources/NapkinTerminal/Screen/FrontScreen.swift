// FrontScreen: a session on a screen: what is drawn, and what a key, a click or a paste does.
//
// Layer      terminal, screen.
// Isolation  @MainActor.
// Ownership  owns focus, scrolling and dialogs; the tree and the views are the front's.
// Invariant  the last drawing, and what input has done since, decide what input does.
//
// It is a terminal's screen without the terminal, so that a test can use it as a person does.
//
// Keys that arrive together are handled one after another, each on the page that the previous one
// left: a person who knows a form's keys can write into it before it is visible.
//
// A key goes to the focused element first; then to the focus itself (Tab, arrows); then to the
// keys of the views, innermost first; then to leaving and scrolling.

public import NapkinCore
public import NapkinElements
public import NapkinFront
public import NapkinTransport

/// A session's screen, without a terminal.
public final class FrontScreen {
    /// The actions that a screen leaves to others.
    public struct Actions {
        public var send: EventSender
        public var select: TabSelector
        public var answer: (_ ask: UInt64, _ payload: Payload) -> Void
        public var quit: () -> Void
        /// Asks for a drawing, at the end of this turn.
        public var redraw: () -> Void
        /// Runs a closure after a delay.
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
    /// Whether the next rebuilt tree is another worker's.
    private var beginsAnew = false
    private let asks = AskBook()
    private var form: OpenForm?
    /// The form whose event was sent last, until a person does something else.
    private var sentForm: OpenForm?
    private var forms = 0
    /// The tree that was drawn last.
    private weak var tree: FrontTree?
    private var keys: [KeyBinding] = []
    private var page: ScreenPage?
    private var size = ScreenSize.smallest
    private var offset = 0
    private var scope = ""
    /// What tells the seen views' own pages apart.
    private var ownPages = ""
    /// Whether a key has acted since the last drawing, so that the page may have changed.
    private var hasActed = false

    public init(bar: StatusBar, actions: Actions) {
        self.bar = bar
        self.actions = actions
        composer = ScreenComposer(
            send: actions.send, select: actions.select, redraw: actions.redraw)
        composer.pages.askArguments = { [weak self] in self?.askArguments($0, $1, $2) }
        composer.pages.changed = { [weak self] view in
            self?.actions.later(Self.changeTime) { view.settle() }
        }
    }

    /// Ends the tasks of all views.
    public func close() { composer.pages.leave() }

    // MARK: - Drawing

    /// Draws a session's tree for a terminal of the given size.
    public func draw(_ tree: FrontTree, _ schemas: [FeatureSchema], _ size: ScreenSize)
        -> ScreenPage
    {
        keepInSight(size)
        self.size = size
        self.tree = tree
        hasActed = false
        let numbers = composer.pages.follow(tree, beginsAnew: beginsAnew)
        followForm(tree, schemas, isBuiltAnew: numbers != nil)
        if let numbers, beginsAnew { beginAnew(tree.root, numbers) }
        composer.schemas = schemas
        let dialog = dialog
        var composition = compose(tree.root, dialog)
        ownPages = dialog == nil ? composition.scope : ""
        let scope = scope(tree.root, dialog) + ownPages
        if scope != self.scope {
            self.scope = scope
            offset = 0
        }
        composer.pages.settle(in: tree)
        if focus.settle(composition.targets, in: scope) {
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

    /// Keeps the focused element visible when the terminal's size changes. A text field also stays
    /// visible when something above it grows, unless a person has scrolled away from it.
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

    /// The name of the current screen: another view that covers the rest makes another screen.
    private func scope(_ root: FrontNode?, _ dialog: Dialog?) -> String {
        if let dialog { return dialog.id }
        guard var node = root else { return "" }
        while let next = node.newest(.modal) ?? node.newest(.push)
            ?? node.children.last(where: { $0.presentation == .embed && $0.coversSomething })
        { node = next }
        return "node \(node.id)"
    }

    private var dialog: Dialog? {
        asks.shown ?? form?.dialog
    }

    /// A view may use `q` itself, and a text contains it; Ctrl-C always leaves.
    private var quitBinding: KeyBinding {
        let isTaken = focus.takesText || keys.contains { $0.key == .character("q") }
        return KeyBinding(isTaken ? .control("c") : .character("q"), "Quit") { [actions] in
            actions.quit()
        }
    }

    /// F1 returns to the questions that were put aside.
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

    /// Handles a person's input.
    public func handle(_ input: TerminalInput) {
        if hasActed || composer.isDue, let tree { _ = draw(tree, composer.schemas, size) }
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
                // The field in which a person writes stays visible.
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
        if focus.moves(key) { return }
        if let binding = keys.binding(for: key) { return run(binding) }
        if key == quitBinding.key { return actions.quit() }
        offset = size.offset(offset, after: key)
    }

    private func run(_ binding: KeyBinding) {
        hasActed = true
        offset = 0
        binding.action()
    }

    // MARK: - Dialogs

    private func askArguments(_ node: FrontNode, _ method: MethodSchema, _ types: [TypeSchema]) {
        guard let tree else { return }
        forms += 1
        form = OpenForm(
            forms, method, types, of: node, in: tree, send: { [weak self] in self?.sendForm($0) },
            cancel: { [weak self] in
                self?.form = nil
                self?.actions.redraw()
            })
        actions.redraw()
    }

    private func sendForm(_ payload: Payload) {
        guard let form else { return }
        self.form = nil
        sentForm = form
        actions.send(form.node, form.method.id, payload)
        actions.redraw()
    }

    /// An event has failed: its form opens again with its content, to be corrected and sent again,
    /// unless the person has done something else since.
    public func eventFailed(_ method: MethodID, of node: UInt32) {
        guard let sentForm, sentForm.node == node, sentForm.method.id == method, form == nil
        else { return }
        form = sentForm
        self.sentForm = nil
        actions.redraw()
    }

    /// Moves an open form with its node.
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

    /// Shows a question to the person.
    public func ask(
        _ id: UInt64, _ method: MethodID, of node: FrontNode, _ payload: Payload,
        _ schemas: [FeatureSchema]
    ) {
        let schema = schemas.first { $0.feature == node.feature.rawValue }
        asks.ask(
            Question(id: id, node: node.id, method: method, payload: payload), schema,
            feature: node.feature.rawValue,
            answer: { [weak self] payload in
                self?.asks.end(id)
                self?.actions.answer(id, payload)
                self?.actions.redraw()
            },
            later: { [weak self] in
                self?.asks.putAside(id)
                self?.actions.redraw()
            })
        actions.redraw()
    }

    /// A question has been answered elsewhere, or is no longer open.
    public func endAsk(_ id: UInt64) {
        asks.end(id)
        actions.redraw()
    }

    /// The next tree is another worker's: places in the former tree mean nothing in it.
    public func sessionBeganAnew() { beginsAnew = true }

    /// Starts on a rebuilt tree. Only a person who was writing or filling in a form stays there:
    /// their letters must not become keys.
    private func beginAnew(_ root: FrontNode?, _ numbers: [UInt32: UInt32]) {
        beginsAnew = false
        let current = focus.current
        let writing = focus.takesText ? current.flatMap { $0.moved(to: numbers) } : nil
        let isInForm = form.map { $0.dialog.id == scope } ?? false
        focus.forget()
        if let writing { focus.expect(writing, in: scope(root, nil) + ownPages) }
        if isInForm, let current, let form { focus.expect(current, in: form.dialog.id) }
        offset = 0
    }

    /// Nothing can be answered until the session asks again.
    public func connectionEnded() {
        asks.connectionEnded()
        actions.redraw()
    }

    /// A node has a new state, or new items of a log; its view, if it has one, has been told.
    public func presented(_ method: MethodID, of node: FrontNode) {
        if node.isDrawn(from: method) { actions.redraw() }
    }

    /// An effect has arrived: a generic view of the node notes it.
    public func effect(
        _ method: MethodID, of node: FrontNode, _ payload: Payload, at time: String
    ) {
        guard !node.hasView else { return }
        composer.pages.generic(of: node).add(effect: method, payload, at: time)
    }
}

extension FrontNode {
    /// Whether something covers it, or a child embedded in it.
    fileprivate var coversSomething: Bool {
        newest(.modal) != nil || newest(.push) != nil
            || children.contains { $0.presentation == .embed && $0.coversSomething }
    }
}

extension FocusKey {
    /// Returns the key of the element at the same place of a rebuilt tree.
    fileprivate func moved(to numbers: [UInt32: UInt32]) -> FocusKey? {
        numbers[node].map { FocusKey(node: $0, id: id) }
    }
}
