// DeepLinkRoute: a place in an app that a URL can lead to, and the workflow that leads there.
//
// Layer      core.
// Isolation  value; workflows are made and run on the main actor.

/// One kind of link that an app knows.
///
/// ```swift
/// DeepLinkRoute(
///     "shop://orders/{order}", "shows an order", on: (any ShopActionable).self
/// ) { link in
///     OrderWorkflow(order: link.parameters["order"] ?? "")
/// }
/// ```
public struct DeepLinkRoute: Sendable {
    private enum Place: Equatable {
        case fixed(String)
        case parameter(String)
    }

    private typealias Start =
        @MainActor @Sendable (
            DeepLink, any LaunchRouting, @escaping @MainActor (WorkflowProgress) -> Void
        ) throws -> WorkflowRun

    /// As it was written, for people.
    public let pattern: String
    /// What it does: `opens the pit board`.
    public let about: String
    private let scheme: String
    private let places: [Place]
    private let start: Start

    /// - Parameters:
    ///   - pattern: a link without query and fragment; a place in braces stands for any one.
    ///   - about: what it does, for listings.
    ///   - item: what the workflow is run on: a type that the root's interactor has.
    ///   - workflow: makes it for a link that matches; throw `DeepLinkError` for one that is wrong.
    public init<Item>(
        _ pattern: String, _ about: String, on item: Item.Type,
        workflow: @escaping @MainActor @Sendable (DeepLink) throws -> Workflow<Item>
    ) {
        self.pattern = pattern
        self.about = about
        (scheme, places) = Self.parse(pattern)
        start = { link, root, report in
            guard let item = root.interactable as? Item else {
                preconditionFailure(
                    "\(type(of: root.interactable)) must conform to \(Item.self) for \(pattern)")
            }
            return try workflow(link).run(on: item, report: report)
        }
    }

    private static func parse(_ pattern: String) -> (String, [Place]) {
        // Braces are no characters of a URL.
        let plain = String(pattern.map { "{}".contains($0) ? "_" : $0 })
        let parts = pattern.split(separator: "/", omittingEmptySubsequences: true).dropFirst()
        do throws(DeepLinkError) {
            let link = try DeepLink(plain)
            precondition(
                link.query.isEmpty && link.fragment == nil && link.path.count == parts.count,
                "the route \(pattern) has a query or a fragment: leave it out")
            let places = zip(parts, link.path).map { part, place in
                part.hasPrefix("{") && part.hasSuffix("}")
                    ? Place.parameter(String(part.dropFirst().dropLast())) : .fixed(place)
            }
            return (link.scheme, places)
        } catch {
            preconditionFailure("the route \(pattern) is no link: \(error)")
        }
    }

    /// The link with its parameters, if this route is meant.
    func match(_ link: DeepLink) -> DeepLink? {
        guard link.scheme == scheme, link.path.count == places.count else { return nil }
        var link = link
        for (place, part) in zip(places, link.path) {
            switch place {
            case .fixed(let name): if name != part { return nil }
            case .parameter(let name): link.parameters[name] = part
            }
        }
        return link
    }
}

extension Sequence<DeepLinkRoute> {
    /// Starts the workflow of a URL on an app's tree.
    ///
    /// Throws `DeepLinkError` for a text that is no link or leads nowhere; then nothing has begun.
    @MainActor
    public func open(
        _ url: String, of app: String, on root: any LaunchRouting,
        report: @escaping @MainActor (WorkflowProgress) -> Void
    ) throws(DeepLinkError) -> WorkflowRun {
        let link = try DeepLink(url)
        for route in self {
            guard let link = route.match(link) else { continue }
            return try route.run(link, on: root, report)
        }
        let known = map { "\($0.pattern) (\($0.about))" }
        throw DeepLinkError(
            .unknown,
            known.isEmpty
                ? "\(app) opens no URLs at all"
                : "\(app) does not know \(url); it knows \(known.joined(separator: ", "))")
    }
}

extension DeepLinkRoute {
    @MainActor
    fileprivate func run(
        _ link: DeepLink, on root: any LaunchRouting,
        _ report: @escaping @MainActor (WorkflowProgress) -> Void
    ) throws(DeepLinkError) -> WorkflowRun {
        do {
            return try start(link, root, report)
        } catch let error as DeepLinkError {
            throw error
        } catch {
            throw DeepLinkError(.malformed, "\(link) cannot be opened: \(error)")
        }
    }
}
