// AppScaffold: the files of a new app.

/// A package with a contract, a feature, a view, a worker, a client, a manifest and tests.
enum AppScaffold {
    static func files(
        _ app: ScaffoldName, in directory: String, napkin: NapkinSource
    ) -> NewFiles {
        var files = NewFiles(in: directory)
        let name = app.type
        let replaced = [("@dependency@", napkin.line), ("@identity@", napkin.identity)]
        func add(_ path: String, _ bytes: [UInt8]) {
            files.add(path, Template(bytes).text(app: app, replaced))
        }
        add("Package.swift", PackageResources.manifest_txt)
        add("README.md", PackageResources.README_txt)
        add("Makefile", PackageResources.Makefile_txt)
        add(".gitignore", PackageResources.gitignore_txt)
        add("\(app.id).json", PackageResources.installation_txt)
        add("Sources/\(name)Contract/\(name).swift", PackageResources.Sample_swift)
        let feature = "Sources/\(name)Feature/\(name)"
        add("\(feature)Interactor.swift", PackageResources.SampleInteractor_swift)
        add("\(feature)Router.swift", PackageResources.SampleRouter_swift)
        add("\(feature)App.swift", PackageResources.SampleApp_swift)
        let front = "Sources/\(name)Front/\(name)"
        add("\(front)Screen.swift", PackageResources.SampleScreen_swift)
        add("\(front)Views.swift", PackageResources.SampleViews_swift)
        add("Sources/\(app.id)-worker/\(name)Worker.swift", PackageResources.SampleWorker_swift)
        add("Sources/\(app.id)-client/\(name)Client.swift", PackageResources.SampleClient_swift)
        let tests = "Tests/\(name)Tests/\(name)"
        add("\(tests)Tests.swift", PackageResources.SampleTests_swift)
        add("\(tests)ScreenTests.swift", PackageResources.SampleScreenTests_swift)
        return files
    }
}
