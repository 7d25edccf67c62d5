// ReservedNames: names that already have a meaning in Swift, in napkin, or for SwiftPM.

/// The reasons why a name is not available. A test compares the lists with the sources.
enum ReservedNames {
    /// Keywords, which no declaration may have as its name, as a type or as a variable.
    static let keywords: Set = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch",
        "class", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension",
        "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in",
        "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
        "where", "while",
    ]

    /// Swift's types that generated apps use.
    static let swift: Set = [
        "Actor", "Array", "Bool", "Int", "Never", "Optional", "Result", "Sendable", "String",
        "Swift", "Task", "Test", "Testing", "Void",
    ]

    /// The public types of the modules that an app imports.
    static let napkin: Set = [
        "AccessibleRole", "Alignment", "Anomaly", "Answer", "AnyClock", "AnyView", "App",
        "AppCommand", "AppSchema", "AttachedFront", "Audience", "Backoff", "Banner", "Bindable",
        "Binding", "Blob", "BlobPart", "BlobSource", "BufferedStream", "Buildable", "Builder",
        "Button",
        "ButtonElement", "CBORDelta", "CBORDiagnostic", "CBORError", "CBORFields", "CBORLimits",
        "CBORReader", "CBORText", "CBORToJSON", "CBORWriter", "CallLimit", "CaseSchema",
        "ChildList", "ChildPlace", "ChildRoute", "ChildSlot", "ChildStack", "ChildSwitch",
        "ChildTabs",
        "ChildView", "Client", "Component", "ComponentizedBuilder", "Composition",
        "ConditionalView", "Configuration", "ConfinedSequence", "ContractChange",
        "ContractComparison", "CrossingContract", "CrossingError", "CrossingMessage",
        "CrossingReceiver", "CrossingSchema", "DaemonAddress", "DaemonConnection", "DaemonLauncher",
        "DaemonOptions", "DaemonRoute", "DeadLetter", "DeepLink", "DeepLinkError", "DeepLinkRoute",
        "DeliveryClass", "Dependency", "DirectlyCodable", "DismissAction", "Divider", "Durability",
        "DurableError", "DurableInteractable", "DurableNode", "DurableSchema", "DurableState",
        "Edge", "ElementFrame", "EmptyComponent", "EmptyDependency", "EmptyView", "Environment",
        "EnvironmentKey", "EnvironmentValues", "EventBus", "EventPort", "Feature",
        "FeatureClient", "FeatureID", "FeatureNode", "FeatureSchema", "FieldElement", "FieldSchema",
        "Flow",
        "FocusKey", "FocusState", "ForEach", "FrameLength", "Front", "FrontChange",
        "FrontComponent", "FrontDependency", "FrontError", "FrontNode", "FrontOptions",
        "FrontPages", "FrontPassage", "FrontRoute", "FrontSlot", "FrontTree",
        "FrontWait", "Gate", "HandlerRunner", "Handling",
        "Group", "GroupBox", "HStack", "HorizontalAlignment", "IncomingCall", "Insets",
        "Interactable", "InteractorExecutor", "InteractorLifecycle", "InteractorScope",
        "InterruptedEvent",
        "InventoryReport", "JSONError", "JSONObjectReader", "JSONToCBOR", "JobAttempts",
        "JobFailure", "JobKey", "Journal", "Key", "KeyBinding", "LaunchRouter", "LaunchRouting",
        "LeftToSurface", "Lines", "List", "ListElement", "ListenerCrossing", "ListensToNothing",
        "Log", "LogFollower", "LogGap", "LogItems", "LogLimits", "LogWindow", "ManualClock",
        "Message", "MessageSource", "MethodID", "MethodSchema", "Migration", "MissedFirings",
        "MissingChild",
        "Modification", "MountedView", "MultiStageComponentizedBuilder", "NavigationLink",
        "NavigationPath", "NavigationStack", "NoArguments", "NoMessage", "NodeCall", "NodeLogs",
        "NotQuiescent", "OwnElement", "ParameterSchema", "Payload", "PayloadEncoder",
        "PendingEvent", "Picker",
        "PickerElement", "PlainScreen", "PostingInteractable", "PresentPort", "Presentable",
        "PresentableCrossing", "PresentableInteractable", "PresentableListener", "Presentation",
        "PresentsNothing", "Preview", "PreviewBuilder", "ProgressElement", "ProgressView",
        "ReceivedMessage", "Recording", "RecordingListener", "RecordingRouter", "RecordingViews",
        "RefusalShowing", "RemoteFault", "RemoteView", "RenderedElement", "Router", "RouterCore",
        "Routing",
        "RoutingError", "SchedulingInteractable", "SchemaText", "SchemaTextError",
        "ScreenSize", "ScrollElement", "ScrollView", "Section", "SecureField",
        "SessionContext", "SessionStart", "Setting", "SettingDeclaration", "SettingValue",
        "ShownNode", "SimpleComponentizedBuilder", "SimpleMultiStageComponentizedBuilder", "Spacer",
        "Sparkline", "StackStyle", "Stage", "StageError", "StageOperation", "State", "StateCell",
        "Step", "StyledLine", "Surface", "Tab", "TabBar", "TabContentBuilder",
        "TabItem", "TabView", "Table", "TableColumn", "TableElement", "TableSort",
        "TerminalComponent", "TerminalError", "TerminalInput", "TerminalScreen", "TerminalTheme",
        "TerminalWindow", "TestFront", "TestSession", "Text", "TextField", "TextRole",
        "TextSpan", "TimerRequest", "Toggle", "ToggleElement", "TreeInventory", "TreeRecorder",
        "TupleView", "TypeCatalog", "TypeDescription", "TypeSchema", "UnlistedFeature", "VStack",
        "ValueCheck", "VerticalAlignment", "View", "ViewBuilder", "ViewContext",
        "ViewRegistry", "ViewScreen", "ViewStage", "ViewableRouter", "ViewableRouting",
        "WebElement", "Wire",
        "Worker", "WorkerProgram", "Workflow", "WorkflowEnd", "WorkflowError",
        "WorkflowProgress",
        "WorkflowRun", "Working",
    ]

    /// The endings that are appended to a name.
    static let endings: [ScaffoldName.Use: [String]] = [
        .app: [
            "", "App", "Client", "Contract", "Feature", "Front", "Interactor", "Model",
            "Presentable", "PresentableListener", "Router", "Routing", "Screen", "ScreenTests",
            "Tests", "Views", "Worker",
        ],
        .feature: [
            "", "Interactor", "Listener", "Model", "Presentable", "PresentableListener", "Router",
            "Routing", "Screen", "Tests",
        ],
    ]

    /// Returns why the name is taken; `nil` if it is free.
    static func taken(by name: String, for use: ScaffoldName.Use) -> String? {
        if keywords.contains(name) { return "it is a keyword of Swift" }
        if swift.contains(name) { return "Swift has a type of that name" }
        // Targets of all packages share one name space.
        if use == .app, name == "Napkin" { return "it is the name of napkin's own targets" }
        for ending in endings[use] ?? [] where napkin.contains(name + ending) {
            return "napkin has a type called \(name)\(ending)"
        }
        return nil
    }
}
