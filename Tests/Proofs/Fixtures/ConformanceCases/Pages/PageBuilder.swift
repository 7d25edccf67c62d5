// PageBuilder: a page in a process of its own, and the stand as it sees it from there.

package import NapkinCore

/// Builds a page without a router: it has no child and no pages for fronts.
package enum PageBuilder: IsolatedBuilder {
    package typealias Listener = PageProcessListenerCrossing

    package static func build(
        view: RemoteView<Page>, listener: any PageProcessListener
    ) async -> any PagePresentableListener {
        let stand = RemoteStand(listener)
        return PageInteractor(
            view.arguments.name, presenter: view.presenter, listener: stand,
            desk: Desk(remote: stand))
    }
}

/// The stand in another process.
private final class RemoteStand: PageListener, DeskListener {
    private let listener: any PageProcessListener

    init(_ listener: any PageProcessListener) { self.listener = listener }

    /// Sent before this returns, in the order of the calls.
    func note(_ line: String) {
        Task.immediate { @MainActor [listener] in await listener.pageDidNote(line) }
    }

    func pageDidClose(_ name: String) async { await listener.pageDidClose(name) }

    func pageDidAskWho() async -> Int {
        // There is a stand as long as there is a page.
        (try? await listener.pageWantsCaller()) ?? -1
    }

    /// Nobody calls a page in another process but fronts.
    func pageDidBounce(_ page: PageInteractor, times: Int) async throws -> Int { 0 }
}
