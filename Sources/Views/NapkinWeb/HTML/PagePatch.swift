// PagePatch: the difference between two pages, element by element.
//
// Invariant  a page that applies the patches in order has the new elements; unchanged elements are
//            not touched, so that focus, caret and selection stay where they are.

/// A change to one element of a page.
struct PagePatch: Encodable, Equatable, Sendable {
    var id: String
    /// The replacement of the element.
    var html: String?
    /// The replacement of its whole content.
    var inner: String?
    /// Attributes with their new values; `nil` removes one.
    var attributes: [String: String?]?
    /// The elements inside, in order: the id of one that stays, or `<…` for a new one.
    var order: [String]?

    init(_ id: String) { self.id = id }

    /// Returns the patches that turn one page into another.
    static func changes(from old: HTMLNode, to new: HTMLNode) -> [PagePatch] {
        var patches: [PagePatch] = []
        collect(old, new, &patches)
        return patches
    }

    private static func collect(_ old: HTMLNode, _ new: HTMLNode, _ patches: inout [PagePatch]) {
        guard old != new else { return }
        var patch = PagePatch(old.id)
        guard old.id == new.id, old.tag == new.tag else {
            patch.html = new.html
            return patches.append(patch)
        }
        if old.attributes != new.attributes {
            var changed: [String: String?] = [:]
            for attribute in new.attributes where old[attribute.name] != attribute.value {
                changed[attribute.name] = attribute.value
            }
            for attribute in old.attributes where new[attribute.name] == nil {
                changed.updateValue(nil, forKey: attribute.name)
            }
            patch.attributes = changed
        }
        var deeper: [(HTMLNode, HTMLNode)] = []
        switch (old.content, new.content) {
        case (.nodes(let before), .nodes(let after)):
            let known = Dictionary(
                before.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            let stays = { (node: HTMLNode) in known[node.id].map { $0.tag == node.tag } ?? false }
            if before.map(\.id) != after.map(\.id) || !after.allSatisfy(stays) {
                patch.order = after.map { stays($0) ? $0.id : $0.html }
            }
            deeper = after.compactMap { node in
                stays(node) ? known[node.id].map { ($0, node) } : nil
            }
        case (let before, let after) where before != after:
            patch.inner =
                switch after {
                case .markup(let markup): markup
                case .nodes(let nodes): nodes.map(\.html).joined()
                }
        default: break
        }
        if patch.attributes != nil || patch.inner != nil || patch.order != nil {
            patches.append(patch)
        }
        for (before, after) in deeper { collect(before, after, &patches) }
    }
}
