// ControlLineTests: what happens in a session becomes JSON, one object a line.

import NapkinCore
import NapkinTransport
import Testing

@testable import NapkinClient

@Suite struct ControlLineTests {
    private func text(_ line: ControlLine) -> String {
        String(decoding: line.printable.bytes, as: UTF8.self)
    }

    @Test func `members come in the order in which they were added`() {
        let line = ControlLine("state").adding("node", UInt32(3))
            .adding("feature", "rib-house.pit-board").adding("key", "present(sections:)")
            .adding("value", Payload([0x82, 0x01, 0xF6]))
        let expected =
            #"{"t":"state","node":3,"feature":"rib-house.pit-board","#
            + #""key":"present(sections:)","value":[1,null]}"# + "\n"
        #expect(text(line) == expected)
    }

    @Test func `no value is null, and an unreadable one says so`() {
        let none = text(ControlLine("x").adding("value", Payload()))
        #expect(none == #"{"t":"x","value":null}"# + "\n")
        let bad = text(ControlLine("x").adding("value", Payload([0xFF])))
        #expect(bad.hasPrefix(#"{"t":"x","value":null,"unreadable":"CBOR "#))
    }

    @Test func `a line has no line break inside`() {
        let line = text(ControlLine("disconnected").adding("reason", "a\nb\"c"))
        #expect(line == #"{"t":"disconnected","reason":"a\nb\"c"}"# + "\n")
    }

    @Test func `what a script has written into its id comes back without its controls`() {
        let line = text(.reply(Array("[1,\r\t\"\u{202E}\u{9B}\"]".utf8), Payload()))
        #expect(line == #"{"t":"reply","id":[1,  "\u202e\u009b"],"ok":true,"value":null}"# + "\n")
    }

    @Test func `a reply has the value of an error that the method names`() throws {
        let error = Payload([0xA1, 0x67] + Array("soldOut".utf8) + [0xA0])
        let fault = RemoteFault(.failed, "sold out", error: error)
        #expect(
            text(.reply(Array("1".utf8), fault))
                == #"{"t":"reply","id":1,"ok":false,"error":"#
                + #"{"code":"failed","message":"sold out","value":{"soldOut":{}}}}"# + "\n")
    }

    @Test func `a reply to an event that was set aside has the receipt's number`() {
        let fault = RemoteFault(.quarantined, "Receipt 12", receipt: 12)
        #expect(
            text(.reply(Array("1".utf8), fault))
                == #"{"t":"reply","id":1,"ok":false,"error":"#
                + #"{"code":"quarantined","message":"Receipt 12","receipt":12}}"# + "\n")
    }

    @Test func `replies carry the id as it was written`() {
        #expect(
            text(.reply(Array("1".utf8), Payload()))
                == #"{"t":"reply","id":1,"ok":true,"value":null}"# + "\n")
        #expect(
            text(.reply(Array(#""a""#.utf8), code: "gone", "there is no node 3"))
                == #"{"t":"reply","id":"a","ok":false,"error":"#
                + #"{"code":"gone","message":"there is no node 3"}}"# + "\n")
        #expect(
            text(.refused(answerTo: Array("7".utf8), code: "gone", "over"))
                == #"{"t":"refused","id":7,"error":{"code":"gone","message":"over"}}"# + "\n")
    }
}
