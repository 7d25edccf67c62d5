// QuestionBook: the questions of a session, open and answered.
//
// Layer      feature. No clocks or fronts here.

import DeskContract
import NapkinCore

@Message
struct QuestionBook: Equatable {
    /// Open questions, and all that are remembered. Chosen: more than a person answers, and some
    /// months of them.
    static let openMax = 32
    static let questionsMax = 500
    /// Answered questions that fronts show. Chosen: some lines.
    private static let shownMax = 3
    private static let textBytesMax = 1024
    private static let choicesMax = 9

    private(set) var questions: [Question] = []

    private var open: [Question] { questions.filter { $0.answer == nil } }

    /// When the next one ends.
    var due: Double? { open.compactMap(\.until).min() }

    /// What fronts show: the open ones, then the newest others.
    var shown: [Question] {
        open + questions.filter { $0.answer != nil }.suffix(Self.shownMax).reversed()
    }

    func question(_ id: Int) throws(DeskError) -> Question {
        guard let question = questions.first(where: { $0.id == id }) else {
            throw .order("there is no question \(id): `desk questions` lists them")
        }
        return question
    }

    mutating func ask(_ question: Question, at now: Double) throws(DeskError) -> Question {
        let texts = [question.text] + question.choices
        guard texts.allSatisfy({ 1...Self.textBytesMax ~= $0.utf8.count }),
            1...Self.choicesMax ~= question.choices.count,
            Set(question.choices).count == question.choices.count
        else {
            throw .order(
                "a question has 1 to \(Self.textBytesMax) bytes, and 1 to \(Self.choicesMax) "
                    + "different choices")
        }
        if let fallback = question.fallback { try question.check(fallback) }
        guard open.count < Self.openMax else {
            throw .order("\(Self.openMax) questions are open: answer one first")
        }
        var asked = question
        asked.id = (questions.last?.id ?? 0) + 1
        (asked.asked, asked.answer) = (now, nil)
        asked.until = try question.within.map { (text) throws(DeskError) in
            now + (try Order.seconds(text))
        }
        // The oldest are forgotten, but none that is open.
        if questions.count >= Self.questionsMax,
            let old = questions.firstIndex(where: { $0.answer != nil })
        {
            questions.remove(at: old)
        }
        questions.append(asked)
        return asked
    }

    mutating func answer(
        _ id: Int, _ choice: String, by person: String, at now: Double
    ) throws(DeskError) {
        let question = try question(id)
        if question.answer != nil { throw .answered(question) }
        try question.check(choice)
        put(Question.Answer(choice: choice, by: person, at: now), to: id)
    }

    /// The time of some is over.
    mutating func pass(to now: Double) {
        for question in open {
            guard let until = question.until, until <= now else { continue }
            let answer = Question.Answer(choice: question.fallback, by: "nobody in time", at: now)
            put(answer, to: question.id)
        }
    }

    private mutating func put(_ answer: Question.Answer, to id: Int) {
        guard let index = questions.firstIndex(where: { $0.id == id }) else { return }
        questions[index].answer = answer
    }
}

extension Question {
    /// Throws if it cannot be answered so.
    fileprivate func check(_ choice: String) throws(DeskError) {
        guard choices.contains(choice) else {
            throw .order("'\(choice)' is not one of \(choices.joined(separator: ", "))")
        }
    }
}
