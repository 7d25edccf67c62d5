// SampleViews: which view a front shows for which feature.
//
// Layer      front: composition root of the views.
// Isolation  @MainActor.

public import NapkinFront
import SampleContract

/// The terminal views of the app.
public enum SampleViews {
    public static func register(in registry: ViewRegistry) {
        registry.register(Sample.self) { SampleView(listener: $0.listener) }
    }
}
