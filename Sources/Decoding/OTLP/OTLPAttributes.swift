import Lifecycle

/// The values of the attributes that are looked at, of one resource, record or body.
///
/// Texts are not copied: they must stay where they are until the record is done with. The last value of a key stands;
/// an empty one is as none.
@safe
struct OTLPAttributes: ~Copyable {
    /// The longest decimal number of 64 bits, with its sign.
    private static let longestNumber = 20

    private let texts: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
    /// A place for the digits of each key whose value is a number.
    private let digits: UnsafeMutableBufferPointer<UInt8>
    /// One bit for each key that has a value.
    private(set) var present: UInt32 = 0

    init() {
        let count = OTLPKey.allCases.count
        unsafe texts = .allocate(capacity: count)
        unsafe texts.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
        unsafe digits = .allocate(capacity: count * Self.longestNumber)
        unsafe digits.initialize(repeating: 0)
    }

    deinit {
        unsafe texts.deallocate()
        unsafe digits.deallocate()
    }

    mutating func removeAll() { present = 0 }

    @inline(__always)
    func has(_ key: OTLPKey) -> Bool { present & key.bit != 0 }

    /// The value of a key; of no bytes where it has none.
    @inline(__always)
    subscript(key: OTLPKey) -> UnsafeRawBufferPointer {
        unsafe has(key) ? texts[Int(key.rawValue)] : UnsafeRawBufferPointer(start: nil, count: 0)
    }

    mutating func set(_ key: OTLPKey, _ text: UnsafeRawBufferPointer) {
        unsafe texts[Int(key.rawValue)] = text
        present = unsafe text.isEmpty ? present & ~key.bit : present | key.bit
    }

    /// A number is as its decimal text.
    mutating func set(_ key: OTLPKey, integer: Int64) {
        let end = (Int(key.rawValue) + 1) * Self.longestNumber
        var start = end
        var rest = integer.magnitude
        repeat {
            start -= 1
            unsafe digits[start] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if integer < 0 {
            start -= 1
            unsafe digits[start] = UInt8(ascii: "-")
        }
        unsafe set(key, UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: digits[start..<end])))
    }
}
