// JobFile: the text of a `.job` file.
//
// Layer      feature.
// Isolation  value.

import JobsContract

extension JobOrder {
    /// Reads lines `queue=night`, `after=3,4` and `in=/srv/www`, in any order; the first other line
    /// begins the command, which goes to the end.
    init(jobFile text: String) {
        var rest = text[...]
        self.init(command: "")
        while let line = rest.prefixMatch(of: /(queue|after|in)=(.*)\n/) {
            switch line.1 {
            case "queue": queue = String(line.2)
            case "in": directory = String(line.2)
            default:
                after = line.2.split(separator: ",").map { Int($0.filter { $0 != " " }) ?? 0 }
            }
            rest = rest[line.range.upperBound...]
        }
        command = String(rest)
    }
}
