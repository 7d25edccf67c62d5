// ReceiptListing: the receipts of an app's deaths, as lines.

import NapkinCoding
import NapkinCore
import NapkinLedger
import NapkinProtocol
import NapkinTransport

struct ReceiptListing {
    /// The inputs before the last one that are shown. Chosen: a person reads no more.
    private static let formerMax = 10

    let lines: [String]

    /// Draws one receipt whole.
    ///
    /// - Parameters:
    ///   - schema: the app's contract, which names methods; `nil` if its worker does not start.
    ///   - functions: the functions of the receipt's frames, `nil` where there is no name.
    ///   - isWhole: whether to list functions that are not the app's.
    init(
        _ receipt: Receipt, _ schema: AppSchema?, _ functions: [FrameFunction?], isWhole: Bool
    ) {
        let methods = Self.methods(of: schema)
        var lines = [
            "receipt \(receipt.number) of \(WorkerID(receipt.worker)?.fileName ?? receipt.app)",
            "  died     \(Self.time(receipt.at)), pid \(receipt.pid): \(receipt.cause)",
            "  program  \(receipt.program)" + (receipt.build.map { ", build \($0)" } ?? ""),
        ]
        if let child = receipt.child { lines.append("  child    \(child)") }
        if let bytes = receipt.bytes, let peak = receipt.peakBytes {
            let (last, most) = (Int(clamping: bytes), Int(clamping: peak))
            lines.append("  memory   \(Quantity.bytes(last)), peak \(Quantity.bytes(most))")
        }
        if let minute = receipt.minute { lines.append("  before   \(Self.words(of: minute))") }
        if let input = receipt.input {
            let outcome = Self.words(receipt.outcome)
            lines.append("  input    \(Self.words(of: input, methods)), \(outcome)")
            if input.hasChanged == true {
                lines.append("  changed  a durable state; what it had not stored is gone")
            }
            lines.append("  session  \(input.session)\(Self.state(of: receipt))")
            if let count = receipt.waiting {
                lines.append("  waiting  \(count) other events of the session, without an answer")
            }
        } else {
            lines.append("  input    none is known to have run")
        }
        if let kept = receipt.kept {
            lines += [
                "  kept     \(kept): the session as it was before it was taken back to an earlier",
                "           record; `napkin-client ledger import FILE --name NAME` reads it",
            ]
        }
        if !receipt.frames.isEmpty { lines.append("  functions, innermost first") }
        lines += Self.lines(of: receipt.frames, functions, isWhole: isWhole).map { "    " + $0 }
        let former = receipt.former.suffix(Self.formerMax)
        if !former.isEmpty { lines.append("  inputs before, newest last") }
        lines += former.map { input in
            let time = receipt.time(of: input).map { Self.time($0).suffix(8) + " " } ?? ""
            return "    \(time)\(Self.words(of: input, methods)), session \(input.session)"
        }
        self.lines = lines
    }

    /// Returns the record and the time to which a durable session is rolled back; empty for others.
    private static func state(of receipt: Receipt) -> String {
        // A damaged image is not mentioned here; `crash replay` gives the reason.
        guard let export = receipt.image.flatMap({ try? SessionExport(file: $0) }) else {
            return ""
        }
        let time = receipt.stateAt.map { ", as the input of \(Self.time($0)) left it" }
        return ", record \(export.record)" + (time ?? "")
    }

    /// Returns the memory at every tenth measurement, up to the last one.
    private static func words(of minute: [UInt64]) -> String {
        let tenths = minute.reversed().enumerated().filter { $0.offset % 10 == 0 }
        let sizes = tenths.reversed().map { Quantity.bytes(Int(clamping: $0.element)) }
        return sizes.joined(separator: ", ")
            + (sizes.count > 1 ? ", 10 s in between" : ", less than 10 s after its start")
    }

