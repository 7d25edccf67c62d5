// StationViews: the hall, whose banner is seen above the platform.
//
// Layer      tests, fixture.
// Isolation  @MainActor.

import NapkinCore
public import NapkinFront
import NapkinTerminal
import Observation

public enum StationViews {
    @MainActor
    public static func register(in registry: ViewRegistry) {
        registry.register(Station.self) { StationView(listener: $0.listener) }
        registry.register(Platform.self) { PlatformView(listener: $0.listener) }
    }
}

@MainActor
@Observable
final class StationView: StationPresentable, ElementView {
    private let listener: any StationPresentableListener
    private var train: String?

    init(listener: any StationPresentableListener) { self.listener = listener }

    func call(_ train: String) async { self.train = train }

    var banner: Elements {
        if let train {
            Text("▸ \(train)").foregroundStyle(.accent)
            Button("Heard") { self.train = nil }.keyboardShortcut("x")
        }
    }

    var body: Elements {
        Heading("Hall")
        Button("Platform") { [listener] in dispatch { await listener.didTapPlatform() } }
            .keyboardShortcut("p")
    }
}

@MainActor
final class PlatformView: ElementView {
    private let listener: any PlatformPresentableListener

    init(listener: any PlatformPresentableListener) { self.listener = listener }

    var body: Elements {
        Heading("Platform 1")
        Button("Whistle") { [listener] in dispatch { await listener.didTapWhistle() } }
            .keyboardShortcut("w")
    }
}
