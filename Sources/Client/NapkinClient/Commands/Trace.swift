// Trace: the command that prints a session's messages as they pass.

import ArgumentParser
import Glibc
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTransport

struct Trace: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows a session's messages as they pass.",
        discussion: """
            One line for each message between the session's worker and its fronts, until Ctrl-C: \
            the time, from a front (→) or to one (←), which front, node, feature and method with \
            the types of its arguments, the kind of its frame, the bytes of its payload, and for a \
            reply or an answer the outcome of the call and its duration. Values are shown only \
            with --values, and those above 64 KiB only by their size. Messages of a durable \
            session are shown before they are saved, and so before its fronts see them: after a \
            power cut, some may never have existed. On a terminal, messages from a front, messages \
            to a front and failures differ in colour; NO_COLOR means no colours.

            Tracing has begun once standard error says so. For a slow reader, the worker keeps at \
            most 4096 messages and 1 MiB of values; the output says how many were lost beyond \
            that. While nobody traces, nothing is kept.

              napkin-client trace rib-house
              napkin-client trace rib-house --feature rib-house.pit-board --values
              napkin-client trace rib-house --json | jq -c 'select(.outcome)'

            With --json, each line is {"t":"message","time":…,"from":"front",…}, with the time in \
            microseconds since 1970; {"t":"tracing",…} is the first, and {"t":"lost","count":…} \
            reports missing messages, without a count if this program was stopped for longer than \
            the 5 s that the worker waits.
            """)

    @Argument(help: "The session's name; it must be running.", completion: .sessions)
    var session: String

    @Option(
        help: ArgumentHelp("Only messages of this feature.", valueName: "feature"),
        completion: .features)
    var feature: String?

    @Flag(help: "Show what the messages carry.")
    var values = false

    @Flag(help: "Print JSON, one object per line.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let connection = try await daemon.connect()
        defer { connection.close() }
        let known = try await WorkerAnswers<SessionInfo>(from: connection, daemon)
        let isKnown = known.items.contains { $0.session == session }
        let other = isKnown ? nil : try await daemon.storedElsewhere(session, connection)
        let app = if let other { other } else { try known.session(session).app }
        let schema: AppSchema = try await daemon.ask(.schema(app: app), of: connection)
        try check(schema)
        let live = try LiveText()
        let drawing = TraceLine(schema)
        var tracer: UInt64?
        while true {
            do throws(FrontError) {
                let batch: TraceBatch = try await connection.query(
                    .trace(session: session, tracer: tracer, feature: feature, values: values))
                if tracer == nil { sayReady(live) }
                tracer = batch.tracer
                show(batch, drawing, live)
            } catch {
                guard tracer != nil, error.refusal == .badRequest else {
                    try live.finish()
                    throw ClientFailure(error)
                }
                // The worker forgot this tracer, because this program was stopped for a while.
                tracer = nil
                sayLost(nil, "nobody read them for \(Limits.inspectionSeconds) s", live)
            }
        }
    }

    /// Whether a person reads the lines and has not turned colours off.
    @MainActor
    private static let isColoured = isatty(STDOUT_FILENO) != 0 && FrontComponent().wantsColours

    private func check(_ schema: AppSchema) throws(ClientFailure) {
        guard let feature else { return }
        let known = schema.features.map(\.feature)
        guard !known.contains(feature) else { return }
        throw .noInput(
            "\(schema.app) has no feature '\(feature)'"
                + Suggestion.hint(for: feature, among: known)
                + "; it has \(known.sorted().joined(separator: ", "))")
    }

    @MainActor
    private func sayReady(_ live: LiveText) {
        guard !json else {
            return live.append(ControlLine("tracing").adding("session", session).printable)
        }
        ClientFailure.say("tracing session \(session), until Ctrl-C")
    }

    @MainActor
    private func sayLost(_ count: UInt64?, _ reason: String, _ live: LiveText) {
        let words = (count.map { "\($0) " } ?? "") + "messages lost: \(reason)"
        live.append(
            json
                ? ControlLine("lost").adding("count", count).printable
                : PrintableText(line: "… \(words)"))
    }

    @MainActor
    private func show(_ batch: TraceBatch, _ drawing: TraceLine, _ live: LiveText) {
        for message in batch.messages {
            live.append(
                json
                    ? drawing.line(of: message).printable
                    : drawing.lines(
                        of: message, in: TextTable.room, isColoured: Self.isColoured))
        }
        if batch.lost > 0 { sayLost(batch.lost, "they came faster than they were read", live) }
    }
}
