// LogExpansionTests: what `@Crossing` makes of a method that is marked `@Append`.

import Testing

@Suite("@Append")
struct LogExpansionTests {
    @Test func `a log, with the limits that it is given`() {
        let source = """
            @Crossing
            public protocol Build: Presentable {
                @Append(items: 50_000, bytes: 1 << 20) func output(_ line: String) async
                @Append func note(_ text: String) async
            }
            """
        let (findings, expanded) = refusals(of: source)
        #expect(findings.isEmpty)
        for line in [
            "public final class BuildSender: Build, NapkinCore.LogFollower {",
            "self._port.append(BuildMessage.output(line), "
                + "keeping: NapkinCore.LogLimits(items: 50_000, bytes: 1 << 20))",
            "self._port.append(BuildMessage.note(text), keeping: NapkinCore.LogLimits())",
            "func skipped(_ gap: NapkinCore.LogGap) {", "self._port.skipped(gap)",
            #"schema.add("output(_:)", .log)"#,
        ] {
            #expect(expanded.contains(line), "\(line)")
        }
    }
}
