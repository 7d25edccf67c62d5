// PageMessage: what a server and a page say to each other.
//
// Invariant  a page's message that cannot be read, or that means nothing, changes nothing.

import FoundationEssentials

/// What a person has done on a page.
package struct PageEvent: Decodable, Equatable, Sendable {
    enum Kind: String, Decodable, Sendable {
        case press, text, submit, toggle, pick, select, choose, focus, key
        /// The page is closed, or loaded anew.
        case leave
    }

    var type: Kind
    /// Counts the page's messages.
    var number = 0
    /// The element's id.
    var id: String?
    var text: String?
    /// The index of a row, an option or a tab.
    var row: Int?
    /// A key, as a browser names it.
    var key: String?
    /// What the element says, where only its place tells it from others.
    var label: String?
    var isOn: Bool?

    /// Reads a message; `nil` if it is none.
    package init?(_ text: String) {
        do {
            self = try JSONDecoder().decode(PageEvent.self, from: Data(text.utf8))
        } catch {
            return nil
        }
    }
}

/// What a page is told.
struct PageMessage: Encodable, Equatable, Sendable {
    /// The name under which the page finds its tab again.
    var tab: String?
    /// All of the page.
    var page: String?
    var patches: [PagePatch]?
    /// The element that gets the focus.
    var focus: String?
    /// The page of this server that is opened beside this one.
    var open: String?
    var state: PageState?
    /// The newest message that this one takes into account.
    var acknowledged = 0

    /// Asks the page whether it is there. It answers with anything, at once; a page that is not
    /// asked for three times as long takes the server, or the line, for dead.
    static let beat = #"{"beat":true}"#

    var text: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        } catch {
            // Strings and numbers can always be written.
            return nil
        }
    }
}

/// The line above a page.
struct PageState: Encodable, Equatable, Sendable {
    enum Kind: String, Encodable, Sendable { case connecting, connected, waiting, lost, ended }

    var kind: Kind
    var text: String
    var title: String
    var notice: String?
    /// Whether the page links to the inspector.
    var hasInspector = false
}
