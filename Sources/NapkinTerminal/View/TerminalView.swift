// TerminalView: a feature's view in a terminal, which renders itself as lines of text.
//
// Layer      terminal, views.
// Isolation  @MainActor.
// Ownership  a view is owned by its node; `redraw` holds the screen weakly.

/// Tells the screen that a view looks different now.
public final class Redraw {
    var request: (() -> Void)?

    public nonisolated init() {}
}

/// The place of an embedded child, for its parent to lay out.
public struct EmbeddedPane {
    /// The name of the child's slot.
    public let slot: String
    let draw: (_ width: Int, _ height: Int) -> [StyledLine]

    /// The child as it looks in `width` by `height` cells; at most `height` lines.
    public func render(width: Int, height: Int) -> [StyledLine] {
        Array(draw(width, height).prefix(max(0, height)))
    }
}

/// A view in a terminal.
///
/// Conform the class that implements a feature's presentable protocol, keep what was presented, and
/// call `invalidate()` when it changed; the screen asks for the lines once a turn of the loop.
///
/// ```swift
/// final class PitBoardView: PitBoardPresentable, TerminalView {
///     let redraw = Redraw()
///     func present(specials: [Special]) async { self.specials = specials; invalidate() }
///     func render(width: Int, height: Int) -> [StyledLine] {
///         specials.map { StyledLine($0.name) }
///     }
/// }
/// ```
public protocol TerminalView: AnyObject {
    /// One for each view; create it, the screen does the rest.
    var redraw: Redraw { get }

    /// What can be pressed while the view is seen. The first one is also Enter's.
    var keys: [KeyBinding] { get }

    /// The view's own lines. More than `height` are scrolled, wider ones than `width` cut.
    func render(width: Int, height: Int) -> [StyledLine]

    /// The view with its embedded children; they come below one another if this is not given.
    func render(width: Int, height: Int, embedded: [EmbeddedPane]) -> [StyledLine]
}

extension TerminalView {
    public var keys: [KeyBinding] { [] }

    public func render(width: Int, height: Int, embedded: [EmbeddedPane]) -> [StyledLine] {
        var lines = render(width: width, height: height)
        for pane in embedded {
            lines += pane.render(width: width, height: max(1, height - lines.count))
        }
        return lines
    }

    /// Asks for a redraw at the end of this turn of the loop; many calls are one.
    public func invalidate() { redraw.request?() }
}

/// The view of a feature that only holds others.
public final class ContainerView: TerminalView {
    public let redraw = Redraw()

    public init() {}

    public func render(width: Int, height: Int) -> [StyledLine] { [] }
}
