// Plugin: the macros that the compiler finds here.
//
// Layer      compile time only; a running program contains nothing of this target.

import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main struct NapkinMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        CrossingMacro.self, DurableMacro.self, MarkMacro.self, MessageMacro.self,
        PresentedMacro.self, PresenterMacro.self, ReportsChangesMacro.self, VolatileMacro.self,
    ]
}
