// FocusRing: the focused target, and the movement of the focus.
//
// Invariant  after `update` the focus is one of the targets, unless there is none or a person has
//            left it.

import NapkinElements

final class FocusRing {
    private(set) var current: FocusKey?
    /// Whether the focus has moved since the page was last scrolled to it.
    private(set) var wantsSight = false
    private var targets: [FocusTarget] = []
    /// The targets whose views know that they have the focus: several if they share a value.
    private var notified: Set<FocusKey> = []
    private var notifiedCurrent: FocusKey?
    private var index = 0
    /// Whether a person has left the target at `index`, until the focus is moved.
    private var isLeft = false
    private var scope = ""
    /// The focused element of each screen, for a return to that screen.
    private var left: [String: FocusKey] = [:]
    /// The number of remembered screens. Chosen: far more than a path of screens is long.
    private static let scopesMax = 64

    var target: FocusTarget? {
        targets.indices.contains(index) && targets[index].key == current ? targets[index] : nil
    }

    /// The target of a filter: the focused one, or else the first that can be filtered.
    var filterable: FocusTarget? {
        target.flatMap { $0.reaction.filter == nil ? nil : $0 }
            ?? targets.first { $0.reaction.filter != nil }
    }

    /// Whether letters are text at the moment.
    var takesText: Bool { target?.reaction.insert != nil }

    /// Whether the target gets every key.
    var takesAllKeys: Bool { target?.reaction.takesAllKeys == true }

    /// Returns to a target that takes every key; returns false if there is none.
    func enterConsole() -> Bool {
        guard let found = targets.first(where: \.reaction.takesAllKeys) else { return false }
        focus(found.key)
        return true
    }

    /// Adopts the targets of a new drawing. The focused target keeps the focus; if it has vanished,
    /// its neighbour gets the focus. On another screen, the target that last had the focus there
    /// gets it, otherwise the first target at which the focus may start. Returns whether the focus
    /// moved, so that the page must be drawn again.
    func update(
        _ targets: [FocusTarget], in scope: String,
        startingAt starts: (FocusKey) -> Bool = { _ in true }
    ) -> Bool {
        let before = current
        let targets = targets.filter { !$0.isRegion }
        let moves = FocusMoves(from: self.targets, to: targets)
        if scope != self.scope {
            if left.count >= Self.scopesMax { left = [:] }
            left[self.scope] = current
            self.scope = scope
            isLeft = false
            current = left[scope]
            index = targets.firstIndex { starts($0.key) } ?? 0
            // A screen begins at its top, if the focused element is visible there.
            wantsSight = current != nil || index > 0
        } else {
            current = current.map(moves.key)
        }
        // A vanished or covered target no longer has the focus.
        for target in self.targets where moves.isRemoved(target) {
            if target.isFocused?.wrappedValue == true { target.isFocused?.wrappedValue = false }
            notified.remove(target.key)
        }
        notified = Set(notified.map(moves.key))
        notifiedCurrent = notifiedCurrent.map(moves.key)
        self.targets = targets
        if let claimed = targets.firstIndex(where: {
            $0.isFocused?.wrappedValue == true && $0.key != current && !notified.contains($0.key)
        }) {
            index = claimed
            isLeft = false
            wantsSight = true
        } else if let kept = targets.firstIndex(where: { $0.key == current }) {
            index = kept
        } else {
            index = min(max(0, index), max(0, targets.count - 1))
        }
        current = targets.indices.contains(index) && !isLeft ? targets[index].key : nil
        tellViews()
        return current != before
    }

    /// Reports the focus to the views, first to those that have lost it.
    private func tellViews() {
        for isFocused in [false, true] {
            for target in targets where (target.key == current) == isFocused {
                guard let binding = target.isFocused, binding.wrappedValue != isFocused else {
                    continue
                }
                // It shares its value with the target that has the focus.
                if !isFocused, notified.contains(target.key), target.key != notifiedCurrent {
                    continue
                }
                binding.wrappedValue = isFocused
            }
        }
        notifiedCurrent = current
        notified = Set(targets.filter { $0.isFocused?.wrappedValue == true }.map(\.key))
    }

    func keepInSight() { wantsSight = true }

    /// The screens seen so far no longer exist, even if new ones have their names.
    func forget() {
        (left, scope, current, index, wantsSight, isLeft) = ([:], "", nil, 0, false, false)
    }

    /// Takes the focus from the target until the focus is moved: letters are keys again.
    func leave() {
        isLeft = true
        current = nil
        tellViews()
    }

    /// Sets the target that gets the focus when the screen is next shown.
    func expect(_ key: FocusKey, in scope: String) { left[scope] = key }

    func wasShown() { wantsSight = false }

    /// Focuses a target, or leaves the focus unchanged.
    func focus(_ key: FocusKey) {
        guard let found = targets.firstIndex(where: { $0.key == key }) else { return }
        index = found
        isLeft = false
        current = key
        wantsSight = true
        tellViews()
    }

    /// Moves to the next or the previous target, wrapping around at the ends.
    func move(by step: Int) {
        guard !targets.isEmpty else { return }
        focus(targets[(index + step + targets.count) % targets.count].key)
    }

