// FocusTarget: a region of the page that takes keys and clicks.
//
// Layer      terminal, focus.
// Isolation  @MainActor; its key is a value.

/// What is focused: an element of a node's view. The same after a redraw, a resize, a reattach.
public nonisolated struct FocusKey: Hashable, Sendable {
    public var node: UInt32
    public var id: String

    public init(node: UInt32, id: String) {
        self.node = node
        self.id = id
    }
}

/// A region that can be focused.
public struct FocusTarget {
    /// What it makes of input.
    public struct Reaction {
        /// Takes a key, or leaves it to the view: false.
        public var press: (Key) -> Bool
        /// A click, in cells from its upper left corner.
        public var click: (_ x: Int, _ y: Int) -> Void
        /// The wheel, in lines, down is positive; false if it has nothing to scroll.
        public var wheel: (Int) -> Bool
        /// Text that is pasted, or the letters of a text field; `nil` if it takes none.
        public var insert: ((String) -> Void)?
        /// The binding that it stands for, which is not named below while it is in sight.
        public var key: Key?
        /// Lines below it that must be seen with it.
        public var linesBelow = 0
        /// Wants to have the focus now; called when it has got it.
        public var claim: (() -> Void)?

        public init(
            press: @escaping (Key) -> Bool = { _ in false },
            click: @escaping (Int, Int) -> Void = { _, _ in },
            wheel: @escaping (Int) -> Bool = { _ in false },
            insert: ((String) -> Void)? = nil, key: Key? = nil, claim: (() -> Void)? = nil
        ) {
            self.press = press
            self.click = click
            self.wheel = wheel
            self.insert = insert
            self.key = key
            self.claim = claim
        }
    }

    public let key: FocusKey
    public internal(set) var area: Area
    public let reaction: Reaction
}
