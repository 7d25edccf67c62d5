// AppListing: describes the hosted apps and their workers to tools.

import NapkinHost
import NapkinProtocol

extension HostedApps {
    /// The hosted apps, then the manifests that cannot be used.
    var infos: [AppInfo] {
        ordered.map { app in
            var info = app.info
            let error = broken.first { $0.app == info.app }?.error
            if app.isWithdrawn, error == nil { info.manifest = nil }
            if app.isWithdrawn { info.error = error ?? Self.withdrawal(of: info.app) }
            let lost = sessions.lostSessions(of: info.app)
            info.lost = lost.isEmpty ? nil : lost
            return info
        } + broken.filter { supervisors[$0.app] == nil }
    }

    /// Describes an app without a manifest whose worker still runs.
    private static func withdrawal(of app: String) -> String {
        "its manifest has gone, and the app goes when its sessions end: "
            + "`napkin-client stop \(app) --force` ends those that are not stored, "
            + "`napkin-client kill` any of them"
    }
}

extension AppSupervisor {
    /// The app's own description; its manifest may be gone.
    fileprivate var info: AppInfo {
        let workers = self.workers.values.sorted { $0.id.number < $1.id.number }
        let infos = workers.map(\.info)
        let only = isPlural ? nil : infos.first
        let napkins = workers.compactMap { $0.worker?.register.napkin }
        let storing = apps.sessions.storing(app.id).map(\.number)
        var info = AppInfo(
            app: app.id, state: state, pid: only?.pid,
            sessions: infos.reduce(0) { $0 + $1.sessions }, crashes: crashes,
            title: app.manifest.title, version: app.manifest.version, manifest: app.path,
            front: app.manifest.front.map { [$0.path] + $0.arguments }, error: nil,
            log: log.path, death: isWithdrawn ? nil : workers.lazy.compactMap(\.death).first,
            workers: isPlural ? infos : nil, seconds: only?.seconds, bytes: only?.bytes,
            isOutdated: workers.contains { $0.isOutdated == true } ? true : nil,
            durability: journals.durability(of: storing),
            napkin: napkins.first { $0 != NapkinVersion.text })
        if info.durability != nil { info.ledger = apps.server.options.ledgerBackend.name }
        info.receipt = info.death == nil ? nil : workers.first { $0.death != nil }?.receipt
        return info
    }

    /// The workers' state; if they differ, the one that needs attention most.
    private var state: AppInfo.State {
        let states = Set(workers.values.map(\.state))
        if isStopped, states.isSubset(of: [.idle]) { return .stopped }
        return [.degraded, .restarting, .starting, .running].first(where: states.contains) ?? .idle
    }
}

extension WorkerSupervisor {
    fileprivate var info: WorkerInfo {
        let figures = pid.flatMap(ProcessFigures.init(of:))
        return WorkerInfo(
            worker: "\(id)", state: state, pid: pid,
            sessions: isRegistered ? owner.apps.sessions.count(of: id) : 0, crashes: crashes,
            seconds: figures?.seconds, bytes: figures?.bytes)
    }
}
