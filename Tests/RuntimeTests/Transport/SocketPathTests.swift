// SocketPathTests: each reason to refuse a path or a directory.
//
// Isolation  @MainActor (one test makes a channel's handles).

import Foundation
import NapkinTransport
import TestSupport
import Testing

extension TransportTests {
    @Test func `a path of 107 bytes is accepted and one of 108 is not`() throws {
        for count in [106, 107] {
            #expect(try SocketPath(path(count)).text.utf8.count == count)
        }
        #expect { try SocketPath(path(108)) } throws: { error in
            let text = "\(error)"
            return hasCode(error, "ENAMETOOLONG") && text.contains("108 bytes")
                && text.contains("107") && text.contains("--socket")
        }
        #expect { try SocketPath(path(108), option: "--unix PATH") } throws: { error in
            "\(error)".contains("--unix PATH") && !"\(error)".contains("--socket")
        }
    }

    private func path(_ count: Int) -> String { "/" + String(repeating: "x", count: count - 1) }

    @Test func `a path of 107 bytes can be bound and connected to`() async throws {
        let directory = TemporaryDirectory()
        let name = String(repeating: "n", count: 107 - directory.path.utf8.count - 1)
        let descriptor = try Acceptor.listeningDescriptor(at: directory(name))
        #expect(FileManager.default.fileExists(atPath: directory(name)))
        try await Channel.connect(to: directory(name)).close()
        close(descriptor)
        await handlesClosed()
    }

    @Test func `an empty path and one with a zero byte are refused`() {
        #expect { try SocketPath("") } throws: { hasCode($0, "EINVAL") }
        #expect { try SocketPath("/tmp/a\0b") } throws: { hasCode($0, "EINVAL") }
    }

    @Test func `the directory of a path is all before its last slash`() throws {
        #expect(try SocketPath("/run/napkin/x.sock").directory == "/run/napkin")
        #expect(try SocketPath("/x.sock").directory == "/")
        #expect(try SocketPath("x.sock").directory == ".")
    }

    @Test func `a probe tells absent, stale, alive and other files apart`() throws {
        let directory = TemporaryDirectory()
        #expect(try SocketPath(directory("none")).probe() == .absent)
        let live = try Acceptor.listeningDescriptor(at: directory("live"))
        #expect(try SocketPath(directory("live")).probe() == .alive)
        close(live)
        #expect(try SocketPath(directory("live")).probe() == .stale)
        #expect(FileManager.default.createFile(atPath: directory("file"), contents: nil))
        #expect(try SocketPath(directory("file")).probe() == .notASocket)
    }

    @Test func `only a stale socket is removed`() throws {
        let directory = TemporaryDirectory()
        try SocketPath(directory("none")).removeIfStale()
        let live = try Acceptor.listeningDescriptor(at: directory("s"))
        #expect { try SocketPath(directory("s")).removeIfStale() } throws: {
            hasCode($0, "EADDRINUSE")
        }
        close(live)
        try SocketPath(directory("s")).removeIfStale()
        #expect(try SocketPath(directory("s")).probe() == .absent)
        #expect(FileManager.default.createFile(atPath: directory("f"), contents: nil))
        #expect { try SocketPath(directory("f")).removeIfStale() } throws: {
            hasCode($0, "ENOTSOCK")
        }
    }

    @Test func `a missing directory is created for its owner alone`() throws {
        let directory = TemporaryDirectory()
        try SocketDirectory(path: directory("own"), policy: .own).ensure()
        try SocketDirectory(path: directory("a/b/c"), policy: .chosen).ensure()
        for name in ["own", "a", "a/b", "a/b/c"] {
            var status = stat()
            #expect(stat(directory(name), &status) == 0)
            #expect(status.st_mode & 0o777 == 0o700)
        }
        try SocketDirectory(path: directory("a/b/c/"), policy: .own).ensure()
    }

    @Test func `a directory that others can enter is refused`() throws {
        let directory = TemporaryDirectory()
        try #require(mkdir(directory("d"), 0o700) == 0)
        // Each bit for itself: a socket is reached by whoever may search its directory.
        for bit: mode_t in [0o040, 0o020, 0o010, 0o004, 0o002, 0o001] {
            try #require(chmod(directory("d"), 0o700 | bit) == 0)
            for policy in [SocketDirectory.Policy.own, .state] {
                #expect { try ensure(directory("d"), policy) } throws: { hasCode($0, "EACCES") }
            }
        }
        try #require(chmod(directory("d"), 0o755) == 0)
        try ensure(directory("d"), .chosen)
        for mode: mode_t in [0o720, 0o702, 0o1777] {
            try #require(chmod(directory("d"), mode) == 0)
            #expect { try ensure(directory("d"), .chosen) } throws: { hasCode($0, "EACCES") }
        }
        #expect { try ensure(directory("d"), .chosen) } throws: { "\($0)".contains("sticky") }
    }

    @Test func `a link, a file and another user's directory are refused`() throws {
        let directory = TemporaryDirectory()
        try ensure(directory("real"), .own)
        try #require(symlink(directory("real"), directory("link")) == 0)
        for name in ["link", "link/"] {
            #expect { try ensure(directory(name), .own) } throws: { hasCode($0, "ENOTDIR") }
        }
        #expect(FileManager.default.createFile(atPath: directory("file"), contents: nil))
        #expect { try ensure(directory("file"), .chosen) } throws: { hasCode($0, "ENOTDIR") }
        // Only root can make a directory another user's; anyone finds one in /.
        let foreign = geteuid() == 0 ? directory("foreign") : "/"
        if geteuid() == 0 {
            try ensure(foreign, .own)
            try #require(chown(foreign, 12345, 12345) == 0)
        }
        #expect { try ensure(foreign, .chosen) } throws: { hasCode($0, "EPERM") }
    }

    @Test func `a link to a directory of manifests is followed, and where it leads is checked`()
        throws
    {
        let directory = TemporaryDirectory()
        try ensure(directory("a/b/real"), .manifests)
        try #require(symlink(directory("a/b/real"), directory("link")) == 0)
        try ensure(directory("link"), .manifests)
        // So is what is above it, for every kind of directory.
        try #require(symlink(directory("a/b"), directory("above")) == 0)
        try ensure(directory("above/real"), .own)
        try #require(chmod(directory("a"), 0o777) == 0)
        for (name, policy) in [("link", SocketDirectory.Policy.manifests), ("above/real", .own)] {
            #expect { try ensure(directory(name), policy) } throws: { hasCode($0, "EACCES") }
        }
        try #require(chmod(directory("a"), 0o700) == 0)
        try #require(chmod(directory("a/b/real"), 0o777) == 0)
        #expect { try ensure(directory("link"), .manifests) } throws: { hasCode($0, "EACCES") }
    }

    private func ensure(_ path: String, _ policy: SocketDirectory.Policy) throws {
        try SocketDirectory(path: path, policy: policy).ensure()
    }

    @Test func `a user's directories are in their own places, else in the user's home`() throws {
        let names = ["XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "HOME"]
        let saved = names.map { ProcessInfo.processInfo.environment[$0] }
        defer {
            for (name, value) in zip(names, saved) {
                if let value { setenv(name, value, 1) } else { unsetenv(name) }
            }
        }
        setenv("XDG_STATE_HOME", "/some/state", 1)
        #expect(try SocketDirectory.stateDefault().path == "/some/state/napkin")
        setenv("XDG_STATE_HOME", "relative", 1)
        setenv("HOME", "/some/home", 1)
        #expect(try SocketDirectory.stateDefault().path == "/some/home/.local/state/napkin")
        for (value, data, cache) in [
            ("/some", "/some/napkin/cart", "/some/napkin/cart"),
            ("some", "/some/home/.local/share/napkin/cart", "/some/home/.cache/napkin/cart"),
            ("", "/some/home/.local/share/napkin/cart", "/some/home/.cache/napkin/cart"),
        ] {
            setenv("XDG_DATA_HOME", value, 1)
            setenv("XDG_CACHE_HOME", value, 1)
            #expect(try SocketDirectory.data(of: "cart").path == data)
            #expect(try SocketDirectory.cache(of: "cart").path == cache)
        }
        let home = try #require(getpwuid(geteuid())?.pointee.pw_dir)
        for value in ["relative", ""] {
            setenv("HOME", value, 1)
            let expected = String(cString: home) + "/.local/state/napkin"
            #expect(try SocketDirectory.stateDefault().path == expected)
        }
    }

    @Test func `what is above a directory is not open to all`() throws {
        let directory = TemporaryDirectory()
        try ensure(directory("a"), .own)
        for (mode, isRefused) in [(0o777, true), (0o1777, false), (0o755, false)] {
            try #require(chmod(directory("a"), mode_t(mode)) == 0)
            if isRefused {
                #expect { try ensure(directory("a/b"), .own) } throws: { hasCode($0, "EACCES") }
            } else {
                try ensure(directory("a/b"), .own)
            }
        }
        guard geteuid() == 0 else { return }
        try #require(chown(directory("a"), 12345, 12345) == 0)
        #expect { try ensure(directory("a/b"), .own) } throws: { hasCode($0, "EPERM") }
    }

    @Test func `whoever is refused has created nothing`() throws {
        let directory = TemporaryDirectory()
        try ensure(directory("a"), .own)
        #expect(try !SocketDirectory(path: directory("a/b/c"), policy: .state).exists())
        try #require(chmod(directory("a"), 0o777) == 0)
        for policy in [SocketDirectory.Policy.own, .chosen, .state] {
            for path in ["a/b", "a/b/c"] {
                #expect(throws: TransportError.self) { try ensure(directory(path), policy) }
                let missing = SocketDirectory(path: directory(path), policy: policy)
                #expect(throws: TransportError.self) { try missing.exists() }
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory("a")).isEmpty)
        // What is missing above napkin's own directory is not created either.
        try #require(chmod(directory("a"), 0o700) == 0)
        let own = SocketDirectory(path: directory("a/b/c"), policy: .own)
        #expect { try own.exists() } throws: { hasCode($0, "ENOENT") }
    }

    @Test func `each directory is replaced by the option that names it`() {
        for (policy, option) in [
            (SocketDirectory.Policy.own, "--socket PATH"), (.chosen, "--socket PATH"),
            (.state, "--state-dir DIR"),
        ] {
            #expect(SocketDirectory(path: "a", policy: policy).option == option)
        }
    }

    @Test func `a name is claimed by one process at a time, and another's claim does not count`() {
        let name = "/some/path/\(getpid())"
        #expect(ClaimedName.holder(of: name) == nil)
        let claim = ClaimedName.claim(name)
        #expect(claim >= 0 && ClaimedName.claim(name) == -1)
        #expect(ClaimedName.holder(of: name) == getpid())
        // Each question stays in the kernel's queue, until the holder makes room.
        #expect((0..<200).contains { _ in ClaimedName.holder(of: name) == nil })
        ClaimedName.clear(claim)
        #expect(ClaimedName.holder(of: name) == getpid())
        close(claim)
        #expect(ClaimedName.holder(of: name) == nil)
    }

    @Test func `a peer of whom the kernel says nothing is a stranger`() throws {
        #expect(PeerCredentials.stranger(nil) == "a user whom the kernel does not identify")
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let own = try #require(PeerCredentials(of: ends[0]))
        #expect(PeerCredentials.stranger(own) == nil)
    }

    @Test func `the default is in the runtime directory, else below tmp`() throws {
        let saved = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"]
        defer {
            unsetenv("XDG_RUNTIME_DIR")
            if let saved { setenv("XDG_RUNTIME_DIR", saved, 1) }
        }
        setenv("XDG_RUNTIME_DIR", "/run/user/7", 1)
        #expect(try SocketPath.napkinDefault().text == "/run/user/7/napkin/napkind.sock")
        setenv("XDG_RUNTIME_DIR", "relative", 1)
        #expect(try SocketPath.napkinDefault().text == "/tmp/napkin-\(geteuid())/napkind.sock")
        unsetenv("XDG_RUNTIME_DIR")
        #expect(SocketDirectory.napkinDefault.path == "/tmp/napkin-\(geteuid())")
    }
}
