/// Short texts interned to dense 32-bit ids, so that events, states and sums carry a number in place of a string.
///
/// An id is valid for the life of the table and means nothing outside it: what leaves the process carries the text.
/// Bounded: past ``limit`` texts every new one becomes ``other``, and ``refused`` counts it.
@usableFromInline package struct TextTable {
    /// The id of the empty text, which stands for "absent".
    @inlinable package static var empty: UInt32 { 0 }
    /// The id of `__other__`, which stands for whatever was one too many.
    @inlinable package static var other: UInt32 { 1 }
    package static let otherText = "__other__"

    /// The most texts it holds (1 to 2³⁰).
    package let limit: Int
    /// How many texts were refused because the table was full.
    package private(set) var refused = 0

    private var texts: [ContiguousArray<UInt8>] = []
    private var hashes: [UInt64] = []
    /// Open addressing; 0 is a free place, else id + 1. The size is a power of two, at most half full.
    private var places: [UInt32]

    package init(limit: Int = 1 << 18) {
        precondition((1...(1 << 30)).contains(limit), "a text table holds 1 to 2³⁰ texts")
        self.limit = limit
        places = Array(repeating: 0, count: 64)
        _ = intern("")
        _ = intern(Self.otherText)
    }

    /// How many texts it holds, `""` and `__other__` included.
    package var count: Int { texts.count }

    /// The id of `bytes`, taken in if it is new.
    package mutating func intern(_ bytes: RawSpan) -> UInt32 {
        let hash = StableHash.hash(bytes)
        var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
        while places[place] != 0 {
            let id = places[place] - 1
            if hashes[Int(id)] == hash, isEqual(texts[Int(id)], bytes) { return id }
            place = (place + 1) & (places.count - 1)
        }
        guard texts.count < limit + 2 else {
            refused += 1
            return Self.other
        }
        return take(bytes, hash: hash, at: place)
    }

    package mutating func intern(_ text: String) -> UInt32 {
        var text = text
        return text.withUTF8 { buffer in intern(unsafe RawSpan(_unsafeElements: buffer)) }
    }

    /// The text of an id that this table gave.
    package subscript(id: UInt32) -> String { String(decoding: texts[Int(id)], as: UTF8.self) }

    /// The UTF-8 bytes of an id that this table gave.
    package func bytes(of id: UInt32) -> ContiguousArray<UInt8> { texts[Int(id)] }

    /// ``StableHash/hash(_:)-(RawSpan)`` of the text.
    package func hash(of id: UInt32) -> UInt64 { hashes[Int(id)] }

    private func isEqual(_ text: ContiguousArray<UInt8>, _ bytes: RawSpan) -> Bool {
        guard text.count == bytes.byteCount else { return false }
        for index in 0..<text.count where text[index] != bytes.unsafeByte(index) { return false }
        return true
    }

    private mutating func take(_ bytes: RawSpan, hash: UInt64, at place: Int) -> UInt32 {
        let id = UInt32(texts.count)
        var text = ContiguousArray<UInt8>()
        text.reserveCapacity(bytes.byteCount)
        for index in 0..<bytes.byteCount { text.append(bytes.unsafeByte(index)) }
        texts.append(text)
        hashes.append(hash)
        places[place] = id + 1
        if texts.count * 2 > places.count { grow() }
        return id
    }

    private mutating func grow() {
        let mask = places.count * 2 - 1
        places = Array(repeating: 0, count: places.count * 2)
        for (id, hash) in hashes.enumerated() {
            var place = Int(truncatingIfNeeded: hash) & mask
            while places[place] != 0 { place = (place + 1) & mask }
            places[place] = UInt32(id) + 1
        }
    }
}

extension RawSpan {
    /// The byte at `index`, which must be in bounds.
    @inline(__always)
    func unsafeByte(_ index: Int) -> UInt8 { unsafe unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self) }
}
