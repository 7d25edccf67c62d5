// PatchTests: what a page is told when something changes.

import NapkinElements
import Observation
import Testing

@testable import NapkinWeb

@Observable private final class Board {
    var dishes = ["Ribs", "Brisket"]
    var note = ""
}

@Suite struct PatchTests {
    private struct Screen: View {
        let board: Board

        var body: some View {
            Text("\(board.dishes.count) dishes")
            ForEach(board.dishes, id: \.self) { dish in Button(dish) {} }
            TextField("note", text: Binding(board, \.note))
        }
    }

    @Test func `only what has changed is sent`() throws {
        let board = Board()
        let sheet = Sheet(Screen(board: board))
        let before = sheet.root
        board.note = "rare"
        sheet.draw()
        let patches = PagePatch.changes(from: before, to: sheet.root)
        #expect(patches.count == 1)
        #expect(patches.first?.attributes == ["value": "rare"])
    }

    @Test func `elements keep their ids when others come before them`() throws {
        let board = Board()
        let sheet = Sheet(Screen(board: board))
        let before = sheet.root
        let former = try #require(sheet.id { $0.label == "Brisket" })
        board.dishes.insert("Links", at: 0)
        sheet.draw()
        #expect(sheet.id { $0.label == "Brisket" } == former)
        let patches = PagePatch.changes(from: before, to: sheet.root)
        let order = try #require(patches.compactMap(\.order).first)
        #expect(order.count { $0.hasPrefix("<") } == 1)
        #expect(order.contains(former))
    }

    @Test func `an id is not used again`() throws {
        let board = Board()
        let sheet = Sheet(Screen(board: board))
        let ribs = try #require(sheet.id { $0.label == "Ribs" })
        board.dishes.removeFirst()
        sheet.draw()
        board.dishes.insert("Links", at: 0)
        sheet.draw()
        #expect(sheet.rendering.targets[ribs] == nil)
    }

    @Test func `patches lead from any page to any other`() {
        // Applies patches to the value, as the page applies them to its elements.
        var random = SystemRandomNumberGenerator()
        func node(_ depth: Int, _ id: String) -> HTMLNode {
            let attributes = Bool.random(using: &random) ? ["class": "a"] : [:]
            guard depth > 0 else { return HTMLNode("p", id, attributes, .markup("\(depth)")) }
            let count = Int.random(in: 0...4, using: &random)
            let ids = (0..<8).shuffled(using: &random).prefix(count)
            return HTMLNode(
                Int.random(in: 0...9, using: &random) == 0 ? "ul" : "div", id, attributes,
                .nodes(ids.map { node(depth - 1, "\(id).\($0)") }))
        }
        for _ in 0..<500 {
            let (old, new) = (node(3, "r"), node(3, "r"))
            let patches = PagePatch.changes(from: old, to: new)
            #expect(applied(patches, to: old) == new.html)
        }
    }

    /// Returns the HTML of a page after its patches.
    private func applied(_ patches: [PagePatch], to page: HTMLNode) -> String {
        var html: [String: String] = [:]
        var page = page
        for patch in patches { page = page.applying(patch, &html) }
        return page.html(with: html)
    }

    @Test func `a page's message is read, or is none`() {
        #expect(PageEvent("{\"type\":\"press\",\"number\":1,\"id\":\"e1\"}")?.id == "e1")
        for text in [
            "", "{}", "null", "[]", "{\"type\":\"x\",\"number\":1}", "{\"type\":\"press\"}",
            "{\"type\":\"press\",\"number\":1e99}", String(repeating: "[", count: 10_000),
        ] {
            #expect(PageEvent(text) == nil, "\(text.prefix(20))")
        }
    }

    @Test func `the page's own part is small, and asks no other server`() {
        let files = [
            PackageResources.client_js, PackageResources.page_html, PackageResources.style_css,
        ]
        #expect(files.reduce(0) { $0 + $1.count } <= 37 * 1024)
        for file in files.map({ String(decoding: $0, as: UTF8.self) }) {
            for word in ["http:", "https:", "eval(", " style=", "onclick=", "@import"] {
                #expect(!file.contains(word), "\(word)")
            }
        }
    }
}

extension PageTarget {
    fileprivate var label: String? {
        if case .button(let button) = self { button.label } else { nil }
    }
}

extension HTMLNode {
    /// Applies a patch; what it brings as HTML is kept by its id.
    fileprivate func applying(_ patch: PagePatch, _ html: inout [String: String]) -> HTMLNode {
        var node = self
        guard id == patch.id else {
            if case .nodes(let nodes) = content {
                node.content = .nodes(nodes.map { $0.applying(patch, &html) })
            }
            return node
        }
        if let whole = patch.html { html[id] = whole }
        for (name, value) in patch.attributes ?? [:] { node[name] = value }
        if let inner = patch.inner { node.content = .markup(inner) }
        if let order = patch.order {
            let known = Dictionary(uniqueKeysWithValues: children.map { ($0.id, $0) })
            node.content = .nodes(
                order.map { name in
                    if let kept = known[name] { return kept }
                    let id = "new \(html.count)"
                    html[id] = name
                    return HTMLNode("p", id)
                })
        }
        return node
    }

    fileprivate func html(with replaced: [String: String]) -> String {
        if let whole = replaced[id] { return whole }
        guard case .nodes(let nodes) = content else { return html }
        var empty = self
        empty.content = .markup(nodes.map { $0.html(with: replaced) }.joined())
        return empty.html
    }
}
