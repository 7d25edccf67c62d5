// ControlFront: napkin-client --control, and the screen that its lines describe.

import Foundation
import ProofSupport
import Testing

enum JSON {
    static func object(_ text: String) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        guard let object = value as? [String: Any]
        else { throw Failure("no JSON object: \(text)") }
        return object
    }

    static func array(_ text: String) throws -> [[String: Any]] {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        guard let array = value as? [[String: Any]]
        else { throw Failure("no JSON array of objects: \(text)") }
        return array
    }

    /// Canonical text of any value.
    static func text(_ value: Any?) throws -> String {
        guard let value else { return "–" }
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed]
        let data = try JSONSerialization.data(withJSONObject: value, options: options)
        return String(decoding: data, as: UTF8.self)
    }
}

/// One line of the control mode.
struct ControlLine {
    let object: [String: Any]

    init(_ text: String) throws { object = try JSON.object(text) }

    var type: String { object["t"] as? String ?? "?" }
    var feature: String { object["feature"] as? String ?? "?" }
    var node: Int { object["node"] as? Int ?? -1 }
    var key: String { object["key"] as? String ?? "?" }
    var id: Int { object["id"] as? Int ?? -1 }
    var isOK: Bool { object["ok"] as? Bool ?? false }
    var errorCode: String { (object["error"] as? [String: Any])?["code"] as? String ?? "–" }

    func isMount(_ feature: String) -> Bool { type == "mount" && self.feature == feature }
    func isState(_ key: String) -> Bool { type == "state" && self.key == key }
}

/// What the lines so far show, without node numbers: two fronts compare equal.
struct Screen: Equatable, CustomStringConvertible {
    private struct Node: Equatable {
        var feature: String
        var slot: String
        var parent: Int
        var values: [String: String]
    }

    private var nodes: [Int: Node] = [:]

    mutating func apply(_ line: ControlLine) throws {
        switch line.type {
        case "welcome":
            // A snapshot follows, of a worker that need not be the same.
            nodes = [:]
        case "mount":
            nodes[line.node] = Node(
                feature: line.feature, slot: line.object["slot"] as? String ?? "?",
                parent: line.object["parent"] as? Int ?? 0,
                values: ["args": try JSON.text(line.object["args"])])
        case "unmount":
            remove(line.node)
        case "state":
            nodes[line.node]?.values[line.key] = try JSON.text(line.object["value"])
        default:
            break
        }
    }

    private mutating func remove(_ id: Int) {
        nodes[id] = nil
        for child in nodes.filter({ $0.value.parent == id }).keys { remove(child) }
    }

    var features: [String] { nodes.values.map(\.feature).sorted() }

    func value(_ feature: String, _ key: String) -> String? {
        nodes.values.first { $0.feature == feature }?.values[key]
    }

    var description: String {
        nodes.values
            .map { node in
                let values = node.values.sorted { $0.key < $1.key }
                    .map { "  \($0.key) = \($0.value)" }
                return (["\(node.feature) [\(node.slot)]"] + values).joined(separator: "\n")
            }
            .sorted().joined(separator: "\n")
    }

    static func == (left: Screen, right: Screen) -> Bool { left.description == right.description }
}

/// Drives a front through its lines, each read once, in order.
final class ControlFront {
    let child: Child
    private(set) var screen = Screen()
    /// Every line that has been read.
    private(set) var seen: [ControlLine] = []
    private var next = 0
    private var nextID = 1

    init(_ child: Child) { self.child = child }

    /// Reads until a line fits, and returns it; throws when the front ends first.
    @discardableResult
    func reads(_ fits: (ControlLine) -> Bool) async throws -> ControlLine {
        while true {
            let (index, text) = try await child.line(from: next) { _ in true }
            next = index + 1
            let line = try ControlLine(text)
            try screen.apply(line)
            seen.append(line)
            if fits(line) { return line }
        }
    }

    /// Reads until the screen fits.
    func shows(_ fits: (Screen) -> Bool) async throws {
        if fits(screen) { return }
        _ = try await reads { _ in fits(screen) }
    }

    func mounts(_ feature: String) async throws {
        try await shows { $0.features.contains(feature) }
    }

    /// Sends an event without waiting; returns its id.
    @discardableResult
    func send(_ feature: String, _ method: String, args: String = "[]") throws -> Int {
        let id = nextID
        nextID += 1
        let address = #""feature":"\#(feature)","method":"\#(method)""#
        try child.write(#"{"t":"event","id":\#(id),\#(address),"args":\#(args)}"#)
        return id
    }

    /// Sends an event and reads until its reply.
    @discardableResult
    func call(
        _ feature: String, _ method: String, _ args: String = "[]"
    ) async throws -> ControlLine {
        let id = try send(feature, method, args: args)
        return try await reads { $0.type == "reply" && $0.id == id }
    }

    /// Reads until the reply to an event.
    @discardableResult
    func reply(to id: Int) async throws -> ControlLine {
        try await reads { $0.type == "reply" && $0.id == id }
    }

    /// How often a feature has been mounted so far.
    func mountCount(_ feature: String) -> Int {
        seen.count { $0.isMount(feature) }
    }

    /// Whether the connection has ever been lost so far.
    var wasDisconnected: Bool { seen.contains { $0.type == "disconnected" } }

    func login() async throws {
        try await mounts(Feature.loggedOut)
        try await call(Feature.loggedOut, "didTapLogin()")
        try await mounts(Feature.loggedIn)
    }
}

/// The feature ids of Rib House.
enum Feature {
    static let launch = "rib-house.launch"
    static let loggedOut = "rib-house.logged-out"
    static let loggedIn = "rib-house.logged-in"
    static let pitBoard = "rib-house.pit-board"
}
