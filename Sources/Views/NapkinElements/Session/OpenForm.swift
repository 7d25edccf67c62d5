// OpenForm: the form that a person is filling in, and the node that its event is for.
//
// Ownership  kept by the screen until the event is sent or given up.
// Invariant  the event goes to a node of the feature whose contract the form follows.
//
// Its content is a person's and not a state of the session: it outlives the tree in which it was
// begun, as the texts of other fields do (`NodeRendering`).

package import NapkinCore
package import NapkinFront

/// A form, with what identifies its node in the next tree.
package final class OpenForm {
    package let dialog: Dialog
    package let method: MethodSchema
    private let types: [TypeSchema]
    private let feature: FeatureID
    private let place: TreePlace
    package private(set) var node: UInt32

    /// - Parameters:
    ///   - number: tells it from the front's other forms.
    ///   - send: gets the arguments when they are valid.
    package init(
        _ number: Int, _ method: MethodSchema, _ types: [TypeSchema], of node: FrontNode,
        in tree: FrontTree, send: @escaping (Payload) -> Void, cancel: @escaping () -> Void
    ) {
        dialog = Dialog(
            id: "form \(number)", title: MethodWords.title(of: method.key),
            view: EventForm(method, types, send: send, cancel: cancel))
        self.method = method
        self.types = types
        feature = node.feature
        place = TreePlace.place(of: node, in: tree)
        self.node = node.id
    }

    /// Finds the form's node in a rebuilt tree. Returns whether it is there and its event is
    /// unchanged: another contract needs another form.
    ///
    /// - Parameter beginsAnew: whether the tree is another worker's, in which the numbers mean
    ///   nothing.
    package func goOn(in tree: FrontTree, _ schemas: [FeatureSchema], beginsAnew: Bool) -> Bool {
        if !beginsAnew, tree.node(node)?.feature == feature { return true }
        guard let node = TreePlace.node(at: place, in: tree), node.feature == feature,
            let schema = schemas.first(where: { $0.feature == feature.rawValue }),
            schema.listens.contains(method), schema.types ?? [] == types
        else { return false }
        self.node = node.id
        return true
    }

    /// What a person is told if the form closes without having been sent.
    package var farewell: String {
        "\(dialog.title) cannot be sent any more: \(feature.rawValue) is gone, or has changed"
    }
}
