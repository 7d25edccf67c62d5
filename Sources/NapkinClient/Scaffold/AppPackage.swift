// AppPackage: a package that `new app` has created, as `new feature` finds it.
//
// Isolation  value; finding it blocks.

import Glibc
import NapkinTransport

/// An app's directory, and the app's name.
struct AppPackage {
    let directory: String
    let app: ScaffoldName

    /// The composition root of a session.
    var rootFile: String { "Sources/\(app.type)Feature/\(app.type)App.swift" }
    /// The file that registers the views.
    var viewsFile: String { "Sources/\(app.type)Front/\(app.type)Views.swift" }

    /// Throws if the directory is not an app's, and says what is missing.
    init(at directory: String) throws(ClientFailure) {
        func refused(_ problem: String) -> ClientFailure {
            ClientFailure(
                ExitTable.noInput,
                "\(directory) is not an app's package: \(problem); go to one, or name it with "
                    + "--directory (`napkin-client new app NAME` creates one)")
        }
        guard access("\(directory)/Package.swift", R_OK) == 0 else {
            throw refused("there is no Package.swift")
        }
        let ending = "Contract"
        let names = Self.entries("\(directory)/Sources").filter { $0.hasSuffix(ending) }
            .map { String($0.dropLast(ending.count)) }
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

    /// The directory of the interactors and the routers.
    var featureDirectory: String { "Sources/\(app.type)Feature" }

    /// Returns whether a Swift file of the app declares a type with that name.
    func declares(_ name: String) -> Bool {
        (files(below: "Sources") + files(below: "Tests")).contains {
            Self.declared(in: $0.text).contains(name)
        }
    }

    /// The types that the feature module declares.
    var declared: [String] { featureFiles.flatMap { Self.declared(in: $0.text) } }

    /// The feature module's files.
    var featureFiles: [(path: String, text: String)] { files(below: featureDirectory) }

    /// Returns the file of the feature module that declares a type with that name; `nil` if none
    /// does, or several.
    func file(declaring name: String) -> (file: String, text: String)? {
        let found = featureFiles.filter { Self.declared(in: $0.text).contains(name) }
        guard let file = found.first, found.count == 1 else { return nil }
        return (file.path, file.text)
    }

    private static func declared(in text: String) -> [String] {
        let words = ["enum", "struct", "class", "actor", "protocol", "typealias"]
        let tokens = text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        return zip(tokens, tokens.dropFirst()).compactMap { word, name in
            words.contains(String(word)) ? String(name) : nil
        }
    }

    /// Returns the Swift files below a directory of the package, with what is in them.
    private func files(below place: String) -> [(path: String, text: String)] {
        var files: [(path: String, text: String)] = []
        var directories = [place]
        while let place = directories.popLast() {
            for entry in Self.entries("\(directory)/\(place)") {
                let path = "\(place)/\(entry)"
                guard entry.hasSuffix(".swift") else {
                    directories.append(path)
                    continue
                }
                // A file that cannot be read has nothing that could be found.
                let text = (try? FileText.read("\(directory)/\(path)")) ?? ""
                files.append((path, text))
            }
        }
        return files
    }

    /// Returns the names in a directory, without hidden ones; empty if it is not a directory.
    private static func entries(_ path: String) -> [String] {
        (DirectoryNames.of(path) ?? []).sorted()
    }
}
