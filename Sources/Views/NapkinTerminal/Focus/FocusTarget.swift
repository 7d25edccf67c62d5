// FocusTarget: a region of the page that takes keys and clicks.

import NapkinElements

/// The identity of a focused element of a node's view. It stays the same after a redraw, a resize
/// or a reattach.
package nonisolated struct FocusKey: Hashable, Sendable {
    package var node: UInt32
    package var id: String

    package init(node: UInt32, id: String) {
        self.node = node
        self.id = id
    }
}

struct FocusTarget {
    /// How the target reacts to input.
    struct Reaction {
        /// Takes a key, or returns false to leave it to the view.
        var press: (Key) -> Bool = { _ in false }
        /// Takes a click, in cells from the upper left corner.
        var click: (_ x: Int, _ y: Int) -> Void = { _, _ in }
        /// Takes the wheel, in lines, positive is down; returns false if there is nothing to
        /// scroll.
        var wheel: (Int) -> Bool = { _ in false }
        /// Takes pasted text, or the letters of a text field, and returns whether there is room for
        /// all of it; `nil` if it takes none.
        var insert: ((String) -> Bool)?
        /// Shows only what has these words; `nil` if it cannot be filtered.
        var filter: ((FoundWords) -> Void)?
        var words = FoundWords()
        /// The binding that it shows, which is not named below while it is visible.
        var key: Key?
        /// Lines below it that must be visible with it.
        var linesBelow = 0
    }

    let key: FocusKey
    /// What it keeps when others of its name come and go, and its key becomes another one.
    var identity: AnyObject?
    var area: Area
    var reaction: Reaction
    /// Whether it has the focus, for the view; the view sets it to move the focus there.
    var isFocused: Binding<Bool>?
    /// Whether it takes only clicks and the wheel, and never the focus.
    var isRegion = false
}
