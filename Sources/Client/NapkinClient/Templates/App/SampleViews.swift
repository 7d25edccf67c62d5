// SampleViews: which view a front shows for which feature.

import NapkinElements
public import NapkinFront
import SampleContract

/// The views of the app.
public enum SampleViews {
    public static func register(in registry: ViewRegistry) {
        registry.register(Sample.self, SampleModel.init) { SampleScreen(model: $0) }
        // napkin: views
    }
}
