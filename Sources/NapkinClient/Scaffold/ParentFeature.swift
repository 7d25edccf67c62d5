// ParentFeature: the feature that gets a new child, as the app's files have it.
//
// Isolation  value; finding it blocks.

/// A feature of the app.
struct ParentFeature {
    /// The feature's type.
    let name: String
    /// Whether it is the root of a session.
    let isRoot: Bool
    /// The file of its interactor, and the text in it.
    let interactor: (file: String, text: String)
    /// The file of its router, and the text in it; `nil` if it needs none so far.
    let router: (file: String, text: String)?

    var hasView: Bool { interactor.text.contains("PresentableInteractable") }
    /// Whether its interactor can ask its router for something.
    var isWired: Bool { interactor.text.contains("weak var router") }

    /// Finds a feature; without a name the app's root, which is called like the app.
    ///
    /// Throws if there is none of that name, and says which there are.
    init(named name: String?, in package: AppPackage) throws(ClientFailure) {
        let name = name ?? package.app.type
        guard let interactor = package.file(declaring: "\(name)Interactor") else {
            let ending = "Interactor"
            let known = package.declared.filter { $0.hasSuffix(ending) }
                .map { $0.dropLast(ending.count) }.sorted()
            throw ClientFailure(
                ExitTable.noInput,
                "the app \(package.app.type) has no \(name)\(ending) in "
                    + "\(package.featureDirectory), so \(name) cannot get a child; "
                    + "it has \(known.joined(separator: ", "))")
        }
        self.name = name
        isRoot = name == package.app.type
        self.interactor = interactor
        router = package.file(declaring: "\(name)Router")
    }
}
