// PageComposer+Commands: a session's commands besides the keys of its page.

internal import NapkinCore
package import NapkinFront

extension PageComposer {
    /// Returns the events of all mounted features, from the root on, and the selectable tabs.
    ///
    /// - Parameter page: the page; an event is left out if a button of its node there has its
    ///   name.
    package func commands(of node: FrontNode?, besides page: RenderedPage? = nil)
        -> [PaletteCommand]
    {
        var labels: [UInt32: Set<String>] = [:]
        page?.root.collectLabels(&labels)
        return node.map { commands(of: $0, without: labels) } ?? []
    }

    private func commands(of node: FrontNode, without labels: [UInt32: Set<String>])
        -> [PaletteCommand]
    {
        let feature = node.feature.rawValue
        let schema = schemas.first { $0.feature == feature }
        let events = (schema?.listens ?? []).compactMap { method -> PaletteCommand? in
            let title = MethodWords.title(of: method.key)
            let hasForm = !method.parameters.isEmpty
            if !hasForm, labels[node.id]?.contains(title.lowercased()) == true { return nil }
            return PaletteCommand(title + (hasForm ? " …" : ""), detail: feature) { [weak self] in
                self?.choose(method, of: node, schema?.types ?? [])
            }
        }
        let tabs = (node.tabBar?.names ?? []).map { tab in
            PaletteCommand(tab, detail: "tab of \(feature)") { [weak self] in
                self?.select(tab, node)
            }
        }
        return events + tabs + node.children.flatMap { commands(of: $0, without: labels) }
    }

    private func choose(_ method: MethodSchema, of node: FrontNode, _ types: [TypeSchema]) {
        guard method.parameters.isEmpty else { return askArguments(node, method, types) }
        send(node.id, method.id, Payload())
    }
}
