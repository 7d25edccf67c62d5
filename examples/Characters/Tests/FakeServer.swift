// FakeServer: a server in a test's hands: what it has, how it behaves, when it answers.

import NapkinTesting
import Synchronization

@testable import CharactersNetworking

/// Answers out of memory. Its journal has a line for each request, `page 1`, `character ann`,
/// `image /portraits/ann.pgm`, and for each that was given up, `gone page 1`.
final class FakeServer: Transport {
    enum Mode: Sendable {
        case sound
        case offline
        case garbage
        /// Takes requests and never answers.
        case silent
    }

    private struct State {
        var mode = Mode.sound
        var isHeld = false
        var lastID = 0
        var held: [(id: Int, name: String, go: CheckedContinuation<Void, Never>)] = []
        var cancelled: Set<Int> = []
        /// Names that pages answer with; a test changes them to see which answer is shown.
        var version = 1
        /// Characters that it does not have any more.
        var gone: Set<String> = []
    }

    static let ids = ["ann", "bob", "cal", "dot", "eve"]
    static let pageSize = 2
    let server = "10.1.1.1:80"
    let journal = Journal()
    private let state = Mutex(State())

    init(_ mode: Mode = .sound, isHeld: Bool = false) {
        state.withLock { ($0.mode, $0.isHeld) = (mode, isHeld) }
    }

    var mode: Mode {
        get { state.withLock { $0.mode } }
        set { state.withLock { $0.mode = newValue } }
    }

    var version: Int {
        get { state.withLock { $0.version } }
        set { state.withLock { $0.version = newValue } }
    }

    /// From now on there is no such character.
    func remove(_ id: String) { state.withLock { _ = $0.gone.insert(id) } }

    /// From now on requests wait until they are released.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Lets those of a name go on, or all; and all that come later, unless `keepsHolding`.
    func release(_ name: String? = nil, keepsHolding: Bool = false) {
        let released = state.withLock { state in
            state.isHeld = keepsHolding
            let released = state.held.filter { name == nil || $0.name == name }
            state.held.removeAll { name == nil || $0.name == name }
            return released
        }
        for request in released { request.go.resume() }
    }

    func count(of name: String) -> Int { journal.count(of: name) }

    func send(_ request: HTTPRequest) async throws(LoadError) -> HTTPResponse {
        let name = Self.name(of: request)
        // As it is when the request comes: a server that is made sound later answers later ones.
        let (mode, version, gone) = state.withLock { ($0.mode, $0.version, $0.gone) }
        journal.note(name)
        if mode == .offline { throw .offline(server) }
        await wait(name, isEndless: mode == .silent)
        if Task.isCancelled {
            journal.note("gone \(name)")
            throw .cancelled
        }
        if mode == .garbage { return HTTPResponse(status: 200, body: Array("{smoke".utf8)) }
        return Self.answer(name, version, without: gone)
    }

    private func wait(_ name: String, isEndless: Bool) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goes = state.withLock { state in
                    if state.cancelled.contains(id) || !(state.isHeld || isEndless) { return true }
                    state.held.append((id, name, continuation))
                    return false
                }
                if goes { continuation.resume() }
            }
        } onCancel: {
            let held = state.withLock { state in
                state.cancelled.insert(id)
                guard let index = state.held.firstIndex(where: { $0.id == id }) else {
                    return nil as CheckedContinuation<Void, Never>?
                }
                return state.held.remove(at: index).go
            }
            held?.resume()
        }
    }

    // MARK: - What it has

    private static func name(of request: HTTPRequest) -> String {
        guard let body = request.body else { return "image \(request.path)" }
        let text = String(decoding: body, as: UTF8.self)
        if let page = text.firstMatch(of: /"page":(\d+)/) { return "page \(page.1)" }
        if let id = text.firstMatch(of: /"id":"([^"]*)"/) { return "character \(id.1)" }
        return text
    }

    private static func answer(
        _ name: String, _ version: Int, without gone: Set<String>
    ) -> HTTPResponse {
        let words = name.split(separator: " ").map(String.init)
        switch words[0] {
        case "page": return json(page(Int(words[1]) ?? 0, version))
        case "character":
            return ids.contains(words[1]) && !gone.contains(words[1])
                ? json(#"{"data":{"character":\#(character(words[1], version))}}"#)
                : json(#"{"errors":[{"message":"no","extensions":{"code":"NOT_FOUND"}}]}"#)
        default: return HTTPResponse(status: 200, body: graymap)
        }
    }

    static func json(_ text: String) -> HTTPResponse {
        HTTPResponse(status: 200, body: Array(text.utf8))
    }

    static func page(_ number: Int, _ version: Int = 1) -> String {
        let first = (number - 1) * pageSize
        let results = ids[first..<min(ids.count, first + pageSize)].map {
            #"{"id":"\#($0)","name":"\#($0) \#(version)","role":"cook"}"#
        }
        return #"{"data":{"characters":{"info":{"count":5,"pages":3},"results":["#
            + results.joined(separator: ",") + "]}}}"
    }

    static func character(_ id: String, _ version: Int = 1) -> String {
        #"{"id":"\#(id)","name":"\#(id) \#(version)","role":"cook","home":"here","#
            + #""motto":"m","story":"s","dishes":["d"],"portrait":"/portraits/\#(id).pgm"}"#
    }

    static let graymap = Array("P5\n2 2\n255\n".utf8) + [0, 255, 255, 0]
}
