// FeatureScaffoldTests: what `new feature` writes, what it adds, and what it leaves to a person.

import Foundation
import Testing

@testable import NapkinClient

struct FeatureScaffoldTests {
    private let scratch: ScratchApp

    init() throws { scratch = try ScratchApp() }

    @Test(arguments: [false, true])
    func `a feature changes the app, its parent, and no other file`(isHeadless: Bool) throws {
        try scratch.inScratch { place in
            try scratch.makeApp(in: place)
            let before = try scratch.files(in: place)
            let report = try scratch.add("Menu", isHeadless: isHeadless, to: place)
            let after = try scratch.files(in: place)
            let changed = before.keys.filter { after[$0] != before[$0] }.sorted()
            let made = Set(after.keys).subtracting(before.keys)
            let root = "Sources/RibShackFeature/RibShackApp.swift"
            let views = "Sources/RibShackFront/RibShackViews.swift"
            let router = "Sources/RibShackFeature/RibShackRouter.swift"
            #expect(changed == (isHeadless ? [root, router] : [root, router, views]))
            #expect(made.allSatisfy { $0.contains("Menu") } && made.count == (isHeadless ? 3 : 5))
            // Lines are added, and none is taken; the last one of a list gets a comma.
            for path in changed {
                let lines = try #require(before[path]).replacing(",", with: "").split(
                    separator: "\n")
                let new = try #require(after[path]).replacing(",", with: "").split(separator: "\n")
                #expect(Set(lines).isSubset(of: new))
                #expect(new.joined().contains("Menu"))
            }
            #expect(report.contains("changed  \(root)"))
            // A second time it is there.
            let failure = #expect(throws: ClientFailure.self) { try scratch.add("Menu", to: place) }
            #expect(failure?.status == ExitTable.cannotCreate)
            #expect(try scratch.files(in: place) == after)
        }
    }

    @Test func `a feature keeps its state, and its view is a value`() throws {
        try scratch.inScratch { place in
            try scratch.makeApp(in: place)
            _ = try scratch.add("Order", .push, "id:Int,title:String", to: place)
            let files = try scratch.files(in: place)
            func lines(_ path: String, _ expected: String) throws {
                let text = try #require(files[path])
                #expect(text.contains(expected), "\(text)")
            }
            try lines(
                "Sources/RibShackFeature/OrderInteractor.swift",
                "@Durable\nfinal actor OrderInteractor: PresentableInteractable")
            let screen = "Sources/RibShackFront/OrderScreen.swift"
            try lines(screen, "@Observable\nfinal class OrderModel: OrderPresentable {")
            try lines(
                screen,
                """
                struct OrderScreen: View {
                    let model: OrderModel
                    let arguments: Order.Arguments

                    var body: some View {
                """)
            try lines(
                "Sources/RibShackFront/RibShackViews.swift",
                """
                        registry.register(Order.self, OrderModel.init) {
                            OrderScreen(model: $0, arguments: $1)
                        }
                        // napkin: views
                """)
        }
    }

    @Test func `lines without a marker are left to a person, and the others are added`() throws {
        try scratch.inScratch { place in
            try scratch.makeApp(in: place)
            let root = "\(place)/Sources/RibShackFeature/RibShackApp.swift"
            let own = try String(contentsOfFile: root, encoding: .utf8)
                .replacing("        // napkin: features\n", with: "")
            try own.write(toFile: root, atomically: true, encoding: .utf8)
            let report = try scratch.add("Menu", to: place)
            let place = try #require(
                report.firstIndex(
                    of: "  in features of the app, where `// napkin: features` would be:"))
            #expect(report[place + 1] == "       + Menu.self,")
            let after = try String(contentsOfFile: root, encoding: .utf8)
            #expect(!after.contains("Menu.self,") && after.contains("MenuInteractor.State.self,"))
        }
    }

    @Test func `a marker may be moved, but not be there twice`() throws {
        try scratch.inScratch { place in
            try scratch.makeApp(in: place)
            let (routes, moved) = ("RibShackRouter.swift", "RibShackApp.swift")
            let marker = "    // napkin: routes of RibShack\n"
            for (name, old, new) in [
                (routes, marker, ""),
                (moved, "import NapkinCore\n", "import NapkinCore\n\(marker)"),
            ] {
                let path = "\(place)/Sources/RibShackFeature/\(name)"
                let text = try String(contentsOfFile: path, encoding: .utf8)
                try text.replacing(old, with: new)
                    .write(toFile: path, atomically: true, encoding: .utf8)
            }
            _ = try scratch.add("Order", .push, to: place)
            let path = "\(place)/Sources/RibShackFeature/\(moved)"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.contains("    func routeToOrder() async\n"))
            try text.appending(marker).write(toFile: path, atomically: true, encoding: .utf8)
            #expect(
                try scratch.add("Bill", .push, to: place).contains(
                    "       + func routeToBill() async"))
        }
    }

    @Test func `no comma goes behind a comment`() {
        for (text, after) in [
            (
                "[\n    A.self\n    // napkin: a\n]",
                "[\n    A.self,\n    B.self,\n    // napkin: a\n]"
            ),
            ("[\n    // napkin: a\n]", "[\n    B.self,\n    // napkin: a\n]"),
            ("[\n    A.self  // mine\n    // napkin: a\n]", nil),
        ] {
            var (marked, files) = (MarkedFiles([("a", text)]), NewFiles(in: "x"))
            marked.insert("a", "there", ["B.self,"])
            marked.change(&files)
            #expect(files.changes.map(\.new) == (after.map { [$0] } ?? []))
            #expect(marked.isComplete == (after != nil))
        }
    }

    @Test func `routed children have a route, and share the stack`() throws {
        try scratch.inScratch { place in
            try scratch.makeApp(in: place)
            let first = try scratch.add("Order", .push, "id:Int", to: place)
            let path = "Sources/RibShackFeature/RibShackRouter.swift"
            #expect(first.contains("changed  \(path)"))
            #expect(
                first.last
                    == "Show it from RibShackInteractor: await router?.routeToOrder(id: …)")
            _ = try scratch.add("Bill", .modal, to: place)
            _ = try scratch.add("Tip", .push, to: place)
            let router = try #require(scratch.files(in: place)[path])
            for line in [
                "    func routeToOrder(id: Int) async", "    func routeFromBill() async",
                "        await attach(order, arguments: .init(id: id))",
                "    private let bill = ChildRoute<RibShackRouter, Bill>(",
                "        \"bill\", presentation: .modal",
                "        await TipRouter.build(view, listener: router.interactor)",
            ] {
                #expect(router.split(separator: "\n").contains(Substring(line)), "\(router)")
            }
            #expect(router.split(separator: "ChildStack()").count == 2)
            // A generated feature gets children in the same way.
            for (parent, child) in [("Order", "Line"), ("Bill", "Coin")] {
                let below = try scratch.add(child, .push, parent: parent, to: place)
                #expect(below.contains("changed  Sources/RibShackFeature/\(parent)Router.swift"))
            }
        }
    }

    @Test func `a parent of a person's own making gets its lines in words`() throws {
        try scratch.inScratch { place in
            try scratch.makeApp(in: place)
            _ = try scratch.add("Sync", isHeadless: true, to: place)
            let report = try scratch.add("Menu", .push, parent: "Sync", to: place)
            #expect(report.contains { $0.hasPrefix("  in the class SyncRouter, where") })
            #expect(report.contains("       +     await pop(menu, off: pages)"))
            #expect(try scratch.files(in: place)["Sources/RibShackFeature/MenuRouter.swift"] != nil)
        }
    }

    @Test func `a parent that is not there is refused`() throws {
        try scratch.inScratch { place in
            try scratch.makeApp(in: place)
            _ = try scratch.add("Sync", isHeadless: true, to: place)
            let before = try scratch.files(in: place)
            let missing = #expect(throws: ClientFailure.self) {
                try scratch.add("Menu", parent: "Order", to: place)
            }
            #expect(missing?.status == ExitTable.noInput)
            #expect(missing?.message.contains("it has RibShack, Sync") == true)
            #expect(try scratch.files(in: place) == before)
        }
    }

    @Test func `a change that cannot be made undoes the others`() throws {
        try scratch.inScratch { place in
            try "old".write(toFile: "\(place)/a", atomically: true, encoding: .utf8)
            var files = NewFiles(in: place)
            files.add("b/c", "new")
            files.change("a", from: "old", to: "new")
            files.change("no/where", from: "old", to: "new")
            #expect(throws: ClientFailure.self) { try files.write() }
            #expect(try scratch.files(in: place) == ["a": "old"])
        }
    }

    @Test(arguments: [
        ("id", "a type is missing"), ("id:Int,id:String", "'id' is given twice"),
        ("Id:Int", "begins with a lowercase letter"), ("in:Int", "already has a meaning"),
        ("presenter:Int", "already has a meaning"), ("at:Date", "needs a value of 'Date'"),
        ("", "a type is missing"), ("a b:Int", "letters and digits only"),
    ])
    func `an argument that cannot be one is named`(text: String, problem: String) throws {
        let failure = #expect(throws: ClientFailure.self) { try FeatureArgument.parse(text) }
        #expect(failure?.status == ExitTable.usage)
        #expect(failure?.message.contains(problem) == true, "\(failure?.message ?? "")")
    }

    @Test func `arguments have a type and a value for the test`() throws {
        let all = try FeatureArgument.parse("id: Int, names:[String],note:String?")
        #expect(all.parameters == ["id: Int", "names: [String]", "note: String?"])
        #expect(all.sampled == ["id: 1", "names: [\"a\"]", "note: \"a\""])
    }

    @Test func `what is no app's package gets no feature`() throws {
        try scratch.inScratch { place in
            let failure = #expect(throws: ClientFailure.self) { try AppPackage(at: place) }
            #expect(failure?.status == ExitTable.noInput)
            #expect(failure?.message.contains("there is no Package.swift") == true)
            #expect(failure?.message.contains("--directory") == true)
        }
    }
}
