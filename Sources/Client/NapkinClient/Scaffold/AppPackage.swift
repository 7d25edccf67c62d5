// AppPackage: an app's package, as `new feature` finds it.

import Glibc
import NapkinTransport

struct AppPackage {
    let directory: String
    let app: ScaffoldName

    /// Throws an error that says what is missing if the directory is not an app's.
    init(at directory: String) throws(ClientFailure) {
        func refused(_ problem: String) -> ClientFailure {
            ClientFailure.noInput(
                "\(directory) is not an app's package: \(problem); go to one, or name it with "
                    + "--directory (`napkin-client new app NAME` creates one)")
        }
        guard access("\(directory)/Package.swift", R_OK) == 0 else {
            throw refused("there is no Package.swift")
        }
        let names = (DirectoryNames.of("\(directory)/Sources", ending: "Contract") ?? []).sorted()
        guard let name = names.first, names.count == 1 else {
            throw refused(
                names.isEmpty
                    ? "there is no Sources/…Contract"
                    : "it has several contracts (\(names.joined(separator: ", ")))")
        }
        self.directory = directory
        app = try ScaffoldName(name, for: .app)
        for path in ["Sources/\(name)Feature", "Sources/\(name)Front", "Tests/\(name)Tests"] {
            guard access("\(directory)/\(path)", W_OK) == 0 else {
                throw refused("\(path) is missing, or cannot be written to")
            }
        }
    }

    /// Returns the name of the feature that gets a child; by default the app's root.
    ///
    /// Throws if no file mentions its interactor; the error lists the existing ones.
    func parent(named name: String?) throws(ClientFailure) -> String {
        let (name, ending) = (name ?? app.type, "Interactor")
        let files = sources
        if files.contains(where: { $0.text.contains(name + ending) }) { return name }
        let known = files.compactMap { $0.path.split(separator: "/").last }
            .filter { $0.hasSuffix("\(ending).swift") }
            .map { $0.dropLast("\(ending).swift".count) }.sorted()
        throw .noInput(
            "the app \(app.type) has no \(name)\(ending), so \(name) cannot get a child; "
                + "it has \(known.joined(separator: ", "))")
    }

    /// The Swift files of the app's targets.
    var sources: [(path: String, text: String)] {
        var files: [(path: String, text: String)] = []
        var directories = ["Sources"]
        while let place = directories.popLast() {
            for entry in (DirectoryNames.of("\(directory)/\(place)") ?? []).sorted() {
                let path = "\(place)/\(entry)"
                guard entry.hasSuffix(".swift") else {
                    directories.append(path)
                    continue
                }
                // A file that cannot be read has no marker to find.
                if let text = try? FileText.read("\(directory)/\(path)") {
                    files.append((path, text))
                }
            }
        }
        return files
    }
}
