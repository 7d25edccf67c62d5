// NapkinSource: the source of an app's dependency on napkin.

import Glibc
import NapkinTransport

struct NapkinSource: Equatable {
    /// The line in `dependencies`.
    let line: String
    /// The package's name as a target's product refers to it.
    let identity: String

    /// Uses the value of `--napkin`, or else the development files installed with this program,
    /// or else the checkout that it was built in.
    init(named text: String?) throws(ClientFailure) {
        if let text { try self.init(text) } else { self = try Self.ofThisProgram() }
    }

    /// Parses the value of `--napkin`: a URL, for its newest `main`, or a checkout's directory.
    init(_ text: String) throws(ClientFailure) {
        if text.contains("://") || text.hasPrefix("git@") {
            self.init(url: text)
            return
        }
        guard let directory = FileText.real(text) else {
            throw .noInput(
                "--napkin \(text): \(String(cString: strerror(errno))); give the directory of a "
                    + "checkout of napkin, or its URL")
        }
        guard Self.isCheckout(directory) else {
            throw .noInput(
                "--napkin \(text): napkin is not there; give the directory of a checkout of it, "
                    + "which has Package.swift and Sources/Runtime/NapkinCore, or its URL")
        }
        self.init(checkout: directory)
    }

    private init(url: String) {
        let name = url.split { $0 == "/" || $0 == ":" }.last.map(String.init) ?? url
        identity = name.hasSuffix(".git") ? String(name.dropLast(4)) : name
        line = ".package(url: \(Self.quoted(url)), branch: \"main\")"
    }

    private init(checkout directory: String) {
        identity = "napkin"
        line = ".package(name: \"napkin\", path: \(Self.quoted(directory)))"
    }

    /// Returns the development files beside this program, or the checkout that it was built in.
    ///
    /// Throws if neither exists: the program was installed alone, or is an app's own client.
    private static func ofThisProgram() throws(ClientFailure) -> NapkinSource {
        var directory = OwnProgram.directory ?? ""
        if let installed = FileText.real("\(directory)/../share/napkin/package"),
            isCheckout(installed)
        {
            return NapkinSource(checkout: installed)
        }
        while !directory.isEmpty {
            if isCheckout(directory) { return NapkinSource(checkout: directory) }
            directory = directory.lastIndex(of: "/").map { String(directory[..<$0]) } ?? ""
        }
        throw .usage(
            "the app has nowhere to get napkin from, as this program is not in a checkout of it: "
                + "install its development files (napkin-dev, or make install-dev), or add "
                + "--napkin DIRECTORY or --napkin URL")
    }

    private static func isCheckout(_ directory: String) -> Bool {
        access("\(directory)/Package.swift", R_OK) == 0
            && access("\(directory)/Sources/Runtime/NapkinCore", X_OK) == 0
    }

    private static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
