// ReceiptListingTests: what is said of deaths, and of the functions in which they happened.

import NapkinProtocol
import Testing

@testable import NapkinClient

@Suite struct ReceiptListingTests {
    private static let program = "/a/bin/till-worker"

    private func receipt(
        _ number: UInt64 = 1, _ frames: [UInt64] = [7], in module: String = program,
        cause: String = "it was ended by signal 4", build: String? = "0d296c"
    ) -> Receipt {
        var receipt = Receipt(
            number: number, app: "till", worker: "till", pid: 7, at: 0, cause: cause,
            program: Self.program, build: build, FlightRecording([]), .unnamed)
        receipt.frames = frames.map { FlightFrame(offset: $0, module: module) }
        return receipt
    }

    /// The functions of a receipt, without what is above and below them.
    private func functions(_ symbols: [String], isWhole: Bool = false) -> [String] {
        let frames = symbols.indices.map { UInt64($0) }
        let lines = ReceiptListing(
            receipt(1, frames), nil, symbols.map { FrameFunction($0[...]) }, isWhole: isWhole
        ).lines
        return lines.drop { !$0.hasPrefix("    ") }.map { String($0.dropFirst(4)) }
    }

    // MARK: - Functions

    private static let assertion =
        "$ss17_assertionFailure__4file4line5flagss5NeverOs12StaticStringV_SSAHSus6UInt32VtF "
        + "at ??:0:0"
    private static let handler =
        "$s13PoisonFeature0A10InteractorC9didTapAddyyYaFTY0_ at /a/PoisonInteractor.swift:27:9"
    private static let call =
        "$s10NapkinCore8NodeCallC6launchyyAA8HandlingCnF at /n/NodeCall.swift:55:21"
    private static let thunk =
        "$s13PoisonFeature0A10InteractorC0A8Contract0A19PresentableListenerAadEP9didTapAddyyYaFTW "
        + "at /<compiler-generated>:0:0"

    @Test(arguments: [
        (assertion, "_assertionFailure(_:_:file:line:flags:)", false, false),
        (handler, "PoisonInteractor.didTapAdd() at /a/PoisonInteractor.swift:27:9", false, true),
        (call, "NodeCall.launch(_:) at /n/NodeCall.swift:55:21", false, false),
        (
            thunk,
            "protocol witness for PoisonPresentableListener.didTapAdd() in conformance "
                + "PoisonInteractor", true, false
        ),
        (
            "$s14PoisonContract0A25PresentableListenerSenderC9didTapAddyyYaF at "
                + "/b/@__swiftmacro_14PoisonContract.swift:3:1",
            "PoisonPresentableListenerSender.didTapAdd()", false, false
        ),
        ("swift::run(swift::Job*) at crtstuff.c:0:0", "swift::run(swift::Job*)", false, false),
        ("sum at ten at /a/b.c:3:1", "sum at ten at /a/b.c:3:1", false, false),
        ("main", "main", false, false),
    ])
    func `a function has a short name, a place if it has one, and an owner`(
        line: String, text: String, isThunk: Bool, isOwn: Bool
    ) {
        let function = FrameFunction(line[...])
        #expect(function?.text == text)
        #expect(function?.isThunk == isThunk && function?.isOwn == isOwn)
    }

    @Test func `a line without a name is none`() { #expect(FrameFunction("?? at ??:0:0") == nil) }

    @Test func `what is below the app's functions is one line, and thunks are left out`() {
        let handler = "PoisonInteractor.didTapAdd() at /a/PoisonInteractor.swift:27:9"
        let symbols = [
            Self.assertion, Self.handler, Self.handler, Self.thunk, Self.call, "swift_job",
            Self.call,
        ]
        #expect(
            functions(symbols) == [
                "_assertionFailure(_:_:file:line:flags:)", handler,
                "… 3 functions of napkin (`--all` shows them)",
            ])
        #expect(functions(symbols, isWhole: true).count == symbols.count)
        // What is alone is no shorter as a number, and what is not the app's may be all there is.
        #expect(functions([Self.handler, "main"]) == [handler, "main"])
        #expect(functions(["a", Self.thunk, "b"]) == ["a", "b"])
        #expect(functions([Self.handler, "a", "b", Self.handler, "a", "b"]).count == 4)
    }

    @Test func `a function without a name is its address`() {
        let lines = ReceiptListing(receipt(1, [16, 17]), nil, [], isWhole: false).lines
        #expect(lines.suffix(2) == ["    till-worker+0x10", "    till-worker+0x11"])
        let none = ReceiptListing(receipt(1, []), nil, [], isWhole: false).lines
        #expect(none.last == "  input    none is known to have run")
    }

