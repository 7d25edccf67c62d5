// FeatureArguments: a new feature's arguments, as given on the command line.

import NapkinCore

/// One argument, such as `id:Int`.
struct FeatureArgument: Equatable {
    /// The most arguments of a feature. Chosen: beyond it, a separate type reads better.
    static let countMax = 16

    let name: String
    let type: String
    /// A value for the generated test.
    let sample: String

    /// Parses `id:Int,title:String`.
    static func parse(_ text: String) throws(ClientFailure) -> [FeatureArgument] {
        var all: [FeatureArgument] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let argument = try FeatureArgument(part.trimmed)
            guard !all.contains(where: { $0.name == argument.name }) else {
                throw refused(part.trimmed, "'\(argument.name)' is given twice")
            }
            all.append(argument)
        }
        guard all.count <= countMax else {
            throw refused(text, "a feature has at most \(countMax)")
        }
        return all
    }

    private init(_ text: String) throws(ClientFailure) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw Self.refused(text, "a type is missing") }
        name = parts[0].trimmed
        type = parts[1].trimmed
        guard let first = name.first, first.isLowercase,
            name.unicodeScalars.allSatisfy({
                $0.isASCII && ($0.properties.isAlphabetic || $0.isDigit)
            })
        else {
            throw Self.refused(
                text, "a name begins with a lowercase letter and has letters and digits only")
        }
        let taken = ScaffoldName.keywords.contains(name) || Self.members.contains(name)
        guard !taken else { throw Self.refused(text, "the name '\(name)' already has a meaning") }
        guard let sample = Self.sample(of: type) else {
            throw Self.refused(
                text,
                "the generated test needs a value of '\(type)': use Int, Double, Bool, String, an "
                    + "optional or an array of these, and change it afterwards")
        }
        self.sample = sample
    }

    /// Names of an interactor's other members.
    private static let members: Set = [
        "lifecycle", "listener", "presenter", "router", "scope", "state", "task", "view",
    ]

    private static let scalars = [
        "Bool": "true", "Double": "1.5", "Float": "1.5", "Int": "1", "Int32": "1", "Int64": "1",
        "UInt": "1", "UInt32": "1", "UInt64": "1", "String": "\"a\"",
    ]

    private static func sample(of type: String) -> String? {
        if let known = scalars[type] { return known }
        if type.hasSuffix("?") { return scalars[String(type.dropLast())] }
        guard type.hasPrefix("["), type.hasSuffix("]") else { return nil }
        return scalars[String(type.dropFirst().dropLast())].map { "[\($0)]" }
    }

    private static func refused(_ text: String, _ problem: String) -> ClientFailure {
        ClientFailure.usage(
            "'\(text)' cannot be an argument: \(problem); write --arguments id:Int,name:String")
    }
}

extension [FeatureArgument] {
    /// The parameters of a function: `id: Int, name: String`.
    var parameters: [String] { map { "\($0.name): \($0.type)" } }
    /// The arguments of a call, from variables of the same names: `id: id, name: name`.
    var passed: [String] { map { "\($0.name): \($0.name)" } }
    /// The arguments of a call in a test.
    var sampled: [String] { map { "\($0.name): \($0.sample)" } }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}
