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
    @inlinable @inline(__always)
    package static func hash(_ bytes: RawSpan) -> UInt64 {
        let value = fold(state(bytes, seed: seedA) ^ seedB, oddA)
        return value == 0 ? 1 : value
    }

    /// Combines two hashes, in order.
    @inlinable @inline(__always)
    package static func combine(_ first: UInt64, _ second: UInt64) -> UInt64 {
        let value = fold(first ^ oddA, second ^ oddB)
        return value == 0 ? 1 : value
    }

    /// 64 bits of UTF-8 text.
    package static func hash(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { buffer in hash(unsafe RawSpan(_unsafeElements: buffer)) }
    }

    /// The two halves of the full product, folded: every input bit reaches every output bit.
    @inlinable @inline(__always)
    static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }

    /// All of `bytes` in 64 bits, which are not yet spread evenly: another ``fold(_:_:)`` does that.
    @inlinable @inline(__always)
    static func state(_ bytes: RawSpan, seed: UInt64) -> UInt64 {
        let start = seed ^ UInt64(truncatingIfNeeded: bytes.byteCount) &* oddA
        if bytes.byteCount > 16 { return longState(bytes, start, seed) }
        let (a, b) = ends(of: bytes)
        return fold(a ^ oddA ^ start, b ^ oddB ^ seed)
    }

    /// Of more than 16 bytes; the last 16 may overlap with those before.
    @inlinable @inline(never)
    static func longState(_ bytes: RawSpan, _ start: UInt64, _ seed: UInt64) -> UInt64 {
        var state = start
        var offset = 0
        let last = bytes.byteCount - 16
        while offset < last {
            state = fold(word(of: bytes, at: offset) ^ oddA ^ state, word(of: bytes, at: offset + 8) ^ oddB)
            offset += 16
        }
        return fold(word(of: bytes, at: last) ^ oddA ^ state, word(of: bytes, at: last + 8) ^ oddB ^ seed)
    }

    /// 0 to 16 bytes as two words; overlapping loads, so that no byte past the end is read.
    @inlinable @inline(__always)
    static func ends(of bytes: RawSpan) -> (UInt64, UInt64) {
        let count = bytes.byteCount
        if count >= 8 { return (word(of: bytes, at: 0), word(of: bytes, at: count - 8)) }
        if count >= 4 {
            let first = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt32.self)
            let last = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: count - 4, as: UInt32.self)
            return (UInt64(first), UInt64(last))
        }
        if count == 0 { return (0, 0) }
        let first = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: 0, as: UInt8.self)
        let middle = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: count / 2, as: UInt8.self)
        let last = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: count - 1, as: UInt8.self)
        return (UInt64(first) << 16 | UInt64(middle) << 8 | UInt64(last), 0)
    }

    @inlinable @inline(__always)
    static func word(of bytes: RawSpan, at offset: Int) -> UInt64 {
        unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
    }
}

/// A device in 128 bits, to be combined with an app.
@usableFromInline package struct DeviceHash: BitwiseCopyable, Sendable {
    @usableFromInline let high: UInt64
    /// One half, of which no two devices of one source are alike.
    @usableFromInline package let low: UInt64

    /// - Parameter device: the `device_id`, UTF-8.
    @inlinable @inline(__always)
    package init(_ device: RawSpan) {
        high = StableHash.state(device, seed: StableHash.seedB)
        low = StableHash.state(device, seed: StableHash.seedA)
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

    /// - Parameter app: ``StableHash/hash(_:)-(RawSpan)`` of the `app_id`.
    @inlinable @inline(__always)
    package init(device: DeviceHash, app: UInt64) {
        high = StableHash.combine(device.high, app)
        low = StableHash.combine(device.low, app)
    }

    /// - Parameters:
    ///   - device: the `device_id`, UTF-8.
    ///   - app: ``StableHash/hash(_:)-(RawSpan)`` of the `app_id`.
    @inlinable @inline(__always)
    package init(device: RawSpan, app: UInt64) {
        self.init(device: DeviceHash(device), app: app)
    }
}
