// LayoutPass: the state of one drawing: the focus and the regions that take keys and clicks.
//
// Ownership  created for one drawing; the screen keeps its targets until the next one.
// Invariant  targets are in the order in which Tab visits them.

import NapkinElements

/// Collects the focus targets and the cursor that elements report while they draw.
final class LayoutPass {
    /// Whether the page becomes plain text from top to bottom: without columns, frames, height
    /// limits or buttons, whose keys are named below the page instead.
    let isLinear: Bool
    /// The page's height in lines.
    let height: Int
    /// The page's width in cells.
    var width = 80
    let focus: FocusKey?
    /// Whether letters are text now, so that they do not press buttons.
    let takesText: Bool
    /// Whether a line above the page shows the titles of the views.
    var showsPath = false
    private(set) var targets: [FocusTarget] = []
    /// The position of the terminal's cursor, in the focused text field.
    private(set) var caret: (x: Int, y: Int)?
    /// Whether the drawn elements can be reached; elements under a modal cannot.
    var isReachable = true
    /// The node whose view is drawn.
    private var node: UInt32 = 0
    /// The focus name and binding from modifiers around the drawn element.
    private var name: String?
    private var isFocused: Binding<Bool>?
    private var counts: [FocusKey: Int] = [:]

    init(
        isLinear: Bool = false, height: Int = .max, focus: FocusKey? = nil, takesText: Bool = false
    ) {
        self.isLinear = isLinear
        self.height = height
        self.focus = focus
        self.takesText = takesText
    }

    // MARK: - Targets

    /// Registers a focusable region; returns whether it is focused. Call it once per drawing.
    ///
    /// - Parameters:
    ///   - name: the element's name; a second element with the same name gets a number.
    ///   - identity: an object that the element keeps while others of its name come and go.
    ///   - area: the region, in cells of the view.
    ///   - reaction: the actions of keys and clicks there.
    @discardableResult
    func target(
        _ name: String, of identity: AnyObject? = nil, in area: Area,
        _ reaction: FocusTarget.Reaction
    ) -> Bool {
        guard isReachable, !isLinear else { return false }
        let plain = FocusKey(node: node, id: self.name ?? name)
        counts[plain, default: 0] += 1
        let count = counts[plain] ?? 1
        let key = count == 1 ? plain : FocusKey(node: node, id: "\(plain.id) \(count)")
        // Reading tracks the binding: setting it causes a drawing, which moves the focus.
        _ = isFocused?.wrappedValue
        targets.append(
            FocusTarget(
                key: key, identity: identity, area: area, reaction: reaction, isFocused: isFocused))
        return key == focus
    }

    /// Registers a region that takes the clicks and wheel turns that nothing inside it takes.
    func region(_ area: Area, _ reaction: FocusTarget.Reaction) {
        guard isReachable, !isLinear else { return }
        let key = FocusKey(node: node, id: "region \(targets.count)")
        targets.append(FocusTarget(key: key, area: area, reaction: reaction, isRegion: true))
    }

    /// Draws and returns the captured registrations instead of keeping them.
    func capturing<T>(
        _ body: () -> T
    ) -> (drawn: T, targets: [FocusTarget], caret: (x: Int, y: Int)?) {
        let before = (targets, caret)
        defer { (targets, caret) = before }
        (targets, caret) = ([], nil)
        let drawn = body()
        return (drawn, targets, caret)
    }

    /// Draws and registers only the visible parts within `area`.
    func clipped<T>(to area: Area, _ body: () -> T) -> T {
        let (drawn, targets, caret) = capturing(body)
        register(
            targets.compactMap { target in
                var seen = target
                guard let own = target.area.cut(to: area) else { return nil }
                seen.area = own
                return seen
            })
        if let caret, area.contains(x: caret.x, y: caret.y) { putCaret(x: caret.x, y: caret.y) }
        return drawn
    }

    func register(_ captured: [FocusTarget]) { targets += captured }

    /// Places the terminal's cursor. Only the focused element calls it.
    func putCaret(x: Int, y: Int) { caret = (x, y) }

    /// Draws an element under another focus name.
    func naming<T>(_ name: String, _ body: () -> T) -> T {
        let before = self.name
        defer { self.name = before }
        self.name = name
        return body()
    }

    /// Draws an element with a focus binding.
    func focusing<T>(_ isFocused: Binding<Bool>, _ body: () -> T) -> T {
        let before = self.isFocused
        defer { self.isFocused = before }
        self.isFocused = isFocused
        return body()
    }

    // MARK: - Nodes

    func inNode<T>(_ node: UInt32, _ body: () -> T) -> T {
        let before = self.node
        defer { self.node = before }
        self.node = node
        return body()
    }

    /// Draws elements that a modal covers.
    func unreachable<T>(_ body: () -> T) -> T {
        let before = isReachable
        defer { isReachable = before }
        isReachable = false
        return body()
    }
}
