// Exports: re-exports the coder, which generated code calls, and the logger that an app is given.

@_exported public import Logging
@_exported public import NapkinCoding
