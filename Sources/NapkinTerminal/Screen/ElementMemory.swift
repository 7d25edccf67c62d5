// ElementMemory: keeps a person's texts and selections while a session's tree is rebuilt.
//
// Layer      terminal, screen.
// Isolation  @MainActor.
// Ownership  keeps the models of the elements of the shown nodes; views also own them.
// Invariant  a model is handed on once, to the element of its name at its place in the next tree.
//
// A returning front gets its tree again and creates new views. The session presents its states to
// them again; a person's text or place in a list is not among these, and would be lost with the
// view that had it.

internal import NapkinCore
internal import NapkinFront

/// An element's model that may hold a person's input, which no state has.
protocol PersonalModel: AnyObject {
    /// Whether it holds a person's input that the view has not replaced.
    var isPersonal: Bool { get }
    /// Whether it survives a tree of another worker: a text does, a place in a list does not.
    static var outlivesWorker: Bool { get }
    /// Continues with the input of another model, if that has the same type.
    func goOn(from other: any PersonalModel)
}

/// The models of a screen's fields and lists, by node and element.
final class ElementMemory {
    /// A node's place in a tree, whatever its number: the path to it from the root.
    struct Place: Hashable {
        fileprivate struct Step: Hashable {
            let slot: String
            let feature: FeatureID
            let arguments: [UInt8]
            /// The position among siblings that are otherwise alike.
            let number: Int
        }

        fileprivate var steps: [Step] = []
    }

    private struct Known {
        let place: Place
        var model: any PersonalModel
        /// Whether it belongs to a view of the former tree.
        var isFormer = false
    }

    private var models: [FocusKey: Known] = [:]
    private weak var root: FrontNode?

    /// Follows the tree, before it is drawn. If the tree has been rebuilt, returns the new keys of
    /// the elements that were drawn before; elements whose place is gone are forgotten.
    ///
    /// - Parameter beginsAnew: whether a rebuilt tree is another worker's.
    func follow(_ tree: FrontTree, beginsAnew: Bool) -> [FocusKey: FocusKey]? {
        guard let newRoot = tree.root else { return nil }
        guard newRoot !== root else {
            models = models.filter { tree.node($0.key.node) != nil }
            return nil
        }
        root = newRoot
        guard !models.isEmpty else { return [:] }
        let places = Self.places(from: newRoot)
        var names: [FocusKey: FocusKey] = [:]
        var kept: [FocusKey: Known] = [:]
        for (key, var known) in models {
            guard let node = places[known.place] else { continue }
            if beginsAnew, !type(of: known.model).outlivesWorker { continue }
            let name = FocusKey(node: node, id: key.id)
            names[key] = name
            known.isFormer = true
            kept[name] = known
        }
        models = kept
        return names
    }

    /// Returns the node at a place, whatever its number is now.
    static func node(at place: Place, in tree: FrontTree) -> FrontNode? {
        guard let root = tree.root else { return nil }
        return places(from: root)[place].flatMap { tree.node($0) }
    }

    private static func places(from root: FrontNode) -> [Place: UInt32] {
        var places: [Place: UInt32] = [:]
        func visit(_ node: FrontNode, _ place: Place) {
            places[place] = node.id
            for child in node.children { visit(child, self.place(of: child, in: node, at: place)) }
        }
        visit(root, Place())
        return places
    }

    private static func place(
        of child: FrontNode, in parent: FrontNode, at place: Place
    ) -> Place {
        let alike = parent.children.filter {
            $0.slot == child.slot && $0.feature == child.feature
                && $0.arguments == child.arguments
        }
        let step = Place.Step(
            slot: child.slot, feature: child.feature, arguments: child.arguments.bytes,
            number: alike.firstIndex { $0 === child } ?? 0)
        return Place(steps: place.steps + [step])
    }

    static func place(of node: FrontNode, in tree: FrontTree) -> Place {
        guard let parent = tree.node(node.parent) else { return Place() }
        return place(of: node, in: parent, at: place(of: parent, in: tree))
    }

    /// Takes the models of a drawing. Returns whether one of them continues with the input of a
    /// former one, so that the page must be drawn once more.
    func settle(_ drawn: [FocusKey: any PersonalModel], in tree: FrontTree) -> Bool {
        var hasChanged = false
        // Dialogs belong to the screen, and not to a node.
        for (key, model) in drawn {
            guard let node = tree.node(key.node) else { continue }
            if let known = models[key], known.isFormer, known.model !== model,
                known.model.isPersonal, !model.isPersonal
            {
                model.goOn(from: known.model)
                hasChanged = true
            }
            if let known = models[key], known.model === model, !known.isFormer { continue }
            models[key] = Known(place: Self.place(of: node, in: tree), model: model)
        }
        return hasChanged
    }
}
