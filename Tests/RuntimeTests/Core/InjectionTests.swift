// InjectionTests: components hold, share and nest.

import NapkinCore
import NapkinTesting
import Testing

/// What the components of these tests need.
private protocol RootDependency: Dependency {
    var service: Service { get }
}

/// Not `Codable`, and need not be.
private final class Service: Sendable {}

/// A root with one shared service.
private final class RootComponent: EmptyComponent, RootDependency {
    var service: Service { shared { Service() } }
    var nested: [Service] { shared { [service, service] } }
    var nothing: Service? { shared { counted(nil) } }
    var something: Service? { shared { counted(Service()) } }
    let calls = Journal()

    private func counted(_ service: Service?) -> Service? {
        calls.note("made")
        return service
    }
}

@MainActor
@Suite
struct InjectionTests {
    private let root = RootComponent()

    @Test("D2: shared returns the same instance, also to 32 concurrent callers")
    func shares() async {
        let root = self.root
        let all = await withTaskGroup(of: Service.self) { group in
            for _ in 0..<32 { group.addTask { await root.service } }
            var all: [Service] = []
            for await service in group { all.append(service) }
            return all
        }
        #expect(all.count == 32)
        #expect(Set(all.map(ObjectIdentifier.init)).count == 1)
    }

    @Test("D4: shared inside shared works, and so do optional values")
    func nests() {
        #expect(root.nested.allSatisfy { $0 === root.service })
        #expect(root.nothing == nil)
        #expect(root.nothing == nil)
        #expect(root.something === root.something)
        #expect(root.calls.lines == ["made", "made"])
    }
}
