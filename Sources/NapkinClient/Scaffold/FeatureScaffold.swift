// FeatureScaffold: the files of a new feature, and the lines that its app needs.
//
// Layer      executable, scaffold.
// Isolation  value.
// Invariant  besides the feature's own files, only the composition roots change.

/// A child of the root.
struct FeatureScaffold {
    let feature: ScaffoldName
    let isHeadless: Bool
    let package: AppPackage

    private var app: ScaffoldName { package.app }

    /// The feature's own files.
    var files: NewFiles {
        var files = NewFiles(in: package.directory)
        let name = feature.type
        func add(_ path: String, _ bytes: [UInt8]) {
            files.add(path, Template(bytes).text(app: app, feature: feature))
        }
        let contract = "Sources/\(app.type)Contract/\(name).swift"
        let interactor = "Sources/\(app.type)Feature/\(name)Interactor.swift"
        let tests = "Tests/\(app.type)Tests/\(name)Tests.swift"
        if isHeadless {
            add(contract, PackageResources.Errand_swift)
            add(interactor, PackageResources.ErrandInteractor_swift)
            add(tests, PackageResources.ErrandTests_swift)
        } else {
            add(contract, PackageResources.Detail_swift)
            add(interactor, PackageResources.DetailInteractor_swift)
            add(
                "Sources/\(app.type)Front/\(name)View.swift", PackageResources.DetailView_swift)
            add(tests, PackageResources.DetailTests_swift)
        }
        return files
    }

    /// The insertions into the composition roots, each as lines before an existing line.
    var insertions: [Insertion] {
        let name = feature.type
        let attaching = Insertion(
            file: package.rootFile,
            lines: [
                "        await root.attach(ChildSlot<\(name)>(\"\(feature.slot)\")) {"
                    + (isHeadless ? "" : " view in"),
                "            \(name)Interactor(\(isHeadless ? "" : "presenter: view.presenter"))",
                "        }",
            ], before: "        return root", place: "where the root is made, in makeRoot(_:)"
        )
        guard !isHeadless else { return [attaching] }
        return [
            Insertion(
                file: package.rootFile, lines: ["        \(name).self,"], before: "    ]",
                place: "into the list of features"),
            attaching,
            Insertion(
                file: package.viewsFile,
                lines: [
                    "        registry.register(\(name).self) { "
                        + "\(name)View(listener: $0.listener) }"
                ], before: "    }", place: "into register(in:)"),
        ]
    }
}

extension ScaffoldName {
    /// The name of a slot: `ribHouse`.
    fileprivate var slot: String { variable.replacing("`", with: "") }
}
