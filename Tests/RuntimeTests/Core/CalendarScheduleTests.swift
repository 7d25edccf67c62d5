// CalendarScheduleTests: schedules in local time, over both changes of the clocks.

import NapkinCore
import Testing

@testable import NapkinLedger

struct CalendarScheduleTests {
    private static let hour: Int64 = 3600
    private static let day: Int64 = 86400
    /// Berlin in 2026: summer time from 29 March 02:00 to 25 October 03:00.
    private static let berlin = LocalTime { instant in
        (summer..<winter).contains(instant) ? 2 * hour : hour
    }
    private static let summer = utc(march: 29, 1)
    private static let winter = utc(october: 25, 1)

    /// The instant in UTC of an hour and a minute in 2026, as seconds since 1970.
    private static func utc(march day: Int64, _ hour: Int64, _ minute: Int64 = 0) -> Int64 {
        1_772_323_200 + (day - 1) * self.day + hour * self.hour + minute * 60
    }

    private static func utc(october day: Int64, _ hour: Int64, _ minute: Int64 = 0) -> Int64 {
        utc(march: 1 + 214 + day - 1, hour, minute)
    }

    @Test(
        arguments: [
            // An ordinary day; 28 March 2026 is a Saturday. In winter, UTC is an hour behind.
            ("22:30", utc(march: 27, 12), utc(march: 27, 21, 30)),
            ("22:30", utc(march: 27, 21, 30), utc(march: 28, 21, 30)),
            ("07:00", utc(march: 28, 12), utc(march: 29, 5)),
            ("weekdays 07:00", utc(march: 27, 12), utc(march: 30, 5)),
            ("weekends 07:00", utc(march: 27, 12), utc(march: 28, 6)),
            ("mon,thu 12:00", utc(march: 30, 10), utc(april2, 10)),
            ("sat-mon 00:00", utc(march: 26, 0), utc(march: 27, 23)),
            // 02:30 does not exist on the 29th: it is 03:30, an hour later than the clock said.
            ("02:30", utc(march: 28, 12), utc(march: 29, 1, 30)),
            ("02:30", utc(march: 29, 1, 30), utc(march: 30, 0, 30)),
            ("every 15m", utc(march: 29, 0, 50), utc(march: 29, 1)),
            ("every 2h", utc(march: 29, 0, 30), utc(march: 29, 1)),
            ("every 24h", utc(march: 28, 23), utc(march: 29, 22)),
            // 02:30 comes twice on 25 October: only the first counts.
            ("02:30", utc(october: 24, 12), utc(october: 25, 0, 30)),
            ("02:30", utc(october: 25, 0, 30), utc(october: 26, 1, 30)),
            ("02:30", utc(october: 25, 1, 10), utc(october: 26, 1, 30)),
            ("07:00", utc(october: 24, 12), utc(october: 25, 6)),
            // Each quarter of an hour of both hours.
            ("every 15m", utc(october: 25, 0, 50), utc(october: 25, 1)),
            ("every 15m", utc(october: 25, 1, 50), utc(october: 25, 2)),
            ("every 24h", utc(october: 24, 22), utc(october: 25, 23)),
        ] as [(String, Int64, Int64)])
    func `the next time is what the clock on the wall shows`(
        text: String, now: Int64, next: Int64
    ) throws {
        let schedule = try CalendarSchedule(text)
        #expect(schedule.next(afterMilliseconds: now * 1000, in: Self.berlin) == next * 1000)
        #expect(schedule.next(after: Double(now), in: Self.berlin) == Double(next))
        #expect(schedule.next(afterMilliseconds: (next - 1) * 1000, in: Self.berlin) == next * 1000)
    }

    private static let april2 = utc(march: 33, 0)

    private static func utc(_ day: Int64, _ hour: Int64) -> Int64 { day + hour * self.hour }

    @Test(arguments: ["22:30", "weekdays 07:00", "weekends 09:05", "mon,thu 12:00", "every 15m"])
    func `a schedule is the text that it was`(text: String) throws {
        #expect(try CalendarSchedule(text).description == text)
        #expect(try CalendarSchedule(text.uppercased()).description == text)
    }

    @Test(arguments: [
        ("every 2h", "every 120m"), ("every 15 min", "every 15m"), ("daily 9:00", "09:00"),
        ("mon-fri 7:00", "weekdays 07:00"), ("sat-sun 7:00", "weekends 07:00"),
    ])
    func `one schedule has one text`(text: String, canonical: String) throws {
        #expect(try CalendarSchedule(text).description == canonical)
    }

    @Test(arguments: [
        "", "7", "7:0", "24:00", "12:60", "007:00", "every", "every 0m", "every 25h", "every 15s",
        "every 1441m", "every -5m", "someday 07:00", "mon, 07:00", "mon-thu-sat 07:00", "07:00 mon",
        "mon thu 07:00", "every 99999999999999999999m", "٧:٠٠",
    ])
    func `what is no schedule is refused with what is one`(text: String) {
        let mistake = #expect(throws: CalendarSchedule.Mistake.self) {
            try CalendarSchedule(text)
        }
        #expect(mistake?.description.contains("write '22:30'") == true)
    }

    @Test func `no number traps, and every next time is later`() throws {
        let zones = [Self.berlin, .machine, LocalTime { _ in -86_000 }]
        for text in ["22:30", "sun 00:00", "every 1m", "every 24h", "every 7h"] {
            let schedule = try CalendarSchedule(text)
            for now in [.min, -1, 0, 1, Int64(utcEnd), .max] as [Int64] {
                for zone in zones {
                    let next = schedule.next(afterMilliseconds: now, in: zone)
                    #expect(next > min(now, utcEnd))
                }
            }
            #expect(schedule.next(after: .infinity).isFinite)
            #expect(schedule.next(after: .nan).isFinite)
        }
    }

    private let utcEnd: Int64 = 253_402_300_799_000

    // MARK: - Timers

    /// A timer of each day at 07:00 that was due on 20 March, looked at so many hours later.
    @Test(
        arguments: [
            (0, 0, true, 1), (0, 23, true, 1), (0, 24, true, 2), (0, 24 * 30, true, 31),
            (-1, 0, true, 1), (-1, 1, false, 1), (-1, 24, false, 2),
            // Eleven are due after ten days and an hour, over the change of the clocks.
            (3, 241, true, -3), (100, 241, true, 1), (1, 241, true, 11),
        ] as [(Int32, Int64, Bool, Int64)])
    func `what a calendar has missed is made up for as it was asked`(
        missed: Int32, hours: Int64, runs: Bool, next: Int64
    ) throws {
        let schedule = try CalendarSchedule("07:00")
        let due = Self.utc(march: 20, 6) * 1000
        var timer = TimerImage(id: 1, node: 1, name: "tea", due: due, missed: missed, payload: [])
        timer.calendar = schedule.description
        let now = due + hours * Self.hour * 1000
        let firing = timer.firing(at: now, in: Self.berlin)
        var times = [due]
        while times.count < 40 {
            times.append(schedule.next(afterMilliseconds: times[times.count - 1], in: Self.berlin))
        }
        // −3: so that, with this one, the newest three fire.
        let dueByNow = times.count { $0 <= now }
        let index = next > 0 ? Int(next) : dueByNow + Int(next) + 1
        #expect(firing == TimerImage.Firing(runs: runs, next: times[index]))
    }
}
