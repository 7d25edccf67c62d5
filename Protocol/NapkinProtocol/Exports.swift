// Exports: re-exports the words that every machine is stated in.

@_exported public import NapkinCoding
