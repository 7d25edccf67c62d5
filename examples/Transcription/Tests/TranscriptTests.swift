// TranscriptTests: lines and what they make of the words so far.

import Testing

@testable import TranscriptionFeature

/// Both kinds of words, as a take has them.
private struct Words: Equatable {
    var transcript = Transcript()
    var tentative = Tentative()

    mutating func take(_ line: TranscriptLine, now: Duration) throws(TranscriptLine.Malformed) {
        try tentative.take(line, now: now)
        if line.isStable { transcript.append(line.words, at: tentative.time) }
    }

    var stableText: String { transcript.stableText }
    var tentativeText: String { tentative.words }
    var time: Duration { tentative.time }
}

@Suite struct TranscriptTests {
    private func line(
        _ milliseconds: Int?, _ isStable: Bool, _ words: String
    ) -> TranscriptLine {
        TranscriptLine(
            time: milliseconds.map { .milliseconds($0) }, isStable: isStable, words: words)
    }

    // MARK: - Lines

    @Test func `a line has a time, a mark and words`() throws {
        #expect(try TranscriptLine.parse("0.42 ~ low and") == line(420, false, "low and"))
        #expect(
            try TranscriptLine.parse("12 = low  and slow ") == line(12_000, true, "low and slow"))
        #expect(try TranscriptLine.parse("0 ~") == line(0, false, ""))
        #expect(try TranscriptLine.parse("= said now") == line(nil, true, "said now"))
        #expect(try TranscriptLine.parse("0.0004 = a ~ b") == line(0, true, "a ~ b"))
    }

    @Test(arguments: ["", "   ", "# a comment", "  #"])
    func `comments and empty lines are nothing`(text: String) throws {
        #expect(try TranscriptLine.parse(text) == nil)
    }

    @Test(arguments: [
        ("hello", "seconds"), ("-1 = no", "seconds"), ("nan = no", "seconds"),
        ("1e9 = no", "seconds"), ("0.5", "~ or ="), ("0.5 words", "~ or ="),
        ("0.5 =", "no words after its ="), ("=", "no words after its ="),
        ("= " + String(repeating: "x", count: 4095), "more than 4096 bytes"),
    ])
    func `a malformed line says what is wrong with it`(text: String, words: String) throws {
        let error = try #require(throws: TranscriptLine.Malformed.self) {
            try TranscriptLine.parse(text)
        }
        #expect(error.description.contains(words), "\(error)")
    }

    @Test func `a line of just the greatest length is one`() throws {
        let words = String(repeating: "x", count: TranscriptLine.bytesMax - 2)
        #expect(try TranscriptLine.parse("= \(words)") == line(nil, true, words))
    }

    // MARK: - Words

    @Test func `tentative words are replaced, stable ones stay`() throws {
        var transcript = Words()
        try transcript.take(line(100, false, "low"), now: .zero)
        #expect(transcript.tentativeText == "low")
        try transcript.take(line(200, false, "low and"), now: .zero)
        #expect(transcript.tentativeText == "low and")
        #expect(transcript.stableText == "")
        try transcript.take(line(300, true, "Low and slow,"), now: .zero)
        try transcript.take(line(300, true, "always."), now: .zero)
        #expect(transcript.stableText == "Low and slow, always.")
        #expect(transcript.tentativeText == "")
    }

    @Test func `each change of the stable text is another position, and tentative words are none`()
        throws
    {
        var words = Words()
        words.transcript.clear()
        var positions = [words.transcript.position]
        try words.take(line(100, false, "low"), now: .zero)
        #expect(words.transcript.position == positions[0])
        try words.take(line(200, true, "Low."), now: .zero)
        positions.append(words.transcript.position)
        words.transcript.end()
        positions.append(words.transcript.position)
        words.transcript.clear()
        positions.append(words.transcript.position)
        #expect(positions == [1, 2, 3, 4])
        #expect(words.stableText == "" && words.transcript.time == .zero)
    }

    @Test func `time does not go back, and what tries to changes nothing`() throws {
        var transcript = Words()
        try transcript.take(line(1500, true, "one"), now: .zero)
        let before = transcript
        let error = try #require(throws: TranscriptLine.Malformed.self) {
            try transcript.take(line(1499, true, "two"), now: .zero)
        }
        #expect(error.description == "its time is before 1.50 s, that of an earlier line")
        #expect(transcript == before)
        try transcript.take(line(1500, true, "two"), now: .zero)
        // A line that is said now, by a clock that is behind.
        try transcript.take(line(nil, true, "three"), now: .milliseconds(900))
        #expect(transcript.time == .milliseconds(1500))
        try transcript.take(line(nil, true, "four"), now: .milliseconds(1600))
        #expect(transcript.time == .milliseconds(1600))
        #expect(transcript.stableText == "one two three four")
    }

    @Test func `a long take keeps its end, whole words of it, and never goes back`() throws {
        var transcript = Words()
        var newest = 0
        for number in 1...5000 {
            try transcript.take(line(nil, true, "wört\(number)"), now: .zero)
            let text = transcript.stableText
            #expect(text.utf8.count <= Transcript.stableBytesMax)
            let words = text.split(separator: " ").compactMap { Int($0.dropFirst(4)) }
            let last = try #require(words.last)
            #expect(last == newest + 1)
            // Whole words, without a gap.
            if number.isMultiple(of: 500) {
                let first = try #require(words.first)
                #expect(words == Array(first...last))
            }
            newest = last
        }
        #expect(transcript.stableText.utf8.count > Transcript.stableBytesMax - 20)
    }

    @Test func `one endless word cannot be cut between words, and is let go`() throws {
        var transcript = Words()
        let word = String(repeating: "x", count: Transcript.stableBytesMax + 1)
        try transcript.take(line(nil, true, word), now: .zero)
        #expect(transcript.stableText == "")
        try transcript.take(line(nil, true, "next"), now: .zero)
        #expect(transcript.stableText == "next")
    }

    @Test(arguments: [
        (0, "0.00 s"), (9, "0.00 s"), (10, "0.01 s"), (1999, "1.99 s"), (61_050, "61.05 s"),
    ])
    func `a time is hundredths of a second, rounded down`(milliseconds: Int, text: String) {
        #expect(Transcript.seconds(.milliseconds(milliseconds)) == text)
    }
}
