// PageRendering+Rows: lists, tables and tabs as HTML: elements with selectable rows.
//
// Invariant  a page shows at most `rowsMax` rows of a list, whatever its length.

import NapkinElements

extension PageRendering {
    /// Returns the rows on the page, and the buttons for the others.
    private mutating func window(
        _ list: ListElement, _ id: String, row: (Int) -> HTMLNode
    ) -> (before: [HTMLNode], rows: [HTMLNode], after: [HTMLNode]) {
        list.memory.layOut(lines: Self.rowsMax)
        let first = list.memory.offset
        let last = min(list.count, first + Self.rowsMax)
        func more(_ count: Int, _ words: String, by step: Int) -> [HTMLNode] {
            guard count > 0 else { return [] }
            register("\(id).\(words)", .more(list.memory, by: step))
            return [
                HTMLNode(
                    "button", "\(id).\(words)",
                    ["type": "button", "class": "more", "data-do": "press"],
                    .markup("\(count) \(words)"))
            ]
        }
        return (
            filter(list, id) + more(first, "before", by: -Self.rowsMax),
            (first..<max(first, last)).map(row),
            more(list.count - last, "after", by: Self.rowsMax)
        )
    }

    /// Returns the field for a filter's words, while a person types them or the filter hides rows.
    private mutating func filter(_ list: ListElement, _ id: String) -> [HTMLNode] {
        let words = list.memory.words
        guard filtered == id || !words.isEmpty else { return [] }
        register("\(id).f", .filter(list, of: id))
        return [
            HTMLNode(
                "input", "\(id).f",
                [
                    "type": "search", "data-do": "text", "value": words.text,
                    "aria-label": "Filter", "placeholder": "filter", "autocomplete": "off",
                ])
        ]
    }

    mutating func list(_ list: ListElement, _ labels: ElementLabels) -> HTMLNode {
        let id = names.name(of: list.memory)
        var attributes = control(id, .list(list), isEnabled: list.isEnabled, labels)
        attributes["role"] = "listbox"
        attributes["tabindex"] = list.isEnabled ? "0" : "-1"
        attributes["data-do"] = "row"
        if list.follows { attributes["data-follows"] = "" }
        if list.count > 0 { attributes["aria-activedescendant"] = "\(id).\(list.memory.selection)" }
        if attributes["aria-label"] == nil { attributes["aria-label"] = labels.name ?? "list" }
        let (before, rows, after) = window(list, id) { index in
            var markup = list.row(index).markup
            if let aside = list.aside?(index), !aside.isEmpty {
                markup += " <span class=\"secondary aside\">\(HTMLNode.escaped(aside))</span>"
            }
            var attributes = Self.rowAttributes("option", index, list)
            attributes["aria-posinset"] = "\(index + 1)"
            attributes["aria-setsize"] = "\(list.count)"
            return HTMLNode("li", "\(id).\(index)", attributes, .markup(markup))
        }
        let rest = HTMLNode("ul", id, attributes, .nodes(rows))
        return HTMLNode("div", "\(id).w", ["class": "list"], .nodes(before + [rest] + after))
    }

    private static func rowAttributes(
        _ role: String, _ index: Int, _ list: ListElement
    ) -> [String: String] {
        [
            "role": role, "data-row": "\(index)",
            "aria-selected": index == list.memory.selection ? "true" : "false",
        ]
    }

    mutating func table(_ table: TableElement, _ place: String, _ labels: ElementLabels) -> HTMLNode
    {
        let id = table.list.map { names.name(of: $0.memory) } ?? names.unique("\(place).table")
        var attributes = labels.attributes
        let heads = table.columns.enumerated().map { heading(table, $0.offset, $0.element, id) }
        func row(_ index: Int, _ attributes: [String: String]) -> HTMLNode {
            let texts = index < table.rows.count ? table.rows[index] : []
            let cells = table.columns.indices.map { column in
                let isNumber = table.columns[column].alignment == .trailing
                let text = column < texts.count ? HTMLNode.escaped(texts[column]) : ""
                return "<td\(isNumber ? " class=\"number\"" : "")>\(text)</td>"
            }
            return HTMLNode("tr", "\(id).r\(index)", attributes, .markup(cells.joined()))
        }
        let head = HTMLNode(
            "thead", "\(id).h", [:], .nodes([HTMLNode("tr", "\(id).hr", [:], .nodes(heads))]))
        guard let list = table.list else {
            let shown = table.rows.indices.prefix(Self.tableRowsMax).map { row($0, [:]) }
            let body = HTMLNode("tbody", "\(id).b", [:], .nodes(shown))
            let rest = table.rows.count - shown.count
            let more = HTMLNode("caption", "\(id).c", [:], .markup("\(rest) more rows"))
            return HTMLNode(
                "table", id, attributes, .nodes((rest > 0 ? [more] : []) + [head, body]))
        }
        attributes.merge(control(id, .list(list), isEnabled: list.isEnabled, labels)) { $1 }
        // Row 1 is the heading.
        attributes.merge([
            "role": "grid", "tabindex": "0", "data-do": "row", "aria-rowcount": "\(list.count + 1)",
        ]) { $1 }
        let (before, rows, after) = window(list, id) { index in
            let place = ["aria-rowindex": "\(index + 2)"]
            return row(
                list.item(index), Self.rowAttributes("row", index, list).merging(place) { $1 })
        }
        let body = HTMLNode("tbody", "\(id).b", [:], .nodes(rows))
        let grid = HTMLNode("table", id, attributes, .nodes([head, body]))
        return HTMLNode("div", "\(id).w", ["class": "list"], .nodes(before + [grid] + after))
    }

    private mutating func heading(
        _ table: TableElement, _ index: Int, _ column: TableColumn, _ id: String
    ) -> HTMLNode {
        var attributes = ["scope": "col"]
        if column.alignment == .trailing { attributes["class"] = "number" }
        let title = HTMLNode.escaped(column.title)
        guard let sortBy = table.sortBy else {
            return HTMLNode("th", "\(id).h\(index)", attributes, .markup(title))
        }
        let order = table.sort.flatMap { $0.column == index ? $0.order : nil }
        attributes["aria-sort"] =
            order.map { $0 == .forward ? "ascending" : "descending" } ?? "none"
        register("\(id).s\(index)", .sort(sortBy, column: index))
        let mark = order.map { $0 == .forward ? " ▲" : " ▼" } ?? ""
        let button = HTMLNode(
            "button", "\(id).s\(index)", ["type": "button", "data-do": "press"],
            .markup(title + mark))
        return HTMLNode("th", "\(id).h\(index)", attributes, .nodes([button]))
    }

    mutating func tabs(
        _ names: [String], _ selected: Int, _ select: @escaping (Int) -> Void, _ id: String
    ) -> HTMLNode {
        register(id, .tabs(count: names.count, select: select))
        let tabs = names.enumerated().map { index, name in
            HTMLNode(
                "button", "\(id).\(index)",
                [
                    "type": "button", "role": "tab", "data-row": "\(index)",
                    "aria-selected": index == selected ? "true" : "false",
                ], .markup(HTMLNode.escaped(name)))
        }
        return HTMLNode("div", id, ["role": "tablist", "data-do": "tab"], .nodes(tabs))
    }
}
