// DeepLinkTests: URLs, what is wrong with them, and where they lead.

import NapkinCore
import NapkinTesting
import TestSupport
import Testing

/// A gate as apps have it: a door, and a table behind it after login.
@MainActor
private final class Gate: LaunchRouter<Probe, Page> {
    let table = ChildSlot<Page>("table")
    nonisolated let seated = StateCell<Probe?>(nil)

    init(_ probe: Probe) { super.init(interactor: probe, view: RemoteView(), listener: probe) }

    func login() async {
        await attach(table) { PageRouter("table") }
        seated.value = table.child?.interactable as? Probe
    }
}

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct DeepLinkTests {
    @Test func `a link is taken apart`() throws {
        let link = try DeepLink("Shop+1://orders/4%2F2/%C3%A9?tab=items&x&tab=b%3Dc#to%20tal")
        #expect(link.scheme == "shop+1")
        #expect(link.path == ["orders", "4/2", "é"])
        #expect(link.query == [.init("tab", "items"), .init("x", ""), .init("tab", "b=c")])
        #expect(link["tab"] == "items")
        #expect(link["none"] == nil)
        #expect(link.fragment == "to tal")
        #expect("\(link)" == "Shop+1://orders/4%2F2/%C3%A9?tab=items&x&tab=b%3Dc#to%20tal")
    }

    @Test(arguments: [
        "a://b", "a://b/", "a://b/c", "a://b?c", "a://b#", "a://b?c=#d", "a://b?c=?/",
    ])
    func `links may be short`(text: String) throws {
        #expect(try DeepLink(text).path.first == "b")
    }

    @Test(arguments: [
        ("", "character 1: it is empty"),
        ("1a://b", "character 1: a scheme begins with a letter"),
        ("pit-board", "character 10: the scheme is followed by ://"),
        ("a_b://c", "character 2: '_' cannot be in a scheme"),
        ("a:/b", "character 4: the scheme is followed by ://"),
        ("a://", "character 5: a place follows ://"),
        ("a:///b", "character 5: a place follows ://"),
        ("a://?b", "character 5: a place follows ://"),
        ("a://b//c", "character 7: there is no place between //"),
        ("a://user@b", "character 9: '@' cannot be in a place"),
        ("a://b:80", "character 6: ':' cannot be in a place"),
        ("a://b c", "character 6: the byte 20 has to be written as %20"),
        ("a://é", "character 5: the byte C3 has to be written as %C3"),
        ("a://b\\c", "character 6: '\\' has to be written as %5C"),
        ("a://b%4", "character 6: two hex digits follow a %"),
        ("a://b%G1", "character 6: two hex digits follow a %"),
        ("a://b%00", "character 6: %00 is a control character"),
        ("a://b%FF", "character 5: the bytes encoded there with % are not UTF-8"),
        ("a://b/..", "character 7: .. is not a place"),
        ("a://b/%2E", "character 7: . is not a place"),
        ("a://b?=1", "character 7: a name is missing in the query"),
        ("a://b?c&&d", "character 9: a name is missing in the query"),
        ("a://b#c#d", "character 8: '#' has to be written as %23"),
    ])
    func `what is wrong is said, and where`(text: String, words: String) throws {
        let error = try #require(throws: DeepLinkError.self) { try DeepLink(text) }
        #expect(error.code == .malformed)
        #expect(error.message.contains(words), "\(error)")
    }

    @Test func `the length has a limit`() throws {
        let longest = "a://" + String(repeating: "b", count: DeepLink.bytesMax - 4)
        #expect(try DeepLink(longest).path[0].count == DeepLink.bytesMax - 4)
        let error = try #require(throws: DeepLinkError.self) { try DeepLink(longest + "b") }
        #expect(error.message == "the URL has 8193 bytes; the limit is 8192")
    }

    @Test func `no text traps`() {
        var random = Randomness(seed: 32)
        let alphabet = Array("ab1:/?#[]@!$&%2F.-_~=+é\u{0}\u{7F} ")
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...20, using: &random)
            let text = String(
                (0..<count).map { _ in alphabet.randomElement(using: &random) ?? "a" })
            for whole in [text, "a://" + text] {
                do {
                    let link = try DeepLink(whole)
                    #expect(!link.path.isEmpty && !link.path.contains(""))
                } catch {
                    #expect(error.message.contains("at character"))
                }
            }
        }
    }

    // MARK: - Routes

    private let journal = Journal()

    private func routes() -> [DeepLinkRoute] {
        [
            DeepLinkRoute("shop://orders/{order}", "shows an order", on: Probe.self) {
                [journal] link in
                let workflow = Workflow<Probe>()
                workflow.onStep("show") { item in
                    journal.note("order \(link.parameters["order"] ?? "?") \(link["tab"] ?? "")")
                    return (item, ())
                }.commit()
                return workflow
            },
            DeepLinkRoute("shop://orders", "shows all orders", on: Probe.self) { link in
                throw DeepLinkError(.malformed, "\(link) lacks its tab")
            },
        ]
    }

    @Test func `a route gets the link with what its braces stand for`() async throws {
        let root = RootRouter()
        await root.launch(on: FakeStage())
        let run = try routes().open("shop://orders/a%2Fb?tab=items", of: "shop", on: root) { _ in }
        guard case .completed = await run.end else {
            Issue.record("not completed")
            return
        }
        #expect(journal.lines == ["order a/b items"])
    }

    @Test func `an unknown place is refused with the known ones`() async throws {
        let root = RootRouter()
        for url in ["shop://order/1", "shop://orders/1/2", "store://orders/1", "shop://orders%2F1"]
        {
            let error = try #require(throws: DeepLinkError.self) {
                try routes().open(url, of: "shop", on: root) { _ in }
            }
            #expect(error.code == .unknown)
            #expect(
                error.message == "shop does not know \(url); it knows shop://orders/{order} "
                    + "(shows an order), shop://orders (shows all orders)")
        }
        let error = try #require(throws: DeepLinkError.self) {
            try [DeepLinkRoute]().open("shop://x", of: "shop", on: root) { _ in }
        }
        #expect(error.message == "shop opens no URLs at all")
    }

    @Test func `a route may refuse a link itself`() throws {
        let error = try #require(throws: DeepLinkError.self) {
            try routes().open("shop://orders", of: "shop", on: RootRouter()) { _ in }
        }
        #expect(error == DeepLinkError(.malformed, "shop://orders lacks its tab"))
    }

    /// A route whose workflow has no steps.
    private func route(_ pattern: String) -> DeepLinkRoute {
        DeepLinkRoute(pattern, "goes there", on: Probe.self) { _ in Workflow() }
    }

    @Test(arguments: [
        ("shop//orders", "character 5"), ("shop://", "a place follows ://"),
        ("shop://orders?tab=1", "it has a query"), ("shop://orders#total", "or a fragment"),
        ("shop://orders/{id", "'{id'"), ("shop://orders/id}", "'id}'"),
        ("shop://orders/{}", "'{}'"), ("shop://orders/{{id}}", "'{{id}}'"),
        ("shop://orders/no-{id}", "'no-{id}'"), ("shop://a b", "has to be written as %20"),
    ])
    func `a pattern that is wrong opens nothing, and says so`(
        pattern: String, words: String
    ) throws {
        let root = RootRouter()
        let routes = [route(pattern), route("shop://sound")]
        let defect = try #require(routes[0].defect(on: root))
        #expect(defect.hasPrefix("the route \(pattern) opens nothing: "), "\(defect)")
        #expect(defect.contains(words), "\(defect)")
        #expect(routes[1].defect(on: root) == nil)
        for url in ["shop://orders", "shop://orders/7", "shop://a"] {
            let error = try #require(throws: DeepLinkError.self) {
                try routes.open(url, of: "shop", on: root) { _ in }
            }
            #expect(error.code == .unknown)
            #expect(
                error.message == "shop does not know \(url); it knows shop://sound (goes there); "
                    + defect)
        }
        let error = try #require(throws: DeepLinkError.self) {
            try [routes[0]].open("shop://x", of: "shop", on: root) { _ in }
        }
        #expect(error.message == "shop does not know shop://x; \(defect)")
    }

    @Test func `a route for another type of root is refused, and the others work`() async throws {
        let root = RootRouter()
        await root.launch(on: FakeStage())
        let astray = DeepLinkRoute("shop://astray/{id}", "leads nowhere", on: Journal.self) { _ in
            Workflow()
        }
        let defect = try #require(astray.defect(on: root))
        #expect(
            defect
                == "the route shop://astray/{id} opens nothing: Probe does not conform to Journal"
        )
        let error = try #require(throws: DeepLinkError.self) {
            try [astray].open("shop://astray/1", of: "shop", on: root) { _ in }
        }
        #expect(error == DeepLinkError(.unusable, defect))
        let run = try ([astray] + routes()).open("shop://orders/1", of: "shop", on: root) { _ in }
        guard case .completed = await run.end else {
            Issue.record("not completed")
            return
        }
        #expect(journal.lines == ["order 1 "])
    }

    @Test("W4: a deep link that arrives while logged out completes after login")
    func completesAfterLogin() async throws {
        let gate = Gate(Probe("launch"))
        let stage = FakeStage()
        await gate.launch(on: stage)
        let route = DeepLinkRoute("a://board", "shows the board", on: Probe.self) { _ in
            let workflow = Workflow<Probe>()
            workflow.onStep("wait for login") { _ in
                for await probe in gate.seated.values {
                    if let probe { return (probe, ()) }
                }
                throw CancellationError()
            }.onStep("show the board") { table, _ in
                guard let router = gate.table.child as? PageRouter else { return (table, ()) }
                await router.attach(router.right) { PageRouter("board") }
                return (table, ())
            }.commit()
            return workflow
        }
        let run = try [route].open("a://board", of: "a", on: gate) { [journal] in
            journal.note("\($0.name) \($0.state)")
        }
        await letOthersRun()
        #expect(journal.lines == ["wait for login running"])
        await gate.login()
        guard case .completed = await run.end else {
            Issue.record("not completed")
            return
        }
        #expect(stage.batches.last == "mount 3 under 2 in right")
        #expect(journal.lines.suffix(2) == ["show the board running", "show the board done"])
        await gate.shutDown()
    }
}
