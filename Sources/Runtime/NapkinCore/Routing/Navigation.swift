// Navigation: a front's requests to any node, whatever its feature: to leave, to change tabs.
//
// Spec       Protocol/SPEC.md, section 6 (Messages)

extension EventPort {
    /// Asks the worker to dismiss this port's node, as a view's own back gesture does.
    ///
    /// The front asks, and the parent's router decides; see `Router.childWantsDismissal(_:)`.
    /// Returns when the view is about to leave, or has left: a request that crosses with the
    /// worker's own detach is not an error. Throws `.refused` if the router does not dismiss the
    /// child, `.unimplemented` if the worker is too old to be asked, and the faults that any event
    /// may throw.
    public func dismiss() async throws(RemoteFault) {
        do throws(RemoteFault) {
            _ = try await call(.dismiss) { (_) throws(CBORError) in }
        } catch {
            guard error.code == .gone else { throw error }
        }
    }

    /// Asks the worker to select one of the tabs of this port's node, by the name of its slot.
    ///
    /// Throws the faults of `dismiss()`, and `.gone` if the node is gone.
    public func select(tab name: String) async throws(RemoteFault) {
        _ = try await call(.selectTab) { (writer) throws(CBORError) in try writer.write(name) }
    }
}

extension FeatureNode {
    /// Delivers a front's request to the router, past the feature's own receiver.
    @inline(never)
    func receiveNavigation(
        _ method: MethodID, _ payload: UnsafeRawBufferPointer, _ call: IncomingCall
    ) {
        guard let owner else { return call.fail(RemoteFault(.gone, "\(feature) is going")) }
        guard method == .selectTab else {
            return Self.answer(call) { () async throws(RemoteFault) in
                try await owner.dismissalRequested()
            }
        }
        do throws(CBORError) {
            let name = try Payload(Array(payload)).decode(String.self)
            Self.answer(call) { () async throws(RemoteFault) in
                try await owner.selectionRequested(of: name)
            }
        } catch {
            call.fail(error)
        }
    }

    private static func answer(
        _ call: IncomingCall, _ body: @escaping @MainActor () async throws(RemoteFault) -> Void
    ) {
        call.start { call in
            do throws(RemoteFault) {
                try await body()
                call.succeed()
            } catch {
                call.fail(error)
            }
        }
    }
}

extension RouterCore {
    /// A front asks that this router's view be dismissed.
    func dismissalRequested() async throws(RemoteFault) {
        guard let router, let parent = parent?.router else {
            throw RemoteFault(.refused, "\(feature) is the root; detach from the session instead")
        }
        try await parent.childWantsDismissal(router)
    }

    /// A front asks for a tab of this router's view.
    func selectionRequested(of tab: String) async throws(RemoteFault) {
        guard let router else { return }
        try await router.tabWantsSelection(tab)
    }

    /// Detaches a child that fronts show above others, and everything above it in a stack. Does so
    /// once, even if another caller detaches it meanwhile.
    func dismiss(_ child: any Routing) async throws(RemoteFault) {
        guard let attachment = attachment(of: child) else { return }
        let isLaidOver = attachment.presentation == .push || attachment.presentation == .modal
        // A page in a `FrontSlot` would be missing until its front joins again.
        guard isLaidOver, !child.core.isPage else {
            throw RemoteFault(
                .refused,
                "\(attachment.feature) is shown in place, and is not for a front to dismiss")
        }
        await transition(isBatch: true) {
            guard self.attachment(of: child) != nil else { return }
            let stack = children.first { $0.router === child }?.slot?.container as? ChildStack
            for above in stack?.covering(child) ?? [] { await vacate(above) }
            if self.attachment(of: child) != nil { await detach(child) }
        }
    }
}
