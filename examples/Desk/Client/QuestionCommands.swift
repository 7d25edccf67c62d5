// QuestionCommands: `desk ask 'Deploy?' && ./deploy`, and who has answered.

import DeskContract
import FoundationEssentials
import NapkinClient

struct Ask: AppCommand {
    /// Nobody has answered in time: "try again", as sysexits.h has it.
    private static let unanswered: Int32 = 75

    static let configuration = CommandConfiguration(
        abstract: "Asks on every screen, and prints the answer; the first one counts.",
        discussion: """
            The status is 0 for the first choice, 1 for the second and so on, and 75 if nobody has \
            answered in time and there is no default. A question survives the daemon.

              desk ask 'Deploy to production?' && ./deploy
              desk ask 'Which?' --choices blue,green,none --within 10m --default none
            """)

    @Option(help: ArgumentHelp("The answers to choose from.", valueName: "a,b"))
    var choices = "yes,no"

    @Option(help: ArgumentHelp("How long it waits: 90s, 10m, 2h.", valueName: "span"))
    var within: String?

    @Option(name: .customLong("default"), help: "The answer if nobody gives one in time.")
    var fallback: String?

    @OptionGroup var daemon: DaemonOptions

    @Argument(help: "The question.")
    var question: String

    func perform() async throws {
        let names = choices.split(separator: ",").map(String.init)
        let run = ProcessInfo.processInfo.environment["DESK_RUN"].flatMap { Int($0) }
        let asked = Question(
            text: question, choices: names, fallback: fallback, within: within, run: run)
        let id = try await daemon.desk { try await $0.ask(asked) }
        let answer = try await daemon.desk(waits: true) { try await $0.answered(id) }
            .answer?.choice
        guard let answer else { throw ExitCode(Self.unanswered) }
        say(answer)
        let status = Int32(names.firstIndex(of: answer) ?? 0)
        if status != 0 { throw ExitCode(status) }
    }
}

struct Answer: AppCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answers a question, by its number.")

    @OptionGroup var daemon: DaemonOptions

    @Argument(help: "The question, as `desk questions` lists it.")
    var question: Int

    @Argument(help: "One of its choices.")
    var choice: String

    func perform() async throws {
        try await daemon.desk { [question, choice] in try await $0.answer(question, choice) }
    }
}

struct Questions: AppCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the questions, and who has answered what, and when.")

    @OptionGroup var daemon: DaemonOptions

    func perform() async throws {
        for question in try await daemon.desk({ try await $0.questions() }) {
            let run = question.run.map { "run \($0): " } ?? ""
            guard let answer = question.answer else {
                say("\(question.id)  open  \(run)\(question.text)")
                continue
            }
            let time = Date(timeIntervalSince1970: answer.at).formatted(.iso8601)
            let choice = answer.choice ?? "no answer"
            say("\(question.id)  \(choice)  \(run)\(question.text)  (\(answer.by), \(time))")
        }
    }
}
