// OpenForm: the form that a person is filling in, and the node that its event is for.
//
// Layer      terminal, generic front.
// Isolation  @MainActor.
// Ownership  kept by the screen until the event is sent or given up.
// Invariant  the event goes to a node of the feature whose contract the form follows.
//
// Its content is a person's and not a state of the session: it outlives the tree in which it was
// begun, as the texts of other fields do (`ElementMemory`).

internal import NapkinCore
internal import NapkinFront

/// A form, with what identifies its node in the next tree.
final class OpenForm {
    let dialog: Dialog
    let method: MethodSchema
    private let types: [TypeSchema]
    private let feature: FeatureID
    private let place: ElementMemory.Place
    private(set) var node: UInt32

    init(
        _ dialog: Dialog, _ method: MethodSchema, _ types: [TypeSchema], of node: FrontNode,
        in tree: FrontTree
    ) {
        self.dialog = dialog
        self.method = method
        self.types = types
        feature = node.feature
        place = ElementMemory.place(of: node, in: tree)
        self.node = node.id
    }

    /// Finds the form's node in a rebuilt tree. Returns whether it is there and its event is
    /// unchanged: another contract needs another form.
    ///
    /// - Parameter beginsAnew: whether the tree is another worker's, in which the numbers mean
    ///   nothing.
    func goOn(in tree: FrontTree, _ schemas: [FeatureSchema], beginsAnew: Bool) -> Bool {
        if !beginsAnew, tree.node(node)?.feature == feature { return true }
        guard let node = ElementMemory.node(at: place, in: tree), node.feature == feature,
            let schema = schemas.first(where: { $0.feature == feature.rawValue }),
            schema.listens.contains(method), schema.types ?? [] == types
        else { return false }
        self.node = node.id
        return true
    }

    /// What a person is told if the form closes without having been sent.
    var farewell: String {
        "\(dialog.title) cannot be sent any more: \(feature.rawValue) is gone, or has changed"
    }
}
