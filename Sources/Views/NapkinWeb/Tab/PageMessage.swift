// PageMessage: the messages between a server and a page.
//
// Invariant  an unreadable or meaningless message of a page changes nothing.

import FoundationEssentials

/// A person's action on a page.
package struct PageEvent: Decodable, Equatable, Sendable {
    enum Kind: String, Decodable, Sendable {
        case press, text, submit, toggle, pick, select, choose, focus, key, console
        /// The page is closed or reloaded.
        case leave
    }

    var type: Kind
    /// Counts the page's messages.
    var number = 0
    /// The element's id.
    var id: String?
    var text: String?
    /// A row's, an option's or a tab's index; a console's row, or how many it has room for.
    var row: Int?
    /// The column of a console, or the number of columns that it has room for.
    var column: Int?
    /// A person's action in a console: `key`, `text`, `paste`, `click`, `wheel` or `size`.
    var act: String?
    /// A key, as a browser names it.
    var key: String?
    /// The element's text, for elements that differ only in their place.
    var label: String?
    var isOn: Bool?

    /// Decodes a message; `nil` if it is invalid.
    package init?(_ text: String) {
        do {
            self = try JSONDecoder().decode(PageEvent.self, from: Data(text.utf8))
        } catch {
            return nil
        }
    }
}

struct PageMessage: Encodable, Equatable, Sendable {
    /// The name by which the page finds its tab again.
    var tab: String?
    /// The whole page.
    var page: String?
    var patches: [PagePatch]?
    /// The element to focus.
    var focus: String?
    /// Another page of this server, to open beside this one.
    var open: String?
    var state: PageState?
    /// The calls for attention from now on.
    var calls: [String]?
    /// The newest message of the page that this one takes into account.
    var acknowledged = 0

    /// Asks the page for a sign of life. It answers at once, with any message. A page that has not
    /// been asked for three times as long assumes that the server or the line is dead.
    static let beat = #"{"beat":true}"#

    var text: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        } catch {
            // Encoding strings and numbers cannot fail.
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
    /// Whether the page may call for attention.
    var mayCall = false
}
