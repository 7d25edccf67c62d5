// FeatureNode+States: what a node knows of its states beside their values.

extension FeatureNode {
    package func provisional(_ message: some CrossingMessage) {
        guard !isRetired else { return }
        // The recorder is not told: it is nothing that a handler could take back.
        replace(message)
        guard let index = states.firstIndex(where: { $0.method == message.method }) else { return }
        states[index].isProvisional = true
    }

    /// Returns the newest value of `method`, encoded, if there is one.
    package func payload(of method: MethodID) -> Payload? {
        states.first { $0.method == method }?.payload
    }

    /// The methods by which the feature presents.
    package var presentedMethods: [MethodSchema] { featureType.schema.presents }

    /// Whether the newest value of `method` was presented as provisional.
    package func isProvisional(_ method: MethodID) -> Bool {
        states.first { $0.method == method }?.isProvisional == true
    }
}
