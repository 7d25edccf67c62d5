// WebElement: an element that an app adds to a browser's page.
//
// Isolation  @MainActor; a value. The script is the app's, and runs on the page.
// Invariant  values are JSON of at most `valuesBytesMax`; without them the alternative is shown.

internal import NapkinCoding
public import NapkinCore

/// An element that the app draws itself in a browser; everywhere else, another view.
///
/// ```swift
/// WebElement("pit-picture", script: PackageResources.pit_picture_js, values: model.sections) {
///     ForEach(model.sections) { Text($0.title) }
/// } onEvent: { _ in
///     dispatch { await model.listener.didTapBack() }
/// }
/// ```
///
/// The script is a module that defines the custom element of this name. It finds the values as JSON
/// in its attribute `data-values`, which changes with them, and dispatches events as `new
/// CustomEvent("napkin", { detail: "a text", bubbles: true })`. The page leaves alone what the
/// script draws inside the element. It is not in SwiftUI.
public struct WebElement<Content: View>: View, Primitive {
    private let name: String
    private let script: [UInt8]
    private let values: String?
    private let content: Content
    private let event: (String) -> Void

    /// - Parameters:
    ///   - name: the custom element's: small letters and digits, with a hyphen between them.
    ///   - script: the module, as `.embedInCode` of the package's manifest creates it.
    ///   - values: the values for the element. If they have more than 64 KiB as JSON, none are
    ///     passed and the alternative is shown.
    ///   - content: the alternative, shown where there is no browser.
    ///   - event: receives the texts that the element sends, of at most 4 KiB each.
    public init(
        _ name: String, script: [UInt8], values: some DirectlyCodable,
        @ViewBuilder content: () -> Content, onEvent event: @escaping (String) -> Void = { _ in }
    ) {
        precondition(OwnElement.isName(name), "'\(name)' is no name of a custom element")
        self.name = name
        self.script = script
        self.values = OwnElement.json(values)
        self.content = content()
        self.event = event
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        let form = context.render(content, .body)
        guard let values else { return form }
        return [
            .own(
                OwnElement(
                    name: name, script: script, values: values,
                    isEnabled: context.environment.isEnabled, event: event, site: context.site),
                form)
        ]
    }
}

/// An app's own element, as it is on a browser's page.
package struct OwnElement {
    /// Bytes of the values as JSON. Chosen: a page of text.
    static let valuesBytesMax = 64 * 1024
    /// Bytes of a name. Chosen: some words.
    private static let nameBytesMax = 64

    package let name: String
    package let script: [UInt8]
    /// The values as JSON.
    package let values: String
    package let isEnabled: Bool
    package let event: (String) -> Void
    package let site: Site

    static func isName(_ name: String) -> Bool {
        let isWritten = name.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
        }
        return isWritten && name.utf8.count <= nameBytesMax && name.first?.isLetter == true
            && name.contains("-") && !name.hasSuffix("-")
    }

    static func json(_ values: some DirectlyCodable) -> String? {
        do throws(CBORError) {
            var writer = CBORWriter()
            try values.encode(into: &writer)
            let text = try CBORToJSON.transcode(writer.copyBytes())
            return text.count <= valuesBytesMax ? String(decoding: text, as: UTF8.self) : nil
        } catch {
            // If the values cannot be encoded, or are not JSON, the alternative is shown.
            return nil
        }
    }
}
