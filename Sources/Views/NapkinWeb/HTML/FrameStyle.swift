// FrameStyle: frames, paddings and alignments as CSS, in a browser's units of a cell and a line.
//
//
// The page sets these styles by script, since its policy allows none in the HTML.

import NapkinElements

@MainActor
enum FrameStyle {
    static func css(_ frame: ElementFrame) -> String {
        func most(_ length: FrameLength?, _ unit: String) -> String? {
            guard case .length(let length) = length else { return nil }
            return "\(length)\(unit)"
        }
        let lengths: [(String, String?)] = [
            ("width", frame.width.map { "min(\($0)ch, 100%)" }),
            ("height", frame.height.map { "\($0)lh" }),
            ("min-width", frame.minWidth.map { "min(\($0)ch, 100%)" }),
            ("max-width", most(frame.maxWidth, "ch")),
            ("min-height", frame.minHeight.map { "\($0)lh" }),
            ("max-height", most(frame.maxHeight, "lh")),
        ]
        var rules = lengths.compactMap { name, value in value.map { "\(name): \($0)" } }
        for case .share(let parts) in [frame.maxWidth, frame.maxHeight] {
            rules.append("flex-grow: \(parts)")
        }
        // Without an explicit alignment, the content fills the frame.
        if frame.alignment != .topLeading {
            rules += [
                "display: grid", "justify-items: \(css(frame.alignment.horizontal))",
                "align-content: \(css(frame.alignment.vertical))",
            ]
        }
        return rules.joined(separator: "; ")
    }

    static func css(_ insets: Insets) -> String {
        "padding: \(insets.top)lh \(insets.trailing)ch \(insets.bottom)lh \(insets.leading)ch"
    }

    static func css(_ alignment: HorizontalAlignment) -> String {
        alignment == .leading ? "start" : alignment == .center ? "center" : "end"
    }

    static func css(_ alignment: VerticalAlignment) -> String {
        alignment == .top ? "start" : alignment == .center ? "center" : "end"
    }

    /// Returns the attributes of a stack: none for a column, a class for a row.
    static func attributes(_ style: StackStyle) -> [String: String] {
        switch style {
        case .vertical(let spacing, let alignment):
            var rules = spacing > 0 ? ["gap: \(spacing)lh"] : []
            if alignment != .leading { rules.append("align-items: \(css(alignment))") }
            return styled("column", rules)
        case .horizontal(let spacing, let least, let alignment):
            // A row's default alignment: the top, with texts beside controls on their line.
            let rules =
                ["column-gap: \(spacing)ch"]
                + (alignment == .top ? [] : ["align-items: \(css(alignment))"])
            return styled("row", rules).merging(least > 0 ? ["data-below": "\(least)"] : [:]) { $1 }
        case .flow(let spacing): return styled("row", ["column-gap: \(spacing)ch"])
        }
    }

    private static func styled(_ name: String, _ rules: [String]) -> [String: String] {
        var attributes = ["class": name]
        if !rules.isEmpty { attributes["data-css"] = rules.joined(separator: "; ") }
        return attributes
    }
}
