// ConformanceApp: the app in which the conformance cases happen.
//
// Isolation  none of its own; roots are made on the main actor.

package import NapkinCore

/// Hosted by a process of its own, and by the tests' process: the cases are the same.
package enum ConformanceApp: App {
    package static let id = "conformance"
    package static let features: [any Feature.Type] = [Stand.self, Page.self, ProbePage.self]

    package static let isolatedChildren: [any IsolatedBuilder.Type] = [PageBuilder.self]
    /// The end of the name of a session whose page at the left has a process of its own.
    package static let apart = ".process"

    package static var deepLinks: [DeepLinkRoute] { StandLinks.all }

    @MainActor
    package static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        await StandRouter.build(isApart: session.name.hasSuffix(apart))
    }
}
