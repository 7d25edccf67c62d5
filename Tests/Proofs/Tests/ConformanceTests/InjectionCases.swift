// InjectionCases: section D.

import ConformanceCases
import Glibc
import NapkinCore
import NapkinTesting
import Testing

extension Case {
    static let injection: [Case] = [
        .inWorker(
            "D1", "a component holds its dependency", ["holds it: true", "reaches through: true"]),
        .inWorker(
            "D2", "shared returns the same instance, also to 32 concurrent callers",
            ["instances: [1]", #"made: [["thermometer"]]"#]),
        .inWorker("D3", "not shared: a new one each time", ["instances: 32", "made: 32"]),
        .inWorker(
            "D4", "shared inside shared works, no deadlock; optional values work",
            [
                "instances: 1", "equal: true", "missing: true", "missing: true",
                "present: true", "made: missing other present thermometer",
            ]),
        .withFronts(
            "D5", "ComponentizedBuilder: new component each build; the same one ends the process",
            [
                "simple: 10 components of 10", "static: true",
                "dynamic, of the component: hickory",
                "dynamic, of the build: ribs on hickory", "static: true",
                "ribs on hickory becomes active: true", "ribs on hickory loads",
                "at the same time: 32 components, 32 in the right feature",
                "front:", "+ probe in left (embed)", "made with: ribs on hickory",
                "the same one twice: caught",
            ]
        ) { setup in
            let viewer = try await setup.attach()
            let lines = try await viewer.run("D5")
            let name = viewer.views.newest(ProbePage.self)?.arguments?.name ?? "nothing"
            return lines + ["made with: \(name)", "the same one twice: \(await endOfProcess())"]
        },
        .inWorker(
            "D6", "MultiStageComponentizedBuilder: one component in a pass, then cleared",
            [
                "one in a pass: true", "the final stage's: true", "cleared: true",
                "the next pass's: true", "a pass of one stage: true",
                "32 callers: 1 component", "each saw its own: true", "the pass's: true",
                "three passes: 3 components",
            ]),
        .withFronts(
            "D7", "services never need to be Codable: only what they say crosses",
            [
                "ribs on oak becomes active: true", "ribs on oak loads",
                "Encodable: false", "Decodable: false",
                "front:", "+ probe in left (embed)", "shown: 110 °C",
            ]
        ) { setup in
            let viewer = try await setup.attach()
            let lines = try await viewer.run("D7")
            let view = try viewer.probe("ribs on oak")
            await view.listener?.didTap()
            let text = await view.next { message in
                if case .presentText(let text) = message { text } else { nil }
            }
            return lines + ["shown: \(text)"]
        },
    ]

    /// The mistake made in a process of its own, whichever the link: it would end any of them.
    @MainActor
    private static func endOfProcess() async -> String {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { @MainActor in
            await SameComponentTwice.build { print($0, to: &StandardError.stream) }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let isCaught =
            text.contains("built 2") && !text.contains("built 3")
            && text.contains("returned the same Smoker twice: create a new component")
        return isCaught ? "caught" : text
    }
}

/// What is written there is there when the process has ended.
private struct StandardError: TextOutputStream {
    @MainActor static var stream = StandardError()

    mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(2, $0.baseAddress, $0.count) }
    }
}
