// ScaffoldTests: what `new app` writes, and what it leaves alone.

import Foundation
import Testing

@testable import NapkinClient

struct ScaffoldTests {
    private let scratch: ScratchApp
    private var app: ScaffoldName { scratch.app }
    private var napkin: NapkinSource { scratch.napkin }

    init() throws { scratch = try ScratchApp() }

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

    @Test func `a name may contain a word of the templates`() throws {
        let shop = try ScaffoldName("DetailShop", for: .app)
        let text = Template(Array("Sample.Detail sample.detail".utf8))
            .text(app: shop, feature: try ScaffoldName("SampleBox", for: .feature))
        #expect(text == "DetailShop.SampleBox detail-shop.sample-box")
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
        try scratch.inScratch { place in
            let files = AppScaffold.files(app, in: place, napkin: napkin)
            let last = try #require(files.files.last).path
            let directory = URL(fileURLWithPath: "\(place)/\(last)").deletingLastPathComponent()
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            try "mine".write(toFile: "\(place)/\(last)", atomically: true, encoding: .utf8)
            let failure = #expect(throws: ClientFailure.self) { try files.write() }
            #expect(failure?.status == ExitTable.cannotCreate)
            #expect(failure?.message.contains("\(last) already exists") == true)
            #expect(try scratch.files(in: place) == [last: "mine"])
        }
    }

    @Test func `what could be made of an app that cannot be is removed`() throws {
        try scratch.inScratch { place in
            // The last file's directory is a file.
            try "mine".write(toFile: "\(place)/Tests", atomically: true, encoding: .utf8)
            let failure = #expect(throws: ClientFailure.self) { try scratch.makeApp(in: place) }
            #expect(failure?.message.contains("nothing was changed") == true)
            #expect(try scratch.files(in: place) == ["Tests": "mine"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["Tests"])
        }
    }
}
