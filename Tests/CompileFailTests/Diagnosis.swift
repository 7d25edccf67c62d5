// Diagnosis: what the compiler said about one snippet, held against what was expected.

/// The remarks of one run of the compiler.
struct Diagnosis {
    let status: Int32
    let output: String
    let remarks: [Remark]

    /// Reads the compiler's output in its one-line style.
    ///
    /// An error within a macro's expansion is told with a line of the expansion, and a note that
    /// says where the macro stands in the snippet: that is its line here.
    init(status: Int32, output: String, of path: String) {
        self.status = status
        self.output = output
        let pattern =
            /^(?<file>.+?):(?<line>\d+):\d+: (?<severity>error|warning|note): (?<text>.*)$/
        var remarks: [Remark] = []
        var waits = false
        for line in output.split(separator: "\n") {
            guard let found = line.firstMatch(of: pattern) else {
                if let bare = line.firstMatch(of: /^(<unknown>:0: )?(error|warning): (.*)$/) {
                    let (_, _, severity, text) = bare.output
                    remarks.append(
                        Remark(severity: String(severity), line: 0, message: String(text)))
                }
                continue
            }
            let (severity, text) = (String(found.output.severity), String(found.output.text))
            let number = found.output.file == path ? Int(found.output.line) ?? 0 : 0
            if severity == "note", text.hasPrefix("in expansion of macro") {
                if waits, number > 0 {
                    remarks[remarks.count - 1].line = number
                    waits = false
                }
            } else if severity != "note" || number > 0 {
                remarks.append(Remark(severity: severity, line: number, message: text))
                waits = number == 0
            }
        }
        self.remarks = remarks
    }

    /// What is wrong with it: an expected remark that is missing, an error or a warning that is not
    /// expected. Notes that nobody expects are fine.
    func complaints(expecting expected: [Remark]) -> [String] {
        var rest = remarks
        var complaints: [String] = []
        for expectation in expected {
            if let index = rest.firstIndex(where: { $0.fulfils(expectation) }) {
                rest.remove(at: index)
            } else {
                complaints.append("missing: \(expectation)")
            }
        }
        complaints += rest.filter { $0.severity != "note" }.sorted().map { "unexpected: \($0)" }
        let fails = expected.contains { $0.severity == "error" }
        if fails != (status != 0) { complaints.append("the compiler's status is \(status)") }
        return complaints
    }
}
