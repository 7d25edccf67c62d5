// StationViews: the hall, whose banner is seen above the platform.

import NapkinCore
import NapkinElements
public import NapkinFront
import Observation

public enum StationViews {
    @MainActor
    public static func register(in registry: ViewRegistry) {
        registry.register(Station.self, StationModel.init) { StationScreen(model: $0) }
        registry.register(Platform.self) { PlatformScreen(listener: $0.listener) }
    }
}

@MainActor
@Observable
final class StationModel: StationPresentable {
    let listener: any StationPresentableListener
    var train: String?

    init(listener: any StationPresentableListener) { self.listener = listener }

    func call(_ train: String) async { self.train = train }
}

struct StationScreen: View {
    let model: StationModel

    var body: some View {
        Button("Platform") { dispatch { await model.listener.didTapPlatform() } }
            .keyboardShortcut("p")
            .navigationTitle("Hall")
            .banner {
                if let train = model.train {
                    Text("▸ \(train)").foregroundStyle(.accent)
                    Button("Heard") { model.train = nil }.keyboardShortcut("x")
                }
            }
    }
}

struct PlatformScreen: View {
    let listener: any PlatformPresentableListener

    var body: some View {
        Button("Whistle") { dispatch { await listener.didTapWhistle() } }
            .keyboardShortcut("w")
            .navigationTitle("Platform 1")
    }
}
