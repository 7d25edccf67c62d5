// ScreenComposer: lays out a session's page in cells.

public import NapkinCore
public import NapkinElements
public import NapkinFront

/// The visible lines, and what can be pressed there.
public struct Composition {
    public var lines: [StyledLine]
    public var keys: [KeyBinding]
    /// The regions that can be focused and clicked.
    var targets: [FocusTarget] = []
    /// The position of the terminal's cursor, if it is visible.
    var caret: (x: Int, y: Int)?
    /// The lines that stay at the top of the screen, above `lines`, which they do not scroll with.
    public internal(set) var banner: [StyledLine] = []
    /// Lines of all banners together. Chosen: on the smallest screen something else is seen, too.
    public static let bannerLinesMax = 3
    /// The titles of the views that lead here, if there is room for them.
    public var path: [String] = []
    /// What tells the pages of the seen views apart.
    var scope = ""
    /// What is laid out there.
    var elements: [RenderedElement] = []

    init(lines: [StyledLine], keys: [KeyBinding]) {
        self.lines = lines
        self.keys = keys
    }

    /// Returns what is seen of it with a box of lines over it, which takes no keys and no clicks.
    ///
    /// - Parameter offset: the lines above the first that is seen.
    func covered(
        by rows: [StyledLine], titled title: String, in size: ScreenSize, from offset: Int
    ) -> Composition {
        let room = max(
            1, size.height - ScreenPage.barLines - banner.count - (path.isEmpty ? 0 : 1))
        let below = Array(lines.dropFirst(offset).prefix(room))
        let overlay = RenderedElement.overlay(
            title: title, plainTitle: title, base: .lines { _, _ in below },
            rows.map { .text(Text($0).lineLimit(1)) })
        let pass = LayoutPass(height: room)
        pass.width = size.width
        let drawn = overlay.cells.draw(in: Area(width: size.width, height: room), pass)
        var covered = self
        covered.lines = drawn.map { $0.fitted(to: size.width) }
        (covered.keys, covered.targets, covered.caret) = ([], [], nil)
        return covered
    }

    /// Whether there is nothing to see and nothing to press.
    public var isEmpty: Bool { lines.isEmpty && keys.isEmpty }
}

/// Lays the mounted views into one screen.
public final class ScreenComposer {
    let pages: PageComposer
    private let tracking: ReadTracking
    private let due: Due

    /// Asks once, however much of what a composition has read changes before the next one.
    private final class Due {
        var isDue = false
        let redraw: () -> Void

        init(_ redraw: @escaping () -> Void) {
            self.redraw = redraw
        }

        func ask() {
            guard !isDue else { return }
            isDue = true
            redraw()
        }
    }

    /// - Parameters:
    ///   - send: sends an event of a generic view, and the request to dismiss a view.
    ///   - select: asks the worker for a tab.
    ///   - redraw: called when something changes that the last composition has read; once, until
    ///     the next one.
    public init(
        send: @escaping EventSender, select: @escaping TabSelector = { _, _ in },
        redraw: @escaping () -> Void
    ) {
        let due = Due(redraw)
        self.due = due
        tracking = ReadTracking { due.ask() }
        pages = PageComposer(send: send, select: select) { due.ask() }
    }

    /// Whether something has changed that the last composition has read.
    var isDue: Bool { due.isDue }

    /// The contracts of the session's features, for features without a view.
    public var schemas: [FeatureSchema] {
        get { pages.schemas }
        set { pages.schemas = newValue }
    }

    /// Composes the tree below `root` for `width` by `height` cells.
    ///
    /// No line is wider than `width`; there may be more than `height` lines.
    ///
    /// - Parameters:
    ///   - root: the root of the tree; without one the composition is empty.
    ///   - width: cells of a line.
    ///   - height: the available lines.
    ///   - isLinear: whether to compose plain text, without frames and buttons.
    public func compose(
        _ root: FrontNode?, width: Int, height: Int, isLinear: Bool = false
    ) -> Composition {
        compose(
            root, width: width, height: height, isLinear: isLinear, focus: FocusRing(), dialog: nil)
    }

    func compose(
        _ root: FrontNode?, width: Int, height: Int, isLinear: Bool = false, focus: FocusRing,
        dialog: Dialog?, aside: [KeyBinding] = [], palette: CommandPalette? = nil,
        hasRoomForPath: Bool = false
    ) -> Composition {
        due.isDue = false
        defer {
            pages.finish()
            palette?.finish()
        }
        return tracking.during {
            var page = pages.compose(root, dialog: dialog, isLinear: isLinear)
            page.keys += aside
            return Self.layOut(
                palette?.over(page) ?? page, width, height, isLinear: isLinear, focus: focus,
                hasRoomForPath: hasRoomForPath)
        }
    }

    static func layOut(
        _ page: RenderedPage, _ width: Int, _ height: Int, isLinear: Bool, focus: FocusRing,
        hasRoomForPath: Bool, hasRoomForTitle: Bool = true
    ) -> Composition {
        let banner = banner(page.banner, width, height, isLinear: isLinear)
        let showsPath = hasRoomForPath && page.path.count > 1
        let height = max(0, height - (showsPath ? 1 : 0) - banner.count)
        let pass = LayoutPass(
            isLinear: isLinear, height: height, focus: focus.current, takesText: focus.takesText)
        pass.showsPath = showsPath || !hasRoomForTitle
        let lines = page.root.cells.draw(in: Area(width: width, height: height), pass)
        var composition = Composition(lines: lines.map { $0.fitted(to: width) }, keys: page.keys)
        // Plain text has no top at which anything could stay.
        if isLinear {
            composition.lines = banner + composition.lines
        } else {
            composition.banner = banner
        }
        composition.targets = pass.targets
        composition.caret = pass.caret
        composition.scope = page.scope
        composition.elements = page.banner + [page.root]
        composition.path = showsPath ? page.path : []
        return composition
    }

    /// Returns the banners of a tree, the root's first, in at most half of `height`.
    private static func banner(
        _ elements: [RenderedElement], _ width: Int, _ height: Int, isLinear: Bool
    ) -> [StyledLine] {
        guard !elements.isEmpty else { return [] }
        let count = min(Composition.bannerLinesMax, height / 2)
        let pass = LayoutPass(isLinear: isLinear, height: count, focus: nil)
        let lines = elements.column.draw(in: Area(width: width, height: count), pass)
        return lines.prefix(count).map { $0.fitted(to: width) }
    }
}

extension View {
    /// Renders the view by itself and without a focus, as tests compare it.
    ///
    /// - Parameters:
    ///   - width: cells of a line.
    ///   - height: lines; a longer view is longer.
    public func render(width: Int, height: Int) -> [StyledLine] {
        LonePage(self).compose().root.cells.draw(
            in: Area(width: width, height: height), LayoutPass(height: height))
    }
}
