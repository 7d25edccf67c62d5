// SampleViews: which view a front shows for which feature.
//
// Layer      front: composition root of the views.
// Isolation  @MainActor.

import NapkinElements
public import NapkinFront
import SampleContract

/// The views of the app.
public enum SampleViews {
    public static func register(in registry: ViewRegistry) {
        registry.register(Sample.self, SampleModel.init) { SampleScreen(model: $0) }
    }
}
