// TypedWordTests: negative numbers as arguments, and what a person should have typed.

import NapkinCoding
import Testing

@testable import NapkinClient

struct TypedWordTests {
    @Test func `a negative number is an argument of an event`() throws {
        let line = ["send", "s", "f", "m(_:_:_:)", "-1", "-2.5", "--create", "3"]
        let words = TypedWord.withNumbersAsArguments(line)
        let send = try #require(try MainCommand.parseAsRoot(words) as? Send)
        #expect(send.create)
        let fraction = try JSONToCBOR.transcode(Array("-2.5".utf8))
        #expect(try send.arguments() == [[0x20], fraction, [0x03]])
        let others = [["detach", "s", "-1"], ["send", "s", "f", "m()", "--json"]]
        for line in others { #expect(TypedWord.withNumbersAsArguments(line) == line) }
    }

    @Test(arguments: [
        ("Ribs", #"'"Ribs"'"#), ("it's", #"'"it'\''s"'"#), (#"a\b"#, #"'"a\\b"'"#),
        ("two words", #"'"two words"'"#), ("-x", #"'"-x"'"#), ("a\tb", #"'"a\tb"'"#),
    ])
    func `a text without quotes is answered with the line to type`(
        text: String, word: String
    ) throws {
        var send = try #require(
            try MainCommand.parseAsRoot(["send", "s", "a.b", "m(_:_:)"]) as? Send)
        send.json = ["2", text]
        let failure = #expect(throws: ClientFailure.self) { try send.arguments() }
        #expect(failure?.status == ExitTable.dataError)
        let message = try #require(failure?.message)
        #expect(message.hasSuffix("napkin-client send s a.b 'm(_:_:)' 2 \(word)"), "\(message)")
    }

    @Test(arguments: ["[1,", #"{"a"}"#, #""open"#])
    func `a broken array or object is not said to lack quotes`(text: String) throws {
        let line = ["send", "s", "a.b", "m(_:)", text]
        let send = try #require(try MainCommand.parseAsRoot(line) as? Send)
        let failure = #expect(throws: ClientFailure.self) { try send.arguments() }
        #expect(failure?.message.contains("quotes") == false)
    }
}
