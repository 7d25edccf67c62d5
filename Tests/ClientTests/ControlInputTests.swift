// ControlInputTests: lines in become commands; what is no command says why.

import Testing

@testable import NapkinClient

@Suite struct ControlInputTests {
    private func input(_ line: String) throws(ControlMistake) -> ControlInput {
        try ControlInput(line: Array(line.utf8))
    }

    @Test func `an event names a feature, or a node`() throws {
        let line = #"{"t":"event","id":1,"feature":"a.b","method":"didTapBack()","args":[]}"#
        #expect(
            try input(line)
                == .event(
                    ControlEvent(
                        id: Array("1".utf8), target: .feature("a.b"), method: "didTapBack()",
                        arguments: [])))
        #expect(
            try input(#" {"method":"f()","node":3,"t":"event","id":"x"} "#)
                == .event(
                    ControlEvent(
                        id: Array(#""x""#.utf8), target: .node(3), method: "f()", arguments: [])))
    }

    @Test func `arguments are taken apart, each as one item`() throws {
        let line = #"{"t":"event","id":1,"node":3,"method":"f","args":[1,"a",[2,3],null]}"#
        guard case .event(let event) = try input(line) else {
            Issue.record("not an event")
            return
        }
        #expect(event.arguments == [[0x01], [0x61, 0x61], [0x82, 0x02, 0x03], [0xF6]])
    }

    @Test func `answers and detach`() throws {
        #expect(
            try input(#"{"t":"answer","id":7,"value":true}"#) == .answer(id: 7, value: [0xF5]))
        #expect(try input(#"{"t":"answer","id":7}"#) == .answer(id: 7, value: []))
        #expect(try input(#"{"t":"detach","more":1}"#) == .detach)
    }

    @Test(arguments: [
        ("", "null", "JSON"), ("[]", "null", "wanted an object"), ("{", "null", "JSON"),
        ("\u{1}", "null", "JSON"),
        (#"{"id":4}"#, "4", "t is missing"), (#"{"t":"dance","id":4}"#, "4", "t is dance"),
        (#"{"t":7,"id":4}"#, "4", "t is not a string"),
        (#"{"t":"event","id":4,"feature":"a"}"#, "4", "method is missing"),
        (#"{"t":"event","id":"k","method":"f()"}"#, #""k""#, "names its feature or its node"),
        (#"{"t":"event","id":4,"node":-1,"method":"f()"}"#, "4", "node is out of range"),
        (#"{"t":"event","id":4,"node":3,"method":"f()","args":{}}"#, "4", "args is not an array"),
        (#"{"t":"answer","value":1}"#, "null", "id is missing"),
        (#"{"t":"answer","id":-1}"#, "-1", "id is negative"),
    ])
    func `a line that is no command says why, with its id if it has one`(
        line: String, id: String, reason: String
    ) {
        do {
            _ = try input(line)
            Issue.record("understood: \(line)")
        } catch {
            #expect(String(decoding: error.id, as: UTF8.self) == id)
            #expect(error.message.contains(reason), "\(error.message)")
            #expect(error.isAnswer == line.contains("answer"))
        }
    }

    @Test func `lines are the same, however the input is split`() {
        let input = Array("{\"a\":1}\r\n\n  \n{\"b\":\"é\"}\nlast".utf8)
        let whole: [InputLines.Line] = [
            .text(Array("{\"a\":1}\r".utf8)), .text(Array("{\"b\":\"é\"}".utf8)),
        ]
        for split in 0...input.count {
            var lines = InputLines()
            let read = lines.append(input[..<split]) + lines.append(input[split...])
            #expect(read == whole)
            #expect(lines.finish() == .text(Array("last".utf8)))
            #expect(lines.finish() == nil)
        }
    }

    @Test(arguments: [-1, 0, 1])
    func `a line has a limit, and the next one is read again`(beyond: Int) {
        let count = InputLines.bytesMax + beyond
        var lines = InputLines()
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: count)
        #expect(lines.append(long).isEmpty)
        let read = lines.append(Array("\nok\n".utf8))
        let kept = InputLines.Line.beginning(long.dropLast(max(0, beyond)))
        #expect(read == [beyond > 0 ? kept : .text(long), .text(Array("ok".utf8))])
    }

    @Test(arguments: [
        (#"{"t":"event","id":4,"method":""#, "4", false),
        (#"{"id":{"a":[1]},"x":""#, #"{"a":[1]}"#, false),
        (#"{"t":"answer","id":7,"value":""#, "7", true), (#"{"args":""#, "null", false),
        ("xxx", "null", false), (#"{"id":4"#, "null", false),
    ])
    func `a line that is too long is refused with its id, where that is whole`(
        beginning: String, id: String, isAnswer: Bool
    ) {
        do throws(ControlMistake) {
            _ = try ControlInput(.beginning(Array(beginning.utf8)))
            Issue.record("understood: \(beginning)")
        } catch {
            #expect(String(decoding: error.id, as: UTF8.self) == id)
            #expect(error.isAnswer == isAnswer)
            #expect(error.message == "a line has more than 1048576 bytes")
        }
    }
}
