// BuildLog: a feature whose output grows, with the screen that follows it, as an app would write
// them.

package import NapkinCore
import NapkinElements
import NapkinFront
import Observation

package enum Build: Feature {
    package static let id: FeatureID = "kitchen.build"
    package typealias Presenting = BuildPresentableCrossing
    package typealias Listening = BuildPresentableListenerCrossing
}

/// What the screen of a build shows.
@Crossing @MainActor
package protocol BuildPresentable: Presentable {
    func present(isRunning: Bool) async
    @Append(items: 50_000) func output(_ line: String) async
}

@Crossing
package protocol BuildPresentableListener: PresentableListener {
    func didTapBuild() async
}

final actor BuildInteractor: PresentableInteractable, BuildPresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any BuildPresentable
    private let compiler: AsyncStream<String>

    init(presenter: any BuildPresentable, compiler: AsyncStream<String>) {
        self.presenter = presenter
        self.compiler = compiler
    }

    func didTapBuild() async {
        await presenter.present(isRunning: true)
        for await line in compiler { await presenter.output(line) }
        await presenter.present(isRunning: false)
    }
}

@MainActor
@Observable
final class BuildModel: BuildPresentable, LogFollower {
    struct Line: Identifiable {
        let id: Int
        let text: String
    }

    private let context: ViewContext<Build>
    @Presented private(set) var isRunning: Bool = false
    private(set) var lines: [Line] = []
    private(set) var earlier: LogGap?
    private(set) var notice = ""

    init(_ context: ViewContext<Build>) {
        self.context = context
    }

    func output(_ line: String) async {
        lines.append(Line(id: (lines.last?.id ?? 0) + 1, text: line))
    }

    /// What is missing before the first line can be read; later lines were too many for this front.
    func skipped(_ gap: LogGap) {
        if let last = lines.last {
            lines.append(Line(id: last.id + 1, text: "… \(gap.items.count) lines skipped …"))
        } else {
            earlier = gap
        }
    }

    /// Puts the lines before the first one where they belong.
    func readEarlier() async {
        guard let gap = earlier else { return }
        do {
            let (items, before) = try await context.items(in: gap, last: 200)
            earlier = before
            let texts = items.compactMap { if case .output(let line) = $0 { line } else { nil } }
            let first = (lines.first?.id ?? 0) - texts.count
            lines = zip(first..., texts).map { Line(id: $0, text: $1) } + lines
        } catch {
            notice = error.message
        }
    }
}

struct BuildScreen: View {
    let model: BuildModel

    var body: some View {
        Group {
            if !model.notice.isEmpty { Text(model.notice) }
            if let earlier = model.earlier, earlier.readable > 0 {
                Button("Earlier") { dispatch { await model.readEarlier() } }
                    .keyboardShortcut("e")
            }
            List(model.lines) { Text($0.text) }.followsEnd()
        }
        .navigationTitle(model.isRunning ? "Building" : "Built")
    }
}
