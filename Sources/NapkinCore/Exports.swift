// Exports: the coder, visible to whoever imports the core, because generated code calls it.
//
// Layer      core vocabulary.
// Isolation  none of its own.

@_exported public import NapkinCoding
