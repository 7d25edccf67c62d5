// Stage: a session's screen without a terminal, driven as a person drives it.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import Observation

@testable import NapkinElements
@testable import NapkinFront
@testable import NapkinTerminal

/// A session's screen that notes what it asks of its session, which is not there.
final class NotingScreen: SessionScreen {
    private final class NoRoute: FrontRoute {
        func connect(_ options: FrontOptions) async throws(FrontError) -> FrontPassage {
            throw FrontError(.disconnected, "there is no session")
        }
    }

    fileprivate(set) var sent: [(node: UInt32, method: MethodID, payload: String)] = []
    fileprivate(set) var selected: [String] = []
    fileprivate(set) var answers: [(ask: UInt64, payload: String)] = []
    /// What is to be done a while later.
    fileprivate(set) var due: [@MainActor @Sendable () -> Void] = []

    init() {
        let options = FrontOptions(app: "smoke", session: "lunch", client: "stage")
        super.init(
            Front(by: NoRoute(), options: options), FrontComponent(timeOfDay: { "14:05:09" }))
        status.connection = .connected
    }

    override func send(_ node: UInt32, _ method: MethodID, _ payload: Payload) {
        sent.append((node, method, PayloadText.text(of: payload)))
    }

    override func select(_ tab: String, _ node: FrontNode) { selected.append(tab) }

    override func answer(_ ask: UInt64, _ payload: Payload) {
        answers.append((ask, PayloadText.text(of: payload)))
    }

    override func later(_ delay: Duration, _ action: @escaping @MainActor @Sendable () -> Void) {
        due.append(action)
    }
}

/// A tree with its screen; keys and clicks go in where the terminal's do.
final class Stage {
    let session = NotingScreen()
    let mounted: MountedTree
    var size: ScreenSize
    private(set) var quits = 0
    /// How often a drawing has been asked for.
    private(set) var redraws = 0
    private(set) var page: ScreenPage?
    private(set) lazy var screen = TerminalScreen(session) { [unowned self] _ in quits += 1 }

    init(_ size: ScreenSize = ScreenSize(width: 80, height: 24)) {
        self.size = size
        mounted = MountedTree(session.front.tree)
        session.redraw = { [unowned self] in redraws += 1 }
    }

    /// Shows a view.
    convenience init(
        _ size: ScreenSize = goldenSizes[0], @ViewBuilder _ make: @escaping () -> some View
    ) {
        self.init(size)
        mounted.mount("a.view", view: Made { make() })
    }

    var schemas: [FeatureSchema] {
        get { session.pages.schemas }
        set { session.pages.schemas = newValue }
    }

    var sent: [(node: UInt32, method: String, payload: String)] {
        session.sent.map { ($0.node, name(of: $0.method), $0.payload) }
    }

    var selected: [String] { session.selected }

    var answers: [(ask: UInt64, payload: String)] { session.answers }

    var later: [@MainActor @Sendable () -> Void] { session.due }

    private func name(of method: MethodID) -> String {
        schemas.flatMap(\.listens).first { $0.id == method }?.key
            ?? (method == .dismiss ? "dismiss" : "#\(method.rawValue)")
    }

    // MARK: - What a person does

    private var person: Person {
        Person(
            sees: { self.draw() }, does: { self.screen.handle($0) }, focused: { self.focused })
    }

    func press(_ keys: Key...) {
        for key in keys { person.input(.key(key)) }
    }

    func type(_ text: String) { person.type(text) }

    func paste(_ text: String) { person.input(.paste(text)) }

    /// Types so fast that the letters come together.
    func burst(_ text: String) { person.input(.letters(text)) }

    /// Clicks on the first place where the screen says `text`.
    func click(_ text: String) {
        expectWorks { try person.point(at: text) { .click(x: $0, y: $1) } }
    }

    func wheel(over text: String, lines: Int) {
        expectWorks { try person.point(at: text) { .wheel(x: $0, y: $1, lines: lines) } }
    }

    /// A while passes.
    func wait() {
        let due = session.due
        session.due = []
        for action in due { action() }
    }

    /// Tab, until the element has the focus.
    func focus(_ element: String) { expectWorks { try person.focus(element) } }

    private func expectWorks(_ body: () throws -> Void) {
        do { try body() } catch { preconditionFailure("\(error)") }
    }

    // MARK: - What the session does

    func present(_ node: UInt32, _ method: String, _ value: some Encodable) throws {
        var writer = CBORWriter()
        try writer.write(value)
        let bytes = writer.copyBytes()
        guard let node = mounted.tree.node(node) else { preconditionFailure("no such node") }
        node.set(MethodID(key: method), Payload(bytes))
        session.presented(MethodID(key: method), of: node)
        bytes.withUnsafeBytes {
            guard let call = node.presentCall else { return }
            node.view?.receiver.receive(MethodID(key: method), $0, call)
        }
    }

    func ask(_ id: UInt64, _ node: UInt32, _ method: String, _ value: some Encodable) throws {
        var writer = CBORWriter()
        try writer.write(value)
        guard let node = mounted.tree.node(node) else { preconditionFailure("no such node") }
        session.dialogs.ask(
            Question(
                id: id, node: node.id, method: MethodID(key: method),
                payload: Payload(writer.copyBytes())), of: node)
    }

    // MARK: - What is seen

    @discardableResult
    func draw() -> ScreenPage {
        let page = screen.page(size)
        self.page = page
        return page
    }

    /// The screen: what is focused between « and », what has just changed between * and *, what is
    /// selected elsewhere between ‹ and ›, each without the spaces at its end.
    var text: String {
        draw().lines.map { line in
            let marked = line.spans.map(Self.marked).joined()
            return String(marked.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }

    private static func marked(_ span: TextSpan) -> String {
        let marks: (String, String)
        switch span.role {
        case .focus: marks = ("«", "»")
        case .changed: marks = ("*", "*")
        case .selection: marks = ("‹", "›")
        default: return span.text
        }
        let text = String(span.text.reversed().drop { $0 == " " }.reversed())
        return marks.0 + text + marks.1
            + String(repeating: " ", count: span.text.count - text.count)
    }

    /// What has the focus: the name of its element.
    var focused: String? {
        draw()
        return page.flatMap { _ in screen.focusedElement }
    }
}

/// A view of what a test gives it.
struct Made<Content: View>: View {
    private let title: String?
    private let make: () -> Content

    init(_ title: String? = nil, @ViewBuilder _ make: @escaping () -> Content) {
        self.title = title
        self.make = make
    }

    var body: some View {
        if let title {
            make().navigationTitle(title)
        } else {
            make()
        }
    }
}

/// A value that a view reads, and that a test changes.
@Observable
final class Kept<Value> {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }

    var binding: Binding<Value> { Binding(self, \.value) }
}
