// RunPageScreen: a run, and what it prints.

import DeskContract
import NapkinCore
import NapkinElements
import NapkinFront

@Observable
final class RunPageModel: RunPagePresentable, RefusalShowing, LogFollower {
    let listener: any RunPagePresentableListener
    var refusal: String?
    @Presented private(set) var run: Run?
    @Presented private(set) var screen: ConsoleScreen?
    private(set) var lines = LogLines()
    private let context: ViewContext<RunPage>?

    init(
        listener: any RunPagePresentableListener, context: ViewContext<RunPage>? = nil
    ) {
        self.listener = listener
        self.context = context
    }

    func output(_ line: String) async { lines.append(line) }
    func skipped(_ gap: LogGap) { lines.skipped(gap) }
    func beginsAnew(_ log: MethodID) { lines = LogLines() }

    func readEarlier() {
        dispatch { [self] _ in
            guard let gap = lines.earlier, let context else { return }
            let (items, rest) = try await context.items(in: gap, last: 1000)
            let texts = items.compactMap { if case .output(let line) = $0 { line } else { nil } }
            lines.prepend(texts, before: rest)
        }
    }
}

struct RunPageScreen: View {
    let id: Int
    let model: RunPageModel
    var place = Place()
    @State private var typed = ""
    @State private var isKilling = false
    @FocusState private var isOver: Bool

    var body: some View {
        if let run = model.run {
            Text(run.title).lineLimit(1)
            run.facts.lineLimit(1)
            if let progress = run.progress { ProgressView(value: progress) }
        }
        Group {
            if let refusal = model.refusal { Text(refusal).foregroundStyle(.error) }
        }
        .navigationTitle("Run \(id)")
        .onAppear { place.runs += 1 }
        .onDisappear { place.runs -= 1 }
        // Whoever reads back through the output may press `k` to go up.
        .confirmationDialog("Kill run \(id)?", isPresented: $isKilling) {
            Button("No") {}.keyboardShortcut("n")
            Button("Yes") { act(.kill) }.keyboardShortcut("y")
        }
        .onChange(of: model.run?.hasEnded, initial: true) { isOver = model.run?.hasEnded == true }
        if model.run?.order.hasPipes == true {
            GroupBox("output") { Log(model.lines) { model.readEarlier() } }
                .frame(maxHeight: .infinity)
            if model.run?.isActive == true {
                TextField("type; Enter sends the line", text: $typed).id("type")
                    .onSubmit { model.dispatch(emptying: $typed) { try await $0.didType($1) } }
            }
        } else if model.run != nil {
            Console(model.screen, label: "its terminal") { input in
                model.dispatch { try await $0.didInput(input) }
            }
            .frame(maxHeight: .infinity)
        }
        Flow {
            ForEach(verbs, id: \.self) { verb in
                Button(verb.name) { if verb == .kill { isKilling = true } else { act(verb) } }
                    .keyboardShortcut(verb.key)
            }
            Button("Back", role: .cancel) { model.dispatch { await $0.didTapBack() } }
                .keyboardShortcut("b").focused($isOver)
        }
    }

    private func act(_ verb: Verb) { model.dispatch { try await $0.didAct(verb) } }

    /// What can be done with it now.
    private var verbs: [Verb] {
        switch model.run?.state {
        case .running: [.kill, .pause]
        case .paused: [.kill, .resume]
        case .waiting: [.kill]
        case nil, .ending: []
        default: [.again, .remove]
        }
    }
}

extension Verb {
    fileprivate var name: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

    fileprivate var key: Key {
        switch self {
        case .kill: "k"
        case .pause, .resume: "p"
        case .again: "a"
        case .remove: "r"
        }
    }
}
