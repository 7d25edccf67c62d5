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

/// A view in a terminal, as lines. One that has something to write into, to choose from or to press
/// is an `ElementView`.
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
@MainActor
public protocol TerminalView: AnyObject {
    /// One for each view; create it, the screen does the rest.
    var redraw: Redraw { get }

    /// What the line above the screen calls it, where one view has led to another; `nil` leaves it
    /// out.
    var title: String? { get }

    /// What can be pressed while the view is seen. The first one is also Enter's.
    var keys: [KeyBinding] { get }

    /// The view's own lines. More than `height` are scrolled, wider ones than `width` cut.
    func render(width: Int, height: Int) -> [StyledLine]
}

extension TerminalView {
    public var keys: [KeyBinding] { [] }

    public var title: String? { nil }

    /// Asks for a redraw at the end of this turn of the loop; many calls are one.
    public func invalidate() { redraw.request?() }
}
