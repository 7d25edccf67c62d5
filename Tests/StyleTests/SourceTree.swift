// SourceTree: the repository's text files, read once.

import Foundation

enum SourceTree {
    static let root = findRoot()
    static let files = readFiles()
    static let swiftFiles = files.filter { $0.isSwift && !$0.isPackage }

    /// Up from this file to the first directory that looks like the repository. `NAPKIN_ROOT`
    /// names it where the tests are built elsewhere.
    private static func findRoot() -> URL? {
        if let path = ProcessInfo.processInfo.environment["NAPKIN_ROOT"] {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        let here = URL(fileURLWithPath: #filePath)
        for start in [here, here.resolvingSymlinksInPath()] {
            var directory = start.deletingLastPathComponent()
            while directory.path != "/" {
                if ["Package.swift", "Protocol"].allSatisfy({
                    FileManager.default.fileExists(
                        atPath: directory.appendingPathComponent($0).path)
                }) {
                    return directory
                }
                directory.deleteLastPathComponent()
            }
        }
        return nil
    }

    /// What stands at the top of the repository, but for names that begin with a dot.
    static func topLevel() throws -> [String] {
        guard let root else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: root.path)
            .filter { !$0.hasPrefix(".") && !isForeign($0) }
    }

    private static func readFiles() -> [SourceFile] {
        guard let root, let walk = FileManager.default.enumerator(atPath: root.path) else {
            return []
        }
        var files: [SourceFile] = []
        for case let path as String in walk {
            let name = (path as NSString).lastPathComponent
            if isForeign(name) {
                walk.skipDescendants()
                continue
            }
            guard walk.fileAttributes?[.type] as? FileAttributeType == .typeRegular,
                let data = FileManager.default.contents(
                    atPath: root.appendingPathComponent(path).path)
            else { continue }
            let bytes = [UInt8](data)
            // A file with a zero byte is no text: a corpus, a picture.
            guard !bytes.contains(0) else { continue }
            files.append(SourceFile(path: path, bytes: bytes))
        }
        return files.sorted { $0.path < $1.path }
    }

    /// What is not ours to judge: the version control's, SwiftPM's, an editor's.
    private static func isForeign(_ name: String) -> Bool {
        name.hasPrefix(".build") || name == "Package.resolved" || name.hasSuffix(".profraw")
            || [".git", ".swiftpm", ".vscode", ".idea", ".index-build"].contains(name)
    }
}
