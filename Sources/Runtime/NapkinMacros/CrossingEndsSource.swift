// CrossingEndsSource: a crossing's sender, receiver and contract.

import SwiftSyntax

extension Crossing {
    var senderSource: Source {
        let port = "any \(Qualified.core).\(side.portType)"
        var source = Source()
        source.line("/// Conforms to `\(name)` and sends every call.")
        let follower = hasLog ? ", \(Qualified.core).LogFollower" : ""
        source.block("@MainActor \(access)final class \(name)Sender: \(name.quoted)\(follower)") {
            if side == .listener { addRequirement(to: &$0) }
            $0.line("private let _port: \(port)")
            $0.line()
            $0.block("\(access)init(to port: \(port))") {
                $0.line("self._port = port")
            }
            for method in methods {
                $0.line()
                addSend(method, to: &$0)
            }
            guard hasLog else { return }
            $0.line()
            $0.block("@MainActor \(access)func skipped(_ gap: \(Qualified.core).LogGap)") {
                $0.line("self._port.skipped(gap)")
            }
            $0.line()
            $0.block("@MainActor \(access)func beginsAnew(_ log: \(Qualified.coding).MethodID)") {
                $0.line("self._port.beginsAnew(log)")
            }
        }
        return source
    }

    private var hasLog: Bool { methods.contains { $0.delivery == .log } }

    private func addSend(_ method: Method, to source: inout Source) {
        let parameters = method.parameters.map(\.declaration).joined(separator: ", ")
        let error = method.error.map { "(\($0.trimmedDescription))" } ?? ""
        let ending = method.isThrowing ? " async throws\(error)" : " async"
        let result = method.result.map { " -> \($0.trimmedDescription)" } ?? ""
        let head = "\(access)func \(method.base.quoted)(\(parameters))\(ending)\(result)"
        // The actor is named: if a class on it conforms to a protocol without isolation, its
        // witnesses have no isolation, and each use of the port would be a hop.
        source.block("@MainActor \(head)") {
            switch method.delivery {
            case .event: addEvent(method, to: &$0)
            case .ask: addAsk(method, to: &$0)
            case .log:
                let provisional = method.isProvisional ? ["isProvisional: true"] : []
                let arguments = [method.logLimits].filter { !$0.isEmpty } + provisional
                let limits = "\(Qualified.core).LogLimits(\(arguments.joined(separator: ", ")))"
                $0.line("self._port.append(\(message(method)), keeping: \(limits))")
            case .state where method.isProvisional:
                $0.line("self._port.provisional(\(message(method)))")
            default: $0.line("self._port.\(method.delivery)(\(message(method)))")
            }
        }
    }

    /// A message of an interactor travels as a value: its recipient decides when to encode it.
    private func message(_ method: Method) -> String {
        "\(name)Message\(method.construction(of: method.parameters.map(\.name.quoted)))"
    }

    private func addAsk(_ method: Method, to source: inout Source) {
        let call = "try await self._port.ask(\(message(method)))"
        guard let result = method.result else { return source.line("_ = \(call)") }
        source.line("return \(call).decode(\(result.trimmedDescription).self)")
    }

    /// An event is written immediately, by separate code: this path has to be short.
    private func addEvent(_ method: Method, to source: inout Source) {
        guard !method.isThrowing || method.error != nil else {
            return addEventCall(method, to: &source)
        }
        source.attempt {
            addEventCall(method, to: &$0)
        } catch: {
            if let error = method.error {
                return $0.line("throw \(error.trimmedDescription).received(error)")
            }
            let fault = "\(Qualified.core).RemoteFault(reporting: error)"
            $0.line("self._port.failed(\(method.identifier), \(fault))")
        }
    }

