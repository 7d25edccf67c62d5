// ScratchApp: an app, and features of it, that a test has written in a directory of its own.

import Foundation
import Testing

@testable import NapkinClient

/// Writes an app called RibShack.
struct ScratchApp {
    let app: ScaffoldName
    let napkin: NapkinSource

    init() throws {
        app = try ScaffoldName("RibShack", for: .app)
        napkin = try NapkinSource("https://example.org/someone/napkin.git")
    }

    /// A directory that is gone afterwards.
    func inScratch(_ body: (String) throws -> Void) throws {
        let place = FileManager.default.temporaryDirectory
            .appendingPathComponent("napkin-new-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        // The system clears its directory for temporary files.
        defer { try? FileManager.default.removeItem(at: place) }
        try body(place.path)
    }

    /// All files below a directory, with what is in them.
    func files(in directory: String) throws -> [String: String] {
        var files: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            let place = "\(directory)/\(path)"
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: place, isDirectory: &isDirectory)
            if isDirectory.boolValue { continue }
            files[path] = try String(contentsOfFile: place, encoding: .utf8)
        }
        return files
    }

    func makeApp(in directory: String) throws {
        try AppScaffold.files(app, in: directory, napkin: napkin).write()
    }

    func add(
        _ name: String, isHeadless: Bool = false, _ placement: FeaturePlacement = .embed,
        _ arguments: String? = nil, parent: String? = nil, to directory: String
    ) throws -> [String] {
        let (report, isComplete) = try scaffold(
            name, isHeadless: isHeadless, placement, arguments, parent: parent, in: directory
        ).write()
        let left = report.contains { $0.hasPrefix("Add these lines yourself") }
        #expect(isComplete != left)
        return report
    }

    private func scaffold(
        _ name: String, isHeadless: Bool, _ placement: FeaturePlacement, _ arguments: String?,
        parent: String?, in directory: String
    ) throws -> FeatureScaffold {
        let package = try AppPackage(at: directory)
        return FeatureScaffold(
            feature: try ScaffoldName(name, for: .feature), isHeadless: isHeadless,
            placement: placement, arguments: try arguments.map(FeatureArgument.parse) ?? [],
            parent: try package.parent(named: parent), package: package)
    }
}
