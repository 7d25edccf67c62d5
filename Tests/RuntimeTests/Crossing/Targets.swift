// Targets: objects at the far end of the contracts, which note what reaches them.
//
// Isolation  @MainActor for presentables, actor (default) for listeners.

import CrossingContractsOnMain
import NapkinCore

struct Refused: Error {}

@MainActor
final class PitView: PitPresentable {
    private(set) var log: [String] = []

    func present(sections: [Plain]) async { log.append("sections \(sections.map(\.id))") }
    func present(specials: [String: Int]) async { log.append("specials \(specials)") }
    func present(_ count: Int, of total: Int?) async {
        log.append("\(count) of \(total.map(String.init) ?? "?")")
    }
    func clear() async { log.append("clear") }
    func flash(_ item: Int) async { log.append("flash \(item)") }
    func ring() async { log.append("ring") }

    func confirm(_ question: String) async throws -> Bool {
        if question.isEmpty { throw Refused() }
        return question.hasSuffix("?")
    }

    func choose(from items: [Plain], default: Int) async throws -> Plain? {
        items.first { $0.id == `default` }
    }
}

actor PitInteractor: PitPresentableListener {
    private(set) var log: [String] = []

    func didTapBack() async { log.append("back") }
    func didPick(_ item: Plain, at index: Int) async { log.append("\(item.id) at \(index)") }
    func save(_ items: [Plain]) async throws {
        guard !items.isEmpty else { throw Refused() }
        // A suspension: the answer must wait for it.
        await Task.yield()
        log.append("saved \(items.count)")
    }
    func total(of items: [Plain]) async throws -> Int { items.map(\.id).reduce(0, +) }
    func version() async throws -> String { throw CancellationError() }
}

actor TrapsInteractor: TrapsPresentableListener {
    private(set) var log: [String] = []

    func `default`(_ writer: Int, call: Int, target: Int) async {
        log.append("default \(writer) \(call) \(target)")
    }
    func method(reader: Int, `self` message: Int) async {
        log.append("method \(reader) \(message)")
    }
    func encode(into writer: Int, `inout` result: Int) async throws -> Int { writer - result }
    func port(_ first: Int, in second: Int, for third: Int) async throws -> Int {
        first * 100 + second * 10 + third
    }
    func `class`(for first: Int, in error: Int) async throws { log.append("\(first) \(error)") }
    func _port() async { log.append("_port") }
    func repeated(x a: Int, x b: Int) async throws -> Int { a - b }
    func shadow(schema: Int, answer: Int) async throws -> Int { schema - answer }
}

@MainActor
final class TrapsView: TrapsPresentable {
    private(set) var log: [String] = []

    func `default`(_ writer: Int, call: Int, target: Int) async {
        log.append("default \(writer) \(call) \(target)")
    }
    func method(reader: Int, `self` message: Int) async {
        log.append("method \(reader) \(message)")
    }
    func `init`(for first: Int, `in` error: Int) async { log.append("init \(first) \(error)") }
    func encode(into writer: Int, `inout` result: Int) async throws -> Int { writer - result }
    func repeated(x a: Int, x b: Int) async throws -> Int { a - b }
}

@MainActor
final class BannerView: BannerPresentable {
    private(set) var log: [String] = []

    func present(title: String) async { log.append(title) }
    func flash() async { log.append("flash") }
    func confirm(_ question: String, choices: [String]) async throws -> Int {
        choices.firstIndex(of: question) ?? -1
    }
}

actor BannerInteractor: BannerPresentableListener {
    private(set) var log: [String] = []

    func didTap() async { log.append("tap") }
    func didType(_ text: String) async throws { log.append(text) }
    func count(of word: String) async throws -> Int { word.count }
}
