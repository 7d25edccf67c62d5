// HTMLNode: an element of a page, as a value that can be compared and written.
//
// Invariant  no two elements of a page have the same id; texts are escaped when they become markup.
// Spec       HTML Living Standard, section 13.1 (Writing HTML documents)

/// An element of a page.
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

    /// The element with the selection in its list told to who writes in its field.
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
    private func first(_ isIt: (HTMLNode) -> Bool) -> HTMLNode? {
        if isIt(self) { return self }
        for child in children {
            if let found = child.first(isIt) { return found }
        }
        return nil
    }
}
