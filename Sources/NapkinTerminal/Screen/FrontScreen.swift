// FrontScreen: a session on a screen: what is drawn, and which dialogs lie over it.
//
// Ownership  keeps the session's dialogs; the tree and the views are the front's.
//
// It is a terminal's screen without the terminal, so that a test can use it as a person does.
//
// Keys that arrive together are handled one after another, each on the page that the previous one
// left: a person who knows a form's keys can write into it before it is visible.

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

    /// How long a notice is shown. Chosen: long enough to be read by who looks up for it.
    static let noticeTime: Duration = .seconds(20)

    public var bar: StatusBar { didSet { if bar.notice != oldValue.notice { timeNotice() } } }
    /// Counts the notices.
    private var notices = 0
    /// Leads from this session to others, whatever has the focus.
    public var list: KeyBinding? { didSet { route.others = [list].compactMap(\.self) } }
    /// What whoever shows the screen can do, behind what the session can.
    var programs: [PaletteCommand] = []
    private let actions: Actions
    let composer: ScreenComposer
    private let route: InputRoute
    /// Whether the next rebuilt tree is another worker's.
    private var beginsAnew = false
    let dialogs: SessionDialogs
    /// The tree that was drawn last.
    private weak var tree: FrontTree?
    /// What tells the seen views' own pages apart.
    private var ownPages = ""

    public init(bar: StatusBar, actions: Actions) {
        self.bar = bar
        self.actions = actions
        route = InputRoute(quit: actions.quit, redraw: actions.redraw)
        var notice: () -> String? = { nil }
        var say: (String) -> Void = { _ in }
        dialogs = SessionDialogs(
            SessionDialogs.Actions(
                send: actions.send, answer: actions.answer, redraw: actions.redraw,
                notice: { notice() }, say: { say($0) }))
        composer = ScreenComposer(
            send: actions.send, select: actions.select, redraw: actions.redraw)
        notice = { [weak self] in self?.bar.notice }
        say = { [weak self] in
            self?.bar.notice = $0
            actions.redraw()
        }
        route.commands = { [weak self] page in
            guard let self else { return [] }
            return composer.pages.commands(of: tree?.root, besides: page) + programs
        }
        route.say = { [weak self] in self?.bar.notice = $0 }
        composer.pages.askArguments = { [weak self] in self?.askArguments($0, $1, $2) }
        composer.pages.changed = { [weak self] view in
            let change = view.change
            self?.actions.later(Self.changeTime) { view.settle(change) }
        }
    }

    /// Ends the tasks of all views.
    public func close() { composer.pages.leave() }

    // MARK: - Drawing

    /// Draws a session's tree for a terminal of the given size.
    public func draw(_ tree: FrontTree, _ schemas: [FeatureSchema], _ size: ScreenSize)
        -> ScreenPage
    {
        follow(tree, schemas)
        let dialog = dialogs.shown
        return route.draw(size, bar: bar, startingAt: isInFront) {
            let composition = composer.compose(
                tree.root, width: size.width, height: size.height - ScreenPage.barLines,
                focus: route.focus, dialog: dialog, aside: dialogs.aside, palette: route.palette,
                hasRoomForPath: size.height >= ScreenPage.pathHeight)
            composer.pages.settle(in: tree)
            ownPages = dialog == nil ? composition.scope : ""
            return (composition, scope(tree.root, dialog) + ownPages)
        }
    }

    /// Composes a session's tree as plain text: its elements below one another, without a focus.
    func compose(_ tree: FrontTree, _ schemas: [FeatureSchema], width: Int, height: Int)
        -> Composition
    {
        follow(tree, schemas)
        let composition = composer.compose(
            tree.root, width: width, height: height, isLinear: true, focus: route.focus,
            dialog: dialogs.shown, aside: dialogs.aside)
        composer.pages.settle(in: tree)
        return composition
    }

    private func follow(_ tree: FrontTree, _ schemas: [FeatureSchema]) {
        self.tree = tree
        let numbers = composer.pages.follow(tree, beginsAnew: beginsAnew)
        dialogs.follow(tree, schemas, isRebuilt: numbers != nil, beginsAnew: beginsAnew)
        if let numbers, beginsAnew { beginAnew(tree.root, numbers) }
        composer.schemas = schemas
    }

    /// Returns what can be said to a page that `compose` has returned.
    func input(_ page: Composition, lastField: FieldMemory?) -> PlainInput {
        PlainInput(
            page, commands: dialogs.shown == nil ? composer.pages.commands(of: tree?.root) : [],
            lastField: lastField)
    }

    /// Does what a line says.
    func take(_ line: String, _ input: PlainInput) -> PlainInput.Outcome {
        bar.notice = nil
        dialogs.personActed()
        let outcome = input.take(line)
        actions.redraw()
        return outcome
    }

    /// The name of the current screen: another view that covers the rest makes another screen.
    private func scope(_ root: FrontNode?, _ dialog: Dialog?) -> String {
        if let dialog { return dialog.id }
        return root.map { "node \(front(of: $0).id)" } ?? ""
    }

    /// Returns the node that covers the others, or a part of them.
    private func front(of node: FrontNode) -> FrontNode {
        if let cover = composer.pages.cover(of: node) { return front(of: cover) }
        let fronts = node.children.filter { $0.presentation == .embed }.map { ($0, front(of: $0)) }
        return fronts.last { $0.0 !== $0.1 }?.1 ?? node
    }

    /// Whether an element belongs to the node that covers others: that is where the focus begins.
    private func isInFront(_ key: FocusKey) -> Bool {
        guard let tree, let root = tree.root else { return false }
        let front = front(of: root)
        var node = tree.node(key.node)
        while let inner = node, inner !== front { node = tree.node(inner.parent) }
        return node != nil
    }

    /// Shows a text in a box over the screen.
    func show(_ title: String, _ text: (_ width: Int) -> String) { route.show(title, text) }

    /// The name of the element that has the focus.
    public var focusedElement: String? { route.focus.current?.id }

    /// A notice ends by itself.
    private func timeNotice() {
        notices += 1
        guard bar.notice != nil else { return }
        actions.later(Self.noticeTime) { [weak self, notices] in
            guard let self, notices == self.notices else { return }
            bar.notice = nil
            actions.redraw()
        }
    }

    // MARK: - Input

    /// Draws what input has changed, for the input that follows.
    private func settle() {
        guard route.hasActed || composer.isDue, let tree else { return }
        _ = draw(tree, composer.schemas, route.size)
    }

    /// Whether letters that come now are text.
    var takesText: Bool {
        settle()
        return route.takesText
    }

    /// Handles a person's input.
    public func handle(_ input: TerminalInput) {
        settle()
        bar.notice = nil
        dialogs.personActed()
        route.take(input)
        actions.redraw()
    }

    // MARK: - Dialogs

    private func askArguments(_ node: FrontNode, _ method: MethodSchema, _ types: [TypeSchema]) {
        if let tree { dialogs.askArguments(node, method, types, in: tree) }
    }

    /// Shows a question to the person.
    public func ask(
        _ id: UInt64, _ method: MethodID, of node: FrontNode, _ payload: Payload,
        _ schemas: [FeatureSchema]
    ) {
        dialogs.ask(id, method, of: node, payload, schemas)
    }

    /// A question has been answered elsewhere, or is no longer open.
    public func endAsk(_ id: UInt64) { dialogs.endAsk(id) }

    /// The next tree is another worker's: places in the former tree mean nothing in it.
    public func sessionBeganAnew() { beginsAnew = true }

    /// Starts on a rebuilt tree. Only a person who was writing or filling in a form stays there:
    /// their letters must not become keys.
    private func beginAnew(_ root: FrontNode?, _ numbers: [UInt32: UInt32]) {
        beginsAnew = false
        let focus = route.focus
        let current = focus.current
        let writing = focus.takesText ? current.flatMap { $0.moved(to: numbers) } : nil
        let form = dialogs.openForm
        let isInForm = form.map { $0.id == route.scope } ?? false
        route.forget()
        if let writing { focus.expect(writing, in: scope(root, nil) + ownPages) }
        if isInForm, let current, let form { focus.expect(current, in: form.id) }
    }

    /// Nothing can be answered until the session asks again.
    public func connectionEnded() {
        dialogs.connectionEnded()
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

extension FocusKey {
    /// Returns the key of the element at the same place of a rebuilt tree.
    fileprivate func moved(to numbers: [UInt32: UInt32]) -> FocusKey? {
        numbers[node].map { FocusKey(node: $0, id: id) }
    }
}
