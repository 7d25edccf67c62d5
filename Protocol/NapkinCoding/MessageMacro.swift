// MessageMacro: the declaration of `@Message`.

/// Makes a struct or an enum a message: `Codable`, `Sendable` and `DirectlyCodable`.
///
/// The generated coding produces the bytes of synthesized `Codable`, several times as fast
/// (BENCHMARKS.md), and the type describes itself for schemas, field by field (`TypeCatalog`).
/// Write the type of every stored property; the macro cannot see inferred ones. A property whose
/// type is an alias of an optional must be spelled as an optional (`T?`). If you write
/// `CodingKeys`, put them into the type itself, not into an extension.
///
/// A `public` or `package` struct that declares no initializer gets a memberwise one of the same
/// visibility; a property's initial value, or `nil`, becomes the parameter's default.
@attached(member, names: named(init))
@attached(
    extension, conformances: Codable, Sendable, DirectlyCodable,
    names: named(encode(into:)), named(init(from:)), named(describe(in:)))
public macro Message() = #externalMacro(module: "NapkinMacros", type: "MessageMacro")
