/// A hash that is the same on every machine and after every restart, for keys that outlive the process.
///
/// Not for keys that an attacker may choose freely to slow the program down: probing is bounded by load, and a
/// 64-bit seed of the program is no secret. Collisions of the 64-bit form are accepted where a wrong match costs
/// one miscounted event; identities use the 128-bit form.
@usableFromInline package enum StableHash {
    @inlinable static var oddA: UInt64 { 0x9E37_79B9_7F4A_7C15 }
    @inlinable static var oddB: UInt64 { 0xC2B2_AE3D_27D4_EB4F }
    @inlinable static var seedA: UInt64 { 0x2545_F491_4F6C_DD1D }
    @inlinable static var seedB: UInt64 { 0xD6E8_FEB8_6659_FD93 }

    /// 64 bits of `bytes`; never 0, which stands for "absent" wherever hashes are kept.
    @inlinable
    package static func hash(_ bytes: RawSpan) -> UInt64 {
        let value = mix(bytes, seed: seedA)
        return value == 0 ? 1 : value
    }

    /// Combines two hashes, in order.
    @inlinable
    package static func combine(_ first: UInt64, _ second: UInt64) -> UInt64 {
        let value = fold(first ^ oddA, second ^ oddB)
        return value == 0 ? 1 : value
    }

    /// 64 bits of UTF-8 text.
    package static func hash(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { buffer in hash(unsafe RawSpan(_unsafeElements: buffer)) }
    }

    /// A second, independent lane of 64 bits, for identities of 128 bits.
    @inlinable
    package static func secondLane(_ bytes: RawSpan) -> UInt64 {
        mix(bytes, seed: seedB)
    }

    /// The two halves of the full product, folded: every input bit reaches every output bit.
    @inlinable
    static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }

    @inlinable
    static func mix(_ bytes: RawSpan, seed: UInt64) -> UInt64 {
        let count = bytes.byteCount
        var state = seed ^ UInt64(truncatingIfNeeded: count) &* oddA
        var offset = 0
        while count - offset > 16 {
            let a = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
            let b = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset + 8, as: UInt64.self)
            state = fold(a ^ oddA ^ state, b ^ oddB)
            offset += 16
        }
        let (a, b) = tail(bytes, from: offset)
        state = fold(a ^ oddA ^ state, b ^ oddB ^ seed)
        return fold(state ^ seedB, oddA)
    }

    /// The last 0 to 16 bytes as two words; overlapping loads, so that no byte past the end is read.
    @inlinable
    static func tail(_ bytes: RawSpan, from offset: Int) -> (UInt64, UInt64) {
        let left = bytes.byteCount - offset
        if left >= 8 {
            let a = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
            let b = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset + left - 8, as: UInt64.self)
            return (a, b)
        }
        if left >= 4 {
            let a = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self)
            let b = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset + left - 4, as: UInt32.self)
            return (UInt64(a), UInt64(b))
        }
        if left == 0 { return (0, 0) }
        let first = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
        let middle = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset + left / 2, as: UInt8.self)
        let last = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset + left - 1, as: UInt8.self)
        return (UInt64(first) << 16 | UInt64(middle) << 8 | UInt64(last), 0)
    }
}

/// The identity of an installation: a 128-bit hash of the pair (device, app).
///
/// With 10⁹ installations the chance that any two share it is below 10⁻²⁰.
@usableFromInline package struct InstallationKey: Hashable, BitwiseCopyable, Sendable {
    @usableFromInline package var high: UInt64
    @usableFromInline package var low: UInt64

    @inlinable
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Parameters:
    ///   - device: the `device_id`, UTF-8.
    ///   - app: ``StableHash/hash(_:)-(RawSpan)`` of the `app_id`, computed once per app.
    @inlinable
    package init(device: RawSpan, app: UInt64) {
        high = StableHash.combine(StableHash.secondLane(device), app)
        low = StableHash.combine(StableHash.hash(device), app)
    }
}
