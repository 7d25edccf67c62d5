// TerminalView: a feature's view in a terminal, which renders itself as lines of text.
//
// Layer      terminal, views.
// Isolation  @MainActor.
// Ownership  a view is owned by its node; `redraw` holds the screen weakly.

/// Tells the screen that a view has changed its looks.
public final class Redraw {
    var request: (() -> Void)?

    public nonisolated init() {}
}

/// A view in a terminal, as lines. A view in which people write, choose or press is an
/// `ElementView`.
///
/// Conform the class that implements a feature's presentable protocol, keep the presented values,
/// and call `invalidate()` when they change; the screen asks for the lines once in a turn of the
/// loop.
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
    /// The view's redraw request. Create one for each view; the screen does the rest.
    var redraw: Redraw { get }

    /// The view's title in the line above the screen, if one view has led to another; `nil` leaves
    /// it out.
    var title: String? { get }

    /// The keys that work while the view is visible. Enter also presses the first one.
    var keys: [KeyBinding] { get }

    /// What the view shows at the top of the screen, whatever lies over the view: pushed pages, a
    /// modal, another tab. Nothing by default.
    ///
    /// It is text: nothing in it can be focused or clicked, but the keys of its buttons work
    /// everywhere. All banners together take at most `Composition.bannerLinesMax` lines.
    @ElementBuilder var banner: Elements { get }

    /// Returns the view's lines. More than `height` lines scroll; lines wider than `width` are cut.
    func render(width: Int, height: Int) -> [StyledLine]
}

extension TerminalView {
    public var keys: [KeyBinding] { [] }

    public var title: String? { nil }

    public var banner: Elements { Elements() }

    /// Asks for a redraw at the end of this turn of the loop; many calls count as one.
    public func invalidate() { redraw.request?() }
}
