// DeepLinkRoute: a place in an app that a URL can lead to, and the workflow that leads there.
//
// Isolation  value; workflows are created and run on the main actor.

/// A kind of link that an app can open.
///
/// ```swift
/// DeepLinkRoute(
///     "shop://orders/{order}", "shows an order", on: (any ShopActionable).self
/// ) { link in
///     OrderWorkflow(order: link.parameters["order"] ?? "")
/// }
/// ```
public struct DeepLinkRoute: Sendable {
    private enum Segment: Equatable {
        case fixed(String)
        case parameter(String)
    }

    private typealias Start =
        @MainActor @Sendable (
            DeepLink, any LaunchRouting, @escaping @MainActor (WorkflowProgress) -> Void
        ) throws -> WorkflowRun

    /// The pattern as it was written, for people.
    public let pattern: String
    /// A description for listings: `opens the pit board`.
    public let about: String
    private let scheme: String
    private let segments: [Segment]
    /// The error in the pattern, if it has one.
    private let mistake: String?
    /// Returns the reason why the root does not suit this route.
    private let misfit: @MainActor @Sendable (any LaunchRouting) -> String?
    private let start: Start

    /// A malformed pattern, or a root that is not an `Item`, makes a route that opens nothing: the
    /// worker logs this when a session begins, and a client that opens the link gets an error.
    ///
    /// - Parameters:
    ///   - pattern: a link without query and fragment; a segment in braces stands for any segment.
    ///   - about: a description of the route, for listings.
    ///   - item: the type on which the workflow runs; the root's interactor has this type.
    ///   - workflow: creates the workflow for a matching link; throw `DeepLinkError` for a wrong
    ///     link.
    public init<Item>(
        _ pattern: String, _ about: String, on item: Item.Type,
        workflow: @escaping @MainActor @Sendable (DeepLink) throws -> Workflow<Item>
    ) {
        self.pattern = pattern
        self.about = about
        do throws(DeepLinkError) {
            (scheme, segments) = try Self.parse(pattern)
            mistake = nil
        } catch {
            (scheme, segments, mistake) = ("", [], error.message)
        }
        misfit = { root in
            root.interactable is Item
                ? nil : "\(type(of: root.interactable)) does not conform to \(Item.self)"
        }
        start = { link, root, report in
            guard let item = root.interactable as? Item else {
                preconditionFailure("\(pattern) was opened in spite of its defect")
            }
            return try workflow(link).run(on: item, report: report)
        }
    }

    private static func parse(_ pattern: String) throws(DeepLinkError) -> (String, [Segment]) {
        // Braces are not characters of a URL.
        let plain = String(pattern.map { "{}".contains($0) ? "_" : $0 })
        let link = try DeepLink(plain)
        guard link.query.isEmpty, link.fragment == nil else {
            throw DeepLinkError(.malformed, "it has a query or a fragment: leave it out")
        }
        let parts = pattern.split(separator: "/", omittingEmptySubsequences: true).dropFirst()
        var segments: [Segment] = []
        for (part, decoded) in zip(parts, link.path) {
            segments.append(try self.segment(part, decoded))
        }
        return (link.scheme, segments)
    }

    private static func segment(_ part: Substring, _ decoded: String) throws(DeepLinkError)
        -> Segment
    {
        guard part.contains(where: { "{}".contains($0) }) else { return .fixed(decoded) }
        let name = part.dropFirst().dropLast()
        guard part.hasPrefix("{"), part.hasSuffix("}"), !name.isEmpty,
            !name.contains(where: { "{}".contains($0) })
        else {
            throw DeepLinkError(
                .malformed, "'\(part)': a name in braces stands for a whole place, as in {order}")
        }
        return .parameter(String(name))
    }

    /// Returns why the route opens nothing on that root, whatever the URL, so that the app needs a
    /// fix; `nil` if the route is sound.
    @MainActor
    package func defect(on root: any LaunchRouting) -> String? {
        (mistake ?? misfit(root)).map { "the route \(pattern) opens nothing: \($0)" }
    }

    /// Returns the link with its parameters, if this route matches.
    func match(_ link: DeepLink) -> DeepLink? {
        guard mistake == nil, link.scheme == scheme, link.path.count == segments.count
        else { return nil }
        var link = link
        for (segment, part) in zip(segments, link.path) {
            switch segment {
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
    /// Throws `DeepLinkError` if the text is not a link or leads nowhere; then nothing has begun.
    @MainActor
    public func open(
        _ url: String, of app: String, on root: any LaunchRouting,
        report: @escaping @MainActor (WorkflowProgress) -> Void
    ) throws(DeepLinkError) -> WorkflowRun {
        let link = try DeepLink(url)
        for route in self {
            guard let link = route.match(link) else { continue }
            if let defect = route.defect(on: root) { throw DeepLinkError(.unusable, defect) }
            return try route.run(link, on: root, report)
        }
        throw DeepLinkError(.unknown, unknown(url, of: app, on: root))
    }

    /// A broken route may be the intended one.
    @MainActor
    private func unknown(_ url: String, of app: String, on root: any LaunchRouting) -> String {
        let defects = compactMap { $0.defect(on: root) }
        let known = filter { $0.defect(on: root) == nil }.map { "\($0.pattern) (\($0.about))" }
        if known.isEmpty, defects.isEmpty { return "\(app) opens no URLs at all" }
        let knows = known.isEmpty ? [] : ["it knows \(known.joined(separator: ", "))"]
        return (["\(app) does not know \(url)"] + knows + defects).joined(separator: "; ")
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
