// SessionListingTests: sessions with their fronts, as a person and as a script reads them.

import NapkinProtocol
import Testing

@testable import NapkinClient

@Suite struct SessionListingTests {
    private static let front = FrontInfo(
        front: 2, client: "c 1", pid: 14, uid: 7, idleSeconds: 5, isReadOnly: false, isSlow: false)

    private func front(_ change: (inout FrontInfo) -> Void) -> FrontInfo {
        var front = Self.front
        change(&front)
        return front
    }

    private var listed: [SessionListing] {
        let lunch = SessionInfo(
            session: "lunch", app: "house", pid: 12, ageSeconds: 192, nodes: 4,
            fronts: [
                Self.front,
                front { ($0.front, $0.isReadOnly) = (3, true) },
                front { ($0.front, $0.isSlow, $0.isReadOnly) = (4, true, true) },
            ],
            away: [front { ($0.front, $0.isSlow, $0.idleSeconds) = (1, nil, 61) }],
            workerBytes: 19_084_083)
        let old = SessionInfo(
            session: "old", app: "cart", pid: 9, ageSeconds: 0, nodes: 0,
            fronts: [FrontInfo(front: 1, client: "c", pid: 8, uid: 8)])
        let empty = SessionInfo(
            session: "z", app: "cart", pid: 9, ageSeconds: 1, nodes: 1, fronts: [])
        return [lunch, old, empty].map { SessionListing($0) { "user\($0)" } }
    }

    @Test func `each front has a row, and its session's cells stand in the first`() {
        #expect(
            SessionListing.lines(of: listed) == [
                "SESSION  APP      AGE  NODES  WORKER       RSS  FRONT  USER   CLIENT  PID   IDLE  "
                    + "STATE",
                "lunch    house  3m12s      4  12      18.1 MiB      2  user7  c 1      14     5s  "
                    + "attached",
                "                                                    3  user7  c 1      14     5s  "
                    + "read-only",
                "                                                    4  user7  c 1      14     5s  "
                    + "slow, read-only",
                "                                                    1  user7  c 1      14  1m01s  "
                    + "away",
                "old      cart      0s      0  9              -      1  user8  c         8     0s  "
                    + "attached",
                "z        cart      1s      1  9              -",
            ])
    }

    @Test func `a session whose worker is silent has a row, without what is not known`() throws {
        var silent = SessionInfo(
            session: "s", app: "cart", pid: 9, ageSeconds: 0, nodes: 0, fronts: [])
        silent.silence = "no answer"
        let listing = SessionListing(silent) { "user\($0)" }
        #expect(
            SessionListing.lines(of: [listing]) == [
                "SESSION  APP   AGE  NODES  WORKER  RSS  FRONT  USER  CLIENT  PID  IDLE  STATE",
                "s        cart    -      -  9         -      -  -     -         -     -  "
                    + "does not answer",
            ])
        let text = String(decoding: try JSONOutput.text(of: listing), as: UTF8.self)
        #expect(text.contains(#""state":"running","silence":"no answer"}"#), "\(text)")
    }

    @Test func `what was taken back is said below, with the way to more`() {
        var session = SessionInfo(stored: "s", app: "cart")
        session.takenBack = 12
        let lines = SessionListing.lines(of: [SessionListing(session) { "user\($0)" }])
        #expect(
            lines.dropFirst(2) == [
                "s was taken back to an earlier record: `napkin-client crash show cart 12`"
            ])
    }

    @Test func `a front without a process has none`() {
        var session = SessionInfo(
            session: "s", app: "cart", pid: 9, ageSeconds: 0, nodes: 1, fronts: [])
        session.away = [FrontInfo(front: 5, client: "?", pid: 0, uid: 7)]
        let lines = SessionListing.lines(of: [SessionListing(session) { "user\($0)" }])
        #expect(lines.last?.hasSuffix("5  user7  ?         -    0s  away") == true, "\(lines)")
    }

    @Test func `scripts get the same as JSON, in an order that stays`() throws {
        #expect(
            String(decoding: try JSONOutput.text(of: [listed[0]]), as: UTF8.self) == """
                [{"session":"lunch","app":"house","ageSeconds":192,"nodes":4,"pid":12,\
                "worker":{"pid":12,"memoryBytes":19084083},"fronts":[\
                {"front":2,"user":"user7","uid":7,"pid":14,"client":"c 1","idleSeconds":5,\
                "state":"attached","readOnly":false},\
                {"front":3,"user":"user7","uid":7,"pid":14,"client":"c 1","idleSeconds":5,\
                "state":"read-only","readOnly":true},\
                {"front":4,"user":"user7","uid":7,"pid":14,"client":"c 1","idleSeconds":5,\
                "state":"slow","readOnly":true},\
                {"front":1,"user":"user7","uid":7,"pid":14,"client":"c 1","idleSeconds":61,\
                "state":"away","readOnly":false}],"state":"running"}]
                """)
    }

    @Test(arguments: [
        (-1, "0 B"), (0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"),
        (262_144, "256 KiB"), (1_048_575, "1023.9 KiB"), (1_048_576, "1 MiB"),
        (33_554_432, "32 MiB"), (1_073_741_824, "1 GiB"), (3 << 40, "3072 GiB"),
    ])
    func `sizes are read at a glance`(count: Int, text: String) {
        #expect(Quantity.bytes(count) == text)
    }

    @Test func `users have names, or at least numbers`() {
        #expect(UserName.of(0) == "root")
        #expect(UserName.of(4_000_000_000) == "4000000000")
    }

    @Test func `queues are drawn with the limit of each`() {
        #expect(QueueDrawing.lines(of: nil) == [])
        var front = SessionQueues.Front(front: 2, isAway: false)
        (front.events, front.effects, front.states, front.orderedBytes) = (3, 4, 5, 1536)
        (front.socketBytes, front.answers, front.answerBytes, front.workflows) = (6, 7, 8, 1)
        (front.mergedStates, front.droppedEffects, front.refusedEvents) = (10, 11, 12)
        let queues = SessionQueues(
            asks: 1, departedFronts: 1, unseenEffects: 9, tickets: 2, controlRequests: 1,
            fronts: [front, SessionQueues.Front(front: 1, isAway: true)])
        #expect(
            QueueDrawing.lines(of: queues) == [
                "  queues: asks 1 · away 1/64 · unseen effects 9 · tickets 2/4096 "
                    + "· control requests 1/4096",
                "  front 2: events 3/1024 · effects 4/1024 · states 5 · ordered 1.5 KiB/32 MiB "
                    + "· socket 6 B/256 KiB · answers 7/2048 · answers 8 B/1 MiB · workflows 1/16 "
                    + "· merged 10 · dropped 11 · refused 12",
                "  front 1 (away): events 0/1024 · effects 0/1024 · states 0 · ordered 0 B/32 MiB "
                    + "· socket 0 B/256 KiB · answers 0/2048 · answers 0 B/1 MiB · workflows 0/16 "
                    + "· merged 0 · dropped 0 · refused 0",
            ])
    }
}
