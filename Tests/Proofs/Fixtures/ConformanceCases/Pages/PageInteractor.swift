// PageInteractor: a page, which does what its view says and notes what becomes of it.

package import NapkinCore
import NapkinTesting
import Synchronization

/// What a page asks of whoever opened it.
package protocol PageListener: AnyObject, Sendable {
    func pageDidClose(_ name: String) async
    func pageDidBounce(_ page: PageInteractor, times: Int) async throws -> Int
    /// Returns the number of the front whose event is being handled.
    func pageDidAskWho() async -> Int
}

/// What a page in a process of its own tells the stand.
@Crossing
package protocol PageProcessListener: PresentableListener {
    func pageDidNote(_ line: String) async
    func pageDidClose(_ name: String) async
    func pageWantsCaller() async throws -> Int
}

/// Where one can go from a page.
@MainActor
package protocol PageRouting: ViewableRouting {
    func routeToChild(_ name: String) async
    func routeFromChild() async
    func openOwn() async
}

/// One page.
package final actor PageInteractor: PresentableInteractable {
    package nonisolated let lifecycle = InteractorLifecycle()
    package nonisolated let presenter: any PagePresentable
    private let name: String
    private let desk: Desk
    private weak var listener: (any PageListener)?
    private weak var router: (any PageRouting)?
    private var numbers: [Int] = []
    private var ticks = 0
    private var said = 0

    init(
        _ name: String, presenter: any PagePresentable, listener: any PageListener, desk: Desk
    ) {
        self.name = name
        self.presenter = presenter
        self.listener = listener
        self.desk = desk
    }

    func wire(router: any PageRouting) { self.router = router }

    package func didBecomeActive() async {
        desk.pages.withLock { $0 += 1 }
        await presenter.present(title: name)
        task {
            while !Task.isCancelled {
                do { try await self.desk.clock.sleep(for: .seconds(1)) } catch { return }
                await self.ticked()
            }
        }
    }

    package func willResignActive() async {
        desk.pages.withLock { $0 -= 1 }
        desk.note("\(name) resigns")
    }

    private func ticked() async {
        ticks += 1
        await presenter.present(count: ticks)
    }
}

extension PageInteractor: PagePresentableListener {
    package func show(title: String) async { await presenter.present(title: title) }

    package func count(to number: Int) async {
        for count in 1...number { await presenter.present(count: count) }
    }

    package func countAlone(to number: Int) async {
        task {
            await self.lastFrontLeft()
            for count in 1...number {
                await Task.yield()
                await self.presenter.present(count: count)
            }
            self.desk.note("\(self.name) counted")
            await self.lastFrontLeft()
            Desk.street.note("\(self.name) counted")
        }
    }

    /// Asks what nobody answers: returns when no front is attached, and has noted that.
    private func lastFrontLeft() async {
        // What it throws else is the end of the page.
        _ = try? await ask("alone?")
    }

    package func flash(_ count: Int) async {
        for number in 1...count { await presenter.flash(number) }
    }

    package func flashAfter(title: String) async {
        await presenter.present(title: title)
        await presenter.flash(1)
    }

    package func say(_ count: Int, text: String) async {
        for _ in 0..<count {
            said += 1
            await presenter.say("\(text) \(said)")
        }
    }

    package func sayAnew(_ count: Int, text: String) async {
        await appendAnew { await say(count, text: text) }
    }

    package func tell(_ count: Int, text: String) async {
        for _ in 0..<count {
            await say(1, text: text)
            await presenter.present(count: said)
            await presenter.flash(said)
        }
    }

    package func add(_ number: Int) async {
        numbers.append(number)
        desk.note("\(name) has \(numbers.count)")
    }

    package func added() async throws -> [Int] { numbers }

    package func ask(_ question: String) async throws -> String {
        do {
            return try await presenter.confirm(question) ? "yes" : "no"
        } catch let fault as RemoteFault {
            desk.note("ask: \(fault.code)")
            return fault.code.rawValue
        }
    }

    package func ask(_ question: String, within milliseconds: Int) async throws -> String {
        do {
            let answer = try await ask(
                within: .milliseconds(milliseconds), waitsForFronts: true
            ) { try await presenter.confirm(question) }
            return "\(answer.value ? "yes" : "no") from \(answer.front?.id ?? 0)"
        } catch let fault as RemoteFault {
            return fault.code.rawValue
        }
    }

    package func hang() async throws {
        desk.note("\(name) hangs")
        do {
            try await Task.sleep(for: .seconds(3600))
        } catch {
            desk.note("\(name) cancelled")
            throw error
        }
    }

    package func bounce(times: Int) async throws -> Int {
        guard times > 0, let listener else { return 0 }
        return try await listener.pageDidBounce(self, times: times) + 1
    }

    package func openOwn() async { await router?.openOwn() }

    /// In the handler, in what it calls of its parent, and in a task of its own.
    package func whoAsks() async throws -> [Int] {
        let elsewhere = await Task { Self.caller }.value
        return [Self.caller, await listener?.pageDidAskWho() ?? -1, elsewhere]
    }

    private static var caller: Int { Int(AttachedFront.caller?.id ?? 0) }

    package func askBack(_ question: String) async throws -> String {
        try await ask(.caller) { try await ask(question) }
    }

    package func flashBack(_ number: Int) async {
        await present(to: .caller) { await presenter.flash(number) }
    }

    package func halve(_ number: Int) async throws(PageError) -> Int {
        guard number.isMultiple(of: 2) else { throw .unlucky(number) }
        guard number == 0 else { return number / 2 }
        do {
            return try await presenter.confirm("zero?") ? 0 : 1
        } catch {
            throw .fault(RemoteFault(reporting: error))
        }
    }

    package func openChild(_ name: String) async { await router?.routeToChild(name) }
    package func closeChild() async { await router?.routeFromChild() }
    package func close() async { await listener?.pageDidClose(name) }

    package func leave() async throws -> String {
        await listener?.pageDidClose(name)
        return "\(name) left, cancelled: \(Task.isCancelled)"
    }
}

extension PageInteractor: PageListener {
    package func pageDidAskWho() async -> Int { Self.caller }

    package func pageDidClose(_ name: String) async { await router?.routeFromChild() }

    package func pageDidBounce(_ page: PageInteractor, times: Int) async throws -> Int {
        try await page.bounce(times: times - 1)
    }
}
