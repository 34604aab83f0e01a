import CSimdJSON

/// A value within a text that was checked; valid until the parser opens the next one.
@safe
struct JSONValue: BitwiseCopyable {
    private let value: pfj_value

    /// What is not there, or null.
    static var absent: JSONValue {
        var value = unsafe pfj_value()
        unsafe value.kind = PFJ_NULL
        return unsafe JSONValue(value)
    }

    init(_ value: pfj_value) { unsafe self.value = value }

    var isAbsent: Bool { unsafe value.kind == PFJ_NULL }

    /// The token of an object; nil where it is none.
    var object: UInt32? { unsafe value.kind == PFJ_CONTAINER ? UInt32(truncatingIfNeeded: value.integer) : nil }

    /// The token of an array; nil where it is none.
    var list: UInt32? { unsafe value.kind == PFJ_LIST ? UInt32(truncatingIfNeeded: value.integer) : nil }

    /// A string; nil where it is none.
    var text: UnsafeRawBufferPointer? {
        guard unsafe value.kind == PFJ_STRING else { return nil }
        return unsafe UnsafeRawBufferPointer(start: value.bytes, count: Int(value.length))
    }

    /// An integer of 64 bits without a sign, as a number or as the text of one; nil where it is none.
    var unsigned: UInt64? {
        guard let (digits, isNegative) = decimal else { return nil }
        return isNegative && digits != 0 ? nil : digits
    }

    /// An integer of 64 bits, as a number or as the text of one; nil where it is none.
    var integer: Int64? {
        guard let (digits, isNegative) = decimal else { return nil }
        if isNegative { return digits <= UInt64(Int64.max) + 1 ? Int64(truncatingIfNeeded: 0 &- digits) : nil }
        return Int64(exactly: digits)
    }

    private var decimal: (UInt64, Bool)? {
        let isNumber = unsafe value.kind == PFJ_INTEGER || value.kind == PFJ_NUMBER
        guard unsafe isNumber || value.kind == PFJ_STRING else { return nil }
        let bytes = unsafe RawSpan(_unsafeStart: value.bytes, byteCount: Int(value.length))
        let isNegative = bytes.byteCount > 0 && bytes[byte: 0] == UInt8(ascii: "-")
        var index = isNegative ? 1 : 0
        guard index < bytes.byteCount else { return nil }
        var digits: UInt64 = 0
        while index < bytes.byteCount {
            guard let digit = bytes[byte: index].digit else { return nil }
            let (product, isTooLarge) = digits.multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeToo) = product.addingReportingOverflow(UInt64(digit))
            if isTooLarge || isTooLargeToo { return nil }
            digits = sum
            index += 1
        }
        return (digits, isNegative)
    }
}

extension JSONParser {
    /// The members of these names of the object at `token`, in the order of the names; the last of each counts.
    func members<let count: Int>(
        of token: UInt32, _ names: InlineArray<count, StaticString>
    ) -> InlineArray<count, JSONValue> {
        var found = InlineArray<count, JSONValue>(repeating: .absent)
        var next = token + 1
        var key = unsafe pfj_value()
        var value = unsafe pfj_value()
        while unsafe nextMember(&next, &key, &value) {
            let name = unsafe RawSpan(_unsafeStart: key.bytes, byteCount: Int(key.length))
            for index in names.indices where name.isText(names[index]) { found[index] = unsafe JSONValue(value) }
        }
        return found
    }

    /// Calls `body` with each object of an array until it says no.
    ///
    /// - Returns: false where `body` said no, or where this is no array of objects; what is absent is one of none.
    func forEach(in list: JSONValue, _ body: (UInt32) -> Bool) -> Bool {
        if list.isAbsent { return true }
        guard let list = list.list else { return false }
        var next = list + 1
        var item = unsafe pfj_value()
        while unsafe nextItem(&next, &item) {
            guard let object = unsafe JSONValue(item).object, body(object) else { return false }
        }
        return true
    }
}
