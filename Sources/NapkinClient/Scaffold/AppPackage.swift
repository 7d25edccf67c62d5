// AppPackage: a package that `new app` has created, as `new feature` finds it.
//
// Layer      executable, scaffold.
// Isolation  value; finding it blocks.

import Glibc

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
                "\(directory) is no app's package: \(problem); go to one, or name it with "
                    + "--directory (`napkin-client new app NAME` makes one)")
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
                throw refused("\(path) is not there, or cannot be written to")
            }
        }
    }

    /// Returns whether a Swift file of the app declares a type with that name.
    func declares(_ name: String) -> Bool {
        var directories = ["\(directory)/Sources", "\(directory)/Tests"]
        let words = ["enum", "struct", "class", "actor", "protocol", "typealias"]
        while let place = directories.popLast() {
            for entry in Self.entries(place) {
                let path = "\(place)/\(entry)"
                guard entry.hasSuffix(".swift") else {
                    directories.append(path)
                    continue
                }
                // A file that cannot be read cannot contradict a new one.
                let text = (try? FileText.read(path)) ?? ""
                let tokens = text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                if zip(tokens, tokens.dropFirst()).contains(where: {
                    words.contains(String($0)) && $1 == name
                }) {
                    return true
                }
            }
        }
        return false
    }

    /// Returns the names in a directory, without hidden ones; empty if it is not a directory.
    private static func entries(_ path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
