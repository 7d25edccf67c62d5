// ScrollView: a window over views that need more lines than there are.
//
// Isolation  @MainActor; a value. The place in the content is in a memory at its site.

internal import Observation

/// A window over views that may need more lines than there are.
///
/// The wheel scrolls it, and while the focus is inside, PgUp, PgDn, Home and End do; what gets the
/// focus scrolls into sight. Unlike in SwiftUI it scrolls up and down only, is no higher than its
/// content, and draws all of it: a ``List`` scrolls by itself and makes only the rows in sight.
public struct ScrollView<Content: View>: View, Primitive {
    public typealias Body = Never
    private let content: Content

    public init(@ViewBuilder content: () -> Content) {
        self.content = content()
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        let memory = context.memory { ScrollMemory() }
        return [.scroll(ScrollElement(memory: memory), context.render(content, .body))]
    }
}

/// Is read by each drawing of what scrolls, and changed by what moves its lines.
@Observable
final class ScrollDrawing {
    var number = 0
}

/// Is read by each evaluation of a list, and changed by a person who filters it.
@Observable
final class ListFilter {
    var words = FoundWords()
}

/// A window's place.
package final class ScrollMemory: ElementMemory {
    package static var outlivesWorker: Bool { false }

    /// Lines above the window.
    package private(set) var offset = 0
    private var lines = 1
    private var count = 0
    /// What had the focus in the last drawing.
    private var focus: AnyHashable?
    private let drawing = ScrollDrawing()

    /// Takes the lines of the content and of the window, when it is drawn, and the lines that must
    /// be in sight if the focus has just come to them.
    package func settle(
        count: Int, lines: Int, focus: AnyHashable?, at focused: Range<Int> = 0..<0
    ) {
        _ = drawing.number
        (self.count, self.lines) = (count, max(1, lines))
        if let focus, focus != self.focus {
            if focused.upperBound > offset + self.lines { offset = focused.upperBound - self.lines }
            if focused.lowerBound < offset { offset = focused.lowerBound }
        }
        self.focus = focus
        offset = max(0, min(offset, count - self.lines))
    }

    /// Shows what has the focus again, because a person uses it.
    package func showFocus() { focus = nil }

    /// Handles the keys that scroll; returns false for others, and where there is nothing more.
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
        drawing.number += 1
        return true
    }
}
