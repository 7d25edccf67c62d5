// WebLimits: what a browser may cost the server.

/// Limits of the web server. All are chosen.
enum WebLimits {
    /// Bytes of a request's headers together: a browser sends one or two thousand.
    static let headerBytesMax = 16 * 1024
    /// Headers of a request.
    static let headersMax = 64
    /// Bytes of a request's target.
    static let targetBytesMax = 1024
    /// Seconds from a connection's beginning to the end of its request.
    static let requestSeconds: Int64 = 5
    /// Connections at a time, those of tabs included.
    static let connectionsMax = 128
    /// Tabs at a time.
    static let tabsMax = 100
    /// Tabs of one of the browsers that an address is shared with.
    static let tabsOfGuestMax = 20
    /// Browsers that are logged in by a shared address, more than tabs: the first ones without a
    /// tab are logged out for others.
    static let browsersMax = 256
    /// Bytes of a page's message: a field's text, six bytes for each of its own.
    static let messageBytesMax = 400 * 1024
    /// Bytes of what an app's own element says. Chosen: some lines.
    static let ownEventBytesMax = 4096
    /// Messages of a page that nobody has read yet, and their bytes. A page sends half as many
    /// at once.
    static let messagesMax = 256
    static let waitingBytesMax = 2 * messageBytesMax
    /// How often a page is asked whether it is there, and how often in vain before its connection
    /// is taken for dead. Proxies end one that is silent for a minute; `silenceMax` is the page's.
    static let beat: Duration = .seconds(10)
    static let beatsMax = 3
    /// How long a tab stays without its page, which may come back.
    static let absence: Duration = .seconds(60)
}
