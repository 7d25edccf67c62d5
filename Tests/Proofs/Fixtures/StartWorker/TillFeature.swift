// TillFeature: the worker's side of the till, and two apps that are a till.

import Glibc
import NapkinCore
import NapkinSystem

final actor TillInteractor: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any TillPresentable
    private let session: SessionContext
    private let opened: StateCell<[String]>
    private var rings: Int32 = 0
    private var kept: [[UInt8]] = []
    private var files: [Int32] = []

    init(
        presenter: any TillPresentable, session: SessionContext, opened: StateCell<[String]>
    ) {
        self.presenter = presenter
        self.session = session
        self.opened = opened
    }

    func didBecomeActive() async {
        opened.update { $0.append(session.id) }
        note()
        await presenter.present(session: [
            session.name, session.id, session.dataDirectory, session.cacheDirectory,
        ])
        await presenter.present(configured: TillApp.values(of: session.configuration))
        let logger = session.logger(for: Till.self)
        logger.notice("till opened", metadata: ["till.drawer": "1"])
        task { [opened, presenter] in
            for await ids in opened.values { await presenter.present(opened: ids) }
        }
    }

    /// Leaves a line that is seen without a front.
    private func note() {
        guard let file = fopen(session.dataDirectory + "/opened", "a") else { return }
        fputs("\(session.id) in \(getpid())\n", file)
        fclose(file)
    }
}

extension TillInteractor: TillPresentableListener {
    func ring() async throws -> Int32 {
        rings += 1
        return rings
    }

    func jam() async throws { throw TillJammed() }

    func printLines(from first: Int32, to end: Int32) async {
        let more = String(repeating: ".", count: 80)
        for number in first..<end { print("line \(number) \(more)") }
    }

    func trap(_ words: String) async { fatalError(words) }

    func unlock(code: String) async { precondition(code == "4711", "a wrong code") }

    func hold(milliseconds: Int32) async {
        let end = ContinuousClock.now + .milliseconds(Int(milliseconds))
        while ContinuousClock.now < end {}
    }

    func leave(_ program: String, _ argument: String) async {
        var words = [strdup(program), strdup(argument), nil]
        var pid: pid_t = 0
        precondition(posix_spawn(&pid, program, nil, nil, &words, nil) == 0)
        for word in words { free(word) }
    }

    func keep(megabytes: Int32, inParts parts: Int32, pausing milliseconds: Int32) async {
        for _ in 0..<parts {
            kept.append(Array(repeating: 1, count: Int(megabytes / parts) << 20))
            await pause(milliseconds)
        }
    }

    /// Returns at once if the call was cancelled.
    private func pause(_ milliseconds: Int32) async {
        // Who is cancelled need not wait.
        try? await Task.sleep(for: .milliseconds(Int(milliseconds)))
    }

    func openFiles() async throws -> Int32 {
        while files.count < 1000 {
            let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { break }
            files.append(file)
        }
        return Int32(files.count)
    }

    func closeFiles() async {
        for file in files { close(file) }
        files = []
    }

    func burn(milliseconds: Int32) async {
        for _ in 0..<milliseconds / 10 {
            await hold(milliseconds: 10)
            await pause(1)
        }
    }

    func run(script: String) async {
        task { [presenter] in
            var said: [String] = []
            // One that cannot be started says nothing.
            _ = try? await runProgram("/bin/sh", ["-c", script]) { lines in
                for try await line in lines {
                    said.append(line)
                    await presenter.present(lines: said)
                }
            }
        }
    }
}

/// The app with a session of its own.
enum TillApp: App {
    static let id = "till"
    static let features: [any Feature.Type] = [Till.self]
    static let sessions: [SessionStart] = [.atStart("main")]

    enum Currency: String, CaseIterable, SettingValue {
        case euro, yen
    }

    static let drawers = Setting("drawers", default: 1, in: 1...9)
    static let currency = Setting("currency", default: Currency.euro)
    static let patience = Setting("drawer.patience", default: Duration.seconds(30))
    static let settings: [any SettingDeclaration] = [drawers, currency, patience]

    static func values(of configuration: Configuration) -> [String] {
        [
            "\(configuration[drawers])", "\(configuration[currency])",
            "\(configuration[patience])",
        ]
    }

    @MainActor private static let opened = StateCell<[String]>([])

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        // Longer than a test's client waits. Who is cancelled need not wait.
        if session.name == "slow" { try? await Task.sleep(for: .seconds(6)) }
        return LaunchRouter(Till.self) { view in
            TillInteractor(presenter: view.presenter, session: session, opened: opened)
        }
    }
}

/// An app with the sessions that `GUEST_STARTS` names, with a comma between two.
enum GuestApp: App {
    static let id = "guest"
    static let features: [any Feature.Type] = [Till.self]
    static let sessions: [SessionStart] =
        getenv("GUEST_STARTS").map { names in
            String(cString: names).split(separator: ",").map { .atStart(String($0)) }
        } ?? []
    static let settings = TillApp.settings

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        await TillApp.makeRoot(session)
    }
}
