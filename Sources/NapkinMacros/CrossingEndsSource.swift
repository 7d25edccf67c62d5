// CrossingEndsSource: a crossing's sender, receiver and contract.
//
// Layer      compile time only.
// Isolation  value

import SwiftSyntax

extension Crossing {
    var senderSource: Source {
        let port = "any \(Qualified.core).\(side.portType)"
        var source = Source()
        source.line("/// Conforms to `\(name)` and sends every call.")
        source.block("@MainActor \(access)final class \(name)Sender: \(name.quoted)") {
            $0.line("private let _port: \(port)")
            $0.line()
            $0.block("\(access)init(to port: \(port))") { $0.line("self._port = port") }
            for method in methods {
                $0.line()
                addSend(method, to: &$0)
            }
        }
        return source
    }

    private func addSend(_ method: Method, to source: inout Source) {
        let parameters = method.parameters.map(\.declaration).joined(separator: ", ")
        let ending = method.isThrowing ? " async throws" : " async"
        let result = method.result.map { " -> \($0.trimmedDescription)" } ?? ""
        let head = "\(access)func \(method.base.quoted)(\(parameters))\(ending)\(result)"
        source.block(head) {
            let names = Set(method.parameters.map(\.name))
            let answer = "answer".avoiding(names)
            let call = "self._port.\(method.portFunction)(\(method.identifier))"
            $0.addEncoding(
                method.parameters.map(\.name.quoted),
                head: method.callPrefix(answer: answer) + call,
                writer: "writer".avoiding(names))
            if let result = method.result {
                $0.line("return try \(answer).decode(\(result.trimmedDescription).self)")
            }
        }
    }

    var receiverSource: Source {
        var source = Source()
        source.line("/// Decodes messages and calls a `\(name)`.")
        source.block(
            "@MainActor \(access)final class \(name)Receiver: \(Qualified.core).CrossingReceiver"
        ) {
            $0.line("private let target: any \(name.quoted)")
            $0.line()
            $0.block("\(access)init(for target: any \(name.quoted))") {
                $0.line("self.target = target")
            }
            $0.line()
            $0.line("\(access)func receive(")
            $0.indented {
                $0.line("_ method: \(Qualified.methodID),")
                $0.line("_ payload: Swift.UnsafeRawBufferPointer,")
                $0.line("_ call: \(Qualified.core).IncomingCall")
            }
            $0.block(")", addReception)
        }
        return source
    }

    private func addReception(to source: inout Source) {
        if methods.isEmpty {
            source.addUnimplemented(name, "there are none")
            return
        }
        source.line("let message: \(name)Message")
        source.attempt {
            $0.line("message = try \(name)Message(method: method, payload: payload)")
        } catch: {
            $0.addUnimplemented(name, "\\(error)")
            $0.line("return")
        }
        source.line("call.start { [target, message = consume message] call in")
        source.indented {
            $0.choose("message") {
                for method in methods {
                    $0.line("case \(method.pattern):")
                    $0.indented { addHandling(method, to: &$0) }
                }
            }
        }
        source.line("}")
    }

    private func addHandling(_ method: Method, to source: inout Source) {
        let call = "await target.\(method.base.quoted)(\(method.arguments(method.bindings)))"
        guard method.isThrowing else {
            source.line(call)
            source.line("call.succeed()")
            return
        }
        source.attempt {
            guard method.result != nil else {
                $0.line("try \(call)")
                $0.line("call.succeed()")
                return
            }
            $0.line("let result = try \(call)")
            $0.addEncoding(["result"], head: "call.succeed")
        } catch: {
            $0.line("call.fail(error)")
        }
    }

    var contractSource: Source {
        let port = "any \(Qualified.core).\(side.portType)"
        let target = "any \(name.quoted)"
        var source = Source()
        source.line("/// What `@Crossing` generated about `\(name)`.")
        source.block(
            "nonisolated \(access)enum \(name)Crossing: \(Qualified.core).\(side.contractType)"
        ) {
            $0.line("\(access)typealias Target = \(target)")
            $0.line()
            addDescription(to: &$0)
            $0.line()
            $0.line("@MainActor \(access)static func sender(")
            $0.indented { $0.line("to port: \(port)") }
            $0.block(") -> \(target)") { $0.line("\(name)Sender(to: port)") }
            $0.line()
            $0.line("@MainActor \(access)static func receiver(")
            $0.indented { $0.line("for target: \(target)") }
            $0.block(") -> any \(Qualified.core).CrossingReceiver") {
                $0.line("\(name)Receiver(for: target)")
            }
        }
        return source
    }
}

extension Method {
    /// The port's function that takes this method.
    var portFunction: String {
        delivery == .event ? (isThrowing || result != nil ? "call" : "post") : delivery.rawValue
    }

    /// What stands in front of a call of that function.
    func callPrefix(answer: String) -> String {
        if result != nil { return "let \(answer) = try await " }
        if isThrowing { return "_ = try await " }
        return delivery == .event ? "await " : ""
    }
}

extension Source {
    /// A call with a closure that writes `values`: `head { … }`.
    mutating func addEncoding(_ values: [String], head: String, writer: String = "writer") {
        guard !values.isEmpty else {
            block(head) { $0.line("_ in") }
            return
        }
        block(head) {
            $0.line("\(writer) throws(\(Qualified.error)) in")
            $0.addArguments(values, writer: writer)
        }
    }

    /// A call that fails. `text` may have interpolations.
    mutating func addFault(_ code: String, _ text: String) {
        line("call.fail(")
        indented {
            $0.line("\(Qualified.core).RemoteFault(")
            $0.indented { $0.line("\(code), \"\(text)\"))") }
        }
    }

    /// A call that fails because of its method's number, or of its arguments.
    mutating func addUnimplemented(_ name: String, _ reason: String) {
        line("let number = Swift.String(method.rawValue, radix: 16)")
        addFault(".unimplemented", "\(name), method 0x\\(number): \(reason)")
    }
}
