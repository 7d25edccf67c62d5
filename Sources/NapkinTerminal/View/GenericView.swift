// GenericView: shows a feature that has no view of its own: its name, its states, its events.
//
// Layer      terminal, views.
// Isolation  @MainActor.
// Ownership  made anew for each composition; its node's states are read, never kept.

internal import NapkinCoding
public import NapkinCore
public import NapkinFront

/// Sends an event without arguments to a node; given by whoever owns the connection.
public typealias EventSender = (_ node: UInt32, _ method: MethodID) -> Void

/// Asks the worker to select a tab of a node.
public typealias TabSelector = (_ tab: String, _ node: FrontNode) -> Void

/// The view of a feature that this front does not know.
final class GenericView: TerminalView {
    /// Keys that send events: the digits. Chosen: one key each.
    static let eventsMax = 9

    let redraw = Redraw()
    private let node: FrontNode
    private let schema: FeatureSchema?
    private let send: EventSender

    init(node: FrontNode, schema: FeatureSchema?, send: @escaping EventSender) {
        self.node = node
        self.schema = schema
        self.send = send
    }

    /// The events that need no arguments, by number.
    var keys: [KeyBinding] {
        let events = (schema?.listens ?? []).filter(\.parameters.isEmpty).prefix(Self.eventsMax)
        return events.enumerated().map { index, method in
            let digit = Character(String(index + 1))
            return KeyBinding(.character(digit), method.key) { [node, send] in
                send(node.id, method.id)
            }
        }
    }

    func render(width: Int, height: Int) -> [StyledLine] {
        var lines = [StyledLine(node.feature.rawValue, .title)]
        let arguments = PayloadText.text(of: node.arguments)
        if arguments != "{}", arguments != "null" {
            lines.append(Self.entry("arguments", arguments))
        }
        for state in node.states where state.method != .tabs {
            let name = schema?.presents.first { $0.id == state.method }?.key
            lines.append(
                Self.entry(name ?? "#\(state.method.rawValue)", PayloadText.text(of: state.payload))
            )
        }
        return lines
    }

    private static func entry(_ key: String, _ value: String) -> StyledLine {
        StyledLine(spans: [TextSpan("  \(key): ", .dim), TextSpan(value)])
    }
}

/// A payload as JSON text, for people.
enum PayloadText {
    static func text(of payload: Payload) -> String {
        guard !payload.bytes.isEmpty else { return "null" }
        do {
            return String(decoding: try CBORToJSON.transcode(payload.bytes), as: UTF8.self)
        } catch {
            return "unreadable: \(error)"
        }
    }
}
