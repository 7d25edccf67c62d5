// MarkedFiles: lines to insert into existing files, each before a marker.
//
// Invariant  lines of a missing or repeated marker are left to a person.

/// The app's Swift files, which a person may have changed, with the inserted lines. A marker is a
/// comment on a separate line, such as `// napkin: features`, and may be moved with the code around
/// it.
struct MarkedFiles {
    /// Lines without their marker's indentation, and where they belong, for a person.
    private typealias Insertion = (marker: String, place: String, lines: [String])

    private struct File {
        let path: String
        let old: String
        var new: String
        var added: [String] = []
    }

    private var files: [File]
    private var left: [Insertion] = []
    /// Whether every line has been inserted.
    var isComplete: Bool { left.isEmpty }

    init(_ files: [(path: String, text: String)]) {
        self.files = files.map { File(path: $0.path, old: $0.text, new: $0.text) }
    }

    /// Returns whether the file with that marker has a line that contains the text.
    func hasLine(_ text: String, beside marker: String) -> Bool {
        place(of: marker).map { files[$0.file].new.contains(text) } ?? false
    }

    /// - Parameters:
    ///   - marker: the text after `// napkin: `.
    ///   - place: a description of the place, for a person.
    ///   - new: the lines without the marker's indentation.
    mutating func insert(_ marker: String, _ place: String, _ new: [String]) {
        let insertion = (marker, place, new)
        guard let (file, line) = self.place(of: marker) else { return left.append(insertion) }
        var rows = Self.rows(files[file].new)
        let indentation = rows[line].prefix { $0 == " " }
        if line > 0, new.last?.hasSuffix(",") == true,
            let last = rows[line - 1].last, !",[".contains(last)
        {
            // The preceding list element needs a comma, which would vanish inside a comment.
            guard !rows[line - 1].contains("//") else { return left.append(insertion) }
            rows[line - 1] += ","
        }
        let lines = new.map { $0.isEmpty ? "" : indentation + $0 }
        rows.insert(contentsOf: lines.map { $0[...] }, at: line)
        files[file].new = rows.joined(separator: "\n")
        files[file].added += lines
    }

    /// Adds the changes to the files to create, so that both happen together or not at all.
    func change(_ files: inout NewFiles) {
        for file in self.files where file.new != file.old {
            files.change(file.path, from: file.old, to: file.new)
        }
    }

    /// A report of the changes and of the lines left to a person.
    var report: [String] {
        let changes = files.filter { !$0.added.isEmpty }.flatMap { file in
            ["changed  \(file.path)"] + file.added.map { "       + \($0)" }
        }
        guard !left.isEmpty else { return changes }
        return changes
            + ["", "Add these lines yourself: their markers are missing, or occur more than once."]
            + left.flatMap { insertion in
                ["  \(insertion.place), where `// napkin: \(insertion.marker)` would be:"]
                    + insertion.lines.map { "       + \($0)" }
            }
    }

    private func place(of marker: String) -> (file: Int, line: Int)? {
        let text = "// napkin: \(marker)"
        var found: (file: Int, line: Int)?
        for (file, content) in files.enumerated() where content.new.contains(text) {
            for (line, row) in Self.rows(content.new).enumerated()
            where row.drop(while: { $0 == " " }) == text {
                guard found == nil else { return nil }
                found = (file, line)
            }
        }
        return found
    }

    private static func rows(_ text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }
}
