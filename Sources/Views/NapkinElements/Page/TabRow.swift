// TabRow: the tabs of a node on the screen, which are children of its router's tabs.

internal import NapkinCore
internal import NapkinFront

struct TabRow {
    let names: [String]
    let index: Int
    /// The selected tab's child; a front may learn of it later than of the selection.
    let child: FrontNode?
    let mounted: [FrontNode]

    /// The tabs as the worker reports them, otherwise as they are mounted; `nil` without tabs.
    ///
    /// - Parameter chosen: the child that is selected here, unless the worker decides.
    init?(_ node: FrontNode, chosen: UInt32?) {
        mounted = node.children.filter { $0.presentation == .tab }
        if let bar = node.tabBar {
            names = bar.names
            index = bar.names.firstIndex(of: bar.selected) ?? 0
            child = mounted.first { $0.slot == bar.selected }
        } else {
            guard !mounted.isEmpty else { return nil }
            names = mounted.map(\.slot)
            index = mounted.firstIndex { $0.id == chosen } ?? 0
            child = mounted[index]
        }
    }

    /// Returns the key of the next tab, wherever the focus is; Tab moves the focus.
    func keys(isLinear: Bool, _ select: @escaping (Int) -> Void) -> [KeyBinding] {
        guard names.count > 1 else { return [] }
        let next = (index + 1) % names.count
        // Plain text has always named this key.
        return [KeyBinding(isLinear ? .tab : .control("t"), names[next]) { select(next) }]
    }
}
