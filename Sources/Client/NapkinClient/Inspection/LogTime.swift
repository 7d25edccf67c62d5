// LogTime: points in time, as people write them and as log lines begin with them.
//
// Source     RFC 3339; mktime(3)

import ArgumentParser
import Glibc
import NapkinCore

/// A time in seconds since 1970.
struct LogTime: ExpressibleByArgument, Equatable, Comparable, Sendable {
    let seconds: Int

    init(seconds: Int) { self.seconds = seconds }

    /// Reads a time or a day, in this machine's zone unless an offset follows, or an age such as
    /// `10m`; `nil` if the text is none of these.
    init?(argument: String) {
        var text = TimeText(argument[...])
        if let time = text.time(), text.rest.isEmpty {
            self = time
        } else if let ago = Duration(settingText: argument) {
            self.init(seconds: Glibc.time(nil) - Int(ago.components.seconds))
        } else {
            return nil
        }
    }

    /// Reads the time with which a line of a log begins; `nil` if it begins with none.
    init?(line: some Collection<UInt8>) {
        // Bytes: a time has 24, and a space follows.
        let start = String(decoding: line.prefix(25), as: UTF8.self)
        var text = TimeText(start[...])
        guard let time = text.time(), start.utf8.count == 25, text.rest == " " else { return nil }
        self = time
    }

    static func < (left: LogTime, right: LogTime) -> Bool { left.seconds < right.seconds }
}

private struct TimeText {
    private(set) var rest: Substring

    init(_ text: Substring) { rest = text }

    /// Reads a day, `2026-03-01`; a time of today, `09:30` or `09:30:15`; or a day, a `T` or a
    /// space, and a time. An offset may follow a time.
    mutating func time() -> LogTime? {
        var fields = tm()
        let start = rest
        if let day = self.day() {
            fields = day
            if !take("T") {
                // The text after a day need not belong to it.
                let end = rest
                guard take(" "), rest.first?.isNumber == true else {
                    rest = end
                    return local(fields)
                }
            }
        } else {
            rest = start
            var now = Glibc.time(nil)
            localtime_r(&now, &fields)
        }
        guard let hour = number(2), take(":"), let minute = number(2) else { return nil }
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (hour, minute, 0)
        if take(":") {
            guard let second = number(2) else { return nil }
            fields.tm_sec = second
        }
        guard hour < 24, minute < 60, fields.tm_sec < 61 else { return nil }
        guard let offset = offset() else { return local(fields) }
        return LogTime(seconds: timegm(&fields) - offset)
    }

    private func local(_ fields: tm) -> LogTime {
        var fields = fields
        // The C library finds out whether daylight saving time applies.
        fields.tm_isdst = -1
        return LogTime(seconds: mktime(&fields))
    }

    private mutating func day() -> tm? {
        guard let year = number(4), take("-"), let month = number(2), take("-"),
            let day = number(2), (1...12).contains(month)
        else { return nil }
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (year - 1900, month - 1, day)
        // The C library takes the 31st of February for a day in March.
        var counted = fields
        _ = timegm(&counted)
        return counted.tm_mday == day ? fields : nil
    }

    /// Reads `Z`, `+0130` or `+01:30`; returns seconds.
    private mutating func offset() -> Int? {
        if take("Z") { return 0 }
        let start = rest
        let sign = take("+") ? 1 : take("-") ? -1 : 0
        guard sign != 0, let hours = number(2), take(":") || !rest.isEmpty,
            let minutes = number(2), hours < 24, minutes < 60
        else {
            rest = start
            return nil
        }
        return sign * (Int(hours) * 3600 + Int(minutes) * 60)
    }

    private mutating func take(_ character: Character) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func number(_ digits: Int) -> Int32? {
        let text = rest.prefix(digits)
        guard text.utf8.count == digits, text.allSatisfy(\.isASCII), text.allSatisfy(\.isNumber)
        else { return nil }
        rest.removeFirst(digits)
        return Int32(text)
    }
}
