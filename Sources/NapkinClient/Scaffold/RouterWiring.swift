// RouterWiring: where a feature without a router is made, and the lines that make it with one.
//
// Isolation  value; finding the place blocks.

/// The closure in which a feature's interactor is made:
///
/// ```swift
/// ChildRoute<MenuRouter, Detail>("detail", on: \.pages) { router, view in
///     DetailInteractor(presenter: view.presenter, listener: router.interactor)
/// }
/// ```
///
/// A route's closure may not call an actor, so that of a route calls a method then.
struct RouterWiring {
    let insertions: [Insertion]

    /// Looks for the closure in the app's feature module. It must be there once; otherwise the
    /// lines are for a person.
    init(of parent: ParentFeature, in package: AppPackage) {
        var found: [(file: String, old: [String])] = []
        for file in package.featureFiles {
            let rows = file.text.split(separator: "\n", omittingEmptySubsequences: false)
                .map(String.init)
            for index in rows.indices.dropLast()
            where rows[index].hasSuffix("view in")
                && rows[index + 1].drop(while: { $0 == " " }).hasPrefix("\(parent.name)Interactor(")
            {
                let isBroken = index > 0 && rows[index].hasPrefix("        router, view in")
                let first = isBroken ? index - 1 : index
                let indentation = rows[first].prefix { $0 == " " }
                let end = rows[index...].firstIndex {
                    $0 == indentation + "}" || $0 == indentation + "},"
                }
                if let end { found.append((file.path, Array(rows[first...end]))) }
            }
        }
        guard found.count == 1, let place = found.first,
            let lines = Self.wired(place.old, parent.name)
        else {
            insertions = [
                Insertion(
                    file: package.rootFile,
                    lines: Self.made(
                        parent.name, "", ["\(parent.name)Interactor(…)"], "interactor", "router"),
                    anchor: .person, place: "or wherever \(parent.name)Interactor is made")
            ]
            return
        }
        let making = Insertion(
            file: place.file, lines: lines, anchor: .replacing(place.old),
            place: "where \(parent.name)Interactor is made")
        insertions =
            [making] + (Self.maker(place.old, parent.name, in: place.file).map { [$0] } ?? [])
    }

    /// Returns the closure's lines with a router; `nil` if it is not as it was generated.
    private static func wired(_ old: [String], _ name: String) -> [String]? {
        guard old.count > 2 else { return nil }
        if old[0].contains(" = ChildRoute<") { return routed(old, name) }
        let indentation = String(old[0].prefix { $0 == " " })
        let head = String(old[0].dropFirst(indentation.count))
        let body = old[1..<old.count - 1].map { String($0.dropFirst(indentation.count + 4)) }
        let told = arguments(in: head)
        let rest = told.map { head.replacing(", arguments: \($0)", with: "") } ?? head
        let view = told.map { "arguments: \($0)" } ?? ""
        if rest.hasPrefix("let "), rest.contains(" = LaunchRouter(") {
            let root = rest.dropFirst(4).prefix { $0 != " " }
            return made(name, view, body, "interactor", String(root)).map { indentation + $0 }
        }
        // What the closure gets before the view: a tab's the router, a front's that and the front.
        let passed = ["", "_, ", "_, _, "].first { rest.hasSuffix(" { \($0)view in") }
        guard let passed else { return nil }
        let parameters = passed.isEmpty ? "" : " \(passed.dropLast(2)) in"
        let opening = rest.dropLast(passed.count + " view in".count) + parameters
        let lines = made(name, view, body, "child", "router") + ["return router"]
        return [indentation + opening] + lines.map { "\(indentation)    \($0)" }
            + old.suffix(1)
    }

    /// The lines of a route before its closure's body.
    private static func heads(_ old: [String]) -> Int {
        old.prefix { !$0.hasSuffix("router, view in") }.count + 1
    }

    /// Returns the lines of a route, whose closure calls the maker.
    private static func routed(_ old: [String], _ name: String) -> [String] {
        old.prefix(heads(old)) + ["        await router.make\(name)(view)"] + old.suffix(1)
    }

    /// The method that makes a route's child; `nil` for what is no route.
    private static func maker(_ old: [String], _ name: String, in file: String) -> Insertion? {
        guard let mark = old[0].firstRange(of: " = ChildRoute<") else { return nil }
        let owner = old[0][mark.upperBound...].prefix { $0 != "," }
        let body = old[heads(old)..<old.count - 1].map {
            String($0.dropFirst(8)).replacing("router.interactor", with: "interactor")
        }
        let head =
            "    private func make\(name)(_ view: RemoteView<\(name)>) async -> any Routing {"
        let lines = wired(body, name, "child", "router") + ["return router"]
        return Insertion(
            file: file, lines: ["", head] + lines.map { "        \($0)" } + ["    }"],
            anchor: .bottom(of: "final class \(owner)"), place: "into the router")
    }

    private static func made(
        _ name: String, _ arguments: String, _ body: [String], _ interactor: String,
        _ router: String
    ) -> [String] {
        ["let view = RemoteView<\(name)>(\(arguments))"] + wired(body, name, interactor, router)
    }

    private static func wired(
        _ body: [String], _ name: String, _ interactor: String, _ router: String
    ) -> [String] {
        making(body, "let \(interactor) = ")
            + [
                "let \(router) = \(name)Router(interactor: \(interactor), view: view, "
                    + "listener: \(interactor))",
                "await \(interactor).wire(router: \(router))",
            ]
    }

    /// Returns the call with its result in a variable, with the arguments on the next line if it
    /// gets too wide.
    private static func making(_ body: [String], _ variable: String) -> [String] {
        guard let call = body.first else { return [] }
        let isWide = variable.count + call.count + 12 > CodeLines.columnsMax
        guard body.count == 1, isWide, let place = call.firstIndex(of: "(") else {
            return [variable + call] + body.dropFirst()
        }
        return [variable + call[...place], "    " + call[call.index(after: place)...]]
    }

    /// Returns the value that a call has for `arguments:`.
    private static func arguments(in head: String) -> String? {
        guard let label = head.firstRange(of: ", arguments: ") else { return nil }
        var depth = 0
        var value = ""
        for letter in head[label.upperBound...] {
            if "([{".contains(letter) { depth += 1 }
            if depth == 0, letter == "," || letter == ")" { return value }
            if ")]}".contains(letter) { depth -= 1 }
            value.append(letter)
        }
        return nil
    }
}
