// ToolDescription: a program's command line, as `--experimental-dump-help` describes it.

import NapkinCoding

/// A program's description by swift-argument-parser, with only the fields that a manual needs.
struct ToolDescription: Decodable, Equatable {
    /// The program itself, or one of its commands.
    struct Command: Decodable, Equatable {
        var commandName: String
        var abstract: String?
        var discussion: String?
        var shouldDisplay: Bool?
        var subcommands: [Command]?
        var arguments: [Argument]?
    }

    /// An argument, an option or a flag.
    struct Argument: Decodable, Equatable {
        /// Which of the three it is.
        enum Kind: String, Decodable {
            case positional
            case option
            case flag
        }

        /// One spelling of an option.
        struct Name: Decodable, Equatable {
            /// `long`, `short` or `longWithSingleDash`.
            var kind: String
            var name: String

            var text: String { (kind == "long" ? "--" : "-") + name }
        }

        var kind: Kind
        var names: [Name]?
        var valueName: String?
        var abstract: String?
        var discussion: String?
        var defaultValue: String?
        var isOptional: Bool
        var isRepeating: Bool
        var shouldDisplay: Bool
    }

    var command: Command

    /// Reads the JSON text of a dump.
    init(parsing text: [UInt8]) throws(ClientFailure) {
        do {
            let item = try JSONToCBOR.transcode(text)
            self = try item.withUnsafeBytes { bytes in
                var reader = CBORReader(bytes)
                return try reader.read(ToolDescription.self)
            }
        } catch {
            throw ClientFailure(
                ExitTable.dataError,
                "standard input is not a program's description: \(error); pipe what the program "
                    + "prints with --experimental-dump-help")
        }
    }
}
