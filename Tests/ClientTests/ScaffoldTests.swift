// ScaffoldTests: what `new` writes, what it changes, and what it leaves alone.

import Foundation
import Testing

@testable import NapkinClient

struct ScaffoldTests {
    private let app: ScaffoldName
    private let napkin: NapkinSource

    init() throws {
        app = try ScaffoldName("RibShack", for: .app)
        napkin = try NapkinSource("https://example.org/someone/napkin.git")
    }

    /// A directory that is gone afterwards.
    private func inScratch(_ body: (String) throws -> Void) throws {
        let place = FileManager.default.temporaryDirectory
            .appendingPathComponent("napkin-new-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        // The system clears its directory for temporary files.
        defer { try? FileManager.default.removeItem(at: place) }
        try body(place.path)
    }

    /// All files below a directory, with what is in them.
    private func files(in directory: String) throws -> [String: String] {
        var files: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            let place = "\(directory)/\(path)"
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: place, isDirectory: &isDirectory)
            if isDirectory.boolValue { continue }
            files[path] = try String(contentsOfFile: place, encoding: .utf8)
        }
        return files
    }

    private func makeApp(in directory: String) throws {
        try AppScaffold.files(app, in: directory, napkin: napkin).write()
    }

    private func add(
        _ name: String, isHeadless: Bool = false, _ placement: FeaturePlacement = .embed,
        _ arguments: String? = nil, parent: String? = nil, to directory: String
    ) throws -> [String] {
        let package = try AppPackage(at: directory)
        return try FeatureScaffold(
            feature: try ScaffoldName(name, for: .feature), isHeadless: isHeadless,
            placement: placement, arguments: try arguments.map(FeatureArgument.parse) ?? [],
            parent: try ParentFeature(named: parent, in: package), package: package
        ).write()
    }

    // MARK: - An app

    @Test func `make run asks for nothing between its directory and what removes it`() throws {
        let makefile = try #require(
            AppScaffold.files(app, in: "x", napkin: napkin).files.first { $0.path == "Makefile" })
        let made = try #require(makefile.text.firstRange(of: "mktemp"))
        let rest = makefile.text[made.upperBound...].prefix { $0 != "\n" }
        #expect(!rest.contains("swift build"))
    }

    @Test func `no name of the templates is left`() throws {
        for (path, text) in AppScaffold.files(app, in: "x", napkin: napkin).files {
            for word in ["sample", "detail", "errand", "@dependency", "@identity"] {
                #expect(!path.lowercased().contains(word), "\(path)")
                #expect(!text.lowercased().contains(word), "\(word) in \(path)")
            }
        }
    }

    @Test func `what a user writes of an app has fewer than 60 lines`() {
        let all = AppScaffold.files(app, in: "x", napkin: napkin).files
        let own = ["RibShack.swift", "RibShackInteractor.swift", "RibShackScreen.swift"]
        let written = all.filter { file in own.contains { file.path.hasSuffix("/\($0)") } }
        #expect(written.count == 3)
        let lines = written.flatMap { $0.text.split(separator: "\n") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("//") }
        #expect((30..<60).contains(lines.count), "\(lines.count)")
    }

    @Test func `imports are in order, whatever the app is called`() throws {
        let text =
            "import NapkinCore\npublic import SampleContract\n\n@testable import SampleFront\n"
        let other = try ScaffoldName("Alarm", for: .app)
        let sorted = Template(Array(text.utf8)).text(app: other)
        #expect(
            sorted
                == "public import AlarmContract\nimport NapkinCore\n\n@testable import AlarmFront\n"
        )
    }

    @Test func `a package is found by URL or by path`() throws {
        #expect(
            napkin.line
                == ".package(url: \"https://example.org/someone/napkin.git\", branch: \"main\")")
        #expect(napkin.identity == "napkin")
        #expect(try NapkinSource("git@example.org:me/pattern.git").identity == "pattern")
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path
        let checkout = try NapkinSource(root)
        #expect(checkout.line.hasPrefix(".package(name: \"napkin\", path: \"/"))
        #expect(try NapkinSource(root + "/Sources/..") == checkout)
        for wrong in ["/nowhere/at/all", "/"] {
            let failure = #expect(throws: ClientFailure.self) { try NapkinSource(wrong) }
            #expect(failure?.status == ExitTable.noInput)
            #expect(failure?.message.contains("a checkout of") == true)
        }
    }

    @Test func `nothing that is there is overwritten, and nothing is made beside it`() throws {
        try inScratch { place in
            let files = AppScaffold.files(app, in: place, napkin: napkin)
            let last = try #require(files.files.last).path
            let directory = URL(fileURLWithPath: "\(place)/\(last)").deletingLastPathComponent()
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            try "mine".write(toFile: "\(place)/\(last)", atomically: true, encoding: .utf8)
            let failure = #expect(throws: ClientFailure.self) { try files.write() }
            #expect(failure?.status == ExitTable.cannotCreate)
            #expect(failure?.message.contains("\(last) already exists") == true)
            #expect(try self.files(in: place) == [last: "mine"])
        }
    }

    @Test func `what could be made of an app that cannot be is removed`() throws {
        try inScratch { place in
            // The last file's directory is a file.
            try "mine".write(toFile: "\(place)/Tests", atomically: true, encoding: .utf8)
            let failure = #expect(throws: ClientFailure.self) { try makeApp(in: place) }
            #expect(failure?.message.contains("nothing was changed") == true)
            #expect(try files(in: place) == ["Tests": "mine"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["Tests"])
        }
    }

    // MARK: - A feature

    @Test(arguments: [false, true])
    func `a feature changes the composition roots and no other file`(isHeadless: Bool) throws {
        try inScratch { place in
            try makeApp(in: place)
            let before = try files(in: place)
            let report = try add("Menu", isHeadless: isHeadless, to: place)
            let after = try files(in: place)
            let changed = before.keys.filter { after[$0] != before[$0] }.sorted()
            let made = Set(after.keys).subtracting(before.keys)
            let root = "Sources/RibShackFeature/RibShackApp.swift"
            let views = "Sources/RibShackFront/RibShackViews.swift"
            #expect(changed == (isHeadless ? [root] : [root, views]))
            #expect(made.allSatisfy { $0.contains("Menu") } && made.count == (isHeadless ? 3 : 4))
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
            let failure = #expect(throws: ClientFailure.self) { try add("Menu", to: place) }
            #expect(failure?.status == ExitTable.cannotCreate)
            #expect(try files(in: place) == after)
        }
    }

    @Test func `a feature keeps its state, and its view is a value`() throws {
        try inScratch { place in
            try makeApp(in: place)
            _ = try add("Order", .push, "id:Int,title:String", to: place)
            let files = try files(in: place)
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
                "registry.register(Order.self, OrderModel.init) {"
                    + " OrderScreen(model: $0, arguments: $1) }")
            let long = String(repeating: "O", count: 32)
            _ = try add(long, .push, "id:Int", to: place)
            for (path, text) in try self.files(in: place) where path.contains("Views") {
                #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(text)")
            }
        }
    }

    @Test func `a composition root that looks otherwise is left to a person`() throws {
        try inScratch { place in
            try makeApp(in: place)
            let root = "\(place)/Sources/RibShackFeature/RibShackApp.swift"
            let own = try String(contentsOfFile: root, encoding: .utf8)
                .replacing("        return root\n", with: "        return await decorated(root)\n")
            try own.write(toFile: root, atomically: true, encoding: .utf8)
            let report = try add("Menu", to: place)
            #expect(
                report.contains("Add these lines yourself, as these files have changed too much:"))
            #expect(
                report.contains(
                    "       +         await root.attach(ChildSlot<Menu>(\"menu\")) { view in"))
            // What could be done is done.
            #expect(try String(contentsOfFile: root, encoding: .utf8).contains("Menu.self,"))
        }
    }

    @Test func `a parent's first routed child gives it a router, which the next ones use`() throws {
        try inScratch { place in
            try makeApp(in: place)
            let first = try add("Order", .push, "id:Int", to: place)
            let path = "Sources/RibShackFeature/RibShackRouter.swift"
            #expect(first.contains("created  \(path)"))
            #expect(
                first.last
                    == "Show it from RibShackInteractor: await router?.routeToOrder(id: …)")
            let report = try add("Bill", .modal, to: place)
            #expect(!report.contains { $0.hasPrefix("created") && $0.contains("Router") })
            #expect(report.contains("changed  \(path)"))
            #expect(!report.joined().contains("by you"))
            let router = try #require(files(in: place)[path])
            for line in [
                "    func routeToOrder(id: Int) async", "    func routeFromBill() async",
                "        await attach(order, arguments: .init(id: id))",
                "    private let bill = ChildRoute<RibShackRouter, Bill>(\"bill\", "
                    + "presentation: .modal) {",
            ] {
                #expect(router.split(separator: "\n").contains(Substring(line)), "\(router)")
            }
            // A child that gets a router itself is made with it.
            for (parent, child) in [("Order", "Line"), ("Bill", "Tip")] {
                let below = try add(child, .push, parent: parent, to: place)
                #expect(!below.joined().contains("by you"), "\(below)")
            }
            let deep = try #require(files(in: place)[path])
            for line in [
                "        await router.makeOrder(view)", "        await router.makeBill(view)",
                "            presenter: view.presenter, listener: interactor, "
                    + "id: view.arguments.id)",
                "        let router = OrderRouter(interactor: child, view: view, listener: child)",
                "        let router = BillRouter(interactor: child, view: view, listener: child)",
            ] {
                #expect(deep.split(separator: "\n").contains(Substring(line)), "\(deep)")
            }
            let root = try #require(files(in: place)["Sources/RibShackFeature/RibShackApp.swift"])
            #expect(root.contains("        OrderInteractor.State.self,\n"), "\(root)")
        }
    }

    @Test func `each front gets a child of its own at the root, and below a router`() throws {
        try inScratch { place in
            try makeApp(in: place)
            _ = try add("Shelf", .perFront, to: place)
            let root = try #require(files(in: place)["Sources/RibShackFeature/RibShackApp.swift"])
            #expect(root.contains(#"root.attach(FrontSlot<Shelf>("shelf")) { _, _, view in"#))
            _ = try add("Order", .push, to: place)
            _ = try add("Page", .perFront, to: place)
            let path = "Sources/RibShackFeature/RibShackRouter.swift"
            let router = try #require(files(in: place)[path])
            #expect(router.contains(#"private let page = FrontSlot<Page>("page")"#))
            #expect(router.contains("await attach(page) { _, _, view in"))
            // Each of them is made with a router when it gets a child itself.
            for (parent, child) in [("Shelf", "Book"), ("Page", "Line")] {
                let report = try add(child, .push, parent: parent, to: place)
                #expect(!report.joined().contains("yourself"), "\(report)")
            }
            let wired = try files(in: place).values.joined()
            let made = ["Shelf", "Page"].map {
                "            let router = \($0)Router(interactor: child, view: view, "
                    + "listener: child)"
            }
            for line in made + [
                "        await root.attach(FrontSlot<Shelf>(\"shelf\")) { _, _ in",
                "        await attach(page) { _, _ in",
            ] {
                #expect(wired.split(separator: "\n").contains(Substring(line)), "\(line)")
            }
        }
    }

    @Test func `a parent that a person has changed is left alone, in words`() throws {
        try inScratch { place in
            try makeApp(in: place)
            _ = try add("Order", .push, to: place)
            let path = "\(place)/Sources/RibShackFeature/RibShackRouter.swift"
            let router = try String(contentsOfFile: path, encoding: .utf8)
                .replacing(
                    "final class RibShackRouter", with: "/* mine */ final class RibShackRouter")
            try router.write(toFile: path, atomically: true, encoding: .utf8)
            let report = try add("Bill", .push, to: place)
            #expect(report.contains { $0.contains("RibShackRouter.swift, into the router:") })
            #expect(report.contains("       +         await pop(bill, off: pages)"))
            let after = try String(contentsOfFile: path, encoding: .utf8)
            #expect(after.contains("func routeToBill() async\n"))
            #expect(!after.contains("ChildRoute<RibShackRouter, Bill>"))
        }
    }

    @Test func `a parent that is not there, or cannot have children, is refused`() throws {
        try inScratch { place in
            try makeApp(in: place)
            _ = try add("Sync", isHeadless: true, to: place)
            let before = try files(in: place)
            let missing = #expect(throws: ClientFailure.self) {
                try add("Menu", parent: "Order", to: place)
            }
            #expect(missing?.status == ExitTable.noInput)
            #expect(missing?.message.contains("it has RibShack, Sync") == true)
            let headless = #expect(throws: ClientFailure.self) {
                try add("Menu", .push, parent: "Sync", to: place)
            }
            #expect(headless?.message.contains("Sync is headless and has no router") == true)
            #expect(try files(in: place) == before)
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

    @Test(arguments: [
        ("class A {\n    let a = 1\n}", "class A {\n    let a = 1\n    new\n}"),
        ("class A {}", "class A {\n    new\n}"),
        ("class A:\n    B\n{\n}\n", "class A:\n    B\n{\n    new\n}\n"),
        ("class A {\n    let a = \"\"\"\n}\n\"\"\"\n}", nil), ("class A { let a = 1 }", nil),
        ("class A {\n#if X\n}\n#endif", nil), ("class A {\n}\nclass A {\n}", nil), ("", nil),
    ])
    func `lines go to the end of a declaration, if that is certain`(text: String, after: String?) {
        let insertion = Insertion(
            file: "a", lines: ["    new"], anchor: .bottom(of: "class A"), place: "")
        #expect(insertion.applied(to: text) == after)
    }

    @Test func `what is no app's package gets no feature`() throws {
        try inScratch { place in
            let failure = #expect(throws: ClientFailure.self) { try AppPackage(at: place) }
            #expect(failure?.status == ExitTable.noInput)
            #expect(failure?.message.contains("there is no Package.swift") == true)
            #expect(failure?.message.contains("--directory") == true)
        }
    }

    @Test func `a type that the app declares is known`() throws {
        try inScratch { place in
            try makeApp(in: place)
            let package = try AppPackage(at: place)
            #expect(package.app == app)
            #expect(package.declares("RibShackScreen") && package.declares("RibShackModel"))
            #expect(!package.declares("MenuScreen") && !package.declares("Menu"))
        }
    }
}
