// LayoutTests: how stacks and frames divide their room, by the rules that SwiftUI has.

import Testing

@testable import NapkinElements
@testable import NapkinTerminal

/// A view, a rule, and what the rule makes of the view in so many cells and lines.
nonisolated struct Layout: CustomTestStringConvertible, Sendable {
    let rule: String
    let width: Int
    let height: Int
    let lines: [String]
    let view: @MainActor @Sendable () -> any View

    init<Content: View>(
        _ rule: String, _ width: Int, _ height: Int, _ lines: [String],
        @ViewBuilder _ view: @escaping @MainActor @Sendable () -> Content
    ) {
        self.rule = rule
        self.width = width
        self.height = height
        self.lines = lines
        self.view = view
    }

    var testDescription: String { "\(rule), \(width) by \(height)" }

    @MainActor func check() {
        let shown = view().render(width: width, height: height)
        let trimmed = shown.map { String($0.text.reversed().drop { $0 == " " }.reversed()) }
        #expect(trimmed == lines, "\(rule)")
        #expect(shown.allSatisfy { $0.cells <= width })
    }
}

@Suite struct LayoutTests {
    /// *The stack offers its children equal parts of the room, the least flexible first, and what
    /// one does not take is the others'; a greater priority is offered all but the least that the
    /// others need.* (SwiftUI: `HStack`, `layoutPriority(_:)`, `Spacer`)
    nonisolated private static let stacks = [
        Layout("equal parts", 10, 1, ["aaaa…bbbb…"]) {
            HStack(spacing: 0) {
                Text("aaaaaaaa").lineLimit(1)
                Text("bbbbbbbb").lineLimit(1)
            }
        },
        Layout("a part is what is left, divided by who is left", 10, 1, ["aa…bb…ccc…"]) {
            // 3 of 10, then 3 of 7 (rounded down), then 4.
            HStack(spacing: 0) {
                Text("aaaaa").lineLimit(1)
                Text("bbbbb").lineLimit(1)
                Text("ccccc").lineLimit(1)
            }
        },
        Layout("the least flexible first", 8, 1, ["aaaaa…bb"]) {
            HStack(spacing: 0) {
                Text("aaaaaaaa").lineLimit(1)
                Text("bb").lineLimit(1)
            }
        },
        Layout("spacing is not divided", 10, 1, ["aaa… bbbb…"]) {
            HStack(spacing: 1) {
                Text("aaaaaaaa").lineLimit(1)
                Text("bbbbbbbb").lineLimit(1)
            }
        },
        Layout("a text that is offered less is wrapped", 7, 9, ["aa bbb", "aa"]) {
            HStack(spacing: 1) {
                Text("aa aa")
                Text("bbb")
            }
        },
        Layout("a greater priority first", 8, 1, ["aaaaaaaa"]) {
            HStack(spacing: 0) {
                Text("aaaaaaaa").lineLimit(1).layoutPriority(1)
                Text("bb")
            }
        },
        Layout("less the least of the others", 8, 1, ["aaaa…bb"]) {
            HStack(spacing: 0) {
                Text("aaaaaaaa").lineLimit(1).layoutPriority(1)
                Text("bb").frame(minWidth: 3)
            }
        },
        Layout("a priority is that of the view in modifiers", 8, 1, ["aaaaaaaa"]) {
            HStack(spacing: 0) {
                Text("bb")
                Text("aaaaaaaa").lineLimit(1).layoutPriority(1).id("a").padding(.top)
            }
        },
        Layout(
            "who needs more than the part has it", 9, 7,
            ["a 0", "b 1", "c 2", "d 3", "e", "f", "g"]
        ) {
            // The first row is not flexible: its part is two lines, and its texts need five.
            HStack(spacing: 1) {
                Text("a\nb\nc\nd\ne")
                List(0..<4, id: \.self) { Text("\($0)") }
            }
            Text("f")
            Text("g").padding(.bottom)
        },
        Layout("a spacer comes last", 8, 1, ["aaaaaaaa"]) {
            HStack(spacing: 0) {
                Text("aaaaaaaa").lineLimit(1)
                Spacer()
            }
        },
        Layout("and takes the rest", 5, 1, ["a   b"]) {
            HStack(spacing: 0) {
                Text("a")
                Spacer()
                Text("b")
            }
        },
        Layout("in the stack's direction", 5, 9, ["a   b", "c"]) {
            VStack {
                HStack(spacing: 0) {
                    Text("a")
                    Spacer()
                    Text("b")
                }
                Text("c")
            }
        },
        Layout("two share it", 7, 1, ["a  b  c"]) {
            HStack(spacing: 0) {
                Text("a")
                Spacer()
                Text("b")
                Spacer()
                Text("c")
            }
        },
        Layout("also lines", 5, 5, ["a", "", "b", "", "c"]) {
            VStack {
                Text("a")
                Spacer()
                Text("b")
                Spacer()
                Text("c")
            }
        },
        Layout("a greater priority takes lines first", 5, 5, ["a", "", "", "", "b"]) {
            VStack {
                Text("a").frame(maxHeight: .infinity).layoutPriority(1)
                Text("b").frame(maxHeight: .infinity).frame(minHeight: 1)
            }
        },
    ]

    /// *A stack aligns its children by their sides.* (SwiftUI: `VStack`, `HStack`) By default by
    /// the leading side and the top, as terminals do.
    nonisolated private static let alignments = [
        Layout("leading", 5, 9, ["a", "bbb"]) {
            VStack {
                Text("a")
                Text("bbb")
            }
        },
        Layout("center", 5, 9, [" a", "bbb"]) {
            VStack(alignment: .center) {
                Text("a")
                Text("bbb")
            }
        },
        Layout("half a cell goes behind", 5, 9, [" a", "bbbb"]) {
            VStack(alignment: .center) {
                Text("a")
                Text("bbbb")
            }
        },
        Layout("trailing", 5, 9, ["  a", "bbb"]) {
            VStack(alignment: .trailing) {
                Text("a")
                Text("bbb")
            }
        },
        Layout("of wide characters", 9, 9, ["  肉", "bbbb"]) {
            VStack(alignment: .trailing) {
                Text("肉")
                Text("bbbb")
            }
        },
        Layout("the stack is as wide as the widest", 9, 9, [" a |", "bbb"]) {
            HStack(spacing: 0) {
                VStack(alignment: .center) {
                    Text("a")
                    Text("bbb")
                }
                Text("|")
            }
        },
        Layout("top", 5, 9, ["a x", "b"]) {
            HStack(spacing: 1) {
                Text("a\nb")
                Text("x")
            }
        },
        Layout("center", 5, 9, ["a", "b x", "c"]) {
            HStack(alignment: .center, spacing: 1) {
                Text("a\nb\nc")
                Text("x")
            }
        },
        Layout("bottom", 5, 9, ["a", "b x"]) {
            HStack(alignment: .bottom, spacing: 1) {
                Text("a\nb")
                Text("x")
            }
        },
    ]

    @Test(arguments: stacks) func `a stack divides its room`(_ layout: Layout) { layout.check() }

    @Test(arguments: alignments) func `a stack aligns its members`(_ layout: Layout) {
        layout.check()
    }
}
