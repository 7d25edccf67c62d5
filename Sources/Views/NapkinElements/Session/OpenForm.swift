// OpenForm: a form being filled in, and the node that receives its event.
//
// Ownership  the screen keeps it until the event is sent or abandoned.
// Invariant  the event goes to a node of the feature whose contract the form follows.
//
// Its content belongs to a person and is no state of the session: like the texts of other fields
// (`NodeRendering`), it outlives the tree in which it was begun.

package import NapkinCore
package import NapkinFront

package final class OpenForm {
    package let dialog: Dialog
    package let method: MethodSchema
    private let types: [TypeSchema]
    private let feature: FeatureID
    private let path: TreePath
    package private(set) var node: UInt32

    /// - Parameters:
    ///   - number: distinguishes it from the front's other forms.
    ///   - send: receives the arguments once they are valid.
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
        path = TreePath.path(of: node, in: tree)
        self.node = node.id
    }

    /// Finds the form's node in a rebuilt tree. Returns whether it exists and its event is
    /// unchanged: another contract needs another form.
    ///
    /// - Parameter isNewEpoch: whether the tree is another worker's, in which the numbers mean
    ///   nothing.
    package func rebind(in tree: FrontTree, _ schemas: [FeatureSchema], isNewEpoch: Bool) -> Bool {
        if !isNewEpoch, tree.node(node)?.feature == feature { return true }
        guard let node = TreePath.node(at: path, in: tree), node.feature == feature,
            let schema = schemas.first(where: { $0.feature == feature.rawValue }),
            schema.listens.contains(method), schema.types ?? [] == types
        else { return false }
        self.node = node.id
        return true
    }

    /// The message to show if the form closes without having been sent.
    package var farewell: String {
        "\(dialog.title) cannot be sent any more: \(feature.rawValue) is gone, or has changed"
    }
}
