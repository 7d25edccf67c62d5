// CompositionEdit: the composition roots of an app with a new feature's lines.
//
// Isolation  value; reading and writing block.

/// The changes of the files, decided before the first of them is written.
struct CompositionEdit {
    private let directory: String
    private var texts: [(file: String, text: String)] = []
    private var made: [Insertion] = []
    /// The insertions that are left to a person.
    private var left: [Insertion] = []

    init(_ insertions: [Insertion], in directory: String) throws(ClientFailure) {
        self.directory = directory
        for insertion in insertions {
            let index = texts.firstIndex { $0.file == insertion.file }
            let before =
                if let index { texts[index].text } else {
                    try FileText.read("\(directory)/\(insertion.file)") ?? ""
                }
            guard let after = insertion.applied(to: before) else {
                left.append(insertion)
                continue
            }
            made.append(insertion)
            if let index {
                texts[index].text = after
            } else {
                texts.append((insertion.file, after))
            }
        }
    }

    /// Replaces each file as a whole.
    func write() throws(ClientFailure) {
        for (file, text) in texts { try FileText.write(text, to: "\(directory)/\(file)") }
    }

    /// Says what was changed, and what is left to do.
    var report: [String] {
        let changes = made.flatMap { insertion in
            ["changed  \(insertion.file)"] + insertion.shown
        }
        guard !left.isEmpty else { return changes }
        return changes + ["", "Add these lines yourself, as these files have changed too much:"]
            + left.flatMap { insertion in
                ["  \(insertion.file), \(insertion.place):"] + insertion.shown
            }
    }
}

extension Insertion {
    /// The lines that go and those that come, as a diff has them.
    fileprivate var shown: [String] {
        var gone: [String] = []
        if case .replacing(let lines) = anchor { gone = lines }
        return gone.map { "       - \($0)" } + lines.map { "       + \($0)" }
    }
}
