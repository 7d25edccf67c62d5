// FrontComponent: the dependencies that a front's composition root provides to its views.

internal import Glibc
public import NapkinCore
internal import NapkinTransport

/// The root of a front's components. The composition root creates one, with other values in tests.
/// Views get it as `ViewContext.front`, or the closure that registers a view passes it values
/// derived from the component.
open class FrontComponent: EmptyComponent {
    /// The time of day as text, `14:05:09`.
    public let timeOfDay: @Sendable () -> String
    /// Returns a variable of the environment; `nil` if it is not set.
    public let environment: @Sendable (_ name: String) -> String?

    public init(
        timeOfDay: @escaping @Sendable () -> String = FrontComponent.wallClock,
        environment: @escaping @Sendable (_ name: String) -> String? = FrontComponent.variable
    ) {
        self.timeOfDay = timeOfDay
        self.environment = environment
        super.init()
    }

    /// Returns a variable of the process's environment.
    @Sendable public nonisolated static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Whether the user wants colours: `NO_COLOR` is not set, or empty (no-color.org).
    package var wantsColours: Bool { environment("NO_COLOR")?.isEmpty != false }

    /// Returns the machine's time of day, in its time zone.
    @Sendable @usableFromInline nonisolated static func wallClock() -> String {
        var now = time(nil)
        var parts = tm()
        localtime_r(&now, &parts)
        return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0.digits(2) }
            .joined(separator: ":")
    }
}
