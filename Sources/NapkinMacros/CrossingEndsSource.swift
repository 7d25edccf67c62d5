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
        // The actor is named: a class on it that conforms to a protocol without isolation has its
        // witnesses without isolation, and each use of the port would be a hop.
        source.block("@MainActor \(head)") {
            switch method.delivery {
            case .event: addEvent(method, to: &$0)
            case .ask: addAsk(method, to: &$0)
            default: addCall(method, head: "self._port.\(method.delivery)", to: &$0)
            }
        }
    }

    private func addCall(_ method: Method, head: String, to source: inout Source) {
        source.addEncoding(
            method.parameters.map(\.name.quoted), head: "\(head)(\(method.identifier))",
            writer: "writer".avoiding(method.localNames))
    }

    private func addAsk(_ method: Method, to source: inout Source) {
        let answer = "answer".avoiding(method.localNames)
        let receiving = method.result == nil ? "_" : "let \(answer)"
        addCall(method, head: "\(receiving) = try await self._port.ask", to: &source)
        if let result = method.result {
            source.line("return try \(answer).decode(\(result.trimmedDescription).self)")
        }
    }

    private func addEvent(_ method: Method, to source: inout Source) {
        let event = "event".avoiding(method.localNames)
        func add(to source: inout Source) {
            addCall(method, head: "let \(event) = try self._port.begin", to: &source)
            source.line("if \(event).isPending { await \(event).gate.pass() }")
            guard let result = method.result else {
                source.line("try \(event).end()")
                return
            }
            source.line("return try \(event).result(\(result.trimmedDescription).self)")
        }
        guard !method.isThrowing else { return add(to: &source) }
        source.attempt(throws: "\(Qualified.core).RemoteFault") {
            add(to: &$0)
        } catch: {
            $0.line("self._port.failed(\(method.identifier), error)")
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
        let isRead = methods.contains { !$0.parameters.isEmpty }
        source.attempt(throws: Qualified.error) {
            $0.line("\(isRead ? "var" : "let") reader = \(Qualified.reader)(payload)")
            $0.choose("method.rawValue") {
                for method in methods {
                    $0.line("case \(method.number.literal):")
                    $0.indented { addReception(of: method, to: &$0) }
                }
                $0.line("default:")
                $0.indented { $0.addUnknownMethod(of: name) }
            }
        } catch: {
            $0.addUnimplemented(name, "\\(error)")
        }
    }

    /// The arguments are decoded into locals, which the handler keeps: an enum between them would
    /// be copied, with a retain for each of its references.
    private func addReception(of method: Method, to source: inout Source) {
        source.addArgumentReads(method)
        source.line("try reader.expectEnd()")
        source.line("call.start { [target] call in")
        source.indented { addHandling(method, to: &$0) }
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
    /// What a local of the generated function must not be called.
    fileprivate var localNames: Set<String> { Set(parameters.map(\.name)) }
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
