// ScrollView: a scrolling window over higher content.

/// A scrolling window over content that may be higher than the room for it.
///
/// The wheel scrolls it, and so do PgUp, PgDn, Home and End while the focus is inside; a focused
/// element scrolls into sight. Unlike in SwiftUI it scrolls vertically only, is no higher than its
/// content, and draws all of it: a ``List`` scrolls itself and creates only the visible rows.
public struct ScrollView<Content: View>: View, Primitive {
    private let content: Content

    public init(@ViewBuilder content: () -> Content) { self.content = content() }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        let memory = context.memory { ScrollMemory() }
        return [.scroll(ScrollElement(memory: memory), context.render(content, .body))]
    }
}

/// A window's scroll position.
package final class ScrollMemory: ElementMemory {
    package static var outlivesWorker: Bool { false }

    /// Lines above the window.
    package private(set) var offset = 0
    private var lines = 1
    private var count = 0
    /// The focused element in the last drawing.
    private var focus: AnyHashable?
    /// Each drawing reads it; scrolling changes it.
    private let drawing = StateStorage(0)

    /// Adopts the heights of the content and of the window when it is drawn, and reveals these
    /// lines if the focus has just moved to them.
    package func layOut(
        count: Int, lines: Int, focus: AnyHashable?, at focused: Range<Int> = 0..<0
    ) {
        _ = drawing.value
        (self.count, self.lines) = (count, max(1, lines))
        if let focus, focus != self.focus {
            if focused.upperBound > offset + self.lines { offset = focused.upperBound - self.lines }
            if focused.lowerBound < offset { offset = focused.lowerBound }
        }
        self.focus = focus
        offset = max(0, min(offset, count - self.lines))
    }

    /// Reveals the focused element at the next drawing, because a person uses it.
    package func showFocus() { focus = nil }

    /// Handles the keys that scroll; returns false for other keys, and at the end of the content.
    package func press(_ key: Key) -> Bool {
        switch key {
        case .up: scroll(by: -1)
        case .down: scroll(by: 1)
        case .pageUp: scroll(by: -lines)
        case .pageDown: scroll(by: lines)
        case .home: scroll(by: -count)
        case .end: scroll(by: count)
        default: false
        }
    }

    package func scroll(by step: Int) -> Bool {
        let moved = max(0, min(offset + step, count - lines))
        guard moved != offset else { return false }
        offset = moved
        drawing.value += 1
        return true
    }
}
