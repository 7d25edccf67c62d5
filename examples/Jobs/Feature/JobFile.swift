// JobFile: the text of a `.job` file.
//
// Layer      feature.
// Isolation  value.

import JobsContract

extension JobOrder {
    /// Reads lines `queue=night`, `after=3,4` and `in=/srv/www`, in any order; the first other line
    /// begins the command, which goes to the end.
    init(jobFile text: String) throws(JobError) {
        var rest = text[...]
        self.init(command: "")
        while let line = rest.prefixMatch(of: /(queue|after|in)=(.*)\n/) {
            switch line.1 {
            case "queue": queue = String(line.2)
            case "in": directory = String(line.2)
            default:
                for word in line.2.split(whereSeparator: { $0 == "," || $0 == " " }) {
                    guard let id = Int(word) else {
                        throw .order("after= takes numbers of jobs, such as 3,4")
                    }
                    after.append(id)
                }
            }
            rest = rest[line.range.upperBound...]
        }
        command = String(rest)
    }
}
