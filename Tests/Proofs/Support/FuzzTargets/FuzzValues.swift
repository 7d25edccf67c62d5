// FuzzValues: the types that items are decoded to.

import NapkinCoding

/// A structure of everything, with its coding generated.
@Message
struct FuzzOrder: Equatable {
    var id: Int64
    var name: String
    var note: String?
    var quantity: UInt8
    var price: Double
    var weight: Float?
    var tags: [String]
    var data: [UInt8]
    var parts: [FuzzMove]
    var totals: [String: Int16]
}

/// Cases with and without arguments; it contains itself.
@Message
indirect enum FuzzMove: Equatable {
    case rest
    case turn(Int)
    case go(to: String, via: [FuzzMove])
    case both(FuzzMove, FuzzMove?)
    case stage(FuzzStage)
}

/// An enumeration with raw values.
@Message
enum FuzzStage: String, Equatable {
    case lighting, smoking, resting, served
}

/// A type that goes through containers.
struct FuzzBox: Codable, Equatable, Sendable {
    enum Shape: Codable, Equatable, Sendable {
        case point
        case box(width: Double, height: Double)
        indirect case group([Shape])
    }

    var label: String?
    var shape: Shape
    var counts: [String: [Int]]
    var flags: Set<Bool>
    var stage: FuzzStage?
    var nested: [FuzzBox]
}
