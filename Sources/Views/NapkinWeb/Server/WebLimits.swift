// WebLimits: the limits of a browser's cost to the server.

/// Limits of the web server. All are chosen.
enum WebLimits {
    /// Bytes of all headers of a request: a browser sends one or two thousand.
    static let headerBytesMax = 16 * 1024
    /// Headers of a request.
    static let headersMax = 64
    /// Bytes of a request's target.
    static let targetBytesMax = 1024
    /// Seconds from a connection's beginning to the end of its request.
    static let requestSeconds: Int64 = 5
    /// Simultaneous connections, including those of tabs.
    static let connectionsMax = 128
    /// Simultaneous tabs.
    static let tabsMax = 100
    /// Tabs of each browser of a shared address.
    static let browserTabsMax = 20
    /// Browsers logged in by a shared address. More than tabs: the oldest browser without a tab is
    /// logged out for a new one.
    static let browsersMax = 256
    /// Bytes of a page's message: a field's text, six bytes for each of its own.
    static let messageBytesMax = 400 * 1024
    /// Bytes of a message of an app's own element. Chosen: some lines.
    static let ownEventBytesMax = 4096
    /// Unread messages of a page, and their bytes. A page sends at most half as many at once.
    static let messagesMax = 256
    static let waitingBytesMax = 2 * messageBytesMax
    /// How often a page is asked for a sign of life, and how many unanswered questions end its
    /// connection. Proxies end a silent one after a minute; `silenceMax` is the page's limit.
    static let beat: Duration = .seconds(10)
    static let beatsMax = 3
    /// How long a tab stays without its page, which may return.
    static let absence: Duration = .seconds(60)
    /// The same for a page that has announced that it leaves. Chosen: by then it has been reloaded.
    static let reload: Duration = .seconds(5)
}
