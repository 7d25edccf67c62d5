// TraceLine: a traced message, as a line of text or of JSON.

import NapkinCoding
import NapkinCore
import NapkinElements
import NapkinProtocol
import NapkinTerminal
import NapkinTransport

struct TraceLine {
    private var methods: [String: MethodSchema] = [:]

    init(_ schema: AppSchema) {
        for feature in schema.features {
            for method in feature.presents + feature.listens {
                methods["\(feature.feature) \(method.key)"] = method
            }
        }
    }

    private func method(of message: TracedMessage) -> MethodSchema? {
        guard let feature = message.feature, let method = message.method else { return nil }
        return methods["\(feature) \(method)"]
    }

    // MARK: - Text

    /// The emphasis of a part of a line on a terminal.
    private enum Emphasis {
        case plain, dim, fromFront, toFront, name, wrong

        /// The sequence that begins it (ECMA-48, SGR).
        var begin: PrintableText {
            switch self {
            case .plain: ""
            case .dim: "\u{1B}[2m"
            case .fromFront: "\u{1B}[36m"
            case .toFront: "\u{1B}[32m"
            case .name: "\u{1B}[1m"
            case .wrong: "\u{1B}[31m"
            }
        }
    }

    private typealias Part = (text: String, emphasis: Emphasis)

    /// Returns `12:34:56.789012 → front 1 #3 rib-house.logged-out didTapLogin() event 0 B`.
    func text(of message: TracedMessage, time: (UInt64) -> String = Self.time) -> String {
        parts(of: message, time).map(\.text).joined(separator: " ")
    }

    /// Returns the same as lines of so many cells: the rest follows below the direction.
    func lines(
        of message: TracedMessage, in room: Int = .max, isColoured: Bool = false,
        time: (UInt64) -> String = Self.time
    ) -> PrintableText {
        let parts = parts(of: message, time)
        let margin = min(CellWidth.cells(of: parts[0].text) + 1, room / 2)
        var lines: PrintableText = ""
        var used = 0
        for part in parts {
            // One piece, unless the part is wider than a line.
            let line = StyledLine(PrintableText.escaped(part.text))
            for piece in line.wrapped(to: room - margin).map(\.text) {
                let cells = CellWidth.cells(of: piece)
                if used > 0, used + 1 + cells > room {
                    lines += "\n" + PrintableText(escaping: String(repeating: " ", count: margin))
                    used = margin
                } else if used > 0 {
                    lines += " "
                    used += 1
                }
                let text = PrintableText(escaping: piece)
                let isPlain = !isColoured || part.emphasis == .plain
                lines += isPlain ? text : part.emphasis.begin + text + "\u{1B}[0m"
                used += cells
            }
        }
        return lines + "\n"
    }

    private func parts(of message: TracedMessage, _ time: (UInt64) -> String) -> [Part] {
        let way: Part = message.isFromFront ? ("→", .fromFront) : ("←", .toFront)
        let isWrong = message.outcome.map { $0 != "done" } ?? false
        var parts: [Part] = [(time(message.time), .dim), way]
        func add(_ text: String?, _ emphasis: Emphasis = .plain) {
            if let text { parts.append((text, emphasis)) }
        }
        add(message.front.map { "front \($0)" })
        add(message.node.map { "#\($0)" }, .dim)
        add(message.feature)
        add(signature(of: message), .name)
        add(message.kind, isWrong ? .wrong : way.emphasis)
        add(message.bytes.map(Quantity.bytes), .dim)
        add(message.outcome, isWrong ? .wrong : .plain)
        add(message.duration.map { "\($0) µs" })
        add(message.record.map { "record \($0)" }, .dim)
        if isResult(message) { add(method(of: message)?.result.map { "-> \($0)" }, .dim) }
        if !hasOwnPlace(message) || isResult(message) { add(json(of: message)) }
        return parts
    }

    /// Returns the method with its arguments' values, or with their types if there are none.
    private func signature(of message: TracedMessage) -> String? {
        guard let key = message.method else { return nil }
        guard let method = method(of: message), !isResult(message), !method.parameters.isEmpty
        else { return key }
        return method.text(with: message.kind == "log" ? nil : message.value)
    }

    private func isResult(_ message: TracedMessage) -> Bool {
        ["reply", "fault", "askReply", "askEnded"].contains(message.kind)
    }

    /// Whether the value replaces the method.
    private func hasOwnPlace(_ message: TracedMessage) -> Bool {
        message.kind != "log" && method(of: message).map { !$0.parameters.isEmpty } ?? false
    }

    private func json(of message: TracedMessage) -> String? {
        guard let value = message.value, !value.isEmpty else { return nil }
        return MethodSchema.json(value)
    }

    static func time(_ microseconds: UInt64) -> String {
        Quantity.time(Int(microseconds / 1_000_000), "%H:%M:%S.")
            + (microseconds % 1_000_000).digits(6)
    }

    // MARK: - JSON

    func line(of message: TracedMessage) -> ControlLine {
        let line = ControlLine("message").adding("time", message.time)
            .adding("from", message.isFromFront ? "front" : "worker")
            .adding("front", message.front).adding("node", message.node)
            .adding("feature", message.feature).adding("method", message.method)
            .adding("delivery", method(of: message)?.delivery.rawValue)
            .adding("kind", message.kind).adding("bytes", message.bytes)
            .adding("outcome", message.outcome).adding("microseconds", message.duration)
            .adding("record", message.record)
        return message.value.map { line.adding("value", Payload($0)) } ?? line
    }
}

extension MethodSchema {
    /// Returns the method with the values of its arguments, `add(3)`, or with their types if the
    /// encoded arguments are missing or do not fit: `add(Int)`.
    func text(with arguments: [UInt8]?) -> String {
        guard !parameters.isEmpty else { return key }
        let texts = arguments.flatMap(values)
        let words = parameters.enumerated().map { index, parameter in
            let label = parameter.label == "_" ? "" : "\(parameter.label): "
            return label + (texts.map { $0[index] } ?? parameter.type)
        }
        return "\(key.prefix { $0 != "(" })(\(words.joined(separator: ", ")))"
    }

    /// Returns each argument as JSON: several are in an array.
    private func values(_ value: [UInt8]) -> [String]? {
        let count = parameters.count
        guard !value.isEmpty else { return nil }
        guard count > 1 else { return Self.json(value).map { [$0] } }
        let items = value.encodedItems(of: .array).flatMap { $0.count == count ? $0 : nil }
        let texts = items?.compactMap(Self.json)
        return texts?.count == count ? texts : nil
    }

    fileprivate static func json(_ value: [UInt8]) -> String? {
        // A value that JSON cannot express is not shown.
        (try? CBORToJSON.transcode(value)).map { String(decoding: $0, as: UTF8.self) }
    }
}