    private func addEventCall(_ method: Method, to source: inout Source) {
        let event = "event".avoiding(method.localNames)
        source.addEncoding(
            method.parameters.map(\.name.quoted),
            head: "let \(event) = try self._port.begin(\(method.identifier))",
            writer: "writer".avoiding(method.localNames))
        source.block("if \(event).isPending") {
            $0.line("await \(event).gate.pass()")
            $0.line("if \(event).isPending { await \(event).keepWaiting() }")
        }
        guard let result = method.result else { return source.line("try \(event).end()") }
        source.line("return try \(event).result(\(result.trimmedDescription).self)")
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
            let secrets = methods.filter(\.isSecret)
            if !secrets.isEmpty {
                $0.line()
                let numbers = secrets.map(\.number.literal).joined(separator: ", ")
                $0.line("\(access)override var secrets: [Swift.UInt32] { [\(numbers)] }")
            }
            // Without methods, the base class refuses each.
            guard !methods.isEmpty else { return }
            $0.line()
            addHandle(to: &$0)
        }
        return source
    }

    /// Adds the reception of bytes. One call handles one message after another: a call for each
    /// message would need a frame, and would change executors twice.
    private func addHandle(to source: inout Source) {
        source.line("\(access)override func handle(")
        source.indented {
            $0.line("_ message: consuming \(Qualified.core).ReceivedMessage,")
            $0.line("_ runner: \(Qualified.core).HandlerRunner?")
        }
        source.block(") async") {
            $0.block("repeat", tail: " while message.advance(in: runner)", addReception)
        }
    }

    private func addReception(to source: inout Source) {
        source.attempt(throws: Qualified.error) {
            let isRead = methods.contains { !$0.parameters.isEmpty }
            $0.line("\(isRead ? "var" : "let") reader = \(Qualified.reader)(message.payload)")
            $0.choose("message.method.rawValue") {
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

    /// The arguments are decoded into locals, which the handler keeps: an enum in between would be
    /// copied, with a retain for each of its references.
    private func addReception(of method: Method, to source: inout Source) {
        source.addArgumentReads(method)
        source.line("try reader.expectEnd()")
        addHandling(method, to: &source)
    }

    /// Calls the target and answers.
    private func addHandling(_ method: Method, to source: inout Source) {
        let target = "await target.\(method.base.quoted)(\(method.arguments(method.bindings)))"
        guard method.isThrowing else {
            source.line(target)
            source.line("message.call.succeed()")
            return
        }
        source.attempt(throws: method.error?.trimmedDescription) {
            guard method.result != nil else {
                $0.line("try \(target)")
                $0.line("message.call.succeed()")
                return
            }
            $0.line("let result = try \(target)")
            $0.addEncoding(["result"], head: "message.call.succeed")
        } catch: {
            let fault = "\(Qualified.core).RemoteFault(carrying: error)"
            $0.line("message.call.fail(\(method.error == nil ? "error" : fault))")
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
            if side == .presentable { $0.line("\(access)typealias Message = \(name)Message") }
            $0.line()
            addDescription(to: &$0)
            $0.line()
            $0.line("@MainActor \(access)static func sender(")
            $0.indented { $0.line("to port: \(port)") }
            $0.block(") -> \(target)") { $0.line("\(name)Sender(to: port)") }
            $0.line()
            $0.line("@MainActor \(access)static func receiver(")
            $0.indented { $0.line("for target: \(target)") }
            $0.block(") -> \(Qualified.core).CrossingReceiver") {
                $0.line("\(name)Receiver(for: target)")
            }
        }
        return source
    }
}

extension Method {
    /// The names that a local of the generated function must not have.
    fileprivate var localNames: Set<String> { Set(parameters.map(\.name)) }
}

extension Source {
    /// Adds a call with a closure that writes `values`: `head { … }`.
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

    /// Makes the call fail because of its message's number or its arguments. `reason` may contain
    /// interpolations.
    mutating func addUnimplemented(_ name: String, _ reason: String) {
        line("let number = Swift.String(message.method.rawValue, radix: 16)")
        line("message.call.fail(")
        indented {
            $0.line("\(Qualified.core).RemoteFault(")
            $0.indented {
                $0.line(".unimplemented, \"\(name), method 0x\\(number): \(reason)\"))")
            }
        }
    }
}
