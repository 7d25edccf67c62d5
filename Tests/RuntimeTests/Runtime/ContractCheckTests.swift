// ContractCheckTests: what a worker does about a front's contract, and a front about a question.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    private static func check(_ text: String) throws -> (ContractCheck, FeatureSchema) {
        let app = try SchemaText.schema(from: "app house\n" + text)
        let schema = try #require(app.feature("room"))
        return (ContractCheck(app: "house", schemas: [schema]), schema)
    }

    private static let text = """
        feature room
          state show(_:)
            _ item  Item
          event tap()

        struct Item
          name  String
          size  Int

        """

    @Test func `equal contracts are admitted by their hashes`() throws {
        let (check, schema) = try Self.check(Self.text)
        let equal = Attach(contracts: ["room": schema.hash, "unknown": 1])
        #expect(check.verdict(on: equal) == .admit)
        #expect(check.verdict(on: Attach()) == .admit)
    }

    @Test func `a front is asked for what differs of the features that both sides know`() throws {
        let (check, schema) = try Self.check(Self.text)
        let attach = Attach(contracts: ["room": schema.hash &+ 1, "elsewhere": 1])
        #expect(check.verdict(on: attach) == .ask(["room"]))
    }

    @Test func `an older front with a compatible contract is admitted`() throws {
        let (check, schema) = try Self.check(Self.text)
        var older = schema
        older.listens = []
        older.types?[0].fields?.removeLast()
        #expect(check.verdict(on: [older], asked: ["room"]) == .admit)
    }

    @Test func `a front whose contract does not fit is told each field`() throws {
        let (check, schema) = try Self.check(Self.text)
        var older = schema
        older.types?[0].fields?.append(FieldSchema(key: "stage", type: "Int"))
        older.listens.append(MethodSchema(key: "press()", delivery: .event))
        let message =
            "the front's contract does not fit that of the running house worker: "
            + "room press(): event removed (an older front sends it, and a newer worker does not "
            + "know it); Item.stage: field removed (an older front cannot read what a newer worker "
            + "sends): if the worker is the older one, `napkin-client upgrade house`; if "
            + "the front is, leave it and attach again"
        #expect(
            check.verdict(on: [older], asked: ["room"])
                == .refuse(Refusal(.contractMismatch, message)))
    }

    @Test func `more differences than one can read are counted`() throws {
        let (check, schema) = try Self.check(Self.text)
        var older = schema
        older.listens += (1...9).map { MethodSchema(key: "press\($0)()", delivery: .event) }
        guard case .refuse(let refusal) = check.verdict(on: [older], asked: ["room"]) else {
            Issue.record("admitted")
            return
        }
        #expect(refusal.message.contains("press5(): event removed"))
        #expect(!refusal.message.contains("press6()"))
        #expect(refusal.message.contains("; and 4 more: if the worker"))
    }

    @Test func `a front that does not describe what it was asked for is refused`() throws {
        let (check, schema) = try Self.check(Self.text)
        var other = schema
        other.feature = "elsewhere"
        for schemas in [[], [other]] {
            #expect(
                check.verdict(on: schemas, asked: ["room"])
                    == .refuse(
                        Refusal(
                            .badRequest, "the front did not describe its contract of room")))
        }
    }

    // MARK: - Over a socket

    @Test func `a front describes the features that a worker asks for`() async throws {
        let journal = Journal()
        var viewer: Viewer?
        let attach = Attach(contracts: ["room": 1, "hall": 2])
        let worker = try FramePeer { channel in
            viewer = Viewer(channel, attach) { name in
                journal.note(name)
                return name == "room" ? Panel.schema : nil
            }
        }
        #expect(await worker.next()?.header.kind == .hello)
        worker.send(
            FrameHeader(.welcome), Welcome(version: .current, server: "raw", pid: 1))
        #expect(await worker.next()?.header.kind == .attach)
        worker.send(FrameHeader(.contractWanted), ["room", "hall"])
        let answer = try #require(await worker.next())
        #expect(answer.header.kind == .contract)
        #expect(try answer.decode([FeatureSchema].self) == [Panel.schema])
        #expect(journal.lines == ["room", "hall"])
        // Once is enough.
        worker.send(FrameHeader(.contractWanted), ["room"])
        #expect(try await Self.isViolation(worker.next()))
        #expect(journal.lines == ["room", "hall"])
        await viewer?.waitForEnd()
    }

    @Test(arguments: [[:], ["room": 1]] as [[String: UInt64]])
    func `a front is not asked for what it has not named`(named: [String: UInt64]) async throws {
        var viewer: Viewer?
        let attach = Attach(contracts: named)
        let worker = try FramePeer {
            viewer = Viewer($0, attach, contract: { _ in Panel.schema })
        }
        #expect(await worker.next()?.header.kind == .hello)
        worker.send(FrameHeader(.welcome), Welcome(version: .current, server: "raw", pid: 1))
        #expect(await worker.next()?.header.kind == .attach)
        worker.send(FrameHeader(.contractWanted), ["room", "cellar"])
        #expect(try await Self.isViolation(worker.next()))
        worker.channel.close()
        await viewer?.waitForEnd()
    }

    @Test func `a front that is attached is not asked for its contract`() async throws {
        let worker = try await RawWorker(window: 1)
        worker.peer.send(FrameHeader(.contractWanted), ["room"])
        #expect(try await Self.isViolation(worker.peer.next()))
        await worker.viewer.waitForEnd()
    }

    private static func isViolation(_ frame: RawFrame?) throws -> Bool {
        let frame = try #require(frame)
        guard frame.header.kind == .goodbye else { return false }
        return try frame.decode(Refusal.self).code == .protocolViolation
    }
}
