// Stage: a session's screen without a terminal, driven as a person drives it.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import Observation

@testable import NapkinElements
@testable import NapkinFront
@testable import NapkinTerminal

/// A tree with its screen; keys and clicks go in where the terminal's do.
final class Stage {
    let mounted = MountedTree()
    var schemas: [FeatureSchema] = []
    var size: ScreenSize
    private(set) var sent: [(node: UInt32, method: String, payload: String)] = []
    private(set) var selected: [String] = []
    private(set) var answers: [(ask: UInt64, payload: String)] = []
    private(set) var quits = 0
    /// How often a drawing has been asked for.
    private(set) var redraws = 0
    /// What is to be done a while later.
    private(set) var later: [@MainActor @Sendable () -> Void] = []
    private(set) var page: ScreenPage?
    private(set) lazy var screen = FrontScreen(
        bar: {
            var bar = StatusBar(app: "smoke", session: "lunch")
            bar.connection = .connected
            return bar
        }(),
        actions: FrontScreen.Actions(
            send: { [unowned self] in sent.append(($0, name(of: $1), PayloadText.text(of: $2))) },
            select: { [unowned self] tab, _ in selected.append(tab) },
            answer: { [unowned self] in answers.append(($0, PayloadText.text(of: $1))) },
            quit: { [unowned self] in quits += 1 },
            redraw: { [unowned self] in redraws += 1 },
            later: { [unowned self] in later.append($1) }))

    init(_ size: ScreenSize = ScreenSize(width: 80, height: 24)) {
        self.size = size
    }

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

    /// Clicks on the first place where the screen says `text`.
    func click(_ text: String) {
        expectWorks { try person.point(at: text) { .click(x: $0, y: $1) } }
    }

    func wheel(over text: String, lines: Int) {
        expectWorks { try person.point(at: text) { .wheel(x: $0, y: $1, lines: lines) } }
    }

    /// A while passes.
    func wait() {
        let due = later
        later = []
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
        screen.presented(MethodID(key: method), of: node)
        bytes.withUnsafeBytes {
            guard let call = node.presentCall else { return }
            node.view?.receiver.receive(MethodID(key: method), $0, call)
        }
    }

    func ask(_ id: UInt64, _ node: UInt32, _ method: String, _ value: some Encodable) throws {
        var writer = CBORWriter()
        try writer.write(value)
        guard let node = mounted.tree.node(node) else { preconditionFailure("no such node") }
        screen.ask(id, MethodID(key: method), of: node, Payload(writer.copyBytes()), schemas)
    }

    // MARK: - What is seen

    @discardableResult
    func draw() -> ScreenPage {
        let page = screen.draw(mounted.tree, schemas, size)
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
