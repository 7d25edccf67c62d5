// PackageSettings: Package.swift's own settings, as the compiler's arguments.

import Foundation

enum PackageSettings {
    /// The arguments of a target that is built with `settings`. Throws for a setting that this does
    /// not know, so that a new one is not forgotten here.
    static func arguments(_ settings: Snippet.Settings) throws -> [String] {
        let file = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../Package.swift").standardizedFileURL
        let text = try String(contentsOf: file, encoding: .utf8)
        let strict = try list("let strict: [SwiftSetting] = [", in: text)
        switch settings {
        case .strict: return strict
        case .front: return strict + (try list("let front = strict + [", in: text))
        }
    }

    /// The arguments for the settings between `opening` and the bracket that ends it.
    private static func list(_ opening: String, in text: String) throws -> [String] {
        guard let start = text.range(of: opening),
            let end = text[start.upperBound...].firstIndex(of: "]")
        else { throw Failure("Package.swift has no `\(opening)`") }
        let settings = text[start.upperBound..<end].split(separator: "\n")
            .flatMap { $0.components(separatedBy: ", .").map { $0.trimming(".,") } }
            .filter { !$0.isEmpty }
        return try settings.flatMap(arguments(for:))
    }

    static func arguments(for setting: String) throws -> [String] {
        if let feature = setting.wholeMatch(of: /enableUpcomingFeature\("(\w+)"\)/) {
            return ["-enable-upcoming-feature", String(feature.output.1)]
        }
        if let mode = setting.wholeMatch(of: /swiftLanguageMode\(\.v(\d+)\)/) {
            return ["-swift-version", String(mode.output.1)]
        }
        switch setting {
        case "treatAllWarnings(as: .error)": return ["-warnings-as-errors"]
        case "defaultIsolation(MainActor.self)": return ["-default-isolation", "MainActor"]
        default:
            throw Failure("Package.swift has a setting that PackageSettings lacks: \(setting)")
        }
    }
}

extension String {
    fileprivate func trimming(_ characters: String) -> String {
        trimmingCharacters(in: CharacterSet(charactersIn: characters).union(.whitespaces))
    }
}
