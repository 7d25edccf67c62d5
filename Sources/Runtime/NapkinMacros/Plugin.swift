// Plugin: the macros that the compiler finds here.
//
// Layer      compile time only; a running program contains nothing of this target.

import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main struct NapkinMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        AppendMacro.self, CrossingMacro.self, DurableMacro.self, EffectMacro.self,
        MessageMacro.self, PresentedMacro.self, PresenterMacro.self, ProvisionalMacro.self,
        SecretMacro.self,
        ReportsChangesMacro.self, VolatileMacro.self,
    ]
}