    /// Draws frames, innermost first. Unless all are wanted, the frames below the app's functions
    /// become one line, and the compiler's are left out.
    private static func lines(
        of frames: [FlightFrame], _ functions: [FrameFunction?], isWhole: Bool
    ) -> [String] {
        var lines: [String] = []
        /// The lines below the newest function of the app.
        var others: [String]?
        func endOthers() {
            guard let hidden = others else { return }
            let words = "… \(hidden.count) functions of napkin (`--all` shows them)"
            lines += hidden.count > 1 ? [words] : hidden
        }
        for (index, frame) in frames.enumerated() {
            let function = index < functions.count ? functions[index] : nil
            let line = function?.text ?? address(of: frame)
            if isWhole {
                lines.append(line)
            } else if function?.isOwn == true {
                endOthers()
                others = []
                if lines.last != line { lines.append(line) }
            } else if function?.isThunk != true || index == 0 {
                if others == nil { lines.append(line) } else { others?.append(line) }
            }
        }
        endOthers()
        return lines
    }

    private static func address(of frame: FlightFrame) -> String {
        let module = frame.module.map { "\($0.split(separator: "/").last ?? "?")+" } ?? ""
        return module + "0x" + String(frame.offset, radix: 16)
    }

    /// Draws a table: deaths at the same place of the same build are one line.
    static func lines(of receipts: [Receipt], _ room: Int) -> [String] {
        var groups: [(key: [String], receipts: [Receipt])] = []
        for receipt in receipts {
            let key = [receipt.app, receipt.build ?? "", receipt.cause, "\(receipt.place ?? 0)"]
            if let index = groups.firstIndex(where: { $0.key == key }) {
                groups[index].receipts.append(receipt)
            } else {
                groups.append((key, [receipt]))
            }
        }
        var table = TextTable("RECEIPT", "APP", "TIMES", "LAST", "SESSION", "OUTCOME", "CAUSE")
        for group in groups {
            guard let last = group.receipts.last else { continue }
            table.add(
                "\(last.number)", last.app, "\(group.receipts.count)", time(last.at),
                last.input?.session ?? "-",
                words(last.outcome) + (last.kept == nil ? "" : ", taken back"), last.cause)
        }
        return table.lines(in: room, leavingOut: ["LAST", "SESSION", "TIMES"])
    }

    // MARK: - Words

    private static func words(_ outcome: Receipt.Outcome) -> String {
        switch outcome {
        case .unnamed: "-"
        case .suspect: "suspect"
        case .setAside: "set aside"
        case .released: "released"
        }
    }

    private static func words(of input: FlightInput, _ methods: Methods) -> String {
        let key = UInt64(input.feature) << 32 | UInt64(input.method)
        let method =
            methods[key].map { "\($0.feature) \($0.method.text(with: input.arguments))" }
            ?? "method 0x\(String(input.method, radix: 16))"
        return switch input.kind {
        case .event:
            "\(method), event \(input.sequence) of front \(input.front), node \(input.node)"
        case .firing: "the timer \(input.sequence) of node \(input.node)"
        case .job: "the job \(input.sequence) of node \(input.node)"
        case .deadJob: "the end of job \(input.sequence) of node \(input.node)"
        case .launch: "the launch of the session"
        case .task:
            input.arguments.map { PrintableText.escaped(String(decoding: $0, as: UTF8.self)) }
                ?? "a task of the session"
        }
    }

    /// Methods, by the hashes of their feature and of themselves.
    private typealias Methods = [UInt64: (feature: String, method: MethodSchema)]

    private static func methods(of schema: AppSchema?) -> Methods {
        var methods: Methods = [:]
        for feature in schema?.features ?? [] {
            for method in feature.listens {
                let key = UInt64(MethodID(key: feature.feature).rawValue) << 32
                methods[key | UInt64(method.id.rawValue)] = (feature.feature, method)
            }
        }
        return methods
    }

    private static func time(_ milliseconds: Int64) -> String {
        Quantity.time(Int(milliseconds / 1000), "%Y-%m-%d %H:%M:%S")
    }
}
