// PageLayout: a page laid out in cells.

public import NapkinElements

struct PageLayout {
    var lines: [StyledLine]
    var keys: [KeyBinding]
    /// The regions that can be focused and clicked.
    var targets: [FocusTarget] = []
    /// The position of the terminal's cursor, if it is visible.
    var caret: (x: Int, y: Int)?
    /// The lines that stay at the top of the screen, above `lines`, and do not scroll with them.
    var banner: [StyledLine] = []
    /// Lines of all banners together. Chosen: the smallest screen still shows something else.
    static let bannerLinesMax = 3
    /// The titles of the views on the path to this page, if there is room for them.
    var path: [String] = []
    /// Distinguishes the pages of the visible views.
    var scope = ""
    var elements: [RenderedElement] = []

    /// Returns its visible part with a box of lines over it; the box takes no keys and no clicks.
    ///
    /// - Parameter offset: the lines above the first visible one.
    func covered(
        by rows: [StyledLine], titled title: String, in size: ScreenSize, from offset: Int
    ) -> PageLayout {
        let room = max(1, size.height - ScreenPage.barLines - banner.count - (path.isEmpty ? 0 : 1))
        let below = Array(lines.dropFirst(offset).prefix(room))
        let overlay = RenderedElement.overlay(
            RenderTurn.Presentation(
                title, rows.map { .text(Text($0).lineLimit(1)) }, in: BoxMemory()),
            over: .lines { _, _ in below })
        let pass = LayoutPass(height: room)
        pass.width = size.width
        let drawn = overlay.cells.draw(in: Area(width: size.width, height: room), pass)
        var covered = self
        covered.lines = drawn.map { $0.fitted(to: size.width) }
        (covered.keys, covered.targets, covered.caret) = ([], [], nil)
        return covered
    }

    /// Whether it shows nothing and has nothing to press.
    var isEmpty: Bool { lines.isEmpty && keys.isEmpty }
}

extension PageLayout {
    /// Lays out a page for `width` by `height` cells.
    ///
    /// No line is wider than `width`; there may be more than `height` lines.
    init(
        _ page: RenderedPage, width: Int, height: Int, isLinear: Bool = false,
        focus: FocusRing = FocusRing(), hasRoomForPath: Bool = false, hasRoomForTitle: Bool = true
    ) {
        let banner = Self.banner(page.banner, width, height, isLinear: isLinear)
        let showsPath = hasRoomForPath && page.path.count > 1
        let height = max(0, height - (showsPath ? 1 : 0) - banner.count)
        let pass = LayoutPass(
            isLinear: isLinear, height: height, focus: focus.current, takesText: focus.takesText)
        pass.showsPath = showsPath || !hasRoomForTitle
        lines = page.root.cells.draw(in: Area(width: width, height: height), pass)
            .map { $0.fitted(to: width) }
        keys = page.keys
        // Plain text has no fixed top.
        if isLinear { lines = banner + lines } else { self.banner = banner }
        targets = pass.targets
        caret = pass.caret
        scope = page.scope
        elements = page.banner + [page.root]
        path = showsPath ? page.path : []
    }

    /// Returns the banners of a tree, the root's first, in at most half of `height`.
    private static func banner(
        _ elements: [RenderedElement], _ width: Int, _ height: Int, isLinear: Bool
    ) -> [StyledLine] {
        guard !elements.isEmpty else { return [] }
        let count = min(bannerLinesMax, height / 2)
        let pass = LayoutPass(isLinear: isLinear, height: count, focus: nil)
        let lines = elements.column.draw(in: Area(width: width, height: count), pass)
        return lines.prefix(count).map { $0.fitted(to: width) }
    }
}

extension View {
    /// Renders the view alone and without a focus, for comparison in tests.
    ///
    /// - Parameters:
    ///   - width: cells of a line.
    ///   - height: lines; a view that needs more gets more.
    public func render(width: Int, height: Int) -> [StyledLine] {
        StandalonePage(self).compose().root.cells.draw(
            in: Area(width: width, height: height), LayoutPass(height: height))
    }
}
