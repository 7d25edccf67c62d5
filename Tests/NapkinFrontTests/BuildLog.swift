// BuildLog: a feature whose output grows, with the screen that follows it, as an app would write
// them.

package import NapkinCore
import NapkinFront
import NapkinElements
import NapkinTerminal
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

@Observable
final class BuildScreen: BuildPresentable, LogFollower {
    private let context: ViewContext<Build>
    private var lines: [String] = []
    private var earlier: LogGap?
    private var isRunning = false
    private var notice = ""

    init(_ context: ViewContext<Build>) {
        self.context = context
    }

    func present(isRunning: Bool) async { self.isRunning = isRunning }

    func output(_ line: String) async {
        lines.append(line)
    }

    /// What is missing before the first line can be read; later lines were too many for this front.
    func skipped(_ gap: LogGap) {
        if lines.isEmpty {
            earlier = gap
        } else {
            lines.append("… \(gap.items.count) lines skipped …")
        }
    }

    /// Puts the lines before the first one where they belong.
    func readEarlier() async {
        guard let gap = earlier else { return }
        do {
            let (items, before) = try await context.items(in: gap, last: 200)
            earlier = before
            lines =
                items.compactMap { if case .output(let line) = $0 { line } else { nil } } + lines
        } catch {
            notice = error.message
        }
    }

    func render(width: Int, height: Int) -> [StyledLine] {
        Shown(model: self).render(width: width, height: height)
    }

    private struct Shown: View {
        let model: BuildScreen

        var body: some View {
            Group {
                if !model.notice.isEmpty { Text(model.notice) }
                if let earlier = model.earlier, earlier.readable > 0 {
                    Button("Earlier") { dispatch { await model.readEarlier() } }
                        .keyboardShortcut("e")
                }
                List(Array(model.lines.enumerated()), id: \.offset) { Text($0.element) }
                    .followsEnd()
            }
            .navigationTitle(model.isRunning ? "Building" : "Built")
        }
    }
}