    /// Moves the focus by a key; returns false if there is no target in its direction.
    func moves(_ key: Key) -> Bool {
        switch key {
        case .tab: move(by: 1)
        case .backTab: move(by: -1)
        case .up, .down, .left, .right: return move(key)
        default: return false
        }
        return true
    }

    /// Moves to the nearest target in the direction of an arrow; returns false if there is none.
    func move(_ arrow: Key) -> Bool {
        guard targets.indices.contains(index) else { return false }
        let from = targets[index].area
        let distances = targets.map(\.area).map { Self.distance(from, to: $0, arrow) }
        let nearest = distances.indices.filter { distances[$0] != nil }
            .min { (distances[$0] ?? .max) < (distances[$1] ?? .max) }
        guard let nearest else { return false }
        focus(targets[nearest].key)
        return true
    }

    /// Handles a click or the wheel; the screen distributes keys and texts. Returns the number of
    /// lines by which the screen is to scroll.
    func take(_ input: TerminalInput, on page: ScreenPage?) -> Int {
        switch input {
        case .key, .paste, .letters: return 0
        case .click(let x, let y):
            guard let target = page?.target(x, y) else { return 0 }
            focus(target.key)
            target.reaction.click(x - target.area.x, y - target.area.y)
        case .wheel(let x, let y, let lines):
            guard let target = page?.target(x, y) else { return lines }
            let isTaken = target.reaction.wheel(lines, x - target.area.x, y - target.area.y)
            return isTaken ? 0 : lines
        }
        return 0
    }

    /// Returns the distance in a direction; a target to the side counts as farther.
    private static func distance(_ from: Area, to area: Area, _ arrow: Key) -> Int? {
        let aside = max(0, area.x - (from.x + from.width), from.x - (area.x + area.width))
        let isBeside =
            area.y < from.y + max(1, from.height) && from.y < area.y + max(1, area.height)
        switch arrow {
        case .down where area.y >= from.y + max(1, from.height):
            return (area.y - from.y - from.height) * 1000 + aside * 10 + abs(area.x - from.x) % 10
        case .up where area.y + max(1, area.height) <= from.y:
            return (from.y - area.y - area.height) * 1000 + aside * 10 + abs(area.x - from.x) % 10
        case .right where isBeside && area.x > from.x: return area.x - from.x
        case .left where isBeside && area.x < from.x: return from.x - area.x
        default: return nil
        }
    }
}

/// Maps the targets of a drawing to those of the next one.
private struct FocusMoves {
    private let targets: [FocusTarget]
    private let former: Set<ObjectIdentifier>
    private var keys: [FocusKey: FocusKey] = [:]

    init(from former: [FocusTarget], to targets: [FocusTarget]) {
        self.targets = targets
        self.former = Set(former.compactMap(\.identity).map(ObjectIdentifier.init))
        let now = Dictionary(
            targets.compactMap { target in
                target.identity.map { (ObjectIdentifier($0), target.key) }
            }
        ) { first, _ in first }
        for target in former {
            if let identity = target.identity { keys[target.key] = now[ObjectIdentifier(identity)] }
        }
    }

    /// Returns the new key of the target with this one: another if it has moved in its name.
    func key(_ key: FocusKey) -> FocusKey { keys[key] ?? key }

    /// Returns whether a target no longer exists: another target that has moved may have its key.
    func isRemoved(_ target: FocusTarget) -> Bool {
        guard keys[target.key] == nil else { return false }
        guard let now = targets.first(where: { $0.key == target.key }) else { return true }
        return now.identity.map { former.contains(ObjectIdentifier($0)) } ?? false
    }
}

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
    /// The target's reaction to input.
    struct Reaction {
        /// Handles a key, or returns false to leave it to the view.
        var press: (Key) -> Bool = { _ in false }
        /// Handles a click, in cells from the upper left corner.
        var click: (_ x: Int, _ y: Int) -> Void = { _, _ in }
        /// Handles the wheel at a cell, in lines; positive is down. Returns false if there is
        /// nothing to scroll.
        var wheel: (_ lines: Int, _ x: Int, _ y: Int) -> Bool = { _, _, _ in false }
        /// Inserts pasted text, or the letters of a text field, and returns whether there is room
        /// for all of it; `nil` if the target accepts none.
        var insert: ((String) -> Bool)?
        /// Handles many letters that arrived together; `nil` if they count as pasted.
        var type: ((String) -> Void)?
        /// Whether `press` gets every key except the one that leaves the target.
        var takesAllKeys = false
        /// Shows only the rows that contain these words; `nil` if the target cannot be filtered.
        var filter: ((FoundWords) -> Void)?
        var words = FoundWords()
        /// The binding that it shows, which the line of keys omits while it is visible.
        var key: Key?
        /// Lines below it that must be visible with it.
        var linesBelow = 0
    }

    let key: FocusKey
    /// An object that it keeps while others of its name come and go and its key changes.
    var identity: AnyObject?
    var area: Area
    var reaction: Reaction
    /// Whether it has the focus, for the view; the view sets it to move the focus there.
    var isFocused: Binding<Bool>?
    /// Whether it takes only clicks and the wheel, never the focus.
    var isRegion = false
}
