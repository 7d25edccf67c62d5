// AppCatalog: the manifests in the directories of installed apps.
//
// Isolation  @MainActor: read on the loop thread, a file only when it has changed.
// Invariant  at most `AppManifest.manifestsMax` manifests are kept.
// Source     XDG Base Directory Specification
// Spec       Protocol/MANIFEST.md

import Glibc
import NapkinHost
import NapkinProtocol
import NapkinTransport

@MainActor
struct AppCatalog {
    /// One file, or one directory that was refused.
    struct Entry {
        /// The file's name without `.json`, or the directory's path.
        var name: String
        var path: String
        var manifest: Result<AppManifest, StartError>
    }

    private struct Known {
        var stamp: FileStamp
        var entry: Entry
    }

    /// The directories; the first one that contains a name decides about it.
    let directories: [String]
    /// The directories whose changes are noticed late.
    var unwatched: [String] = []
    private var known: [String: Known] = [:]

    init(_ directories: [String]) {
        self.directories = directories
    }

    /// At the next check, rereads a file that has been written, even if its stamp is the same.
    mutating func changed(_ path: String) {
        known[path] = nil
    }

    /// Returns the installed apps, ordered by name, each name once.
    mutating func entries() -> [Entry] {
        var found: [String: Entry] = [:]
        var refused: [Entry] = []
        var kept: [String: Known] = [:]
        for directory in directories {
            do throws(StartError) {
                let names = try Self.names(in: directory)
                if let refusal = Self.refusal(of: directory) {
                    // Another directory's program must not be started in place of these.
                    for name in names.prefix(AppManifest.manifestsMax) where found[name] == nil {
                        let path = "\(directory)/\(name).json"
                        found[name] = Entry(name: name, path: path, manifest: .failure(refusal))
                    }
                    throw refusal
                }
                for name in names {
                    let path = "\(directory)/\(name).json"
                    if let other = found[name] {
                        let isTwin = !path.utf8.elementsEqual(other.path.utf8)
                        if isTwin, path == other.path { refused.append(Self.twin(of: path)) }
                        continue
                    }
                    guard found.count < AppManifest.manifestsMax else {
                        throw StartError(
                            EX_CONFIG,
                            "\(directory): there are more than \(AppManifest.manifestsMax) "
                                + "manifests, which is the limit: the others are not read")
                    }
                    guard let stamp = FileStamp(at: path) else { continue }
                    let entry =
                        known[path].flatMap { $0.stamp == stamp ? $0.entry : nil }
                        ?? Self.entry(name, path)
                    kept[path] = Known(stamp: stamp, entry: entry)
                    found[name] = entry
                }
            } catch {
                refused.append(
                    Entry(name: directory, path: directory, manifest: .failure(error)))
            }
        }
        known = kept
        return found.values.sorted { $0.name < $1.name } + refused
    }

    /// Returns the refusal of a file whose name looks the same to people as another's.
    private static func twin(of path: String) -> Entry {
        let refusal = StartError(
            EX_CONFIG,
            "\(path): there are two files of this name, which differ only in how their letters are "
                + "composed: remove one")
        return Entry(name: path, path: path, manifest: .failure(refusal))
    }

    private static func entry(_ name: String, _ path: String) -> Entry {
        do throws(StartError) {
            return Entry(name: name, path: path, manifest: .success(try manifest(name, path)))
        } catch {
            return Entry(name: name, path: path, manifest: .failure(error))
        }
    }

    private static func manifest(_ name: String, _ path: String) throws(StartError) -> AppManifest {
        let text = try CheckedFile(path: path, startsPrograms: true).bytes()
        do throws(AppManifestError) {
            return try AppManifest(text ?? [], named: name)
        } catch {
            throw StartError(EX_CONFIG, "\(path):\(error.line): \(error.message)")
        }
    }

    /// Returns why a directory that exists is not used; `nil` if it is.
    static func refusal(of path: String) -> StartError? {
        guard FileIdentity(at: path) != nil else { return nil }
        do throws(TransportError) {
            try SocketDirectory(path: path, policy: .manifests, option: "--apps DIR").check()
            return nil
        } catch {
            return StartError(EX_CONFIG, "\(path): \(error.message)")
        }
    }

    /// Returns the names of the manifests in a directory, which need not exist.
    private static func names(in path: String) throws(StartError) -> [String] {
        let names = DirectoryNames.of(
            path, ending: ".json", max: AppManifest.manifestsMax + 1)
        guard let names else {
            if errno == ENOENT || errno == ENOTDIR { return [] }
            throw StartError(EX_CONFIG, "\(path): \(String(cString: strerror(errno)))")
        }
        return names.sorted()
    }
}

/// Identifies the version of a file that was read.
private struct FileStamp: Equatable {
    private var identity: FileIdentity
    private var mode: UInt32
    private var owner: UInt32
    private var size: Int
    private var changedAt: [Int]

    init?(at path: String) {
        var status = stat()
        guard let identity = FileIdentity(at: path), lstat(path, &status) == 0 else { return nil }
        self.identity = identity
        (mode, owner, size) = (status.st_mode, status.st_uid, Int(status.st_size))
        changedAt = [
            status.st_ctim.tv_sec, status.st_ctim.tv_nsec, status.st_mtim.tv_sec,
            status.st_mtim.tv_nsec,
        ]
    }
}
