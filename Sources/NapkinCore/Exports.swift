// Exports: re-exports the coder, which generated code calls.
//
// Layer      core vocabulary.
// Isolation  none of its own.

@_exported public import NapkinCoding
