// ViewStage: a view that a test presses, types and clicks in, without a terminal and a session.
//
// Ownership  keeps the view's state, its focus and its tasks until it is released.

public import NapkinElements

/// A view on a simulated screen.
///
/// The view keeps its `@State` between two keys, is evaluated again when a value that it read
/// changes, and its tasks run:
///
/// ```swift
/// let stage = ViewStage(OrderScreen(model: model), width: 40, height: 10)
/// stage.type("Joe")
/// try stage.click("Order")
/// #expect(stage.tree().contains(#"text "Thank you, Joe.""#))
/// ```
// States the default: without it an optimised build of an importer fails (Swift 6.3.1).
@MainActor
public final class ViewStage {
    private let screen: ViewScreen
    private let size: ScreenSize
    private let redraw = Redraw()

    /// Notified of changes while a test waits for one.
    private final class Redraw {
        var changed: () -> Void = {}
    }

    /// Puts a view on the stage: it appears, and its tasks start.
    ///
    /// - Parameters:
    ///   - view: the view.
    ///   - width: cells of a line, at least 20.
    ///   - height: lines, at least 3.
    public init(_ view: any View, width: Int = 80, height: Int = 24) {
        let least = ScreenSize.smallest
        size = ScreenSize(
            width: max(least.width, width),
            height: max(least.height, height + ScreenPage.barLines))
        screen = ViewScreen(view, redraw: { [redraw] in redraw.changed() })
        _ = draw()
    }

    isolated deinit { screen.close() }

    private func draw() -> ScreenPage { screen.page(size) }

    private var elements: [RenderedElement] {
        _ = draw()
        return screen.elements
    }

    private var person: Person {
        Person(sees: { self.draw() }, does: { self.screen.handle($0) }, focused: { self.focused })
    }

    // MARK: - A person's input

    /// Presses keys in turn, each on the screen that the previous one left.
    public func press(_ keys: Key...) {
        for key in keys { person.input(.key(key)) }
    }

    /// Presses the key of each character.
    public func type(_ text: String) { person.type(text) }

    /// Inserts a text at once, as a terminal does when a person pastes.
    public func paste(_ text: String) { person.input(.paste(text)) }

    /// Clicks on the first occurrence of `text` on the screen.
    ///
    /// Throws if there is none.
    public func click(_ text: String) throws(StageError) {
        try person.point(at: text) { .click(x: $0, y: $1) }
    }

    /// Presses Tab until the element has the focus.
    ///
    /// Throws if Tab does not reach it.
    ///
    /// - Parameter element: the element's `id`, if it has one; otherwise a button's text, the label
    ///   of a switch or a picker, or `field`, `list` or `tabs`. A second one is `field 2`.
    public func focus(_ element: String) throws(StageError) { try person.focus(element) }

    /// Returns when a condition is met: at once, or after a change of a value that the view or the
    /// condition read, for example by a task of the view.
    ///
    /// Throws if that takes longer than `limit`.
    ///
    /// - Parameters:
    ///   - limit: how long to wait. Chosen: far longer than a step on a slow machine.
    ///   - isMet: the condition.
    public func wait(
        atMost limit: Duration = .seconds(60), until isMet: (ViewStage) -> Bool
    ) async throws(StageError) {
        let (changes, source) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let timer = Task {
            // Fails if the wait is over.
            if (try? await Task.sleep(for: limit)) != nil { source.finish() }
        }
        redraw.changed = { source.yield() }
        defer {
            timer.cancel()
            redraw.changed = {}
        }
        let tracking = ReadTracking { source.yield() }
        var turns = changes.makeAsyncIterator()
        repeat {
            if tracking.during({ isMet(self) }) { return }
        } while await turns.next() != nil
        throw StageError("what was waited for has not appeared within \(limit)", lines)
    }

    // MARK: - The screen

    /// The view's lines, without the spaces at their ends and the empty lines at the end.
    public var lines: [String] {
        let lines = draw().lines.dropLast(ScreenPage.barLines).map(\.text.trimmed)
        return Array(lines[..<(lines.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? 0)])
    }

    /// The keys that work wherever the focus is, in the screen's words: `[b] Back`.
    public var keys: String { draw().lines.dropLast().last?.text.trimmed ?? "" }

    /// The name of the focused element.
    public var focused: String? {
        _ = draw()
        return screen.focusedElement
    }

    /// Returns the perceptible elements as an indented outline, one per line.
    public func tree() -> String { elements.tree() }

    /// Returns the elements of a role, and with a label if one is given.
    public func elements(role: AccessibleRole, label: String? = nil) -> [PerceivedElement] {
        elements.elements(role: role, label: label).map(PerceivedElement.init)
    }
}

/// An element as a person perceives it.
public struct PerceivedElement {
    public let label: String
    /// The text of a field, the state of a toggle, the selection of a list; `nil` if it has none.
    public let value: String?
    public let isEnabled: Bool

    fileprivate init(_ element: RenderedElement) {
        label = element.label
        value = element.value
        isEnabled = element.isEnabled
    }
}

extension String {
    /// The text without trailing spaces.
    fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}

/// Simulates a person at a screen, without a terminal.
struct Person {
    let sees: () -> ScreenPage
    let does: (TerminalInput) -> Void
    let focused: () -> String?

    func input(_ input: TerminalInput) {
        _ = sees()
        does(input)
    }

    func type(_ text: String) {
        for character in text { input(.key(.character(character))) }
    }

    /// Uses the mouse on the first occurrence of `text` on the screen.
    func point(at text: String, _ mouse: (_ x: Int, _ y: Int) -> TerminalInput) throws(StageError) {
        let lines = sees().lines.map(\.text)
        for (y, line) in lines.enumerated() {
            guard let range = line.firstRange(of: text) else { continue }
            return does(mouse(CellWidth.cells(of: line[..<range.lowerBound]), y))
        }
        throw StageError("'\(text)' is not on the screen", lines)
    }

    /// Presses Tab until the element has the focus.
    func focus(_ element: String) throws(StageError) {
        var seen: Set<String?> = []
        while seen.insert(focused()).inserted {
            if focused() == element { return }
            input(.key(.tab))
        }
        throw StageError("no key leads to '\(element)'", sees().lines.map(\.text))
    }
}

/// A stage does not have the element or text that a test wants to use.
public struct StageError: Error, CustomStringConvertible {
    public let description: String

    init(_ what: String, _ lines: [String]) {
        description = ([what + "; there is"] + lines).joined(separator: "\n")
    }
}