    @Test(
        arguments: [
            (nil, nil, []),
            (0x9F_4000, nil, ["  memory   4 KiB, peak 9.9 MiB"]),
            // A worker may have written anything.
            (UInt64.max, nil, ["  memory   4 KiB, peak 8589934591.9 GiB"]),
            (
                nil, "/s/7.session",
                [
                    "  kept     /s/7.session: the session as it was before it was taken back to an "
                        + "earlier",
                    "           record; `napkin-client ledger import FILE --name NAME` reads it",
                ]
            ),
        ] as [(UInt64?, String?, [String])])
    func `the most memory and the file with newer changes are named, if there are any`(
        peak: UInt64?, kept: String?, lines: [String]
    ) {
        var receipt = receipt(1, [])
        (receipt.bytes, receipt.peakBytes, receipt.kept) = (4096, peak, kept)
        let all = ReceiptListing(receipt, nil, [], isWhole: false).lines
        #expect(Array(all.dropFirst(3).filter { !$0.hasPrefix("  input") }) == lines)
        let row = ReceiptListing.lines(of: [receipt], 200).last
        #expect(row?.contains("-, taken back") == (kept != nil))
    }

    @Test(
        arguments: [
            (nil, nil, []),
            (
                [1, 2], 1,
                [
                    "  before   2 B, less than 10 s after its start",
                    "  changed  a durable state; what it had not stored is gone",
                    "  waiting  1 other events of the session, without an answer",
                ]
            ),
            (
                (0..<22).map { $0 << 20 }, nil,
                ["  before   1 MiB, 11 MiB, 21 MiB, 10 s in between"]
            ),
        ] as [([UInt64]?, Int?, [String])])
    func `the last minute's memory, a change and the events that waited are told, if known`(
        minute: [UInt64]?, waiting: Int?, lines: [String]
    ) {
        var receipt = receipt(1, [])
        receipt.input = FlightInput(.launch, session: "a")
        receipt.input?.hasChanged = waiting.map { _ in true }
        (receipt.minute, receipt.waiting) = (minute, waiting)
        let all = ReceiptListing(receipt, nil, [], isWhole: false).lines.dropFirst(3)
        #expect(all.filter { !$0.hasPrefix("  input") && !$0.hasPrefix("  session") } == lines)
    }

    @Test(
        arguments: [
            (0, nil, ""), (2_000_000_000, nil, ""), (2_000_000_000, 0, ""),
            (2_000_000_000, 1_999_000_000, "00:09 "), (2_000_000_000, 1_000_000, "00:08 "),
            (2_000_000_000, 2_000_000_001, ""), (.max, 1, nil),
        ] as [(UInt64, UInt64?, String?)])
    func `an input has its time, as far as the receipt knows both`(
        death: UInt64, input: UInt64?, time: String?
    ) {
        var receipt = receipt(1, [])
        (receipt.at, receipt.nanoseconds) = (10_000, death == 0 ? nil : death)
        receipt.former = [
            FlightInput(.launch, session: "a", nanoseconds: input ?? 0)
        ]
        let line = ReceiptListing(receipt, nil, [], isWhole: false).lines.last ?? ""
        guard let time else { return }
        #expect(line.hasSuffix(time + "the launch of the session, session a"), "\(line)")
        #expect(time != "" || line.hasPrefix("    the"))
    }

    // MARK: - The list

    private func numbers(_ receipts: [Receipt]) -> [[Substring]] {
        ReceiptListing.lines(of: receipts, 200).dropFirst().map {
            [0, 2].map { [words = $0.split(separator: " ")] in words[$0] }
        }
    }

    @Test func `deaths at one place of the program are one line, however the input came`() {
        var first = receipt(1, [3, 7, 8])
        first.frames[0].module = "/lib/libswiftCore.so"
        // The file's beginning is not known, or it is behind a link.
        var second = receipt(2, [4, 7, 9], in: "…/debug/till-worker")
        second.frames[0].module = "/lib/libc.so"
        #expect(numbers([first, second]) == [["2", "2"]])
    }

    @Test func `deaths at other places, of other builds or for other causes are other lines`() {
        let all = [
            receipt(1), receipt(2, [8]), receipt(3, cause: "it exited"), receipt(4, build: "1"),
            receipt(5, build: nil), receipt(6),
        ]
        #expect(
            numbers(all) == [["6", "2"], ["2", "1"], ["3", "1"], ["4", "1"], ["5", "1"]])
    }
}
