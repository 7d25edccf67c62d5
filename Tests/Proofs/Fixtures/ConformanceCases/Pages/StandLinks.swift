// StandLinks: the URL that leads to the page at the left, and the workflow behind it.

import NapkinCore

/// What a workflow may do at the stand.
protocol StandActionable: Interactable {
    /// Waits until there is a page at the left. It opens none.
    func waitForPage() async throws -> PageInteractor
}

/// `conformance://table/{title}`: gives the page that title, once somebody has opened it.
@MainActor
final class TitleWorkflow: Workflow<any StandActionable> {
    init(_ title: String) {
        super.init()
        onStep("wait for a page") { stand in (try await stand.waitForPage(), ()) }
            .onStep("show the title") { page, _ in (await page.show(title: title), ()) }
            .commit()
    }
}

enum StandLinks {
    static let all = [
        DeepLinkRoute(
            "conformance://table/{title}", "gives the page at the left a title",
            on: (any StandActionable).self
        ) { link in TitleWorkflow(link.parameters["title"] ?? "") }
    ]
}
