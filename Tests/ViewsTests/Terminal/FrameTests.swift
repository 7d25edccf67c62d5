// FrameTests: what sizes frames have, by the rules that SwiftUI has, and what goes where room is
// short.

import NapkinElements
import Testing

@Suite struct FrameTests {
    /// *A fixed frame offers its size, and has it. A flexible one offers what it is offered,
    /// between its bounds, and takes that much: without a lower bound no less than its child,
    /// without an upper one no more.* (SwiftUI: `frame(width:height:alignment:)`,
    /// `frame(minWidth:idealWidth:maxWidth:minHeight:idealHeight:maxHeight:alignment:)`)
    nonisolated private static let frames = [
        Layout("fixed", 9, 9, ["ab  |"]) {
            HStack(spacing: 0) {
                Text("ab").frame(width: 4)
                Text("|")
            }
        },
        Layout("fixed, and aligned", 9, 9, ["  ab|"]) {
            HStack(spacing: 0) {
                Text("ab").frame(width: 4, alignment: .trailing)
                Text("|")
            }
        },
        Layout("both sizes", 9, 9, ["", "", "   ab", "c"]) {
            VStack {
                Text("ab").frame(width: 5, height: 3, alignment: .bottomTrailing)
                Text("c")
            }
        },
        Layout("in the middle", 9, 9, ["", "  a", "", "b"]) {
            VStack {
                Text("a").frame(width: 5, height: 3, alignment: .center)
                Text("b")
            }
        },
        Layout("a frame in a frame", 9, 9, ["    ab"]) {
            Text("ab").frame(width: 4).frame(width: 8, alignment: .trailing)
        },
        Layout("a text is cut to the width", 9, 9, ["ab…|"]) {
            HStack(spacing: 0) {
                Text("abcdef").lineLimit(1).frame(width: 3)
                Text("|")
            }
        },
        Layout("a text is cut to the height", 2, 9, ["aa", "b…", "dd"]) {
            VStack {
                Text("aa bb cc").frame(height: 2)
                Text("dd")
            }
        },
        Layout("also inside a stack, by parts", 4, 9, ["aa…", "bb", "cc"]) {
            VStack {
                VStack {
                    Text("aa\naa\naa")
                    Text("bb")
                }.frame(height: 2)
                Text("cc")
            }
        },
        Layout("to an upper bound", 2, 9, ["aa", "b…", "dd"]) {
            VStack {
                Text("aa bb cc").frame(maxHeight: 2)
                Text("dd")
            }
        },
        Layout("without one the page scrolls", 2, 2, ["aa", "bb", "cc"]) {
            Text("aa bb cc").frame(minHeight: 1)
        },
        Layout("all there is", 7, 9, ["  ab"]) {
            Text("ab").frame(maxWidth: .infinity, alignment: .top)
        },
        Layout("as much as there is, up to a bound", 9, 9, ["ab    |"]) {
            HStack(spacing: 0) {
                Text("ab").frame(maxWidth: 6)
                Text("|")
            }
        },
        Layout("no less than a bound", 9, 9, ["ab    |"]) {
            HStack(spacing: 0) {
                Text("ab").frame(minWidth: 6)
                Text("|")
            }
        },
        Layout("no more than the child without an upper bound", 9, 9, ["abcd|"]) {
            HStack(spacing: 0) {
                Text("abcd").frame(minWidth: 2)
                Text("|")
            }
        },
        Layout("what is offered, between two", 9, 9, ["ab      |"]) {
            HStack(spacing: 0) {
                Text("ab").frame(minWidth: 2, maxWidth: .infinity)
                Text("|")
            }
        },
        Layout("two fill a row alike", 9, 9, ["a    b"]) {
            HStack(spacing: 1) {
                Text("a").frame(maxWidth: .infinity)
                Text("b").frame(maxWidth: .infinity)
            }
        },
        Layout("or in proportion", 9, 9, ["a  b"]) {
            HStack(spacing: 0) {
                Text("a").frame(maxWidth: .infinity)
                Text("b").frame(maxWidth: .share(2))
            }
        },
        Layout("lines in proportion", 9, 6, ["a", "", "b"]) {
            VStack {
                Text("a").frame(maxHeight: .infinity)
                Text("b").frame(maxHeight: .share(2))
            }
        },
        Layout("lines for nothing", 9, 9, ["", "", "a"]) {
            VStack {
                EmptyView().frame(minHeight: 2)
                Text("a")
            }
        },
        Layout("at the bottom of all lines", 9, 4, ["a", "", "", "b"]) {
            VStack {
                Text("a")
                Text("b").frame(maxHeight: .infinity, alignment: .bottomLeading)
            }
        },
        Layout("padding in a frame", 9, 9, ["", " a  |"]) {
            HStack(spacing: 0) {
                Text("a").padding(.all, 1).frame(width: 4, alignment: .top)
                Text("\n|")
            }
        },
        Layout("nothing is wider than the page", 5, 9, ["abcd…"]) {
            Text("abcdefgh").lineLimit(1).frame(width: 40)
        },
        Layout("nor than a box", 12, 9, ["┌──────────┐", "│ abcdefg… │", "└──────────┘"]) {
            GroupBox("") { Text("abcdefghijklm").lineLimit(1).frame(width: 12) }
        },
    ]

    /// What goes first where lines are missing; SwiftUI lets views overlap instead.
    nonisolated private static let shortages = [
        Layout("spacing, if there is room", 5, 5, ["a", "", "b", "", "c"]) {
            VStack(spacing: 1) {
                Text("a")
                Text("b")
                Text("c")
            }
        },
        Layout("spacing goes", 5, 4, ["a", "b", "c"]) {
            VStack(spacing: 1) {
                Text("a")
                Text("b")
                Text("c")
            }
        },
        Layout("what is empty has no spacing", 5, 9, ["a", "", "c"]) {
            VStack(spacing: 1) {
                Text("a")
                VStack {}
                Text("c")
            }
        },
        Layout("padding goes, below first", 5, 4, ["a", "", "b", "c"]) {
            VStack {
                Text("a")
                Text("b").padding(.vertical)
                Text("c")
            }
        },
        Layout("lists shrink", 5, 5, ["a", "0   ┃", "1   │", "2   │", "b"]) {
            VStack {
                Text("a")
                List(0..<9, id: \.self) { Text("\($0)") }
                Text("b")
            }
        },
        Layout("a border stays", 12, 3, ["┌──────────┐", "│ a        │", "└──────────┘"]) {
            GroupBox("") { Text("a") }
        },
        Layout("and goes, not what is inside", 12, 3, ["T", "  a", "  b"]) {
            GroupBox("T") {
                Text("a")
                Text("b")
            }
        },
        Layout(
            "it stays beside a list that can shrink", 12, 8,
            [
                "┌──────────┐", "│ a        │", "│ b        │", "│ c        │", "└──────────┘",
                "0          ┃", "1          │", "2          │",
            ]
        ) {
            GroupBox("") {
                Text("a")
                Text("b")
                Text("c")
            }
            List(0..<9, id: \.self) { Text("\($0)") }
        },
        Layout("then the page scrolls", 5, 2, ["a", "b", "c"]) {
            VStack(spacing: 1) {
                Text("a")
                Text("b")
                Text("c")
            }
        },
    ]

    @Test(arguments: frames) func `a frame has a size`(_ layout: Layout) { layout.check() }

    @Test(arguments: shortages) func `missing lines are missed in an order`(_ layout: Layout) {
        layout.check()
    }
}
