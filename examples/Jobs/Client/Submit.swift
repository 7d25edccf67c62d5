// Submit: `jobs submit make -j2`.

import FoundationEssentials
import JobsContract
import NapkinClient
import NapkinFront

struct Submit: AppCommand {
    static let configuration = CommandConfiguration(
        abstract: "Submits a command and prints the number of its job.")

    @Option(help: "The queue; its jobs run one after another.")
    var queue = "main"

    @Option(help: "A job that must succeed first; may be repeated.")
    var after: [Int] = []

    @Flag(help: "Wait for the job's end and exit with its status.")
    var wait = false

    @OptionGroup var daemon: DaemonOptions

    @Argument(parsing: .captureForPassthrough, help: "A line for the shell, or words.")
    var command: [String]

    func perform() async throws {
        let front = try daemon.front(of: "jobs")
        let jobs = FeatureClient(Jobs.self, in: front.registry)
        let order = JobOrder(
            command: line, queue: queue, after: after,
            directory: FileManager.default.currentDirectoryPath)
        let status = try await front.visit { () -> Int32 in
            let id = try await jobs.listener.submit(order)
            print(id)
            guard wait else { return 0 }
            let job = try await jobs.listener.end(of: id)
            return job.state == .succeeded ? 0 : job.status ?? 1
        }
        if status != 0 { throw ExitCode(status) }
    }

    /// The command as the shell reads it.
    private var line: String {
        guard command.count > 1 else { return command.joined() }
        return command.map { word in
            let isPlain =
                !word.isEmpty
                && word.allSatisfy { $0.isLetter || $0.isNumber || "-_./=+:,@%".contains($0) }
            return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
        }.joined(separator: " ")
    }
}
