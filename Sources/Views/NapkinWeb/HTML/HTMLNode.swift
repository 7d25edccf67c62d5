// HTMLNode: an element of a page, as a value that can be compared and written, and the difference
// between two pages.
//
// Invariant  no two elements of a page have the same id; texts are escaped when they become markup.
//            A page that applies the patches in order has the new elements; unchanged elements are
//            not touched, so that focus, caret and selection stay where they are.
// Spec       HTML Living Standard, section 13.1 (Writing HTML documents)

struct HTMLNode: Equatable, Sendable {
    /// The content of an element.
    enum Content: Equatable, Sendable {
        /// Escaped text that may contain spans.
        case markup(String)
        case nodes([HTMLNode])
    }

    /// The value is escaped when written; an empty one writes the attribute's name alone.
    struct Attribute: Equatable, Sendable {
        let name: String
        let value: String
    }

    var tag: String
    var id: String
    /// The attributes, sorted by name. Pages are kept, and a dictionary for each of their elements
    /// would need twice as much memory.
    private(set) var attributes: [Attribute]
    var content: Content

    init(
        _ tag: String, _ id: String, _ attributes: [String: String] = [:],
        _ content: Content = .nodes([])
    ) {
        self.tag = tag
        self.id = id
        self.attributes = attributes.sorted { $0.key < $1.key }.map(Attribute.init)
        self.content = content
    }

    /// The value of the attribute of that name.
    subscript(_ name: String) -> String? {
        get { attributes.first { $0.name == name }?.value }
        set {
            attributes.removeAll { $0.name == name }
            guard let newValue else { return }
            let index = attributes.firstIndex { $0.name > name } ?? attributes.count
            attributes.insert(Attribute(name: name, value: newValue), at: index)
        }
    }

    var children: [HTMLNode] {
        if case .nodes(let nodes) = content { nodes } else { [] }
    }

    /// Elements without content and end tag.
    private static let voids: Set = ["hr", "input"]

    /// The element as HTML.
    var html: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        text += "<\(tag) id=\"\(Self.escaped(id))\""
        for attribute in attributes {
            text += " \(attribute.name)"
            if !attribute.value.isEmpty { text += "=\"\(Self.escaped(attribute.value))\"" }
        }
        text += ">"
        guard !Self.voids.contains(tag) else { return }
        switch content {
        case .markup(let markup): text += markup
        case .nodes(let nodes): for node in nodes { node.write(to: &text) }
        }
        text += "</\(tag)>"
    }

    /// Returns the text, escaped for use between tags and in quoted attributes.
    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { "<>&\"'".utf8.contains($0) }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Changes the element with an id; returns whether it exists.
    @discardableResult
    mutating func change(_ id: String, _ change: (inout HTMLNode) -> Void) -> Bool {
        if self.id == id {
            change(&self)
            return true
        }
        guard case .nodes(var nodes) = content else { return false }
        for index in nodes.indices where nodes[index].change(id, change) {
            content = .nodes(nodes)
            return true
        }
        return false
    }

    /// The element, with its list's selection announced to a person who writes in its field.
    var combined: HTMLNode {
        var combined = self
        guard let field = first({ $0.tag == "input" }) else { return self }
        let list = first { $0["role"] == "listbox" }
        let selected = list?["aria-activedescendant"]
        let attributes = [
            "role": "combobox", "aria-autocomplete": "list",
            "aria-expanded": selected == nil ? "false" : "true", "aria-controls": list?.id,
            "aria-activedescendant": selected,
        ]
        for case (let name, let value?) in attributes {
            combined.change(field.id) { $0[name] = value }
        }
        return combined
    }

    /// Returns the first element that meets a condition, starting with this one.
    private func first(_ predicate: (HTMLNode) -> Bool) -> HTMLNode? {
        if predicate(self) { return self }
        for child in children {
            if let found = child.first(predicate) { return found }
        }
        return nil
    }
}

/// The difference between two pages, element by element.
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
